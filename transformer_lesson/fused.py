"""PyTorch's fused attention, with the masks and biases of this course."""

import math

from torch import Tensor
from torch.nn import functional as F

from transformer_lesson import fits


def fused_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
    *,
    bias: Tensor | None = None,
    dropout: float = 0.0,
) -> Tensor:
    """Return what ``scaled_dot_product_attention`` returns first, by the kernel PyTorch picks.

    Raises:
        TypeError: the mask is not boolean, or the dtypes differ.
        ValueError: the shapes do not fit together.
    """
    fits.check_attention(query, key, value, mask, bias)
    if bias is not None:  # PyTorch takes one of the two: a bias of -inf masks
        mask = bias if mask is None else bias.masked_fill(~mask, -math.inf)
    return F.scaled_dot_product_attention(query, key, value, mask, dropout)
