"""translation.bleu: n-grams counted over the whole test set (Papineni et al. 2002)."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check

Sentence = list[int]


def _draw(generator: Generator) -> list[Case]:
    def sentence(length: int, words: int) -> Sentence:
        return torch.randint(words, (length,), generator=generator).tolist()

    def like(reference: Sentence, length: int, words: int) -> Sentence:
        """A sentence that begins like the reference, with every seventh word another one."""
        padded = [*reference, *sentence(length, words)][:length]
        return [words + i if i % 7 == 5 else word for i, word in enumerate(padded)]

    def case(label: str, lengths: list[tuple[int, int]], words: int) -> Case:
        references = [sentence(reference, words) for _, reference in lengths]
        pairs = zip(references, lengths, strict=True)
        hypotheses = [like(reference, ours, words) for reference, (ours, _) in pairs]
        return Case(label, {"hypotheses": hypotheses, "references": references})

    perfect = sentence(6, 9)
    first = torch.randperm(9, generator=generator).tolist()[:5]
    repeated = [first[0]] * 3 + first[:5] + [first[0]]
    long, short = sentence(9, 9), sentence(6, 9)
    texts = [sentence(9 + i % 3, 30) for i in range(18)]
    ours = [like(text, 7 + i % 5, 30) for i, text in enumerate(texts)]
    return [
        Case("a perfect translation", {"hypotheses": [perfect], "references": [perfect]}),
        Case(
            "a word said five times that the reference has once",
            {"hypotheses": [repeated], "references": [[*first, 20, 21, 22, 23]]},
        ),
        case("one sentence, too short", [(8, 11)], 30),
        case("one sentence, too long", [(13, 10)], 30),
        case("three sentences of unequal length", [(9, 9), (6, 12), (15, 11)], 12),
        case("sentences too short for a 4-gram among others", [(2, 2), (12, 12), (1, 3)], 12),
        Case(
            "no 4-gram is found",
            # Written without spaces, and in whatever order, more would be found: 1 12 is not 11 2.
            {"hypotheses": [[3, 1, 4, 1, 12, 9, 6, 5]], "references": [[3, 1, 4, 11, 2, 8, 5, 6]]},
        ),
        case("ten sentences of few words", [(7 + i % 5, 9 + i % 3) for i in range(10)], 6),
        Case(
            "all sentences too short for a 4-gram",
            {"hypotheses": [[3, 1, 4], [1, 5]], "references": [[3, 1, 4], [1, 5]]},
        ),
        Case(
            "two sentences that begin with a wrong word",
            {"hypotheses": [[40, *long], [30, *short]], "references": [[31, *long], [41, *short]]},
        ),
        Case(
            "an empty translation among others",
            {"hypotheses": [long, []], "references": [[31, *long], short]},
        ),
        Case(
            "20 sentences, two of them twice",
            {"hypotheses": [*ours, *ours[:2]], "references": [*texts, *texts[:2]]},
        ),
        Case(
            "an empty reference among others",
            {"hypotheses": [long, short], "references": [long, []]},
        ),
        Case(
            "the same pair twice",
            {"hypotheses": [short, long, short], "references": [long, long, long]},
        ),
        case("a sentence of 300 words", [(300, 310)], 200),
        Case("sentences of one word", {"hypotheses": [[3], [1]], "references": [[3], [5]]}),
        Case("a sentence of two words", {"hypotheses": [[3, 1]], "references": [[3, 1]]}),
        Case(
            "words with numbers of thousands",
            # As digits of a number to the base 100, 1000, … each two words are those beside them.
            {
                "hypotheses": [[*long, 102, 5, 1002, 7, 10_002, 9, 100_002, 11]],
                "references": [[*long, 2, 6, 2, 8, 2, 10, 2, 12]],
            },
        ),
    ]


CHECK = Check(
    name="translation.bleu",
    lesson="10_translation",
    title="Corpus BLEU",
    answer="corpus_bleu",
    returns=("bleu", "precisions", "brevity_penalty"),
    draw=_draw,
    points=3,
    difficulty=3,
    importance=5,
    minutes=20,
    rtol=1e-5,
)
