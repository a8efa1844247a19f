"""flash.online_step: let a query see one more tile of keys."""

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, gapped, normal, tidy, uneven, uneven_columns


def _inputs(
    generator: Generator,
    draw: Draw,
    queries: int,
    keys: int,
    maximum: float,
    level: float,
    width: int = 2,
) -> dict[str, Tensor]:
    """A state whose maximum is about ``maximum``, and a tile whose scores are about ``level``."""
    return {
        "maximum": maximum + draw(generator, queries),
        "total": 1 + draw(generator, queries).abs(),
        "weighted": draw(generator, queries, width),
        "scores": level + draw(generator, queries, keys),
        "value": draw(generator, keys, width),
    }


def _first(inputs: dict[str, Tensor]) -> dict[str, Tensor]:
    """The state before any key was seen."""
    zeros = {name: torch.zeros_like(inputs[name]) for name in ("total", "weighted")}
    return {**inputs, "maximum": torch.full_like(inputs["maximum"], -torch.inf), **zeros}


def _draw(generator: Generator) -> list[Case]:
    g = generator
    apart = _inputs(g, tidy, 2, 3, 0, 0)
    apart["maximum"] += torch.tensor([-3.0, 6.0])
    masked = _inputs(g, tidy, 2, 3, 0, 0)
    masked["scores"][:] = -torch.inf
    low = _inputs(g, tidy, 2, 3, -202, -200)
    low["scores"][:, 1], low["value"][1] = -torch.inf, 1e6
    many = _inputs(g, tidy, 2, 3, 0, 11)
    many["total"], many["weighted"] = 10_000 + many["total"], 10_000 * many["weighted"]
    loud = _inputs(g, tidy, 2, 3, 14, 0)
    loud["value"] = 1e6 * loud["value"]
    equal = _inputs(g, tidy, 2, 3, 0, 0)
    equal["maximum"] = equal["scores"].amax(-1)
    nothing = _first(_inputs(g, tidy, 2, 3, 0, 0))
    nothing["scores"][1] = -torch.inf
    vast = {**nothing, "value": 1e36 * (1 + nothing["value"].abs())}  # shows the least weight
    sizes = {
        "maximum": uneven(g, 18, 1)[:, 0],
        "total": 1 + uneven(g, 18, 1)[:, 0].flip(0).abs(),
        "weighted": uneven_columns(g, 18, 17).abs(),  # sums in which nothing cancels
        "scores": uneven(g, 18, 20),
        "value": uneven_columns(g, 20, 17).abs(),
    }
    late = _inputs(g, tidy, 2, 3, 0, 0)
    late = {name: torch.cat([late[name][:1], new[1:]]) for name, new in _first(late).items()}
    sizes["scores"][3] -= 1.0  # here the maximum stays, one of the small ones
    return [
        Case("one query, two new keys, the maximum rises", _inputs(g, tidy, 1, 2, 0, 4)),
        Case("one query, two new keys, the maximum stays", _inputs(g, tidy, 1, 2, 6, 0)),
        Case("it rises for one query and stays for the other", apart),
        Case("the first tile: nothing was seen before", _first(_inputs(g, tidy, 2, 3, 0, 0))),
        Case("all scores around -200", _inputs(g, tidy, 2, 3, -202, -200)),
        Case("scores around -200, one key masked, with values of a million", low),
        Case("the largest new score is the maximum so far", equal),
        Case("the first tile, scores around -200", _first(_inputs(g, tidy, 2, 3, 0, -200))),
        Case("from -200 to 200 in one step", _inputs(g, tidy, 2, 3, -200, 200)),
        Case("from 200 to -200 in one step", _inputs(g, tidy, 2, 3, 200, -200)),
        Case("the maximum rises by about 11 after 10 000 keys", many),
        Case("scores about 14 below the maximum, with values of millions", loud),
        Case("two queries, one new key, width 1", _inputs(g, tidy, 2, 1, 0, 0, width=1)),
        Case("7 queries, 13 keys, values of width 5", _inputs(g, normal, 7, 13, 0, 0, width=5)),
        Case("a tile that no query may see", masked),
        Case("a query that has seen nothing, and still sees nothing", nothing),
        Case("the first tile for one of two queries", late),
        Case("18 queries, 20 keys, width 17, numbers of many sizes", sizes),
        Case("a query that sees nothing, values of 10³⁶", vast),
        Case("a value of zeros", _inputs(g, tidy, 2, 3, 0, 0) | {"value": gapped(g, 3, 2)}),
    ]


CHECK = Check(
    name="flash.online_step",
    lesson="09_flash_attention",
    title="One online step",
    answer="online_step",
    returns=("maximum", "total", "weighted"),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=5,
    minutes=12,
    forbidden=frozenset({"softmax", "attention"}),
)
