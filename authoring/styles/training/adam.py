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


# Both: too small a tolerance would refuse the first, a case of equal numbers the second.
STYLES = {"training.adam": (by_lerp, number_by_number)}
