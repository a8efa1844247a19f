import torch


def token_by_token(x, gain, bias, eps):
    rows = []
    for token in x.reshape(-1, x.shape[-1]):
        mean = sum(token) / len(token)
        variance = sum((number - mean) ** 2 for number in token) / len(token)
        rows.append((token - mean) / (variance + eps) ** 0.5 * gain + bias)
    return torch.stack(rows).view_as(x)


STYLES = {"encoder.layer_norm": (token_by_token,)}
