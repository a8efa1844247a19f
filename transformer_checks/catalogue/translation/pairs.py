"""translation.pairs: what the encoder reads, what the decoder reads, and what it is to say."""

import torch
from torch import Generator

from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    def words(lengths: tuple[int, ...]) -> list[list[int]]:
        # No word twice in a sentence: what stands next to it differs from it.
        return [(5 + torch.randperm(20, generator=generator)[:n]).tolist() for n in lengths]

    def case(
        label: str, source: tuple[int, ...], target: tuple[int, ...], start_id: int = 1,
        end_id: int = 2, padding_id: int = 0,
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
    long: dict[str, Value] = {"sources": [[*range(5, 605)], [6, 7]],
                              "targets": [[8], [*range(10, 560)]]}
    zero: dict[str, Value] = {"sources": [[0, 6, 0], [5], [7, 0]],
                              "targets": [[8, 0], [0], [6, 5, 7]]}
    ids = {"start_id": 1, "end_id": 2, "padding_id": 0}
    return [
        case("one pair: two words and three", (2,), (3,)),
        case("two pairs", (3, 2), (2, 4)),
        case("two pairs of one word", (1, 1), (1, 1)),
        case("two pairs of at most two words", (2, 1), (1, 2)),
        case("padding id 3, start id 0, end id 1", (1, 5, 2), (3, 1, 2), 0, 1, 3),
        case("ids above those of all words", (2, 4), (3, 1), 40, 30, 35),
        case("four pairs, the longest source with the shortest target", (6, 2, 3, 4), (1, 5, 3, 4)),
        case("21 pairs, two of them twice, end id 0", (2, 1, 4) * 6 + (3,), (3, 2) * 9 + (1,), 1, 0,
             2),
        Case("a source twice, words said twice, sentences without words", {**repeated, **ids}),
        Case("sentences of 600 and 550 words", {**long, **ids}),
        Case("id 0 is a word", {**zero, **ids, "padding_id": 3}),
        Case("a name stays as it is", {"sources": [[7, 9]], "targets": [[7, 9]], **ids}),
        case("the start id is the padding's, as in T5", (2, 3), (3, 1), 0, 1, 0),
    ]


_INPUT = "[start_id, *words]"
_TARGET = "[*words, end_id] for words in targets"

CHECK = Check(
    name="translation.pairs", lesson="10_translation", title="What the decoder reads",
    answer="make_batch", returns=("source", "inputs", "targets"), draw=_draw,
    points=2, difficulty=2, importance=5, minutes=10,
    slips=(
        Slip("not shifted", {_TARGET: "[start_id, *words] for words in targets"},
             "inputs and targets are the same: the decoder is asked for the token that it reads",
             "What should it say when it has read the start token alone?"),
        Slip("shifted twice", {_TARGET: "[*words[1:], end_id, padding_id] for words in targets"},
             "the targets are one further than they should be: the first word is never asked for",
             "Below the start token stands the first word."),
        Slip("end token read",
             {_INPUT: "[start_id, *words, end_id]",
              _TARGET: "[*words, end_id, padding_id] for words in targets"},
             "the decoder reads the end token, and is asked for padding after it",
             "When it has said the end token, nothing more is read."),
        Slip("end token read in short rows",
             {f"padded([{_INPUT} for words in targets])":
                  "padded([[start_id, *words, end_id] for words in targets])[:, :-1]"},
             "in rows shorter than the longest the decoder reads the end token: the last column "
             "was cut off a tensor that was already padded",
             "Each row ends in another column. Leave the end token out before you pad."),
        Slip("no start token", {_INPUT: "words"},
             "the inputs have no start token: nothing says the first word",
             "What does the decoder read when nothing is written yet?"),
        Slip("starts with the end token", {_INPUT: "[end_id, *words]"},
             "the inputs begin with the end token; some models are trained so, but this one's "
             "start token would then be one that training never saw",
             "Which id will decoding begin with?"),
        Slip("starts with padding", {_INPUT: "[padding_id, *words]"},
             "the inputs begin with padding, which is masked",
             "Which id will decoding begin with?"),
        Slip("end token not asked for", {_TARGET: "[*words, padding_id] for words in targets"},
             "the end token is never a target: such a model never learns to stop",
             "What should it say after the last word?"),
        Slip("start and end swapped", {"start_id: int, end_id: int": "end_id: int, start_id: int"},
             "start and end token are swapped", "Look at the order of the arguments."),
        Slip("padding on the left",
             {"row + [padding_id] * (longest - len(row))":
                  "[padding_id] * (longest - len(row)) + row"},
             "the padding stands before the sentence", "Every row begins in column 0."),
        Slip("padding is always 0", {"[padding_id]": "[0]"},
             "rows are filled up with 0, whatever padding_id says", "Use the argument."),
    ),
)
