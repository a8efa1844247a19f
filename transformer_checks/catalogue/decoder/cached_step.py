"""decoder.cached_step: one new token, and the keys and values of those before it."""

from functools import partial

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Misconception

Result = tuple[Tensor, Tensor, Tensor]


def _split(row: Tensor, num_heads: int) -> Tensor:
    """``(batch, 1, d_model)`` to ``(batch, heads, 1, d_head)``."""
    return torch.stack(row.chunk(num_heads, dim=-1), dim=1)


def _attend(query: Tensor, keys: Tensor, values: Tensor, width: float | None = None) -> Tensor:
    scores = query @ keys.mT / (width or query.shape[-1]) ** 0.5
    return torch.cat((scores.softmax(-1) @ values).unbind(1), dim=-1)


def _reference(
    new: Tensor,
    keys: Tensor,
    values: Tensor,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
    *,
    width: float | None = None,
) -> Result:
    split = partial(_split, num_heads=keys.shape[1])
    keys = torch.cat([keys, split(new @ w_key)], dim=2)
    values = torch.cat([values, split(new @ w_value)], dim=2)
    return _attend(split(new @ w_query), keys, values, width), keys, values


def _draw(generator: Generator) -> list[Case]:
    def inputs(draw: Draw, batch: int, past: int, num_heads: int, d_head: int) -> dict[str, Value]:
        d_model = num_heads * d_head
        return {
            "new": draw(generator, batch, 1, d_model),
            "keys": draw(generator, batch, num_heads, past, d_head),
            "values": draw(generator, batch, num_heads, past, d_head),
            "w_query": draw(generator, d_model, d_model),
            "w_key": draw(generator, d_model, d_model),
            "w_value": draw(generator, d_model, d_model),
        }

    return [
        Case("2 cached tokens, one head of width 2", inputs(tidy, 1, 2, 1, 2)),
        Case("3 cached tokens, 2 heads of width 2", inputs(tidy, 1, 3, 2, 2)),
        Case("an empty cache: the first token", inputs(tidy, 1, 0, 2, 2)),
        Case("batch 2, 5 cached tokens, 3 heads of width 4", inputs(normal, 2, 5, 3, 4)),
        Case("gradients", inputs(normal, 2, 4, 3, 2), gradients=True),
    ]


def _not_advanced(
    new: Tensor, keys: Tensor, values: Tensor, wq: Tensor, wk: Tensor, wv: Tensor
) -> Result:
    return _reference(new, keys, values, wq, wk, wv)[0], keys.clone(), values.clone()


def _blind_to_itself(
    new: Tensor, keys: Tensor, values: Tensor, wq: Tensor, wk: Tensor, wv: Tensor
) -> Result:
    _, longer, more = _reference(new, keys, values, wq, wk, wv)
    return _attend(_split(new @ wq, keys.shape[1]), keys, values), longer, more


def _first_key_only(
    new: Tensor, keys: Tensor, values: Tensor, wq: Tensor, wk: Tensor, wv: Tensor
) -> Result:
    _, longer, more = _reference(new, keys, values, wq, wk, wv)
    query = _split(new @ wq, keys.shape[1])
    return _attend(query, longer[:, :, :1], more[:, :, :1]), longer, more


def _itself_only(
    new: Tensor, keys: Tensor, values: Tensor, wq: Tensor, wk: Tensor, wv: Tensor
) -> Result:
    _, longer, more = _reference(new, keys, values, wq, wk, wv)
    query = _split(new @ wq, keys.shape[1])
    return _attend(query, longer[:, :, -1:], more[:, :, -1:]), longer, more


def _in_front(
    new: Tensor, keys: Tensor, values: Tensor, wq: Tensor, wk: Tensor, wv: Tensor
) -> Result:
    output, longer, more = _reference(new, keys, values, wq, wk, wv)
    return output, longer.roll(1, dims=2), more.roll(1, dims=2)


def _inputs_cached(
    new: Tensor, keys: Tensor, values: Tensor, wq: Tensor, wk: Tensor, wv: Tensor
) -> Result:
    one = torch.eye(wk.shape[0], dtype=wk.dtype)
    return _reference(new, keys, values, wq, one, one)


def _values_from_keys(
    new: Tensor, keys: Tensor, values: Tensor, wq: Tensor, wk: Tensor, wv: Tensor
) -> Result:
    return _reference(new, keys, values, wq, wk, wk)


def _query_cached(
    new: Tensor, keys: Tensor, values: Tensor, wq: Tensor, wk: Tensor, wv: Tensor
) -> Result:
    return _reference(new, keys, values, wq, wq, wv)


def _last_replaced(
    new: Tensor, keys: Tensor, values: Tensor, wq: Tensor, wk: Tensor, wv: Tensor
) -> Result:
    return _reference(new, keys[:, :, :-1], values[:, :, :-1], wq, wk, wv)


def _swapped(
    new: Tensor, keys: Tensor, values: Tensor, wq: Tensor, wk: Tensor, wv: Tensor
) -> Result:
    output, longer, more = _reference(new, keys, values, wq, wk, wv)
    return output, more, longer


def _by_d_model(
    new: Tensor, keys: Tensor, values: Tensor, wq: Tensor, wk: Tensor, wv: Tensor
) -> Result:
    return _reference(new, keys, values, wq, wk, wv, width=new.shape[-1])


def _unscaled(
    new: Tensor, keys: Tensor, values: Tensor, wq: Tensor, wk: Tensor, wv: Tensor
) -> Result:
    return _reference(new, keys, values, wq, wk, wv, width=1.0)


def _by_d_head(
    new: Tensor, keys: Tensor, values: Tensor, wq: Tensor, wk: Tensor, wv: Tensor
) -> Result:
    return _reference(new, keys, values, wq, wk, wv, width=float(keys.shape[-1] ** 2))


def _only_the_new(
    new: Tensor, keys: Tensor, values: Tensor, wq: Tensor, wk: Tensor, wv: Tensor
) -> Result:
    output, longer, more = _reference(new, keys, values, wq, wk, wv)
    return output, longer[:, :, -1:], more[:, :, -1:]


def _matrices_on_the_left(
    new: Tensor, keys: Tensor, values: Tensor, wq: Tensor, wk: Tensor, wv: Tensor
) -> Result:
    return _reference(new, keys, values, wq.mT, wk.mT, wv.mT)


CACHED_STEP = Check(
    name="decoder.cached_step",
    lesson="06_decoder",
    title="One step with a cache",
    answer="cached_step",
    returns=("output", "keys", "values"),
    points=3,
    difficulty=3,
    importance=5,
    minutes=15,
    draw=_draw,
    reference=_reference,
    forbidden=frozenset({"attention"}),
    slips=(
        Misconception(
            "cache not advanced",
            _not_advanced,
            "the cache comes back as it went in: the next step will not know this token",
            "Return the keys and values with the new token's behind them.",
        ),
        Misconception(
            "does not see itself",
            _blind_to_itself,
            "the new token does not attend to itself",
            "Its own key is among the keys it may see. When is it appended?",
        ),
        Misconception(
            "mask aligned to the first key",
            _first_key_only,
            "the new token attends to key 0 alone, as a causal mask of one row would allow",
            "The one query is the *last* token. Which keys may it see?",
        ),
        Misconception(
            "sees only itself",
            _itself_only,
            "the new token attends to itself alone: the cache is not read",
            "What is the cache kept for?",
        ),
        Misconception(
            "appended in front",
            _in_front,
            "the new token's key and value stand before those of earlier tokens",
            "Tokens stand in the order in which they were read.",
        ),
        Misconception(
            "inputs cached instead of keys and values",
            _inputs_cached,
            "the new token itself is put into the cache, not its key and value",
            "A cache keeps what the projections made: `new @ w_key` and `new @ w_value`.",
        ),
        Misconception(
            "value projected as key",
            _values_from_keys,
            "the new value is projected with w_key",
            "Values have a projection of their own: w_value.",
        ),
        Misconception(
            "query kept as key",
            _query_cached,
            "the query of the new token is kept as its key",
            "Queries are used once. Later tokens need keys and values.",
        ),
        Misconception(
            "last token overwritten",
            _last_replaced,
            "the new token takes the place of the one before it",
            "The cache grows by one token in each step.",
        ),
        Misconception(
            "keys and values swapped",
            _swapped,
            "keys and values come back in the wrong order",
            "Return the output, then the keys, then the values.",
        ),
        Misconception(
            "scaled by √d_model",
            _by_d_model,
            "the divisor is √d_model; within a head the dot product has d_head terms",
            "How wide are the vectors whose dot product is taken?",
        ),
        Misconception(
            "divided by d_head",
            _by_d_head,
            "the divisor is d_head, not its root",
            "Which root does the dot product of two heads' rows need?",
        ),
        Misconception(
            "only the new key and value returned",
            _only_the_new,
            "only the new token's key and value come back: the past is lost",
            "Return the keys and values of *all* tokens.",
        ),
        Misconception(
            "matrices transposed",
            _matrices_on_the_left,
            "the matrices are transposed, as those of nn.Linear are",
            "Here they stand to the right as they are: `new @ w_key`.",
        ),
        Misconception(
            "not scaled",
            _unscaled,
            "the scores are not scaled",
            "Which root does the dot product of two heads' rows need?",
        ),
    ),
    hints=(
        "Project the new token three times, and split each row into heads: "
        "(batch, heads, 1, d_head). How many heads there are, `keys` tells.",
        "`torch.cat([keys, new_key], dim=2)` appends a token. Then the new query attends to all "
        "keys, itself included. Is a mask needed?",
        "The heads side by side make a row again: "
        "`heads.transpose(1, 2).flatten(-2)` is (batch, 1, d_model).",
    ),
)
