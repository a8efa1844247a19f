import numpy as np
import torch


def by_einsum(output, d_output):
    return torch.einsum("...qd,...qd->...q", d_output, output)


def as_a_product(output, d_output):
    """A row times a column, for each query."""
    return (output[..., None, :] @ d_output[..., :, None])[..., 0, 0]


def with_numpy(output, d_output, axis=-1):
    products = output.numpy().astype(np.float64) * d_output.numpy()
    return np.add.reduce(products, axis=axis).astype(np.float32)


STYLES = {"flash.row_term": (by_einsum, as_a_product, with_numpy)}
