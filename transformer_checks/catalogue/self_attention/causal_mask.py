"""attention.causal_mask: no query sees the future."""

import torch
from torch import Generator

from transformer_checks.catalogue import families
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    # A random pair, so that no table of sizes passes for an answer.
    queries, earlier = torch.randint(2, 20, (2,), generator=generator).tolist()
    drawn = (queries, queries + earlier)
    sizes = [(3, 3), (2, 4), (1, 5), (4, 4), drawn, (2, 1030), (1, 1), (18, 23)]
    return [Case(f"{q} queries, {k} keys", {"queries": q, "keys": k}) for q, k in sizes]


_MASK = "torch.arange(keys) <= position_of_query"

CHECK = Check(
    name="attention.causal_mask", lesson="02_self_attention", title="The causal mask",
    answer="causal_mask", returns=("mask",), draw=_draw,
    points=1, difficulty=2, importance=5, minutes=8,
    slips=(
        Slip("aligned to the first key", {" + keys - queries": ""},
             "with fewer queries than keys the mask is aligned to the first key",
             "The queries are the last tokens. With 1 query and 5 keys, how many keys has it "
             "seen?"),
        Slip("aligned to the last key for one query alone",
             {"+ keys - queries": "+ (keys - queries) * (queries == 1)"},
             "with one query the mask is right; with several it is aligned to the first key",
             "Two new queries are the last two tokens, as one is the last."),
        Slip("offset turned round", {"+ keys - queries": "+ queries - keys"},
             "the offset has the wrong sign: the queries stand before the first key",
             "With 2 queries and 4 keys the first query stands at position 2, not at -2."),
        Slip("diagonal excluded", {"<=": "<"},
             "a token may not attend to itself: the first row is empty",
             "A token's own position is not the future."),
        families.upper_triangle({"<=": ">="}),
        families.mask_inverted({"<=": ">"}),
        Slip("additive mask", {_MASK: f"torch.where({_MASK}, 0.0, -torch.inf)"},
             "this is an additive mask of 0 and -inf",
             "Return a boolean tensor, True = may attend. It can be combined with `&`."),
        families.mask_of_integers({_MASK: f"({_MASK}).int()"}),
        Slip("rows and columns swapped", {_MASK: f"({_MASK}).T"}, "rows and columns are swapped",
             "One row for each query, one column for each key."),
        Slip("everything allowed", {_MASK: "torch.ones(queries, keys).bool()"},
             "every query sees every key", "Which keys lie in the future of the first query?"),
        Slip("one token ahead", {_MASK: f"{_MASK} + 1"},
             "every query sees the key after its own place",
             "Look at the last query but one: which key lies in its future?"),
        Slip("two tokens ahead", {_MASK: f"{_MASK} + 2"},
             "every query sees two keys after its own place",
             "Look at the last query but two: which keys lie in its future?"),
    ),
)
