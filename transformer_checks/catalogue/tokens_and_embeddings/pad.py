"""tokens.pad: sentences of unequal length as one tensor, and a mask that says what is real."""

from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.tokens_and_embeddings.letters import random_word


def _draw(generator: Generator) -> list[Case]:
    def words(*lengths: int) -> list[list[int]]:
        return [[1 + t for t in random_word(generator, n, n, 30)] for n in lengths]

    large = [[128_001, *words(1029)[0]], *words(2)]
    seven = [[5, 7, 2], [7, 4, 7, 3, 7]]
    return [
        Case("lengths 3 and 2, padding 0", {"sequences": words(3, 2), "padding_id": 0}),
        Case("lengths 1 and 4, padding 50256", {"sequences": words(1, 4), "padding_id": 50256}),
        Case("a real token equal to the padding, 7", {"sequences": seven, "padding_id": 7}),
        Case("two of them empty", {"sequences": [*words(2), [], [], *words(3)], "padding_id": 33}),
        Case("the first of them empty", {"sequences": [[], *words(2, 1)], "padding_id": 0}),
        Case("equal lengths", {"sequences": words(3, 3), "padding_id": 0}),
        Case("lengths 2, 6, 1, 4", {"sequences": words(2, 6, 1, 4), "padding_id": 33}),
        Case("one sentence", {"sequences": words(5), "padding_id": 0}),
        Case(
            "22 sentences, the last two alike",
            {"sequences": [*words(*range(22, 2, -1)), [5, 7, 2], [5, 7, 2]], "padding_id": 18},
        ),
        Case("lengths 1030 and 2, padding 128000", {"sequences": large, "padding_id": 128_000}),
        Case("a real token 0, padding 1", {"sequences": [[0, 3], [0], [6, 0, 2]], "padding_id": 1}),
        Case("sentences of one token", {"sequences": words(1, 1, 1), "padding_id": 0}),
        Case("one token, and none", {"sequences": [*words(1), []], "padding_id": 0}),
    ]


CHECK = Check(
    name="tokens.pad",
    lesson="01_tokens_and_embeddings",
    title="Pad a batch",
    answer="pad",
    returns=("ids", "mask"),
    draw=_draw,
    points=1,
    difficulty=2,
    importance=5,
    minutes=8,
)
