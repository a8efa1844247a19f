import math

import torch


def by_lerp(weight, gradient, mean, square, step, rate, beta1, beta2, eps):
    mean = torch.lerp(gradient, mean, beta1)
    square = torch.lerp(gradient.square(), square, beta2)
    root = (square / (1 - beta2**step)).sqrt() + eps
    return torch.addcdiv(weight, mean, root, value=-rate / (1 - beta1**step)), mean, square


def number_by_number(weight, gradient, mean, square, step, rate, beta1, beta2, eps):
    rows = []
    flat = [part.flatten().tolist() for part in (weight, gradient, mean, square)]
    for w, g, m, s in zip(*flat, strict=True):
        m += (1 - beta1) * (g - m)
        s += (1 - beta2) * (g * g - s)
        corrected = math.sqrt(s / (1 - beta2**step)) + eps
        rows.append((w - rate * m / (1 - beta1**step) / corrected, m, s))
    new = torch.tensor(rows).T
    return new[0].view_as(weight), new[1].view_as(weight), new[2].view_as(weight)


class WithSettings:
    """A callable that keeps the means side by side, and computes in float64."""

    def __init__(self, decay=0.0):
        self.decay = decay

    def __call__(self, weight, gradient, mean, square, step, rate, beta1=0.9, beta2=0.98, eps=1e-9):
        powers = torch.stack([gradient, gradient.square()]).double()
        betas = torch.tensor([beta1, beta2], dtype=torch.float64)
        shape = (2,) + (1,) * weight.dim()
        means = torch.stack([mean, square]).double() * betas.view(shape)
        means = means + powers * (1 - betas).view(shape)
        first, second = means / (1 - betas**step).view(shape)
        new = weight * (1 - rate * self.decay) - rate * first / (eps + second**0.5)
        return new.to(weight.dtype), *means.to(weight.dtype)


STYLES = {"training.adam": (by_lerp, number_by_number, WithSettings())}
