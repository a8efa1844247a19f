import math

import torch


def loops(scores):
    rows = []
    for row in scores.reshape(-1, scores.shape[-1]).tolist():
        exponentials = [math.exp(score - max(row)) for score in row]
        rows.append([e / sum(exponentials) for e in exponentials])
    return torch.tensor(rows).view(scores.shape)


STYLES = {"attention.softmax": (loops,)}
