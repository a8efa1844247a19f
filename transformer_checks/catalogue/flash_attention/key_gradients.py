"""flash.key_gradients: the backward pass, one tile of keys at a time."""

import math

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, gapped, normal, some, tidy, uneven_columns


def _eighths(generator: Generator, *shape: int) -> Tensor:
    """Normal numbers whose products float32 adds exactly, beside a sum of hundreds too."""
    return (normal(generator, *shape) * 8).round() / 8


def _tile(
    generator: Generator,
    draw: Draw,
    queries: int,
    keys: int,
    seen: Tensor | None = None,
    level: Tensor | None = None,
    loud: float = 1.0,
) -> dict[str, Tensor]:
    """A tile of ``keys`` keys out of keys + 3, and all that its backward pass is given.

    With ``level`` the scores lie around it: one number, or one for each key. What arrives from
    above is ``loud`` times as large.
    """
    width = 2 if draw is tidy else 4
    query = draw(generator, queries, width)
    key, value = draw(generator, keys + 3, width), draw(generator, keys + 3, width)
    if level is not None:
        query[:, 0], key[:, 0] = math.sqrt(width), level
    d_output = loud * draw(generator, queries, width)
    if seen is None:
        seen = torch.ones(queries, keys + 3, dtype=torch.bool)
    return _given(query, key, value, d_output, seen)


def _given(
    query: Tensor, key: Tensor, value: Tensor, d_output: Tensor, seen: Tensor
) -> dict[str, Tensor]:
    """All keys but the last three are the tile."""
    scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~seen, -torch.inf)
    output = scores.softmax(-1).nan_to_num(0.0) @ value
    return {
        "query": query,
        "key": key[:-3],
        "value": value[:-3],
        "d_output": d_output,
        "log_sum_exp": scores.logsumexp(-1),
        "row_term": (output * d_output).sum(-1),
        "seen": seen[:, :-3],
    }


def _draw(generator: Generator) -> list[Case]:
    g = generator
    causal = torch.ones(4, 7, dtype=torch.bool).tril()
    empty = some(g, 3, 5)
    empty[1] = False
    hidden = torch.ones(3, 5, dtype=torch.bool)
    hidden[0, 0], hidden[1] = False, False
    first_high = torch.tensor([200.0, 0.0, 0.0, 0.0, 0.0])
    turned = _tile(g, tidy, 3, 2)
    turned["d_output"] = turned["d_output"].mT.contiguous().mT
    last_high = torch.tensor([0.0, 0.0, 0.0, 0.0, 14.0, 14.0, 14.0])
    return [
        Case("2 queries, a tile of 3 keys", _tile(g, tidy, 2, 3)),
        Case("a diagonal tile: 4 queries, 4 keys", _tile(g, tidy, 4, 4, causal)),
        Case("3 queries, 2 keys, a gradient that is not contiguous", turned),
        Case("small weights, large gradients", _tile(g, _eighths, 3, 4, level=last_high, loud=1e4)),
        Case("one query, a tile of one key", _tile(g, tidy, 1, 1)),
        Case("7 queries, 13 keys", _tile(g, normal, 7, 13, some(g, 7, 16))),
        Case(
            "77 queries, 16 keys, width 1",
            _given(
                normal(g, 77, 1),
                normal(g, 19, 1),
                normal(g, 19, 1),
                normal(g, 77, 1),
                torch.ones(77, 19).bool(),
            ),
        ),
        Case("a query that sees no key at all", _tile(g, tidy, 3, 2, empty)),
        Case("hidden keys with scores around 200", _tile(g, _eighths, 3, 2, hidden, first_high)),
        Case("scores around 200", _tile(g, _eighths, 3, 4, level=torch.tensor(200.0))),
        Case("scores around -200", _tile(g, _eighths, 3, 4, level=torch.tensor(-200.0))),
        Case(
            "one query, every second key hidden",
            _tile(g, tidy, 1, 4, torch.arange(7)[None] % 2 == 0),
        ),
        Case("18 queries, 20 keys, width 17, numbers of many sizes", _uneven(g)),
        Case("the second query, key and value zero", _tile(g, gapped, 3, 3)),
        Case("queries that see nothing", _tile(g, tidy, 2, 3, torch.zeros(2, 6).bool())),
    ]


def _uneven(g: Generator) -> dict[str, Tensor]:
    """Large features meet small ones. The last two queries see one key, and score it near 0."""
    query, d_output = uneven_columns(g, 18, 17), uneven_columns(g, 18, 17)
    key, value = (uneven_columns(g, 23, 17).flip(-1) for _ in range(2))
    seen = some(g, 18, 23)
    seen[-2:] = torch.arange(23) == 18
    query[-2], query[-1] = 0.0, 1e-3 * query[-1]
    d_output[0], d_output[1:4] = 0.0, 15 * d_output[1:4]
    return _given(query, key, value, d_output, seen)


CHECK = Check(
    name="flash.key_gradients",
    lesson="09_flash_attention",
    title="Gradients of a tile of keys and values",
    answer="key_gradients",
    returns=("d_key", "d_value"),
    draw=_draw,
    points=3,
    difficulty=4,
    importance=4,
    minutes=20,
    forbidden=frozenset({"softmax", "attention"}),
)
