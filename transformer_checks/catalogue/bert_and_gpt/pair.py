"""bert.pair: does B follow A?"""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check

Documents = list[list[list[int]]]


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
        label: str,
        texts: Documents,
        a: tuple[int, int],
        coin: float,
        b: tuple[int, int],
        ids: tuple[int, int],
    ) -> Case:
        return Case(
            label,
            {
                "documents": texts,
                "document": a[0],
                "sentence": a[1],
                "coin": coin,
                "other_document": b[0],
                "other_sentence": b[1],
                "cls_id": ids[0],
                "sep_id": ids[1],
            },
        )

    small, large = documents(3, 3), documents(4, 2, 5, 3)
    quoting = [small[0], small[0][::-1]]  # the same sentences, in another document
    copied = [small[0], small[1], [list(words) for words in small[0]], large[2]]
    refrain = [[[11, 12], [13], [11, 12], [14, 15]], [[16], [17]]]
    talk = [[[11, 12, 13, 11], [13, 12, 12], [11]], [[12, 11], [14, 13]]]
    long = [[[*range(10, 270)], [*range(270, 530)]], small[1]]
    many = documents(*[2] * 17, 20, 19)
    zero = [[[12, 0, 11], [0, 13]], [[11, 12], [0]]]
    return [
        case("two documents, a true pair", small, (0, 1), 0.2, (1, 0), (1, 2)),
        case("two documents, a random pair", small, (0, 1), 0.7, (1, 0), (1, 2)),
        case("the draw hits the same document", large, (1, 0), 0.9, (1, 6), (2, 3)),
        case("the draw hits the same document, the last", large, (3, 1), 0.6, (3, 2), (2, 3)),
        case("a sentence number beyond the end", large, (2, 3), 0.8, (1, 5), (5, 6)),
        case(
            "a true pair, the same document drawn", large, (2, 1 + number(3)), 0.4, (2, 1), (5, 6)
        ),
        case("a true pair, another drawn", large, (0, 1 + number(2)), 0.1, (2, 4), (3, 4)),
        case("a random pair", large, (0, 1 + number(2)), 0.95, (2, 2 * number(3)), (3, 4)),
        case(
            "ids of [cls] and [sep] above those of all words",
            small,
            (1, 0),
            0.3,
            (0, 1),
            (500, 450),
        ),
        case("a coin of exactly 0.5", large, (0, 0), 0.5, (1, 2), (7, 3)),
        case("a coin just below 0.5", large, (0, 1), 0.499, (1, 0), (7, 3)),
        case("a coin just above 0.5", large, (2, 0), 0.501, (3, 5), (7, 3)),
        case("two sentences of 260 words", long, (0, 0), 0.3, (1, 0), (1, 2)),
        case("a random B in the words of the next sentence", quoting, (0, 1), 0.7, (1, 0), (1, 2)),
        case("another document of the same words", copied, (0, 0), 0.8, (2, 1), (1, 2)),
        case("19 documents, a random pair, [cls] is 0", many, (18, 17), 0.8, (17, 18), (0, 9)),
        case("19 documents, a true pair, [sep] is 0", many, (18, 17), 0.0, (17, 18), (9, 0)),
        case("id 0 is a word, a true pair", zero, (0, 0), 0.3, (1, 0), (1, 2)),
        case("id 0 is a word, a random pair", zero, (0, 0), 0.9, (1, 1), (1, 2)),
        case("a true pair of sentences that share words", talk, (0, 0), 0.1, (1, 0), (1, 2)),
        case("a random pair of sentences that share words", talk, (0, 0), 0.7, (1, 3), (1, 2)),
        case("a sentence that stands in its document twice", refrain, (0, 2), 0.3, (1, 0), (1, 2)),
    ]


CHECK = Check(
    name="bert.pair",
    lesson="08_bert_and_gpt",
    title="Next-sentence pairs",
    answer="sentence_pair",
    returns=("tokens", "segments", "follows"),
    draw=_draw,
    points=2,
    difficulty=2,
    importance=3,
    minutes=12,
)
