import math

import torch


def exponential_of_a_logarithm(max_tokens, d_model, base):
    table = torch.zeros(max_tokens, d_model)
    position = torch.arange(max_tokens).unsqueeze(1).float()
    frequencies = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(base) / d_model))
    table[:, 0::2] = torch.sin(position * frequencies)
    table[:, 1::2] = torch.cos(position * frequencies[: d_model // 2])
    return table


def cosine_as_a_shifted_sine(max_tokens, d_model, base):
    columns = torch.arange(d_model)
    angles = torch.arange(max_tokens)[:, None] * base ** (-(columns // 2 * 2) / d_model)
    return torch.sin(angles + columns % 2 * (math.pi / 2))


def row_turned_from_row_to_row(max_tokens, d_model, base):
    """Each row from the one before, by the addition theorem."""
    steps = torch.tensor([base ** (-2 * i / d_model) for i in range((d_model + 1) // 2)]).double()
    sine, cosine = torch.zeros_like(steps), torch.ones_like(steps)
    rows = []
    for _ in range(max_tokens):
        rows.append(torch.stack((sine, cosine), dim=-1).flatten()[:d_model])
        turned = sine * steps.cos() + cosine * steps.sin()
        cosine, sine = cosine * steps.cos() - sine * steps.sin(), turned
    return torch.stack(rows).float()


STYLES = {
    "positions.sinusoidal": (
        exponential_of_a_logarithm,
        cosine_as_a_shifted_sine,
        row_turned_from_row_to_row,
    )
}
