"""tokens.encode: cut a word by merges that were learned."""

from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.tokens_and_embeddings import merge, most_frequent_pair
from transformer_checks.catalogue.tokens_and_embeddings.letters import random_word


def _learn(words: list[list[int]], letters: int, count: int) -> list[list[int]]:
    """Learn merges with the solutions of the two exercises before."""
    merges: list[list[int]] = []
    for new_id in range(letters, letters + count):
        left, right = most_frequent_pair.CHECK.right(words, [1] * len(words))
        merges.append([left, right, new_id])
        words = [merge.CHECK.right(word, left, right, new_id) for word in words]
    return merges


def _draw(generator: Generator) -> list[Case]:
    # The ids of the lesson's tokens: a c e h m n o s t, then at he the cat.
    lesson = [[0, 8, 9], [3, 2, 10], [8, 10, 11], [1, 9, 12]]
    # Piece 121 + t is the word's beginning, up to token t + 1.
    grows = [[120 + t if t else 0, t + 1, 121 + t] for t in range(120)]
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
        Case("a piece of three", {"word": [0, 1, 2], "merges": [[1, 2, 3], [0, 1, 4], [0, 3, 5]]}),
        Case("a run of five", {"word": [1, 0, 0, 0, 0, 0], "merges": [[0, 0, 2], [2, 2, 3]]}),
        Case(
            "the longest piece was learned last",
            {"word": [0, 1, 2, 3], "merges": [[2, 3, 4], [1, 4, 5], [0, 1, 6], [6, 2, 7]]},
        ),
        Case("no merge fits", {"word": [0, 2, 1], "merges": [[0, 1, 3]]}),
        Case(
            "new ids in no order",
            {"word": [40, 1, 2, 40, 1], "merges": [[40, 1, 99_999], [1, 2, 7], [2, 99_999, 0]]},
        ),
        Case(
            "the pair of the smallest ids is learned last",
            {"word": [0, 3, 4, 1], "merges": [[3, 4, 5], [5, 1, 6], [0, 6, 7]]},
        ),
        Case(
            "two pieces where the longest begins the second",
            {"word": [0, 1, 2, 3], "merges": [[1, 2, 4], [4, 3, 5], [0, 1, 6]]},
        ),
        Case(
            "ids with digits in common",
            {"word": [21, 5, 1, 52, 1, 5], "merges": [[1, 5, 60], [21, 5, 7]]},
        ),
        Case("a word of one token", {"word": [1], "merges": [[0, 1, 3], [3, 1, 4]]}),
        Case("a word of two tokens", {"word": [0, 1], "merges": [[0, 1, 3], [3, 1, 4]]}),
        Case("no merges", {"word": [2, 0, 1], "merges": []}),
        Case("120 merges, each after the other", {"word": [*range(121)], "merges": grows}),
    ]
    for _ in range(5):
        words = [random_word(generator, 4, 9, 3) for _ in range(12)]
        merges = _learn(words, letters=3, count=9)
        word = random_word(generator, 12, 16, 3)
        cases.append(Case(f"{len(word)} tokens, nine merges", {"word": word, "merges": merges}))
    words = [random_word(generator, 10, 10, 4) for _ in range(6)]
    text = [token for word in words for token in word]
    merges = _learn(words, letters=4, count=20)
    return [*cases, Case("60 tokens, 20 merges", {"word": text, "merges": merges})]


CHECK = Check(
    name="tokens.encode",
    lesson="01_tokens_and_embeddings",
    title="Cut a word by learned merges",
    answer="encode",
    returns=("ids",),
    draw=_draw,
    points=3,
    difficulty=3,
    importance=5,
    minutes=12,
)
