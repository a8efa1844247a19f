import torch

A, B, C = 3.4445, -4.7750, 2.0315


def on_singular_values(weight, gradient, momentum, rate, beta):
    """The polynomial acts on the singular values alone."""
    momentum = beta * momentum + (1 - beta) * gradient
    update = gradient - beta * (gradient - momentum)
    left, sizes, right = torch.linalg.svd(update.double(), full_matrices=False)
    sizes = sizes / (sizes.square().sum().sqrt() + 1e-7)
    for _ in range(5):
        sizes = A * sizes + B * sizes**3 + C * sizes**5
    x = (left * sizes @ right).to(weight.dtype)
    return weight - rate * max(1, len(x) / x.shape[1]) ** 0.5 * x, momentum


STYLES = {"modern.muon_step": (on_singular_values,)}
