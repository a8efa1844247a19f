import math

import torch


def row_by_row(scores):
    """Plain numbers, no tensors."""
    rows = []
    for row in scores.reshape(-1, scores.shape[-1]).tolist():
        real = [score for score in row if score > -math.inf]
        largest = max(real, default=0.0)
        total = sum(math.exp(score - largest) for score in real)
        rows.append([math.exp(s - largest) / total if s > -math.inf else 0.0 for s in row])
    return torch.tensor(rows).reshape(scores.shape)


STYLES = {"flash.safe_softmax": (row_by_row,)}
