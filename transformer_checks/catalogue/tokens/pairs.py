"""tokens.most_frequent_pair: the count that byte-pair encoding starts from."""

from collections import Counter
from collections.abc import Callable, Iterable

import torch
from torch import Generator

from transformer_checks.catalogue.tokens.letters import alphabet, random_word, spell
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception

Pair = tuple[int, int]
Words = list[list[int]]


def neighbours(word: list[int]) -> list[Pair]:
    """All pairs of neighbours, from left to right."""
    return [(word[at], word[at + 1]) for at in range(len(word) - 1)]


def best_pair(words: Words, counts: list[int]) -> Pair:
    """The most frequent pair; of equally frequent ones the smallest, the left id first."""
    totals: dict[Pair, int] = {}
    for word, count in zip(words, counts, strict=True):
        for pair in neighbours(word):
            totals[pair] = totals.get(pair, 0) + count
    most = max(totals.values())
    return min(pair for pair, total in totals.items() if total == most)


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, *words: tuple[str, int]) -> Case:
        ids = alphabet(generator, "".join(sorted({letter for word, _ in words for letter in word})))
        spelled = [spell(word, ids) for word, _ in words]
        return Case(label, {"words": spelled, "counts": [count for _, count in words]})

    drawn = [random_word(generator, 1, 7, 5) for _ in range(11)]
    many = [list(word) for word in dict.fromkeys(map(tuple, drawn)) if word != (4, 4, 0)]
    many_counts = torch.randint(1, 6, (len(many),), generator=generator).tolist()
    tied = [[4, 5], [9, 4], [3, 13], [7, 2], [3, 12], [3, 20]]
    return [
        case("one word of three tokens twice, another once", ("abc", 2), ("ab", 1)),
        case(
            "the six words of the lesson", ("the", 2), ("cat", 1), ("sat", 1), ("on", 1), ("mat", 1)
        ),
        case("a frequent word and three rare ones", ("ab", 5), ("cd", 1), ("cde", 1), ("cdf", 1)),
        case("five pairs, equally frequent", ("cd", 2), ("fg", 2), ("ae", 2), ("eb", 2), ("dc", 2)),
        Case("equally frequent pairs that share an id", {"words": tied, "counts": [2] * 6}),
        case("a pair in both orders", ("ab", 2), ("ba", 2), ("cd", 3)),
        case("a run of one token", ("bbbb", 1), ("ac", 2)),
        case("a pair that occurs twice in one word", ("bcabc", 1), ("ad", 1)),
        case("words of one token", ("b", 5), ("ac", 2), ("d", 1)),
        Case("random words", {"words": [*many, [4, 4, 0]], "counts": [*many_counts, 1]}),
    ]


def _totals(
    words: Words,
    counts: list[int],
    of_word: Callable[[list[int]], Iterable[Pair]] = neighbours,
) -> Counter[Pair]:
    totals: Counter[Pair] = Counter()
    for word, count in zip(words, counts, strict=True):
        for pair in of_word(word):
            totals[pair] += count
    return totals


def _smallest(totals: Counter[Pair]) -> Pair:
    return min(totals, key=lambda pair: (-totals[pair], pair))


def _counts_ignored(words: Words, counts: list[int]) -> Pair:
    return best_pair(words, [1] * len(words))


def _across_words(words: Words, counts: list[int]) -> Pair:
    text = [token for word, count in zip(words, counts, strict=True) for token in word * count]
    return best_pair([text], [1])


def _first_seen(words: Words, counts: list[int]) -> Pair:
    return _totals(words, counts).most_common(1)[0][0]


def _last_seen(words: Words, counts: list[int]) -> Pair:
    totals = _totals(words, counts)
    return [pair for pair in totals if totals[pair] == max(totals.values())][-1]


def _largest(words: Words, counts: list[int]) -> Pair:
    totals = _totals(words, counts)
    return max(totals, key=lambda pair: (totals[pair], pair))


def _right_first(words: Words, counts: list[int]) -> Pair:
    totals = _totals(words, counts)
    return min(totals, key=lambda pair: (-totals[pair], pair[1], pair[0]))


def _left_alone(words: Words, counts: list[int]) -> Pair:
    totals = _totals(words, counts)
    return min(totals, key=lambda pair: (-totals[pair], pair[0]))


def _either_order(words: Words, counts: list[int]) -> Pair:
    def of_word(word: list[int]) -> list[Pair]:
        return [(min(pair), max(pair)) for pair in neighbours(word)]

    return _smallest(_totals(words, counts, of_word))


def _once_a_word(words: Words, counts: list[int]) -> Pair:
    return _smallest(_totals(words, counts, lambda word: sorted(set(neighbours(word)))))


def _without_overlap(words: Words, counts: list[int]) -> Pair:
    def of_word(word: list[int]) -> list[Pair]:
        found: list[Pair] = []
        taken: dict[Pair, int] = {}
        for at, pair in enumerate(neighbours(word)):
            if taken.get(pair, -2) != at - 1:
                found.append(pair)
                taken[pair] = at
        return found

    return _smallest(_totals(words, counts, of_word))


def _every_second(words: Words, counts: list[int]) -> Pair:
    totals = _totals(words, counts, lambda word: neighbours(word)[::2])
    return _smallest(totals)


MOST_FREQUENT_PAIR = Check(
    name="tokens.most_frequent_pair",
    lesson="01_tokens_and_embeddings",
    title="The most frequent pair",
    answer="most_frequent_pair",
    returns=("pair",),
    points=2,
    difficulty=2,
    importance=4,
    minutes=10,
    draw=_draw,
    reference=best_pair,
    slips=(
        Misconception(
            "counts ignored",
            _counts_ignored,
            "each word is counted once, however often it occurs",
            "What does counts[i] say about words[i]?",
        ),
        Misconception(
            "pairs across words",
            _across_words,
            "the last token of a word and the first of the next are counted as a pair",
            "A merge never reaches over a space: count inside each word.",
        ),
        Misconception(
            "tie: the first seen",
            _first_seen,
            "of equally frequent pairs the one that was seen first is taken",
            "The exercise says which pair wins a tie; Counter.most_common follows another rule.",
        ),
        Misconception(
            "tie: the last seen",
            _last_seen,
            "of equally frequent pairs the one that was seen last is taken",
            "The exercise says which pair wins a tie. Does >= stand where > should?",
        ),
        Misconception(
            "tie: the largest",
            _largest,
            "of equally frequent pairs the largest is taken",
            "max on (count, pair) prefers large ids. How do you make a large count come first "
            "and a small pair too?",
        ),
        Misconception(
            "tie: the right id first",
            _right_first,
            "of equally frequent pairs the one with the smallest right id is taken",
            "Compare the left ids first; the right ids decide only between equal left ones.",
        ),
        Misconception(
            "tie: the left id alone",
            _left_alone,
            "of equally frequent pairs with the same left id the first seen is taken",
            "Between equal left ids the smallest right id wins.",
        ),
        Misconception(
            "either order",
            _either_order,
            "a pair and its reverse are counted together",
            "Tokens are read from left to right: (3, 5) is not (5, 3).",
        ),
        Misconception(
            "once a word",
            _once_a_word,
            "a pair that occurs twice in one word is counted once",
            "Count occurrences, not words that hold the pair.",
        ),
        Misconception(
            "overlaps left out",
            _without_overlap,
            "in a run such as 7 7 7 7 the pair (7, 7) is counted at every second place",
            "Here every two neighbours count. Merging, the next exercise, is where a token "
            "is used up.",
        ),
        Misconception(
            "every second pair",
            _every_second,
            "only the pairs at even places are counted: (0, 1), (2, 3), …",
            "A word of n tokens has n - 1 pairs.",
        ),
    ),
    hints=(
        "Two loops: over the words with their counts, and over the neighbours in a word.",
        "`zip(word, word[1:])` gives all neighbours of a word. A Counter can add counts[i] to "
        "each.",
        "min with a key decides ties as well: `key=lambda pair: (-totals[pair], pair)`.",
    ),
)
