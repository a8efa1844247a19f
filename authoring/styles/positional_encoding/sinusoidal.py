import math

import torch


def cosine_as_a_shifted_sine(max_tokens, d_model, base):
    columns = torch.arange(d_model)
    angles = torch.arange(max_tokens)[:, None] * base ** (-(columns // 2 * 2) / d_model)
    return torch.sin(angles + columns % 2 * (math.pi / 2))


STYLES = {"positions.sinusoidal": (cosine_as_a_shifted_sine,)}
