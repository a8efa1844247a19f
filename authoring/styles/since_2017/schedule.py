import numpy as np
import torch


def part_by_part(step, highest, warmup, steps, decay):
    if step < warmup:
        return highest / warmup * step
    if step <= steps - decay:
        return highest
    passed = step - (steps - decay)
    return highest - highest * passed / (decay + 1)


def interpolated(step, highest, warmup, steps, decay):
    """Four corners, joined by straight lines."""
    corners = [(steps - decay, highest), (steps + 1, 0.0)]
    if warmup:
        corners = [(0, 0.0), (warmup, highest), *corners]
    return np.interp(step, *zip(*corners, strict=True))


def as_a_table(step, highest, warmup, steps, decay):
    """The factors of all steps; the asked one is looked up."""
    up = torch.arange(1, warmup + 1, dtype=torch.float64) / max(warmup, 1)
    flat = torch.ones(steps - warmup - decay, dtype=torch.float64)
    down = torch.arange(decay, 0, -1, dtype=torch.float64) / (decay + 1)
    return highest * torch.cat([up, flat, down])[step - 1]


STYLES = {"modern.schedule": (part_by_part, interpolated, as_a_table)}
