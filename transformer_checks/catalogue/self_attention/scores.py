"""attention.scores: one number for each query and each key."""

from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import tidy, whole
from transformer_checks.catalogue.ordinary import ordinary


def _draw(generator: Generator) -> list[Case]:
    small = {"query": tidy(generator, 2, 4), "key": tidy(generator, 3, 4)}
    # Whole numbers: what cancels leaves 0.
    large = {name: 100 * whole(generator, tokens, 5) for name, tokens in (("query", 3), ("key", 2))}
    return [
        Case("2 queries, 3 keys, d_head 4", small),
        Case("3 queries, 2 keys, d_head 5, large numbers", large),
        *ordinary(generator, gradients=False, query="... queries +d_head", key="... keys -d_head"),
    ]


CHECK = Check(
    name="attention.scores",
    lesson="02_self_attention",
    title="Scaled scores",
    answer="attention_scores",
    returns=("scores",),
    draw=_draw,
    points=1,
    difficulty=1,
    importance=5,
    minutes=5,
    forbidden=frozenset({"attention"}),
)
