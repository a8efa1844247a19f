import numpy as np
import torch


def part_by_part(stream):
    """In NumPy, one part after the other."""
    given = stream.numpy()
    added = np.stack([given[p] - given[p - 1] if p else given[0] for p in range(len(given))])
    end = given[-1]
    return added, np.einsum("pbtd,btd->pbt", added, end) / np.einsum("btd,btd->bt", end, end)


def from_the_top(stream):
    """In place on a copy, the highest part first."""
    added = stream.double().clone()
    for part in range(len(added) - 1, 0, -1):
        added[part] -= added[part - 1]
    unit = stream[-1].double()
    unit = unit / unit.pow(2).sum(-1, keepdim=True)
    return added, (added.unsqueeze(-2) @ unit.unsqueeze(-1))[..., 0, 0]


def by_diff(stream):
    added = torch.diff(stream, dim=0, prepend=torch.zeros_like(stream[:1]))
    size = torch.linalg.vector_norm(stream[-1], dim=-1)
    along = stream[-1] / size[..., None]
    return added, torch.einsum("pbtd,btd->pbt", added, along) / size


STYLES = {"inside.stream": (part_by_part, from_the_top, by_diff)}
