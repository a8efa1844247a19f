"""tokens.merge: one merge of byte-pair encoding."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.tokens_and_embeddings.letters import alphabet, random_word, spell


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, word: str, pair: str) -> Case:
        letters = "".join(sorted({*word, *pair}))
        ids = alphabet(generator, letters)
        left, right = spell(pair, ids)
        new_id = 40 + int(torch.randint(20, (1,), generator=generator))
        return Case(
            label, {"ids": spell(word, ids), "left": left, "right": right, "new_id": new_id}
        )

    return [
        case("the pair at the end", "cat", "at"),
        case("the pair at the beginning", "atlas", "at"),
        case("the pair twice", "theothe", "th"),
        case("the two tokens in the wrong order too", "baabba", "ab"),
        case("both tokens, but never side by side", "axbxa", "ab"),
        case("a run of three", "baaac", "aa"),
        case("a run of four", "aaaa", "aa"),
        case("a run of five", "caaaaab", "aa"),
        case("one token", "a", "aa"),
        case("no token", "", "ab"),
        case("the pair alone", "ab", "ab"),
        Case(
            "twenty random tokens",
            {"ids": random_word(generator, 20, 20, 3), "left": 1, "right": 1, "new_id": 3},
        ),
        Case(
            "a new id below the others",
            {"ids": [21, 5, 7, 21, 5], "left": 21, "right": 5, "new_id": 3},
        ),
        Case(
            "ids of two digits that hold the digits of the pair",
            {"ids": [21, 5, 1, 52, 1, 5], "left": 1, "right": 5, "new_id": 60},
        ),
        Case(
            "token 0 at both ends, and beside itself",
            {"ids": [0, 7, 0, 0, 7, 0], "left": 0, "right": 0, "new_id": 8},
        ),
        Case(
            "ids of a large vocabulary",
            {"ids": [128_000, 340, 127_999], "left": 340, "right": 127_999, "new_id": 128_001},
        ),
        Case("the new id 0", {"ids": [4, 9, 2, 4, 9], "left": 4, "right": 9, "new_id": 0}),
        Case("neither token of the pair", {"ids": [4, 9, 4], "left": 5, "right": 7, "new_id": 8}),
        Case("a run of 301", {"ids": [5] * 301, "left": 5, "right": 5, "new_id": 6}),
    ]


CHECK = Check(
    name="tokens.merge",
    lesson="01_tokens_and_embeddings",
    title="One merge",
    answer="merge",
    returns=("ids",),
    draw=_draw,
    points=1,
    difficulty=2,
    importance=5,
    minutes=8,
)
