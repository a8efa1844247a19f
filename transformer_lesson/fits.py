"""Whether arguments fit together: errors that name the value, the rule and what to do.

They stand apart so that ``attention.py`` shows the attention alone.
"""

import torch
from torch import Tensor

AXES = ("batch", "heads", "queries", "keys")


def check_attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> None:
    """Check ``query (..., queries, d_head)``, ``key``, ``value`` and mask against one another.

    Raises:
        TypeError: the dtypes differ or are not floating point, or the mask is not boolean.
        ValueError: the shapes do not fit together.
    """
    tensors = {"query": query, "key": key, "value": value}
    for name, tensor in tensors.items():
        if tensor.dim() < 2:
            raise ValueError(
                f"{name} has shape {tuple(tensor.shape)}; expected (..., tokens, width)."
            )
        if tensor.dtype != query.dtype or not tensor.is_floating_point():
            raise TypeError(
                f"{name} has dtype {tensor.dtype} and query {query.dtype}; "
                "expected one floating-point dtype for all three."
            )
        if tensor.shape[:-2] != query.shape[:-2]:
            raise ValueError(
                f"{name} has shape {tuple(tensor.shape)} and query {tuple(query.shape)}; "
                "the axes before the last two must be equal. Use expand to repeat one."
            )
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            f"query has d_head={query.shape[-1]} and key has d_head={key.shape[-1]}; "
            "a dot product needs them equal."
        )
    if key.shape[-2] != value.shape[-2]:
        raise ValueError(
            f"there are {key.shape[-2]} keys and {value.shape[-2]} values; "
            "each key needs its value."
        )
    if mask is not None:
        check_mask(mask, (*query.shape[:-1], key.shape[-2]))


def check_mask(mask: Tensor, scores: tuple[int, ...]) -> None:
    """Check that ``mask`` is boolean and broadcasts to the shape of the scores.

    Raises:
        TypeError: it is no tensor, or not boolean.
        ValueError: an axis does not fit.
    """
    if not isinstance(mask, Tensor):
        raise TypeError(
            f"the mask is a {type(mask).__name__}; expected a boolean tensor. "
            "Use torch.as_tensor(mask)."
        )
    if mask.dtype != torch.bool:
        raise TypeError(
            f"the mask has dtype {mask.dtype}; expected torch.bool with True = may attend. "
            "Use mask.bool() for ones and zeros, mask == 0 for zeros and -inf."
        )
    if mask.dim() > len(scores):
        raise ValueError(
            f"the mask has shape {tuple(mask.shape)}, more axes than the scores' {scores}."
        )
    # Scores of one head have no axis for heads; any axes before the batch have no name.
    names = list(AXES if len(scores) > 3 else ("batch", *AXES[2:]))
    names = ["an axis"] * (len(scores) - len(names)) + names
    for name, known, given in zip(names[::-1], mask.shape[::-1], scores[::-1], strict=False):
        if known not in (1, given):
            raise ValueError(
                f"the mask has shape {tuple(mask.shape)}, made for {name}={known}; "
                f"here {name}={given}. Make the mask for the tokens that are there."
            )


def check_layer(d_model: int, num_heads: int, dropout: float) -> None:
    """Check the sizes of a multi-head attention.

    Raises:
        ValueError: ``num_heads`` does not divide ``d_model``, or ``dropout`` is no probability.
    """
    if d_model < 1:
        raise ValueError(f"d_model={d_model}; expected 1 or more.")
    if num_heads < 1 or d_model % num_heads != 0:
        fitting = ", ".join(str(n) for n in range(1, d_model + 1) if d_model % n == 0)
        raise ValueError(
            f"d_model={d_model} is not divisible by num_heads={num_heads}; "
            f"num_heads may be {fitting}."
        )
    if not 0 <= dropout < 1:
        raise ValueError(f"dropout={dropout}; expected a probability from 0 up to, not at, 1.")


def check_activations(name: str, tokens: Tensor, d_model: int) -> None:
    """Check that ``tokens`` is ``(batch, tokens, d_model)``.

    Raises:
        ValueError: it is not.
    """
    if tokens.dim() != 3 or tokens.shape[-1] != d_model:
        raise ValueError(
            f"{name} has shape {tuple(tokens.shape)}; expected (batch, tokens, {d_model})."
        )


def check_ids(tokens: Tensor, padding_id: int) -> None:
    """Check that ``tokens`` is ``(batch, tokens)`` and ``padding_id`` an id.

    Raises:
        TypeError: they are not integers.
        ValueError: there are more or fewer axes.
    """
    if not isinstance(tokens, Tensor) or tokens.is_floating_point():
        raise TypeError("tokens is no tensor of integer ids; use torch.tensor(ids).")
    if not isinstance(padding_id, int):
        raise TypeError(f"padding_id={padding_id!r}; expected the integer id of the padding token.")
    if tokens.dim() != 2:
        raise ValueError(
            f"tokens has shape {tuple(tokens.shape)}; expected (batch, tokens). "
            "For one sentence use tokens.unsqueeze(0)."
        )


def check_lengths(queries: int, keys: int) -> None:
    """Check the size of a causal mask.

    Raises:
        TypeError: a number is not an integer.
        ValueError: a number is negative.
    """
    for name, number in (("queries", queries), ("keys", keys)):
        if not isinstance(number, int):
            raise TypeError(f"{name}={number!r}; expected the number of tokens, an integer.")
        if number < 0:
            raise ValueError(f"{name}={number}; a number of tokens is 0 or more.")
