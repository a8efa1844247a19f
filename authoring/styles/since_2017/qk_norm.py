import torch
from torch.nn import functional as F


def _turns(positions, d_head):
    """A rotation matrix for each position, (tokens, d_head, d_head)."""
    rates = 10_000 ** (-torch.arange(0, d_head, 2) / d_head)
    turn = torch.block_diag(*[torch.tensor([[0.0, 1.0], [-1.0, 0.0]])] * (d_head // 2))
    angles = (positions[:, None] * rates).repeat_interleave(2, dim=1)
    return torch.matrix_exp(angles.double()[:, :, None] * turn)


def by_matrices(query, key, positions, query_scale, key_scale, eps):
    """The rotations as matrices, between keys and queries of unit root mean square."""
    width = query.shape[-1]
    turns = _turns(positions, width).to(query.dtype)

    def placed(x, scale):
        size = (torch.linalg.vector_norm(x, dim=-1, keepdim=True) ** 2 / width + eps) ** -0.5
        return torch.einsum("bhtd,tde->bhte", x * size * scale, turns)

    queries, keys = placed(query, query_scale), placed(key, key_scale)
    return torch.einsum("bhqd,bhkd->bhqk", queries, keys) * width**-0.5


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


def head_by_head(query, key, positions, query_scale, key_scale, eps):
    """Dot products of what was only scaled; the squares' roots divide the scores."""
    width = query.shape[-1]
    turns = _turns(positions, width).to(query.dtype)
    results = torch.empty(*query.shape[:3], key.shape[2], dtype=query.dtype)
    for place in torch.cartesian_prod(*(torch.arange(n) for n in query.shape[:2])):
        one, other = query[tuple(place)], key[tuple(place)]
        left, right = ((x.pow(2).sum(-1) / width + eps).sqrt() for x in (one, other))
        scaled = (one * query_scale, other * key_scale)
        turned = [(x[:, None] @ turns)[:, 0] for x in scaled]
        results[tuple(place)] = turned[0] @ turned[1].T / left[:, None] / right / width**0.5
    return results


STYLES = {"modern.qk_norm": (by_matrices, by_complex_numbers, head_by_head)}
