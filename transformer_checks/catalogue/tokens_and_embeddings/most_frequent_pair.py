"""tokens.most_frequent_pair: the count that byte-pair encoding starts from."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.tokens_and_embeddings.letters import alphabet, random_word, spell


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, *words: tuple[str, int]) -> Case:
        ids = alphabet(generator, "".join(sorted({letter for word, _ in words for letter in word})))
        spelled = [spell(word, ids) for word, _ in words]
        return Case(label, {"words": spelled, "counts": [count for _, count in words]})

    drawn = [random_word(generator, 1, 7, 5) for _ in range(11)]
    many = [list(word) for word in dict.fromkeys(map(tuple, drawn)) if word != (4, 4, 0)]
    many_counts = torch.randint(1, 6, (len(many),), generator=generator).tolist()
    # The smallest pair stands inside the word that sorting puts last.
    tied = [[9, 4], [12, 5], [3, 20], [7, 2], [10, 8], [15, 3, 9], [3, 13], [11, 6]]
    # As shares of all words 0.1 + 0.2 and 0.3 are not the same float.
    shares = [[3, 4], [5, 6], [7, 5, 6], [8]]
    digits = [[13, 9], [3, 90], [3, 9], [4, 5]]
    return [
        case("one word of three tokens twice, another once", ("abc", 2), ("ab", 1)),
        case(
            "the six words of the lesson", ("the", 2), ("cat", 1), ("sat", 1), ("on", 1), ("mat", 1)
        ),
        case(
            "a frequent word and three rare ones",
            *(("ab", 70_000), ("cd", 1), ("cde", 1), ("cdf", 1)),
        ),
        case("five pairs, equally frequent", ("cd", 2), ("fg", 2), ("ae", 2), ("eb", 2), ("dc", 2)),
        Case("equally frequent pairs that share an id", {"words": tied, "counts": [2] * 8}),
        Case("a word as frequent as two", {"words": shares, "counts": [3, 1, 2, 4]}),
        Case("ids with digits in common", {"words": digits, "counts": [1, 1, 1, 2]}),
        case("a pair in both orders", ("ab", 2), ("ba", 2), ("cd", 3)),
        case("a run of one token", ("bbbb", 1), ("ac", 2)),
        case("a run of 17", ("b" * 17, 1), ("ac", 2)),
        case("a long word and a short one that is more frequent", ("abcde", 2048), ("fg", 2049)),
        case(
            "two tokens in many words, never side by side",
            *(("axb", 2), ("ayb", 2), ("azb", 2), ("cd", 3)),
        ),
        case("a pair that occurs twice in one word", ("bcabc", 1), ("ad", 1)),
        case("words that end and begin alike", ("ca", 1), ("bd", 1), ("ea", 1), ("bf", 1)),
        case("words of one token", ("b", 5), ("ac", 1), ("d", 1)),
        Case("one word alone", {"words": [[1250, 1290, 1250, 1290]], "counts": [2]}),
        Case(
            "a pair of large ids in two words",
            {"words": [[1290, 1250, 7], [8, 1290, 1250], [1, 2]], "counts": [1, 1, 1]},
        ),
        Case("random words", {"words": [*many, [4, 4, 0]], "counts": [*many_counts, 1]}),
        Case(
            "20 words, the last the most frequent",
            {
                "words": [[39 - at, *random_word(generator, 1, 5, 30)] for at in range(20)],
                "counts": [*[3, 2] * 9, 3, 60],
            },
        ),
        Case("id 0 on the right", {"words": [[9, 0], [7, 3], [3, 7]], "counts": [3, 2, 1]}),
        Case("id 0 on the left", {"words": [[0, 4, 6], [4, 6, 0], [0, 4]], "counts": [2, 1, 2]}),
        Case("the largest id on the right", {"words": [[1, 32_767], [3, 4]], "counts": [3, 2]}),
        # As one number, left · base + right, the first two pairs are the same.
        *(
            Case(
                f"ids up to {base + 7}",
                {"words": [[2, 7], [1, base + 7], [4, 5]], "counts": [2, 2, 3]},
            )
            for base in (100, 256, 1000, 1024, 4096, 10_000, 2**14, 20_000, 30_000, 32_000)
        ),
    ]


CHECK = Check(
    name="tokens.most_frequent_pair",
    lesson="01_tokens_and_embeddings",
    title="The most frequent pair",
    answer="most_frequent_pair",
    returns=("pair",),
    draw=_draw,
    points=2,
    difficulty=2,
    importance=4,
    minutes=10,
)
