"""Check that arguments fit together; every error names the value, the rule and the fix.

The checks stand apart so that ``attention.py`` shows attention alone. Layers call those of shapes
and dtypes, which are known when a model is compiled. Those that read numbers out of a tensor
(``check_tokens`` and what calls it) run once, where data enters.
"""

import math
from typing import Any, get_args

import torch
from torch import Tensor

AXES = ("batch", "heads", "queries", "keys")


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
    if bias is not None and bias.dtype != query.dtype:
        raise TypeError(f"the bias has dtype {bias.dtype}; expected {query.dtype}, the scores'.")
    if bias is not None:
        _check_broadcasts("bias", bias, scores)


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
        if known not in (1, given):
            raise ValueError(
                f"the {what} has shape {tuple(tensor.shape)}, made for {name}={known}; "
                f"here {name}={given}. Make the {what} for the tokens that are there."
            )


def check_layer(d_model: int, num_heads: int, dropout: float, attention: str) -> None:
    """Check the sizes of a multi-head attention and how it is computed.

    Raises:
        ValueError: ``num_heads`` does not divide ``d_model``, ``dropout`` is no probability,
            ``attention`` is unknown, or it is flash, which never holds weights to be dropped.
    """
    ways = ("reference", "fused", "flash")
    if attention not in ways:
        raise ValueError(f"attention={attention!r}; expected one of {', '.join(map(repr, ways))}.")
    if attention == "flash" and dropout > 0:
        raise ValueError(
            f"dropout={dropout} on the weights, but attention='flash' never holds them. "
            "Use dropout=0, or attention='fused'."
        )
    check_sizes(d_model=d_model)
    if not _is_whole(num_heads) or num_heads < 1 or d_model % num_heads != 0:
        fitting = ", ".join(str(n) for n in range(1, d_model + 1) if d_model % n == 0)
        raise ValueError(
            f"d_model={d_model} is not divisible by num_heads={num_heads!r}; "
            f"num_heads may be {fitting}."
        )
    check_dropout(dropout)


def check_grouped(num_heads: int, num_kv_heads: int) -> None:
    """Check that ``num_heads`` heads can share ``num_kv_heads`` heads of keys and values evenly.

    Raises:
        ValueError: they cannot.
    """
    if not _is_whole(num_kv_heads) or num_kv_heads < 1 or num_heads % num_kv_heads != 0:
        fitting = ", ".join(str(n) for n in range(1, num_heads + 1) if num_heads % n == 0)
        raise ValueError(
            f"num_heads={num_heads} is not divisible by num_kv_heads={num_kv_heads!r}; "
            f"num_kv_heads may be {fitting}."
        )


def check_dropout(dropout: float) -> None:
    """Check that ``dropout`` is a probability.

    Raises:
        ValueError: it is not, or it is 1: nothing would be left.
    """
    if not isinstance(dropout, int | float) or not 0 <= dropout < 1:
        raise ValueError(f"dropout={dropout!r}; expected a probability of at least 0 and below 1.")


def check_activations(d_model: int, **activations: Tensor) -> None:
    """Check that each of ``activations`` is ``(batch, tokens, d_model)`` and floating point.

    Raises:
        TypeError: one is no tensor, or holds integers.
        ValueError: one has another shape.
    """
    for name, tokens in activations.items():
        if not isinstance(tokens, Tensor):
            raise TypeError(f"{name} is a {type(tokens).__name__}; expected a tensor.")
        if not tokens.is_floating_point():
            raise TypeError(
                f"{name} has dtype {tokens.dtype}; expected floating point. "
                "Token ids go through an embedding first."
            )
        if tokens.dim() != 3 or tokens.shape[-1] != d_model:
            raise ValueError(
                f"{name} has shape {tuple(tokens.shape)}; expected (batch, tokens, {d_model})."
            )


def check_memory(x: Tensor, memory: Tensor) -> None:
    """Check that there is a memory ``(batch, tokens, d_model)`` for each text in ``x``.

    Raises:
        ValueError: there are more or fewer.
    """
    if len(memory) != len(x):
        raise ValueError(
            f"the memory has shape {tuple(memory.shape)} and the target {tuple(x.shape)}: "
            f"{len(memory)} sources for {len(x)} targets; expected one for each."
        )


def check_ids(tokens: Tensor, padding_id: int = 0) -> None:
    """Check that ``tokens`` has shape ``(batch, tokens)`` and an integer dtype.

    Raises:
        TypeError: the tokens or ``padding_id`` are not integers.
        ValueError: the tokens have more or fewer axes.
    """
    if not isinstance(tokens, Tensor):
        raise TypeError("tokens is not a tensor of integer ids; use torch.tensor(ids).")
    if tokens.dtype not in (torch.int64, torch.int32):
        raise TypeError(
            f"tokens has dtype {tokens.dtype}; expected integer ids. Use torch.tensor(ids), "
            "or tokens.long() where the ids are right."
        )
    if not isinstance(padding_id, int):
        raise TypeError(f"padding_id={padding_id!r}; expected the integer id of the padding token.")
    if tokens.dim() != 2:
        raise ValueError(
            f"tokens has shape {tuple(tokens.shape)}; expected (batch, tokens). "
            "For one sentence use tokens.unsqueeze(0)."
        )


def check_tokens(tokens: Tensor, vocab_size: int) -> None:
    """Check that ``tokens`` is ``(batch, tokens)`` with ids from 0 to ``vocab_size - 1``.

    It reads the ids, and so waits for a GPU: it is for where ids enter, not for layers.

    Raises:
        TypeError: they are not integers.
        ValueError: there are more or fewer axes, or an id is beyond the vocabulary.
    """
    check_ids(tokens)
    if not tokens.numel():
        return
    first, last = (int(edge) for edge in tokens.aminmax())
    if first < 0 or last >= vocab_size:
        raise ValueError(
            f"token id {first if first < 0 else last} is beyond the vocabulary: ids go from 0 to "
            f"{vocab_size - 1}. Is the tokenizer the one that the model was made for?"
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


def check_square(queries: int, keys: int) -> None:
    """Check that ``is_causal`` is asked for where it can mean one thing only.

    Raises:
        ValueError: there are more or fewer queries than keys.
    """
    if queries != keys:
        raise ValueError(
            f"is_causal=True with {queries} queries and {keys} keys; PyTorch lets the first query "
            "stand at the first key, a cache needs the last at the last. Give the mask "
            f"causal_mask({queries}, {keys}) for the latter."
        )


def check_choice(name: str, value: str, choices: Any) -> None:
    """Check that ``value`` is one of the ``Literal`` type ``choices``.

    Raises:
        ValueError: it is not.
    """
    if value not in get_args(choices):
        expected = " or ".join(repr(choice) for choice in get_args(choices))
        raise ValueError(f"{name}={value!r}; expected {expected}.")


def check_sizes(**sizes: int) -> None:
    """Check that every size is at least 1.

    Raises:
        ValueError: one is not.
    """
    for name, size in sizes.items():
        if not _is_whole(size) or size < 1:
            raise ValueError(f"{name}={size!r}; expected an integer, 1 or more.")


def check_parallel(parallel: bool, norm: str, attentions: int) -> None:
    """Check that a layer can have its parts side by side.

    Raises:
        ValueError: it is a decoder layer with two attentions, or ``norm`` is not ``"pre"``.
    """
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


def check_positive(**numbers: float) -> None:
    """Check that every number is positive and finite.

    Raises:
        ValueError: one is not.
    """
    for name, number in numbers.items():
        real = isinstance(number, int | float) and not isinstance(number, bool)
        if not (real and 0 < number < math.inf):
            raise ValueError(f"{name}={number!r}; expected a positive number, and a finite one.")


def check_flags(**flags: bool) -> None:
    """Check that every flag is True or False.

    Raises:
        ValueError: one is not.
    """
    for name, flag in flags.items():
        if not isinstance(flag, bool):
            raise ValueError(f"{name}={flag!r}; expected True or False.")


def _is_whole(number: Any) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)


def check_positions(positions: Tensor) -> None:
    """Check that ``positions`` has shape ``(tokens,)`` and an integer dtype.

    Raises:
        TypeError: they are not integers.
        ValueError: they have more or fewer axes.
    """
    if positions.is_floating_point():
        raise TypeError(f"positions have dtype {positions.dtype}; expected integers.")
    if positions.dim() != 1:
        raise ValueError(f"positions have shape {tuple(positions.shape)}; expected (tokens,).")


def check_text_length(tokens: int, max_tokens: int) -> None:
    """Check that a text of ``tokens`` tokens ends within a table of ``max_tokens`` positions.

    Raises:
        ValueError: it is longer.
    """
    if tokens > max_tokens:
        raise ValueError(
            f"position {tokens - 1} is asked for; there are positions 0 to {max_tokens - 1}. "
            "Cut the text, or make the model with a larger max_tokens."
        )


def check_cache(cached_layers: int, num_layers: int) -> None:
    """Check that a cache was made for as many layers as there are.

    Raises:
        ValueError: it was not.
    """
    if cached_layers != num_layers:
        raise ValueError(
            f"the cache was made for {cached_layers} layers; there are {num_layers}. "
            f"Use KeyValueCache({num_layers})."
        )


def check_prompt(
    prompt: Tensor,
    max_tokens: int,
    vocab_size: int,
    end_id: int | None,
    padding_id: int | None,
) -> None:
    """Check what decoding starts from.

    Raises:
        TypeError: the prompt holds no integers.
        ValueError: it is empty, leaves no room, has padding after a text, or an id is beyond the
            vocabulary.
    """
    check_tokens(prompt, vocab_size)
    if prompt.numel() == 0:
        raise ValueError(
            f"the prompt has shape {tuple(prompt.shape)}; expected at least one text "
            "and one token, such as the start token."
        )
    if not _is_whole(max_tokens) or max_tokens <= prompt.shape[1]:
        raise ValueError(
            f"max_tokens={max_tokens!r} counts the prompt, which has {prompt.shape[1]} tokens; "
            f"expected {prompt.shape[1] + 1} or more."
        )
    if padding_id is not None:
        real = prompt.ne(padding_id)
        if bool((real.any(1) & real[:, -1].logical_not()).any()):
            raise ValueError(
                f"a prompt ends in padding (id {padding_id}), and the model would go on from "
                "there. Put the padding on the left."
            )
    if end_id is not None and not (_is_whole(end_id) and 0 <= end_id < vocab_size):
        raise ValueError(f"end_id={end_id!r}; expected an id from 0 to {vocab_size - 1}, or None.")


def check_beams(beam_width: int, length_penalty: float, end_id: int | None) -> None:
    """Check what a beam search is told.

    Raises:
        ValueError: a value is out of range, or there is no end token.
    """
    check_sizes(beam_width=beam_width)
    if not isinstance(length_penalty, int | float) or not length_penalty >= 0:
        raise ValueError(f"length_penalty={length_penalty!r}; expected 0 or more.")
    if end_id is None:
        raise ValueError("end_id=None; a beam search needs the id that finishes a text.")


def check_padding(padding_id: int | None, vocab_size: int) -> None:
    """Check that ``padding_id`` is an id of the vocabulary, or None.

    Raises:
        ValueError: it is not.
    """
    if padding_id is not None and not (_is_whole(padding_id) and 0 <= padding_id < vocab_size):
        raise ValueError(
            f"padding_id={padding_id!r}; expected an id from 0 to {vocab_size - 1}, "
            "or None where there is no padding."
        )


def check_source(source: Tensor | None, texts: int, vocab_size: int) -> None:
    """Check that there is a source for each of ``texts`` prompts.

    Raises:
        TypeError: the source holds no integers.
        ValueError: there is none, there are more or fewer, or an id is beyond the vocabulary.
    """
    if source is None:
        raise ValueError("an EncoderDecoder needs a source; give source=ids (batch, tokens).")
    check_tokens(source, vocab_size)
    if len(source) != texts:
        raise ValueError(
            f"there are {len(source)} sources for {texts} prompts; expected one for each."
        )


def check_flash(
    query: Tensor, key: Tensor, value: Tensor, real: Tensor | None, *, widest: int
) -> None:
    """Check what flash attention is given.

    Raises:
        TypeError: dtypes differ or are not floating point, or ``real`` is not boolean.
        ValueError: shapes or devices do not fit together.
    """
    shapes = f"query {tuple(query.shape)}, key {tuple(key.shape)}, value {tuple(value.shape)}"
    if {query.dim(), key.dim(), value.dim()} != {4}:
        raise ValueError(f"{shapes}; expected (batch, heads, tokens, d_head) for each.")
    if not query.is_floating_point() or len({query.dtype, key.dtype, value.dtype}) > 1:
        raise TypeError(
            f"query is {query.dtype}, key {key.dtype}, value {value.dtype}; "
            "expected one floating-point dtype for all three."
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
    if not 1 <= query.shape[-1] <= widest:
        raise ValueError(
            f"d_head={query.shape[-1]}; expected 1 to {widest}. Use more heads, each of which "
            "is narrower, or PyTorch's attention (in a model attention='fused')."
        )
    if key.shape[2] == 0 or query.shape[2] == 0:
        raise ValueError(f"{shapes}; expected at least one query and one key.")
    if real is not None and real.dtype != torch.bool:
        raise TypeError(f"real has dtype {real.dtype}; expected torch.bool, False = padding.")
    if real is not None and real.shape != (key.shape[0], key.shape[2]):
        raise ValueError(
            f"real has shape {tuple(real.shape)}; expected (batch, keys) = "
            f"({key.shape[0]}, {key.shape[2]})."
        )
