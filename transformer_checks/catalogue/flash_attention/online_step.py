"""flash.online_step: let a query see one more tile of keys."""

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import Draw, gapped, normal, tidy, uneven, uneven_columns
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Slip


def _inputs(
    generator: Generator, draw: Draw, queries: int, keys: int, maximum: float, level: float,
    width: int = 2,
) -> dict[str, Tensor]:
    """A state whose maximum is about ``maximum``, and a tile whose scores are about ``level``."""
    return {"maximum": maximum + draw(generator, queries),
            "total": 1 + draw(generator, queries).abs(),
            "weighted": draw(generator, queries, width),
            "scores": level + draw(generator, queries, keys), "value": draw(generator, keys, width)}


def _first(inputs: dict[str, Tensor]) -> dict[str, Tensor]:
    """The state before any key was seen."""
    zeros = {name: torch.zeros_like(inputs[name]) for name in ("total", "weighted")}
    return {**inputs, "maximum": torch.full_like(inputs["maximum"], -torch.inf), **zeros}


def _draw(generator: Generator) -> list[Case]:
    g = generator
    apart = _inputs(g, tidy, 2, 3, 0, 0)
    apart["maximum"] += torch.tensor([-3.0, 6.0])
    masked = _inputs(g, tidy, 2, 3, 0, 0)
    masked["scores"][1] = -torch.inf
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
        "maximum": uneven(g, 18, 1)[:, 0], "total": 1 + uneven(g, 18, 1)[:, 0].flip(0).abs(),
        "weighted": uneven_columns(g, 18, 17).abs(),  # sums in which nothing cancels
        "scores": uneven(g, 18, 20), "value": uneven_columns(g, 20, 17).abs(),
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
        Case("two queries, one new key", _inputs(g, tidy, 2, 1, 0, 0)),
        Case("7 queries, 13 keys, values of width 5", _inputs(g, normal, 7, 13, 0, 0, width=5)),
        Case("a tile that one query may not see", masked),
        Case("a query that has seen nothing, and still sees nothing", nothing),
        Case("the first tile for one of two queries", late),
        Case("18 queries, 20 keys, width 17, numbers of many sizes", sizes),
        Case("a query that sees nothing, values of 10³⁶", vast),
        Case("a value of zeros", _inputs(g, tidy, 2, 3, 0, 0) | {"value": gapped(g, 3, 2)}),
    ]


CHECK = Check(
    name="flash.online_step", lesson="09_flash_attention", title="One online step",
    answer="online_step", returns=("maximum", "total", "weighted"), draw=_draw,
    points=2, difficulty=3, importance=5, minutes=12, forbidden=frozenset({"softmax", "attention"}),
    slips=(
        Slip("weighted values not rescaled", {"factor[..., None] * ": ""},
             "the weighted values still refer to the old maximum",
             "They carry the same e^-m as the sum does, and owe the same repair."),
        Slip("sum not rescaled", {"factor * ": ""}, "the sum still refers to the old maximum",
             "It carries the same e^-m as the weighted values do, and owes the same repair."),
        Slip("nothing rescaled", {"factor * ": "", "factor[..., None] * ": ""},
             "what was summed up before still refers to the old maximum",
             "Which factor turns e^(s - old) into e^(s - new)?"),
        Slip("factor inverted", {"maximum - shift": "shift - maximum"},
             "the factor is turned upside down: what was seen before grows instead of shrinking",
             "The new maximum is never smaller than the old one, so the factor is never above 1."),
        Slip("maximum starts at 0", {"scores.amax(-1)": "scores.amax(-1).clamp(min=0)"},
             "the maximum is never below 0: with very negative scores everything underflows",
             "Nothing but the scores may enter the maximum."),
        Slip("the tile's maximum", {"torch.maximum(maximum, scores.amax(-1))": "scores.amax(-1)"},
             "the maximum is that of the new tile alone",
             "It is the largest score so far: of the old maximum and the tile."),
        Slip("the tile's own maximum",
             {"scores - shift[..., None]": "scores - scores.amax(-1, keepdim=True)"},
             "the tile's exponentials refer to its own maximum, not to that of all keys so far",
             "Old and new terms can be added only if both refer to the same maximum."),
        Slip("the tile divided by its own sum",
             {"exponentials @ value": "torch.softmax(scores, -1) @ value"},
             "the tile's values are weighted by a softmax of their own: they are divided too early",
             "Keep the sum and the weighted values apart. One division comes after the last tile."),
        Slip("exponentials of the old maximum",
             {"scores - shift[..., None]": "scores - maximum[..., None]"},
             "the new exponentials refer to the old maximum",
             "Find the new maximum first; then the old part and the new refer to it."),
        Slip("old maximum returned", {"return new": "return maximum"},
             "the maximum that comes back is the old one",
             "The next step must know what sum and values refer to."),
        Slip("divided in every step", {"total, weighted\n": "total, weighted / total[..., None]\n"},
             "the weighted values are divided by the sum already",
             "One division at the very end is enough; before it, the next step needs them as "
             "they are."),
        Slip("-inf minus -inf", {"new.masked_fill(new == -torch.inf, 0.0)": "new"},
             "a query that has seen nothing yet gets NaN: -inf minus -inf is no number",
             "Where the new maximum is still -inf, subtract 0 instead."),
        Slip("one maximum for all queries", {"scores.amax(-1)": "scores.max()"},
             "the largest score of the whole tile becomes the maximum of every query",
             "Each query has a maximum of its own."),
    ),
)
