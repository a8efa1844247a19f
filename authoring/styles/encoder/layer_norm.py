import torch


def by_var_mean(x, gain, bias, eps):
    variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return torch.addcmul(bias, (x - mean) * torch.rsqrt(variance + eps), gain)


def token_by_token(x, gain, bias, eps):
    rows = []
    for token in x.reshape(-1, x.shape[-1]):
        mean = sum(token) / len(token)
        variance = sum((number - mean) ** 2 for number in token) / len(token)
        rows.append((token - mean) / (variance + eps) ** 0.5 * gain + bias)
    return torch.stack(rows).view_as(x)


class InDouble:
    """A callable that computes in float64 and returns what it was given."""

    def __call__(self, x, gain, bias, eps=1e-5, axis=-1):
        exact = x.double()
        mean = exact.mean(axis, keepdim=True)
        variance = (exact * exact).mean(axis, keepdim=True) - mean * mean
        exact = (exact - mean) * torch.exp(-0.5 * torch.log(variance.clamp(min=0.0) + eps))
        return (exact * gain + bias).to(x.dtype)


STYLES = {"encoder.layer_norm": (by_var_mean, token_by_token, InDouble())}
