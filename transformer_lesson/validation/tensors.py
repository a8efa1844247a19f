"""Shapes and dtypes of tensors that meet in a layer; they are known when a model is compiled.

What a check says of its arguments must hold, else it raises: a TypeError for what is no tensor or
has a wrong dtype, a ValueError for a shape or a device.
"""

import torch
from torch import Tensor

from transformer_lesson.validation.arguments import WIDEST_FLASH, check_grouped, check_positive

AXES = ("batch", "heads", "queries", "keys")
DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def check_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    bias: Tensor | None = None,
    *,
    enable_gqa: bool = False,
) -> None:
    """Check ``query (..., queries, d_head)``, ``key``, ``value``, mask and bias against each other.

    With ``enable_gqa`` key and value may have fewer heads, a number that divides that of query.
    """
    tensors = {"query": query, "key": key, "value": value}
    check_is_tensor(**tensors)
    for name, tensor in tensors.items():
        if tensor.dim() < 2:
            raise ValueError(
                f"{name} has shape {tuple(tensor.shape)}; expected (..., tokens, width)."
            )
        if not tensor.is_floating_point():
            raise TypeError(f"{name} has dtype {tensor.dtype}; expected floating point.")
        if tensor.dtype != query.dtype:
            raise TypeError(
                f"{name} has dtype {tensor.dtype} and query {query.dtype}; "
                "expected one dtype for all three."
            )
        before = tensor.shape[:-2]
        if enable_gqa and tensor.dim() == query.dim() > 2:
            check_grouped(query.shape[-3], tensor.shape[-3])
            before = before[:-1] + query.shape[-3:-2]
        if before != query.shape[:-2]:
            raise ValueError(
                f"{name} has shape {tuple(tensor.shape)} and query {tuple(query.shape)}; "
                "the axes before the last two must be equal. Use expand to repeat one, or "
                "enable_gqa=True where heads share keys and values."
            )
    if enable_gqa and key.shape[:-2] != value.shape[:-2]:
        raise ValueError(
            f"key has shape {tuple(key.shape)} and value {tuple(value.shape)}; "
            "expected as many heads of the one as of the other."
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
    scores = (*query.shape[:-1], key.shape[-2])
    if mask is not None:
        check_mask(mask, scores)
    if bias is not None:
        check_is_tensor(bias=bias)
        if bias.dtype != query.dtype:
            raise TypeError(
                f"the bias has dtype {bias.dtype}; expected {query.dtype}, the scores'."
            )
        _check_broadcasts("bias", bias, scores)


def check_is_tensor(**tensors: Tensor) -> None:
    """Check that each of ``tensors`` is one."""
    for name, tensor in tensors.items():
        if not isinstance(tensor, Tensor):
            raise TypeError(f"{name} is a {type(tensor).__name__}; expected a tensor.")


def check_dtype(dtype: torch.dtype | None) -> None:
    """Check that weights can have ``dtype``; None is PyTorch's default."""
    if dtype is not None and dtype not in DTYPES:
        known = ", ".join(str(known) for known in DTYPES)
        raise TypeError(f"dtype={dtype!r}; expected one of {known}.")


def check_bias(bias: Tensor) -> None:
    """Check that ``bias`` can be added to scores."""
    check_is_tensor(bias=bias)
    if not bias.is_floating_point():
        raise TypeError(
            f"the bias has dtype {bias.dtype}; expected floating point, to be added to the scores. "
            "What says who sees whom is a mask."
        )


def check_mask(mask: Tensor, scores: tuple[int, ...]) -> None:
    """Check that ``mask`` is boolean and broadcasts to the shape of the scores."""
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
    _check_broadcasts("mask", mask, scores)


def _check_broadcasts(what: str, tensor: Tensor, scores: tuple[int, ...]) -> None:
    if tensor.dim() > len(scores):
        raise ValueError(
            f"the {what} has shape {tuple(tensor.shape)}, more axes than the scores' {scores}."
        )
    # Scores of one head have no axis for heads; any axes before the batch have no name.
    names = list(AXES if len(scores) > 3 else ("batch", *AXES[2:]))
    names = ["an axis"] * (len(scores) - len(names)) + names
    for name, known, given in zip(names[::-1], tensor.shape[::-1], scores[::-1], strict=False):
        # Not "known not in (1, given)", which the compiler gets wrong for a length that varies.
        if known != 1 and known != given:
            raise ValueError(
                f"the {what} has shape {tuple(tensor.shape)}, made for {name}={known}; "
                f"here {name}={given}. Make the {what} for the tokens that are there."
            )


def check_lengths(queries: int, keys: int) -> None:
    """Check the size of a causal mask."""
    for name, number in (("queries", queries), ("keys", keys)):
        # In an exported graph a length is a symbol.
        if isinstance(number, bool) or not isinstance(number, int | torch.SymInt):
            raise TypeError(f"{name}={number!r}; expected the number of tokens, an integer.")
        if number < 0:
            raise ValueError(f"{name}={number}; a number of tokens is 0 or more.")


def check_square(queries: int, keys: int) -> None:
    """Check that ``is_causal`` is asked for where it can mean one thing only."""
    if queries != keys:
        raise ValueError(
            f"is_causal=True with {queries} queries and {keys} keys; PyTorch lets the first query "
            "stand at the first key, a cache needs the last at the last. Give the mask "
            f"causal_mask({queries}, {keys}) for the latter."
        )


def check_activations(d_model: int, **activations: Tensor) -> None:
    """Check that each of ``activations`` is ``(batch, tokens, d_model)`` and floating point."""
    check_is_tensor(**activations)
    for name, tokens in activations.items():
        if not tokens.is_floating_point():
            fix = "Token ids go through an embedding first."
            if tokens.is_complex():
                fix = "Use the real part of complex numbers, or their absolute values."
            raise TypeError(f"{name} has dtype {tokens.dtype}; expected floating point. {fix}")
        if tokens.dim() != 3 or tokens.shape[-1] != d_model:
            raise ValueError(
                f"{name} has shape {tuple(tokens.shape)}; expected (batch, tokens, {d_model})."
            )


def check_memory(x: Tensor, memory: Tensor) -> None:
    """Check that there is a memory ``(batch, tokens, d_model)`` for each text in ``x``."""
    # Not len(x), which would fix the batch size of an exported graph.
    if memory.shape[0] != x.shape[0]:
        raise ValueError(
            f"the memory has shape {tuple(memory.shape)} and the target {tuple(x.shape)}: "
            f"{len(memory)} sources for {len(x)} targets; expected one for each."
        )


def check_rows(x: Tensor, width: int) -> None:
    """Check that ``x`` is ``(..., width)`` and floating point."""
    check_is_tensor(x=x)
    if not x.is_floating_point():
        raise TypeError(f"x has dtype {x.dtype}; expected floating point.")
    if x.dim() == 0 or x.shape[-1] != width:
        raise ValueError(f"x has shape {tuple(x.shape)}; expected (..., {width}).")


def check_positions(positions: Tensor) -> None:
    """Check that ``positions`` has shape ``(tokens,)`` and an integer dtype."""
    check_is_tensor(positions=positions)
    if positions.is_floating_point() or positions.dtype == torch.bool:
        raise TypeError(f"positions have dtype {positions.dtype}; expected integers.")
    if positions.dim() != 1:
        raise ValueError(f"positions have shape {tuple(positions.shape)}; expected (tokens,).")


def check_flash(query: Tensor, key: Tensor, value: Tensor) -> None:
    """Check what flash attention is given, but for the padding."""
    check_is_tensor(query=query, key=key, value=value)
    shapes = f"query {tuple(query.shape)}, key {tuple(key.shape)}, value {tuple(value.shape)}"
    if {query.dim(), key.dim(), value.dim()} != {4}:
        raise ValueError(f"{shapes}; expected (batch, heads, tokens, d_head) for each.")
    if query.dtype not in DTYPES or len({query.dtype, key.dtype, value.dtype}) > 1:
        raise TypeError(
            f"query is {query.dtype}, key {key.dtype}, value {value.dtype}; expected one "
            "floating-point dtype of 16, 32 or 64 bits for all three."
        )
    if len({query.device, key.device, value.device}) > 1:
        raise ValueError(
            f"query is on {query.device}, key on {key.device}, value on {value.device}; "
            "move them to one device."
        )
    if key.shape != value.shape or (key.shape[0], key.shape[3]) != (query.shape[0], query.shape[3]):
        raise ValueError(
            f"{shapes}; expected one batch size and d_head, and as many values as keys."
        )
    if key.shape[1] == 0 or query.shape[1] % key.shape[1]:
        raise ValueError(
            f"{query.shape[1]} heads cannot share {key.shape[1]} key heads; expected a number that "
            "divides them. Choose such a number, or repeat the key heads."
        )
    if not 1 <= query.shape[-1] <= WIDEST_FLASH:
        raise ValueError(
            f"d_head={query.shape[-1]}; expected 1 to {WIDEST_FLASH}. Use more heads, each of "
            "which is narrower, or PyTorch's attention (in a model attention='fused')."
        )
    if key.shape[2] == 0 or query.shape[2] == 0:
        raise ValueError(f"{shapes}; expected at least one query and one key.")


def check_scale(scale: float, query: Tensor) -> None:
    """Check that scores multiplied by ``scale`` can be numbers of the dtype of ``query``."""
    check_positive(scale=scale)
    largest = min(1e30, torch.finfo(query.dtype).max)
    if scale > largest:
        raise ValueError(f"scale={scale!r}; expected at most {largest:g} in {query.dtype}.")


def check_real(real: Tensor, key: Tensor) -> None:
    """Check that ``real`` says which of ``key (batch, key heads, keys, d_head)`` are no padding."""
    check_is_tensor(real=real)
    if real.device != key.device:
        raise ValueError(f"real is on {real.device}, key on {key.device}; move them to one device.")
    if real.dtype != torch.bool:
        raise TypeError(f"real has dtype {real.dtype}; expected torch.bool, False = padding.")
    if real.shape != (key.shape[0], key.shape[2]):
        raise ValueError(
            f"real has shape {tuple(real.shape)}; expected (batch, keys) = "
            f"({key.shape[0]}, {key.shape[2]})."
        )
