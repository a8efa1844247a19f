"""flash.merge: two partial results become one."""

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, tidy, uneven, uneven_columns


def _inputs(
    generator: Generator, draw: Draw, leading: tuple[int, ...], a: float, b: float, width: int = 2
) -> dict[str, Tensor]:
    inputs: dict[str, Tensor] = {}
    for name, level in (("a", a), ("b", b)):
        inputs |= {
            f"maximum_{name}": level + draw(generator, *leading),
            f"total_{name}": 1 + draw(generator, *leading).abs(),
            f"weighted_{name}": draw(generator, *leading, width),
        }
    return inputs


def _empty(inputs: dict[str, Tensor], name: str, query: int) -> dict[str, Tensor]:
    inputs[f"maximum_{name}"][query] = -torch.inf
    inputs[f"total_{name}"][query] = 0.0
    inputs[f"weighted_{name}"][query] = 0.0
    return inputs


def _draw(generator: Generator) -> list[Case]:
    g = generator
    equal = _inputs(g, tidy, (2,), 0, 0)
    equal["maximum_b"] = equal["maximum_a"].clone()
    rise, fall = _inputs(g, tidy, (2,), 0, 11), _inputs(g, tidy, (2,), 11, 0)
    up, down = _inputs(g, tidy, (2,), -200, 200), _inputs(g, tidy, (2,), 200, -200)
    lower = (rise, "a", 1e4), (fall, "b", 1e4), (up, "a", 1e6), (down, "b", 1e6)
    for inputs, name, keys in lower:
        for known in (f"total_{name}", f"weighted_{name}"):
            inputs[known] = keys * inputs[known]
    neither = _empty(_empty(_inputs(g, tidy, (2,), 0, 0), "a", 1), "b", 1)
    sizes: dict[str, Tensor] = {}
    for name in "ab":
        sizes |= {
            f"maximum_{name}": uneven(g, 17, 18),
            f"total_{name}": 1 + uneven(g, 17, 18).flip(0).abs(),
            f"weighted_{name}": uneven_columns(g, 17, 18, 20).abs(),  # nothing cancels
        }
    return [
        Case("one query, the second piece scores higher", _inputs(g, tidy, (1,), 0, 4)),
        Case("one query, the first piece scores higher", _inputs(g, tidy, (1,), 4, 0)),
        Case("two queries", _inputs(g, tidy, (2,), 0, 0.5)),
        Case("pieces with the same maximum", equal),
        Case("scores around -200", _inputs(g, tidy, (2,), -200, -201)),
        Case("a piece of a million keys at -200, one of few at 200", up),
        Case("a piece of few keys at 200, one of a million at -200", down),
        Case("the first piece 11 below, with thousands of keys", rise),
        Case("the second piece 11 below, with thousands of keys", fall),
        Case("batch 2, heads 3, 5 queries", _inputs(g, normal, (2, 3, 5), 0, 0)),
        Case("batch 1, one head, 3 queries, width 4", _inputs(g, normal, (1, 1, 3), 1, 0, width=4)),
        Case("one piece saw nothing", _empty(_inputs(g, tidy, (2,), -100, -100), "b", 0)),
        Case("a query that neither piece saw anything for", neither),
        Case("the first piece saw nothing", _empty(_inputs(g, tidy, (2,), 50, 50), "a", 1)),
        Case(
            "one query, and the second piece saw nothing",
            _empty(_inputs(g, tidy, (1,), 3, 3), "b", 0),
        ),
        Case(
            "one query, and the first piece saw nothing",
            _empty(_inputs(g, tidy, (1,), 3, 3), "a", 0),
        ),
        Case("batch 2, 2 queries", _inputs(g, normal, (2, 2), 0, 0)),
        Case("batch 3, 2 heads, 2 queries", _inputs(g, normal, (3, 2, 2), 0, 0)),
        Case("17 heads, 18 queries, width 20, numbers of many sizes", sizes),
    ]


CHECK = Check(
    name="flash.merge",
    lesson="09_flash_attention",
    title="Merge two partial results",
    answer="merge",
    returns=("maximum", "total", "weighted"),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=5,
    minutes=10,
    forbidden=frozenset({"softmax", "attention"}),
)
