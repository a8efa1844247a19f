import torch


def by_length(x, gain, eps):
    """A token's length is √d times its root mean square."""
    width = x.shape[-1]
    squares = x.norm(dim=-1, keepdim=True) ** 2
    return x * gain * width**0.5 / (squares + width * eps) ** 0.5


def by_einsum(x, gain, eps):
    mean_square = torch.einsum("...d,...d->...", x, x) / x.shape[-1] + eps
    return torch.einsum("...d,d,...->...d", x, gain, mean_square.pow(-0.5))


def token_by_token(x, gain, eps):
    if x.dim() > 1:
        return torch.stack([token_by_token(part, gain, eps) for part in x])
    mean_square = torch.dot(x, x) / len(x)
    return torch.stack([n * g for n, g in zip(x, gain, strict=True)]) / (mean_square + eps).sqrt()


STYLES = {"encoder.rms_norm": (by_length, by_einsum, token_by_token)}
