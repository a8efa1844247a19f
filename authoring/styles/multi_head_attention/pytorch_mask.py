import numpy as np
import torch


def nested_lists(real, num_heads, queries):
    rows = [[not token for token in sentence] for sentence in real.tolist()]
    return [[row] * queries for row in rows for _ in range(num_heads)]


def numpy_repeat(real, num_heads, queries):
    blocked = np.invert(real.numpy())[:, np.newaxis]
    return blocked.repeat(queries, axis=1).repeat(num_heads, axis=0)


def filled_mask_by_mask(real, num_heads, queries):
    blocked = torch.zeros(len(real) * num_heads, queries, real.shape[1], dtype=torch.bool)
    for number in range(len(blocked)):
        blocked[number] = real[number // num_heads] == False  # noqa: E712
    return blocked


STYLES = {"heads.pytorch_mask": (nested_lists, numpy_repeat, filled_mask_by_mask)}
