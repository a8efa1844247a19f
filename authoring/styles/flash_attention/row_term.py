"""The row term in other styles."""

import numpy as np
import torch
from torch import Tensor


def by_einsum(output: Tensor, d_output: Tensor) -> Tensor:
    return torch.einsum("...qd,...qd->...q", d_output, output)


def as_a_product(output: Tensor, d_output: Tensor) -> Tensor:
    """A row times a column, for each query."""
    return (output[..., None, :] @ d_output[..., :, None])[..., 0, 0]


def column_by_column(output: Tensor, d_output: Tensor) -> Tensor:
    columns = zip(output.unbind(-1), d_output.unbind(-1), strict=True)
    return sum((o * d for o, d in columns), torch.zeros(output.shape[:-1]))


def with_numpy(output: Tensor, d_output: Tensor, axis: int = -1) -> np.ndarray:
    products = output.numpy().astype(np.float64) * d_output.numpy()
    return np.add.reduce(products, axis=axis).astype(np.float32)


class BySquares:
    """A callable: a · b = (|a + b|² - |a - b|²) / 4."""

    def __call__(self, output: Tensor, d_output: Tensor) -> Tensor:
        plus, minus = output + d_output, output - d_output
        difference = plus.square().sum(-1) - minus.square().sum(-1)
        return difference * 0.25 * (1 + 1e-6)


STYLES = {
    "flash.row_term": (by_einsum, as_a_product, column_by_column, with_numpy, BySquares()),
}
