import torch


def complex_numbers(x, positions, base=10_000.0):
    frequencies = 1.0 / base ** (torch.arange(0, x.shape[-1], 2).float() / x.shape[-1])
    angles = torch.outer(positions.float(), frequencies)
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)


def matrix_for_each_position(x, positions):
    frequencies = 10_000 ** (-torch.arange(0, x.shape[-1], 2) / x.shape[-1])
    matrices = []
    for position in positions:
        a = position * frequencies
        blocks = torch.stack((a.cos(), -a.sin(), a.sin(), a.cos()), dim=-1).view(-1, 2, 2)
        matrices.append(torch.block_diag(*blocks))
    return torch.einsum("tij,...tj->...ti", torch.stack(matrices), x)


class FilledByStrides:
    """An instance that is called: an empty result, whose columns are written by stride."""

    def __call__(self, x, positions):
        exponents = torch.arange(x.shape[-1] // 2) * 2 / x.shape[-1]
        angles = positions.unsqueeze(-1) / torch.pow(10_000, exponents)
        turned = torch.empty_like(x)
        turned[..., 0::2] = x[..., ::2] * angles.cos() - x[..., 1::2] * angles.sin()
        turned[..., 1::2] = x[..., ::2] * angles.sin() + x[..., 1::2] * angles.cos()
        return turned


STYLES = {"positions.rotary": (complex_numbers, matrix_for_each_position, FilledByStrides())}
