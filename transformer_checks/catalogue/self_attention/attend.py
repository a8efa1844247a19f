"""attention.attend: scores, weights, and the average of the values."""

from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, gapped, normal, spread, tidy, uneven_columns


def _draw(generator: Generator) -> list[Case]:
    def triple(
        draw: Draw,
        leading: tuple[int, ...],
        queries: int,
        keys: int,
        d_head: int,
        d_value: int,
        scale: float = 1.0,
    ) -> dict[str, Tensor]:
        return {
            "query": scale * draw(generator, *leading, queries, d_head),
            "key": draw(generator, *leading, keys, d_head),
            "value": draw(generator, *leading, keys, d_value),
        }

    zero = triple(tidy, (), 4, 4, 3, 3)
    zero["key"][1] = 0.0  # its scores are 0, which is a score like any other
    cases = [
        Case("2 queries, 3 keys, d_head 4, d_value 2", triple(tidy, (), 2, 3, 4, 2)),
        Case("4 tokens, d_head and d_value 3, one key zero", zero),
        Case("large scores", triple(normal, (), 3, 5, 4, 2, 1000.0)),
        Case("batch 2, heads 3, 5 queries, 7 keys", triple(normal, (2, 3), 5, 7, 8, 6)),
        Case("one key", triple(normal, (2,), 3, 1, 4, 2)),
        Case("gradients", triple(normal, (2,), 3, 4, 5, 2), gradients=True),
        Case("batch 1, one head, one query", triple(normal, (1, 1), 1, 4, 3, 5)),
    ]
    many = {
        "query": normal(generator, 18, 22) * spread(22),
        "key": normal(generator, 20, 22) / (2 * spread(22)),
        "value": uneven_columns(generator, 20, 19),
    }
    same, tokens = normal(generator, 2, 3), ("query", "key", "value")
    return [
        *cases,
        Case("18 queries, 20 keys, numbers of many sizes", many),
        Case("3 tokens, the second zero", triple(gapped, (), 3, 3, 4, 2)),
        Case("2 keys, d_head and d_value 1", triple(normal, (2,), 3, 2, 1, 1)),
        Case("batch 3, heads 2", triple(normal, (3, 2), 2, 3, 4, 2)),
        Case("2 tokens that ask, answer and say the same", dict.fromkeys(tokens, same)),
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
