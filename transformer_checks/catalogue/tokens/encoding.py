"""tokens.encode: cut a word by merges that were learned."""

from collections import Counter
from collections.abc import Callable

from torch import Generator

from transformer_checks.catalogue.tokens.letters import random_word
from transformer_checks.catalogue.tokens.merging import merged
from transformer_checks.catalogue.tokens.pairs import best_pair, neighbours
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception

Merges = list[list[int]]


def _reference(word: list[int], merges: Merges) -> list[int]:
    # Every merge is learned after its parts, so one pass in order is the rule of the exercise.
    for left, right, new_id in merges:
        word = merged(word, left, right, new_id)
    return list(word)


def _learn(words: list[list[int]], letters: int, count: int) -> Merges:
    merges: Merges = []
    for new_id in range(letters, letters + count):
        left, right = best_pair(words, [1] * len(words))
        merges.append([left, right, new_id])
        words = [merged(word, left, right, new_id) for word in words]
    return merges


def _draw(generator: Generator) -> list[Case]:
    # The ids of the lesson's tokens: a c e h m n o s t, then at he the cat.
    lesson = [[0, 8, 9], [3, 2, 10], [8, 10, 11], [1, 9, 12]]
    cases = [
        Case("the word that, by the lesson's merges", {"word": [8, 3, 0, 8], "merges": lesson}),
        Case("the word cathe, by the lesson's merges", {"word": [1, 0, 8, 3, 2], "merges": lesson}),
        Case(
            "two merges that share a token", {"word": [0, 1, 2], "merges": [[1, 2, 3], [0, 1, 4]]}
        ),
        Case(
            "two merges that share a token, the other first",
            {"word": [0, 1, 2], "merges": [[0, 1, 3], [1, 2, 4]]},
        ),
        Case(
            "a piece of three",
            {"word": [0, 1, 2], "merges": [[1, 2, 3], [0, 1, 4], [0, 3, 5]]},
        ),
        Case("a run of five", {"word": [1, 0, 0, 0, 0, 0], "merges": [[0, 0, 2], [2, 2, 3]]}),
        Case(
            "the longest piece was learned last",
            {"word": [0, 1, 2, 3], "merges": [[2, 3, 4], [1, 4, 5], [0, 1, 6], [6, 2, 7]]},
        ),
        Case("no merge fits", {"word": [0, 2, 1], "merges": [[0, 1, 3]]}),
        Case("no merges", {"word": [2, 0, 1], "merges": []}),
    ]
    for _ in range(5):
        words = [random_word(generator, 4, 9, 3) for _ in range(12)]
        merges = _learn(words, letters=3, count=9)
        word = random_word(generator, 12, 16, 3)
        cases.append(Case(f"{len(word)} tokens, nine merges", {"word": word, "merges": merges}))
    return cases


Choice = Callable[[list[tuple[int, int]], dict[tuple[int, int], int]], tuple[int, int]]


def _step_by_step(word: list[int], merges: Merges, choose: Choice) -> list[int]:
    """Merge until nothing fits; ``choose`` picks one of the pairs that are known merges."""
    rank = {(left, right): order for order, (left, right, _) in enumerate(merges)}
    while known := [pair for pair in neighbours(word) if pair in rank]:
        left, right = choose(known, rank)
        word = merged(word, left, right, merges[rank[left, right]][2])
    return list(word)


def _leftmost(word: list[int], merges: Merges) -> list[int]:
    new = {(left, right): new_id for left, right, new_id in merges}
    while True:
        found = [at for at, pair in enumerate(neighbours(word)) if pair in new]
        if not found:
            return list(word)
        at = found[0]
        word = [*word[:at], new[word[at], word[at + 1]], *word[at + 2 :]]


def _latest(word: list[int], merges: Merges) -> list[int]:
    return _step_by_step(word, merges, lambda known, rank: max(known, key=lambda p: rank[p]))


def _most_frequent(word: list[int], merges: Merges) -> list[int]:
    return _step_by_step(word, merges, lambda known, _: Counter(known).most_common(1)[0][0])


def _backwards(word: list[int], merges: Merges) -> list[int]:
    return _reference(word, merges[::-1])


def _one_merge(word: list[int], merges: Merges) -> list[int]:
    for left, right, new_id in merges:
        if (left, right) in neighbours(word):
            return merged(word, left, right, new_id)
    return list(word)


def _one_place_each(word: list[int], merges: Merges) -> list[int]:
    for left, right, new_id in merges:
        if (left, right) in neighbours(word):
            at = neighbours(word).index((left, right))
            word = [*word[:at], new_id, *word[at + 2 :]]
    return list(word)


def _one_sweep(word: list[int], merges: Merges) -> list[int]:
    new = {(left, right): new_id for left, right, new_id in merges}
    result, at = [], 0
    while at < len(word):
        found = new.get((word[at], word[at + 1])) if at + 1 < len(word) else None
        result.append(word[at] if found is None else found)
        at += 1 if found is None else 2
    return result


def _longest(word: list[int], merges: Merges) -> list[int]:
    letters = {token: [token] for token in word}
    for left, right, new_id in merges:
        letters[new_id] = [*letters.get(left, [left]), *letters.get(right, [right])]
    result: list[int] = []
    while word:
        fits = [token for token, part in letters.items() if word[: len(part)] == part]
        best = max(fits, key=lambda token: len(letters[token]))
        result.append(best)
        word = word[len(letters[best]) :]
    return result


def _from_the_right(word: list[int], merges: Merges) -> list[int]:
    for left, right, new_id in merges:
        word = merged(word[::-1], right, left, new_id)[::-1]
    return list(word)


ENCODE = Check(
    name="tokens.encode",
    lesson="01_tokens_and_embeddings",
    title="Cut a word by learned merges",
    answer="encode",
    returns=("ids",),
    points=3,
    difficulty=3,
    importance=4,
    minutes=12,
    draw=_draw,
    reference=_reference,
    slips=(
        Misconception(
            "the longest piece first",
            _longest,
            "from the left the longest known piece is taken",
            "That is WordPiece. Here the merge that was learned first is applied first.",
        ),
        Misconception(
            "the leftmost pair first",
            _leftmost,
            "the first pair from the left that is a known merge is merged, whatever its rank",
            "Of all pairs in the word, which one stands earliest in merges?",
        ),
        Misconception(
            "the latest merge first",
            _latest,
            "of several merges that fit the one that was learned last is applied",
            "Small pieces come first, so that larger ones can be made of them.",
        ),
        Misconception(
            "the most frequent pair first",
            _most_frequent,
            "the known pair that occurs most often in the word is merged first",
            "Counting was for learning. To cut, only the order in merges matters.",
        ),
        Misconception(
            "merges in reverse order",
            _backwards,
            "the merges are gone through from the last to the first",
            "A late merge is made of tokens that earlier merges make.",
        ),
        Misconception(
            "one merge only",
            _one_merge,
            "it stops after the first merge that fits",
            "Go on until no pair of neighbours is a known merge.",
        ),
        Misconception(
            "one place for each merge",
            _one_place_each,
            "each merge is applied at one place only",
            "Your merge of the exercise before replaces the pair everywhere.",
        ),
        Misconception(
            "one sweep",
            _one_sweep,
            "the word is gone through once: tokens that a merge has made are never merged again",
            "After a merge there are new neighbours. Look again.",
        ),
        Misconception(
            "from the right",
            _from_the_right,
            "a run is merged from the right",
            "Inside one merge, work from left to right, as in the exercise before.",
        ),
    ),
    hints=(
        "`merge` of the exercise before does one merge. Which merges are applied, and in what "
        "order?",
        "A merge can only use tokens that exist: those of the alphabet and of earlier merges. "
        "So the order of the list is the order of the work.",
        "`for left, right, new_id in merges:` is the whole loop.",
    ),
)
