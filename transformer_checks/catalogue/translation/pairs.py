"""translation.pairs: what the encoder reads, what the decoder reads, and what it is to say."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check


def _draw(generator: Generator) -> list[Case]:
    def words(lengths: tuple[int, ...]) -> list[list[int]]:
        # No word twice in a sentence: what stands next to it differs from it.
        return [(5 + torch.randperm(20, generator=generator)[:n]).tolist() for n in lengths]

    def case(
        label: str,
        source: tuple[int, ...],
        target: tuple[int, ...],
        start_id: int = 1,
        end_id: int = 2,
        padding_id: int = 0,
    ) -> Case:
        inputs = {"sources": words(source), "targets": words(target)}
        if len(source) > 16:  # a text may say something twice
            inputs = {name: [*rows, *rows[:2]] for name, rows in inputs.items()}
        ids = {"start_id": start_id, "end_id": end_id, "padding_id": padding_id}
        return Case(label, {**inputs, **ids})

    repeated: dict[str, Value] = {  # a source twice, sentences that repeat words or have none
        "sources": [[], [5, 6], [7, 7, 9], [8], [7, 7, 9]],
        "targets": [[], [9, 9], [5], [6, 8, 6, 6], []],
    }
    long: dict[str, Value] = {
        "sources": [[*range(5, 605)], [6, 7]],
        "targets": [[8], [*range(10, 560)]],
    }
    zero: dict[str, Value] = {
        "sources": [[0, 6, 0], [5], [7, 0]],
        "targets": [[8, 0], [0], [6, 5, 7]],
    }
    ids = {"start_id": 1, "end_id": 2, "padding_id": 0}
    return [
        case("one pair: two words and three", (2,), (3,)),
        case("two pairs", (3, 2), (2, 4)),
        case("two pairs of one word", (1, 1), (1, 1)),
        case("two pairs of at most two words", (2, 1), (1, 2)),
        case("padding id 3, start id 0, end id 1", (1, 5, 2), (3, 1, 2), 0, 1, 3),
        case("ids above those of all words", (2, 4), (3, 1), 40, 30, 35),
        case("four pairs, the longest source with the shortest target", (6, 2, 3, 4), (1, 5, 3, 4)),
        case(
            "21 pairs, two of them twice, end id 0",
            (2, 1, 4) * 6 + (3,),
            (3, 2) * 9 + (1,),
            1,
            0,
            2,
        ),
        Case("a source twice, words said twice, sentences without words", {**repeated, **ids}),
        Case("sentences of 600 and 550 words", {**long, **ids}),
        Case("id 0 is a word", {**zero, **ids, "padding_id": 3}),
        Case("a name stays as it is", {"sources": [[7, 9]], "targets": [[7, 9]], **ids}),
        case("the start id is the padding's, as in T5", (2, 3), (3, 1), 0, 1, 0),
    ]


CHECK = Check(
    name="translation.pairs",
    lesson="10_translation",
    title="What the decoder reads",
    answer="make_batch",
    returns=("source", "inputs", "targets"),
    draw=_draw,
    points=2,
    difficulty=2,
    importance=5,
    minutes=10,
)
