"""attention.masked: attention under a mask, down to the query that may attend to nothing."""

from functools import partial

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, some, tidy, uneven_columns


def _inputs(
    draw: Draw, leading: tuple[int, ...], mask: Tensor, d_head: int = 4, d_value: int = 2
) -> dict[str, Tensor]:
    queries, keys = mask.shape[-2:]
    return {
        "query": draw(*leading, queries, d_head),
        "key": draw(*leading, keys, d_head),
        "value": draw(*leading, keys, d_value),
        "mask": mask,
    }


def _draw(generator: Generator) -> list[Case]:
    by_hand, at_random = partial(tidy, generator), partial(normal, generator)
    small = torch.tensor([[True, False, True], [True, True, False]])
    empty = torch.tensor([[True, True, True], [False, False, False]])
    cached = torch.tensor([[True] * 4 + [False], [True] * 5])
    padding = torch.tensor([[[[True] * 5] * 4], [[[True, True, False, False, False]] * 4]])

    hidden = _inputs(by_hand, (), small)
    hidden["value"][1, 0] = 1e30  # beside it no weight is small but 0
    low = _inputs(by_hand, (), torch.tensor([[True, True, True], [True, False, True]]))
    # Where scores are large, whole numbers keep them exact.
    low["query"] = low["query"].round().abs() + 1
    low["key"] = low["key"].round() - 250
    apart = _inputs(by_hand, (), small)
    apart["query"] = (apart["query"].round().abs() + 1) * torch.tensor([[1.0], [-1.0]])
    apart["key"] = apart["key"].round() + 250
    high = _inputs(by_hand, (), torch.tensor([[True, False, True], [True, False, True]]))
    high["query"] = (high["query"].abs() + 1) * torch.tensor([[1.0], [1e-4]])
    high["key"][1] += 4e6
    for_all_queries = _inputs(at_random, (2, 3), padding, d_head=6)
    for_all_queries["mask"] = padding[:, :, :1]
    causal = torch.ones(3, 3).tril().bool()
    zero = _inputs(by_hand, (), causal)
    zero["key"][0] = 0.0  # its scores are 0, which is a score like any other
    spread = _inputs(by_hand, (), cached)
    spread["query"] *= 4
    cases = [
        Case("2 queries, 3 keys", _inputs(by_hand, (), small)),
        Case("3 queries, 3 keys, the first key zero", zero),
        Case("a value of 10³⁰ behind the mask", hidden),
        Case("scores around -500", low),
        Case("one row of scores around 500, one around -500", apart),
        Case("hidden scores far above the others", high),
        Case("2 queries, 5 keys, weights of many sizes", spread),
        Case("a query that may attend to nothing", _inputs(by_hand, (), empty)),
        Case("batch 2, heads 3, a mask of one row for all queries", for_all_queries),
        Case("gradients", _inputs(at_random, (2,), some(generator, 3, 4)), gradients=True),
        Case("gradients beside an empty row", _inputs(by_hand, (), empty), gradients=True),
    ]
    # One key each: at such scores float32 could not tell the weights of two.
    lowest = _inputs(by_hand, (), torch.tensor([[False, False, True], [True, False, False]]))
    lowest["query"] = lowest["query"].abs() + 1
    lowest["key"] -= 50_000
    by_head, by_sentence = some(generator, 3, 2, 1, 4), some(generator, 2, 3, 4)
    for_any_query, for_any_key = _inputs(by_hand, (), small), _inputs(by_hand, (), small)
    for_any_query["mask"], for_any_key["mask"] = small[0], small[:, 1:2]
    single = torch.tensor([[[[True], [False]]]])
    many = _inputs(at_random, (), some(generator, 18, 20), d_head=22)
    many["value"] = uneven_columns(generator, 20, 17)
    # In one head, and not in the other, a query may attend to nothing.
    one_head = torch.stack([torch.stack([small, empty]), torch.stack([empty, small])])
    in_one_head = _inputs(at_random, (2, 2), one_head)
    alike = _inputs(by_hand, (), causal)
    alike["query"][1] = 0.0  # all that it may attend to has the score 0
    return [
        *cases,
        Case("scores around -200000, one allowed key for each query", lowest),
        Case(
            "batch 3, heads 2, one query, a mask for each head",
            _inputs(at_random, (3, 2), by_head, d_head=6, d_value=3),
        ),
        Case("batch 2, a mask for each sentence", _inputs(at_random, (2,), by_sentence)),
        Case("batch 3, heads 2 of width 1", _inputs(at_random, (3, 2), causal, 1, 1)),
        Case("a mask of keys alone", for_any_query),
        Case("a mask of one column", for_any_key),
        Case("batch 1, one head, one key", _inputs(at_random, (1, 1), single)),
        Case("18 queries, 20 keys, values of many sizes", many),
        Case("batch 2, heads 2, a row empty in one head", in_one_head),
        Case("3 queries, 3 keys, the second query zero", alike),
        Case(
            "2 keys, nothing hidden", _inputs(at_random, (2,), torch.ones(3, 2).bool(), d_value=4)
        ),
        Case("everything hidden", _inputs(by_hand, (), torch.zeros(2, 3).bool())),
        Case(
            "a mask for each of 3 sentences",
            _inputs(at_random, (3,), some(generator, 3, 2, 3), d_value=7),
        ),
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
