import numpy as np
import torch


def column_by_column(merged, real, num_heads, off):
    """In NumPy, by the columns of each head."""
    given = merged.numpy().copy()
    kept = given[real.numpy()].mean(axis=0)
    width = given.shape[-1] // num_heads
    for head in off:
        columns = slice(head * width, (head + 1) * width)
        given[..., columns] = kept[columns]
    return given


def by_a_mask(merged, real, num_heads, off):
    """A choice between two tensors."""
    weights = real.double() / real.sum()
    rows = torch.where(real[..., None], merged, 0).double()
    means = torch.einsum("bt,btd->d", weights, rows).expand_as(merged)
    closed = torch.zeros(num_heads, dtype=torch.bool)
    closed[off] = True
    closed = closed.repeat_interleave(merged.shape[-1] // num_heads)
    return torch.where(closed, means, merged.double())


def head_by_head(merged, real, num_heads, off):
    parts = []
    for head, part in enumerate(merged.chunk(num_heads, dim=-1)):
        mean = np.mean([row.tolist() for row in part[real]], axis=0)
        parts.append(torch.tensor(mean).expand_as(part) if head in off else part)
    return torch.cat(parts, dim=-1)


STYLES = {"inside.mean_ablation": (column_by_column, by_a_mask, head_by_head)}
