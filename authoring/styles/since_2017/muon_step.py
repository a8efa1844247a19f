import torch

A, B, C = 3.4445, -4.7750, 2.0315


def fused(weight, gradient, momentum, rate, beta):
    """As in PyTorch: `lerp` and `addmm`."""
    momentum = momentum.lerp(gradient, 1 - beta)
    x = gradient.lerp(momentum, beta)
    tall = len(x) > x.shape[1]
    x = x.T if tall else x
    x = x / x.norm().clamp(min=1e-7)
    for _ in range(5):
        gram = x @ x.T
        x = torch.addmm(x, torch.addmm(gram, gram, gram, beta=B, alpha=C), x, beta=A)
    ratio = max(1.0, weight.shape[0] / weight.shape[1]) ** 0.5
    return torch.sub(weight, x.T if tall else x, alpha=rate * ratio), momentum


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


def from_the_right(weight, gradient, momentum, rate, beta):
    """The smaller of the two squares, on the side where it stands."""
    momentum = torch.stack([beta * momentum, (1 - beta) * gradient]).sum(0)
    x = momentum * beta + gradient - beta * gradient
    x = x / torch.sqrt(torch.sum(x * x) + 1e-14)
    for _ in range(5):
        if x.shape[0] <= x.shape[1]:
            square = torch.einsum("ij,kj->ik", x, x)
            once = torch.einsum("ik,kj->ij", square, x)
            x = A * x + B * once + C * torch.einsum("ik,kj->ij", square, once)
        else:
            square = torch.einsum("ji,jk->ik", x, x)
            once = torch.einsum("ij,jk->ik", x, square)
            x = A * x + B * once + C * torch.einsum("ij,jk->ik", once, square)
    stretch = (x.shape[0] / x.shape[1]) ** 0.5 if x.shape[0] > x.shape[1] else 1.0
    return weight.add(x, alpha=-rate * stretch), momentum


STYLES = {"modern.muon_step": (fused, on_singular_values, from_the_right)}
