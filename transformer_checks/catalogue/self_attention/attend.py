"""attention.attend: scores, weights, and the average of the values."""

from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, gapped, normal, tidy, uneven_columns
from transformer_checks.catalogue.ordinary import ordinary


def _draw(generator: Generator) -> list[Case]:
    def triple(
        draw: Draw, leading: tuple[int, ...], queries: int, keys: int, d_head: int, d_value: int
    ) -> dict[str, Tensor]:
        return {
            "query": draw(generator, *leading, queries, d_head),
            "key": draw(generator, *leading, keys, d_head),
            "value": draw(generator, *leading, keys, d_value),
        }

    large = triple(normal, (), 3, 5, 4, 2)
    large["query"] *= 1000
    same = normal(generator, 2, 3)
    return [
        Case("2 queries, 3 keys, d_head 4, d_value 2", triple(tidy, (), 2, 3, 4, 2)),
        Case("4 tokens, d_head and d_value 3, one zero", triple(gapped, (), 4, 4, 3, 3)),
        Case("large scores", large),
        Case("batch 2, heads 3, 5 queries, 7 keys", triple(normal, (2, 3), 5, 7, 8, 6)),
        *ordinary(
            generator,
            uneven_columns,
            query="... queries +d_head",
            key="... keys -d_head",
            value="... keys d_value",
        ),
        Case(
            "2 tokens that ask, answer and say the same",
            dict.fromkeys(("query", "key", "value"), same),
        ),
    ]


CHECK = Check(
    name="attention.attend",
    lesson="02_self_attention",
    title="Scaled dot-product attention",
    answer="attend",
    returns=("output", "weights"),
    draw=_draw,
    points=2,
    difficulty=2,
    importance=5,
    minutes=8,
    forbidden=frozenset({"attention"}),
)
