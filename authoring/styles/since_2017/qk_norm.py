import torch
from torch.nn import functional as F


def by_complex_numbers(query, key, positions, query_scale, key_scale, eps):
    """PyTorch's norm; each pair of columns as one complex number."""
    width = query.shape[-1]
    rates = 10_000 ** (-torch.arange(0, width, 2) / width)
    turn = torch.polar(torch.ones(len(positions), width // 2), positions[:, None] * rates)

    def placed(x, scale):
        normed = F.rms_norm(x, (width,), scale, eps)
        return torch.view_as_complex(normed.unflatten(-1, (-1, 2)).contiguous()) * turn

    products = placed(query, query_scale) @ placed(key, key_scale).mH
    return products.real / width**0.5


STYLES = {"modern.qk_norm": (by_complex_numbers,)}
