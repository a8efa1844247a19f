"""attention.scores: one number for each query and each key."""

from torch import Generator, Tensor

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, gapped, normal, tidy


def _draw(generator: Generator) -> list[Case]:
    def pair(
        draw: Draw, leading: tuple[int, ...], queries: int, keys: int, d_head: int
    ) -> dict[str, Value]:
        return {
            "query": draw(generator, *leading, queries, d_head),
            "key": draw(generator, *leading, keys, d_head),
        }

    def large(generator: Generator, *shape: int) -> Tensor:
        return 10 * (10 * normal(generator, *shape)).round()  # whole: what cancels leaves 0

    return [
        Case("2 queries, 3 keys, d_head 4", pair(tidy, (), 2, 3, 4)),
        Case("3 queries, 2 keys, d_head 5, large numbers", pair(large, (), 3, 2, 5)),
        Case("batch 2, 6 queries, 4 keys, d_head 1", pair(normal, (2,), 6, 4, 1)),
        Case("batch 2, heads 3, 5 queries, 7 keys, d_head 8", pair(normal, (2, 3), 5, 7, 8)),
        Case("batch 1, one head, 1 query, 4 keys, d_head 6", pair(normal, (1, 1), 1, 4, 6)),
        Case("batch 3, heads 2, 2 queries, 3 keys, d_head 4", pair(normal, (3, 2), 2, 3, 4)),
        Case("batch 1, 2 queries, 1 key, d_head 3", pair(normal, (1,), 2, 1, 3)),
        Case("3 queries, 3 keys, the second of each zero", pair(gapped, (), 3, 3, 4)),
        Case("18 queries, 20 keys, d_head 22", pair(normal, (), 18, 20, 22)),
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
