"""attention.masked: attention under a mask, down to the query that may attend to nothing."""

from typing import Any

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, tidy, uneven_columns
from transformer_checks.catalogue.ordinary import inputs_of, ordinary


def _draw(generator: Generator) -> list[Case]:
    axes = {
        "query": "... queries +d_head",
        "key": "... keys -d_head",
        "value": "... keys d_value",
        "mask": "bool? ... queries keys",
    }

    def inputs(mask: Tensor, draw: Draw = tidy, front: tuple[int, ...] = ()) -> dict[str, Any]:
        queries, keys = mask.shape[-2:]
        given = inputs_of(generator, axes, draw, queries, 4, keys, 2, front=front)
        return given | {"mask": mask}

    small = torch.tensor([[True, False, True], [True, True, False]])
    empty = torch.tensor([[True, True, True], [False, False, False]])
    padding = torch.tensor([[[[True] * 5] * 4], [[[True, True, False, False, False]] * 4]])

    hidden = inputs(small)
    hidden["value"][1, 0] = 1e30  # beside it no weight is small but 0
    low = inputs(torch.tensor([[True, True, True], [True, False, True]]))
    # Where scores are large, even numbers keep them exact: they are divided by √4.
    low["query"] = low["query"].round().abs() + 1
    low["key"] = 2 * low["key"].round() - 250
    apart = inputs(small)
    apart["query"] = (apart["query"].round().abs() + 1) * torch.tensor([[1.0], [-1.0]])
    apart["key"] = 2 * apart["key"].round() + 250
    high = inputs(torch.tensor([[True, False, True], [True, False, True]]))
    high["query"] = (high["query"].abs() + 1) * torch.tensor([[1.0], [1e-4]])
    high["key"][1] += 4e6
    # One key each: at such scores float32 could not tell the weights of two.
    lowest = inputs(torch.tensor([[False, False, True], [True, False, False]]))
    lowest["query"] = lowest["query"].abs() + 1
    lowest["key"] -= 50_000
    for_all_queries = inputs(padding, normal, (2, 3)) | {"mask": padding[:, :, :1]}
    return [
        Case("2 queries, 3 keys", inputs(small)),
        Case("a value of 10³⁰ behind the mask", hidden),
        Case("scores around -500", low),
        Case("one row of scores around 500, one around -500", apart),
        Case("hidden scores far above the others", high),
        Case("a query that may attend to nothing", inputs(empty)),
        Case("batch 2, heads 3, a mask of one row for all queries", for_all_queries),
        Case("gradients beside an empty row", inputs(empty), gradients=True),
        Case("scores around -200000, one allowed key for each query", lowest),
        Case("a mask of keys alone", inputs(small) | {"mask": small[0]}),
        Case("a mask of one column", inputs(small) | {"mask": small[:, 1:2]}),
        Case("nothing hidden", inputs(torch.ones(3, 2).bool(), front=(2,))),
        Case("everything hidden", inputs(torch.zeros(2, 3).bool())),
        *ordinary(generator, uneven_columns, axes=axes),
    ]


CHECK = Check(
    name="attention.masked",
    lesson="02_self_attention",
    title="Attention under a mask",
    answer="masked_attention",
    returns=("output", "weights"),
    draw=_draw,
    points=3,
    difficulty=4,
    importance=5,
    minutes=15,
    forbidden=frozenset({"attention"}),
)
