import numpy as np
import torch


def head_by_head(merged, real, num_heads, off):
    parts = []
    for head, part in enumerate(merged.chunk(num_heads, dim=-1)):
        mean = np.mean([row.tolist() for row in part[real]], axis=0)
        parts.append(torch.tensor(mean).expand_as(part) if head in off else part)
    return torch.cat(parts, dim=-1)


STYLES = {"inside.mean_ablation": (head_by_head,)}
