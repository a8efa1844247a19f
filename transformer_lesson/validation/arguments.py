"""Numbers, names and flags that layers, models and decoding are given.

What a check says of its arguments must hold, else it raises a ValueError.
"""

import math
from typing import Any, get_args

WIDEST_FLASH = 256  # numbers of a head at most, of which flash attention holds whole tiles


def check_choice(name: str, value: str, choices: Any) -> None:
    """Check that ``value`` is one of the ``Literal`` type ``choices``."""
    if value not in get_args(choices):
        expected = " or ".join(repr(choice) for choice in get_args(choices))
        raise ValueError(f"{name}={value!r}; expected {expected}.")


def check_sizes(**sizes: int) -> None:
    """Check that every size is at least 1."""
    for name, size in sizes.items():
        if not is_whole(size) or size < 1:
            raise ValueError(f"{name}={size!r}; expected an integer, 1 or more.")


def check_positive(**numbers: float) -> None:
    """Check that every number is positive and finite."""
    for name, number in numbers.items():
        if not (is_real(number) and 0 < number < math.inf):
            raise ValueError(f"{name}={number!r}; expected a positive number, and a finite one.")


def check_flags(**flags: bool) -> None:
    """Check that every flag is True or False."""
    for name, flag in flags.items():
        if not isinstance(flag, bool):
            raise ValueError(f"{name}={flag!r}; expected True or False.")


def check_dropout(dropout: float) -> None:
    """Check that ``dropout`` is a probability."""
    if not is_real(dropout) or not 0 <= dropout < 1:
        raise ValueError(f"dropout={dropout!r}; expected a probability of at least 0 and below 1.")


def check_smoothing(label_smoothing: float) -> None:
    """Check that ``label_smoothing`` is a share of the probability, and not all of it."""
    if not is_real(label_smoothing) or not 0 <= label_smoothing < 1:
        raise ValueError(f"label_smoothing={label_smoothing!r}; expected from 0 up to 1.")


def check_layer(
    d_model: int, num_heads: int, dropout: float, attention: str, d_head: int | None = None
) -> None:
    """Check the sizes of a multi-head attention and how it is computed."""
    ways = ("reference", "fused", "flash")
    if attention not in ways:
        raise ValueError(f"attention={attention!r}; expected one of {', '.join(map(repr, ways))}.")
    check_dropout(dropout)
    if attention == "flash" and dropout > 0:
        raise ValueError(
            f"dropout={dropout} on the weights, but attention='flash' never holds them. "
            "Use dropout=0, or attention='fused'."
        )
    check_sizes(d_model=d_model)
    if d_head is None:
        _check_divides("d_model", d_model, "num_heads", num_heads)
    else:
        check_sizes(num_heads=num_heads, d_head=d_head)
    width = d_head or d_model // num_heads
    if attention == "flash" and width > WIDEST_FLASH:
        raise ValueError(
            f"d_model={d_model} with num_heads={num_heads} makes heads of width "
            f"{width}; attention='flash' takes at most {WIDEST_FLASH}. "
            "Use more heads, or attention='fused'."
        )


def check_limits(
    attention: str, window: int | None, softcap: float | None, full_every: int | None = None
) -> None:
    """Check what a query may see, and what its scores may reach; flash attention has no limits."""
    check_sizes(**given(window=window, full_every=full_every))
    check_positive(**given(softcap=softcap))
    if full_every is not None and window is None:
        raise ValueError(f"full_every={full_every} without a window; give a window, or neither.")
    for name, limit in given(window=window, softcap=softcap).items():
        if attention == "flash":
            raise ValueError(
                f"{name}={limit} with attention='flash', whose kernels know no such limit. "
                "Use attention='fused'."
            )


def check_ring(kept: int | None, window: int | None) -> None:
    """Check that a cache that keeps ``kept`` tokens (None: all) does for a layer's window."""
    if kept not in (None, window):
        seen = "all" if window is None else f"{window} tokens"
        raise ValueError(
            f"the cache keeps {kept} tokens of a layer that sees {seen}. "
            "Use KeyValueCache(config.num_layers, config.windows)."
        )


def check_experts(num_experts: int | None, experts_per_token: int, capacity: float | None) -> None:
    """Check how tokens are sent to experts; without a number there are none."""
    check_sizes(experts_per_token=experts_per_token, **given(num_experts=num_experts))
    check_positive(**given(capacity=capacity))
    if num_experts is not None and num_experts < experts_per_token:
        raise ValueError(
            f"experts_per_token={experts_per_token} of num_experts={num_experts}; expected at most "
            "as many as there are."
        )


def check_grouped(num_heads: int, num_kv_heads: int) -> None:
    """Check that ``num_heads`` heads can share ``num_kv_heads`` heads of keys and values evenly."""
    _check_divides("num_heads", num_heads, "num_kv_heads", num_kv_heads)


def _check_divides(whole: str, size: int, part: str, number: int) -> None:
    if not is_whole(number) or number < 1 or size % number != 0:
        fitting = ", ".join(str(n) for n in range(1, size + 1) if size % n == 0)
        raise ValueError(
            f"{whole}={size} is not divisible by {part}={number!r}; {part} may be {fitting}."
        )


def check_parallel(parallel: bool, norm: str, attentions: int) -> None:
    """Check that a layer can have its parts side by side."""
    check_flags(parallel=parallel)
    if parallel and attentions > 1:
        raise ValueError(
            "parallel=True is for layers with one attention, of an EncoderOnly or a DecoderOnly; "
            "a decoder layer must attend to itself before it asks the memory. Use parallel=False."
        )
    if parallel and norm != "pre":
        raise ValueError(
            f"parallel=True with norm={norm!r}; the parts read the same normalized tokens. "
            "Use norm='pre'."
        )


def check_padding(padding_id: int | None, vocab_size: int) -> None:
    """Check that ``padding_id`` is an id of the vocabulary, or None."""
    if padding_id is not None and not (is_whole(padding_id) and 0 <= padding_id < vocab_size):
        raise ValueError(
            f"padding_id={padding_id!r}; expected an id from 0 to {vocab_size - 1}, "
            "or None where there is no padding."
        )


def check_cache(cached_layers: int, num_layers: int) -> None:
    """Check that a cache was made for as many layers as there are."""
    if cached_layers != num_layers:
        raise ValueError(
            f"the cache was made for {cached_layers} layers; there are {num_layers}. "
            f"Use KeyValueCache({num_layers})."
        )


def check_beams(beam_width: int, length_penalty: float, end_id: int | None) -> None:
    """Check what a beam search is told."""
    check_sizes(beam_width=beam_width)
    if not is_real(length_penalty) or not 0 <= length_penalty < math.inf:
        raise ValueError(f"length_penalty={length_penalty!r}; expected a finite number, 0 or more.")
    if end_id is None:
        raise ValueError("end_id=None; a beam search needs the id that finishes a text.")


def check_sampling(
    temperature: float, top_k: int | None, top_p: float | None, min_p: float | None
) -> None:
    """Check what reshapes a distribution before a token is drawn."""
    if not is_real(temperature) or not 0 < temperature < math.inf:
        raise ValueError(
            f"temperature={temperature!r}; expected a finite number, more than 0. "
            "For 0 use greedy()."
        )
    if top_k is not None:
        check_sizes(top_k=top_k)
    for name, share in (("top_p", top_p), ("min_p", min_p)):
        if share is not None and not (is_real(share) and 0 < share <= 1):
            raise ValueError(f"{name}={share!r}; expected a probability above 0, at most 1.")


def given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def is_whole(number: Any) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)


def is_real(number: Any) -> bool:
    return isinstance(number, int | float) and not isinstance(number, bool)
