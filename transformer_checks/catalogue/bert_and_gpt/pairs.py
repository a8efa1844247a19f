"""bert.pair: does B follow A?"""

from dataclasses import dataclass

import torch
from torch import Generator

from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception

Documents = list[list[list[int]]]
Result = tuple[list[int], list[int], int]


@dataclass(frozen=True)
class _Pair:
    """One pair of Devlin et al. 2019, section 3.1; with a flag set, something is wrong."""

    label_inverted: bool = False
    coin_inverted: bool = False
    no_end: bool = False
    no_separator: bool = False
    second_opening: bool = False
    separator_of_b: bool = False
    from_one: bool = False
    no_segments: bool = False
    same_sentence: bool = False
    before: bool = False
    always_follows: bool = False
    same_document: bool = False
    own_place: bool = False
    labels_document: bool = False

    def __call__(
        self,
        documents: Documents,
        document: int,
        sentence: int,
        coin: float,
        other_document: int,
        other_sentence: int,
        cls_id: int,
        sep_id: int,
    ) -> Result:
        follows = coin >= 0.5 if self.coin_inverted else coin < 0.5
        first = documents[document][sentence]
        step = 0 if self.same_sentence else -1 if self.before else 1
        if follows or self.always_follows:
            second = documents[document][sentence + step]
        else:
            away = (document + 1) % len(documents)
            if other_document != document:
                away = other_document
            elif self.same_document:
                away = document
            place = sentence + 1 if self.own_place else other_sentence
            second = documents[away][place % len(documents[away])]
        ends = [] if self.no_end else [sep_id]
        middle = [] if self.no_separator else [sep_id]
        again = [cls_id] if self.second_opening else []
        left, right = [cls_id, *first], [*again, *second, *ends]
        if self.separator_of_b:
            segments = [0] * len(left) + [1] * (len(middle) + len(right))
        else:
            segments = [0] * (len(left) + len(middle)) + [1] * len(right)
        if self.from_one:
            segments = [number + 1 for number in segments]
        if self.no_segments:
            segments = [0] * len(segments)
        answer = follows != self.label_inverted
        if self.labels_document:
            answer = other_document == document
        return left + middle + right, segments, int(answer)


def _draw(generator: Generator) -> list[Case]:
    def number(most: int) -> int:
        return int(torch.randint(most, (), generator=generator))

    def documents(*lengths: int) -> Documents:
        ids = iter(torch.randperm(400, generator=generator).add(10).tolist())
        return [
            [[next(ids) for _ in range(1 + (3 * d + 2 * s) % 4)] for s in range(length)]
            for d, length in enumerate(lengths)
        ]

    def case(
        label: str, texts: Documents, a: tuple[int, int], coin: float, b: tuple[int, int], ids: int
    ) -> Case:
        inputs = {
            "documents": texts,
            "document": a[0],
            "sentence": a[1],
            "coin": coin,
            "other_document": b[0],
            "other_sentence": b[1],
            "cls_id": ids,
            "sep_id": ids + 1,
        }
        return Case(label, inputs)  # type: ignore[arg-type]

    small, large = documents(3, 3), documents(4, 2, 5, 3)
    return [
        case("two documents, a true pair", small, (0, 1), 0.2, (1, 0), 1),
        case("two documents, a random pair", small, (0, 1), 0.7, (1, 0), 1),
        case("the draw hits the same document", large, (1, 0), 0.9, (1, 2), 2),
        case("the draw hits the same document, the last", large, (3, 1), 0.6, (3, 2), 2),
        case("a sentence number beyond the end", large, (2, 3), 0.8, (1, 3), 5),
        case("a true pair, the same document drawn", large, (2, 1 + number(3)), 0.4, (2, 1), 5),
        case("a true pair, another drawn", large, (0, 1 + number(2)), 0.1, (2, 4), 3),
        case("a random pair", large, (0, 1 + number(2)), 0.95, (2, 2 * number(3)), 3),
    ]


PAIR = Check(
    name="bert.pair",
    lesson="08_bert_and_gpt",
    title="Next-sentence pairs",
    answer="sentence_pair",
    returns=("tokens", "segments", "follows"),
    points=2,
    difficulty=2,
    importance=3,
    minutes=12,
    draw=_draw,
    reference=_Pair(),
    slips=(
        Misconception(
            "label inverted",
            _Pair(label_inverted=True),
            "the label is inverted: 1 should mean that B follows A",
            "Read the label of a pair that you made with a coin of 0.2.",
        ),
        Misconception(
            "coin inverted",
            _Pair(coin_inverted=True),
            "a coin of 0.5 or more gives the true pair",
            "Below 0.5: B is the next sentence.",
        ),
        Misconception(
            "no [sep] at the end",
            _Pair(no_end=True),
            "the second [sep] is missing",
            "Each of the two parts ends with one.",
        ),
        Misconception(
            "no [sep] between",
            _Pair(no_separator=True),
            "nothing parts A from B",
            "Each of the two parts ends with a [sep].",
        ),
        Misconception(
            "a second [cls]",
            _Pair(second_opening=True),
            "B begins with a [cls] of its own",
            "There is one [cls], at the beginning: the answer is read there.",
        ),
        Misconception(
            "first [sep] counted to B",
            _Pair(separator_of_b=True),
            "the [sep] between the two is in segment 1",
            "A [sep] ends the part before it, and belongs to it.",
        ),
        Misconception(
            "segments 1 and 2",
            _Pair(from_one=True),
            "segments are counted from 1",
            "A is segment 0, B is segment 1.",
        ),
        Misconception(
            "one segment",
            _Pair(no_segments=True),
            "everything is in segment 0",
            "A is segment 0, B is segment 1.",
        ),
        Misconception(
            "A twice",
            _Pair(same_sentence=True),
            "in a true pair B is A itself",
            "The next sentence is one further.",
        ),
        Misconception(
            "the sentence before",
            _Pair(before=True),
            "in a true pair B is the sentence *before* A",
            "The next sentence is one further.",
        ),
        Misconception(
            "never random",
            _Pair(always_follows=True),
            "B always follows A, whatever the label says: there is nothing to learn",
            "From 0.5 on B comes from another document.",
        ),
        Misconception(
            "from the same document",
            _Pair(same_document=True),
            "a random B may come from A's own document: it may even follow A",
            "If the draw hits A's document, take the one after it; after the last comes the first.",
        ),
        Misconception(
            "the draw for the sentence ignored",
            _Pair(own_place=True),
            "a random B is chosen by A's place, not by other_sentence",
            "other_sentence says which; count round if the document is shorter.",
        ),
        Misconception(
            "label from the documents",
            _Pair(labels_document=True),
            "the label compares the drawn documents, whatever the coin says",
            "The coin decides what B is. The label says what B is.",
        ),
    ),
    hints=(
        "First decide what B is; then put the pieces together; the label is the first decision.",
        "A random B: which document (not A's own), then which sentence, modulo the number of its "
        "sentences.",
        "`[cls_id, *a, sep_id, *b, sep_id]`; segment 0 is `len(a) + 2` long, segment 1 "
        "`len(b) + 1`.",
    ),
)
