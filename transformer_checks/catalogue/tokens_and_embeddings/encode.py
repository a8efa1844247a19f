"""tokens.encode: cut a word by merges that were learned."""

from torch import Generator

from transformer_checks.catalogue import families
from transformer_checks.catalogue.tokens_and_embeddings import merge, most_frequent_pair
from transformer_checks.catalogue.tokens_and_embeddings.letters import random_word
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Slip


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
        Case("two merges that share a token",
             {"word": [0, 1, 2], "merges": [[1, 2, 3], [0, 1, 4]]}),
        Case("two merges that share a token, the other first",
             {"word": [0, 1, 2], "merges": [[0, 1, 3], [1, 2, 4]]}),
        Case("a piece of three", {"word": [0, 1, 2], "merges": [[1, 2, 3], [0, 1, 4], [0, 3, 5]]}),
        Case("a run of five", {"word": [1, 0, 0, 0, 0, 0], "merges": [[0, 0, 2], [2, 2, 3]]}),
        Case("the longest piece was learned last",
             {"word": [0, 1, 2, 3], "merges": [[2, 3, 4], [1, 4, 5], [0, 1, 6], [6, 2, 7]]}),
        Case("no merge fits", {"word": [0, 2, 1], "merges": [[0, 1, 3]]}),
        Case("new ids in no order",
             {"word": [40, 1, 2, 40, 1], "merges": [[40, 1, 99_999], [1, 2, 7], [2, 99_999, 0]]}),
        Case("the pair of the smallest ids is learned last",
             {"word": [0, 3, 4, 1], "merges": [[3, 4, 5], [5, 1, 6], [0, 6, 7]]}),
        Case("two pieces where the longest begins the second",
             {"word": [0, 1, 2, 3], "merges": [[1, 2, 4], [4, 3, 5], [0, 1, 6]]}),
        Case("ids with digits in common",
             {"word": [21, 5, 1, 52, 1, 5], "merges": [[1, 5, 60], [21, 5, 7]]}),
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


_MERGE = "        word = merge(word, left, right, new_id)\n"
_LOOP = f"    for left, right, new_id in merges:\n{_MERGE}"
_LONGEST_FIRST = """\
    pieces = {token: [token] for token in word}
    for left, right, new_id in merges:
        pieces[new_id] = pieces.get(left, [left]) + pieces.get(right, [right])
    rest, word = word, []
    while rest:
        fitting = [token for token, piece in pieces.items() if rest[: len(piece)] == piece]
        word.append(max(fitting, key=lambda token: len(pieces[token])))
        rest = rest[len(pieces[word[-1]]) :]
"""
_LEFTMOST_FIRST = """\
    new = {(left, right): new_id for left, right, new_id in merges}
    while places := [at for at, pair in enumerate(pairwise(word)) if pair in new]:
        at = places[0]
        word = [*word[:at], new[word[at], word[at + 1]], *word[at + 2 :]]
"""
_ONE_SWEEP = """\
    new = {(left, right): new_id for left, right, new_id in merges}
    rest, word = word, []
    while rest:
        found = tuple(rest[:2]) in new
        word.append(new[rest[0], rest[1]] if found else rest[0])
        rest = rest[2 if found else 1 :]
"""


def _while_any_fits(chosen: str) -> dict[str, str]:
    """Merge until no pair of neighbours is known; ``ranks`` are those of the pairs that are."""
    return {
        _LOOP: "    rank = {(left, right): at for at, (left, right, _) in enumerate(merges)}\n"
        "    while ranks := [rank[pair] for pair in pairwise(word) if pair in rank]:\n"
        f"        word = merge(word, *merges[{chosen}])\n"
    }


CHECK = Check(
    name="tokens.encode", lesson="01_tokens_and_embeddings", title="Cut a word by learned merges",
    answer="encode", returns=("ids",), draw=_draw,
    points=3, difficulty=3, importance=4, minutes=12,
    slips=(
        families.found_in_a_text({
            _MERGE:
                "        text = ' '.join(map(str, word)).replace(f'{left} {right}', "
                "str(new_id))\n"
                "        word = [int(token) for token in text.split()]\n",
        }),
        Slip("the longest piece first", {_LOOP: _LONGEST_FIRST},
             "from the left the longest known piece is taken",
             "That is WordPiece. Here the merge that was learned first is applied first."),
        Slip("the leftmost pair first", {_LOOP: _LEFTMOST_FIRST},
             "the first pair from the left that is a known merge is merged, whatever its rank",
             "Of all pairs in the word, which one stands earliest in merges?"),
        Slip("the latest merge first", _while_any_fits("max(ranks)"),
             "of several merges that fit the one that was learned last is applied",
             "Small pieces come first, so that larger ones can be made of them."),
        Slip("the most frequent pair first", _while_any_fits("Counter(ranks).most_common(1)[0][0]"),
             "the known pair that occurs most often in the word is merged first",
             "Counting was for learning. To cut, only the order in merges matters."),
        Slip("the smallest new id first",
             _while_any_fits("min(ranks, key=lambda at: merges[at][2])"),
             "of several merges that fit the one with the smallest new id is applied",
             "New ids are names. The merge that was learned first stands first in the list."),
        Slip("merges in reverse order", {"in merges:": "in reversed(merges):"},
             "the merges are applied from the last to the first",
             "A late merge is made of tokens that earlier merges make."),
        Slip("merges sorted by their ids", {"in merges:": "in sorted(merges):"},
             "the merges are applied in the order of their ids, not in that of the list",
             "The order of the list is the order in which they were learned."),
        Slip("one merge only", {
                 _MERGE:
                     "        if (left, right) in pairwise(word):\n"
                     "            return merge(word, left, right, new_id)\n",
             },
             "it stops after the first merge that fits",
             "Go on until no pair of neighbours is a known merge."),
        Slip("one sweep", {_LOOP: _ONE_SWEEP},
             "the word is read only once: tokens that a merge has made are never merged again",
             "After a merge there are new neighbours. Look again."),
        Slip("from the right",
             {"merge(word, left, right, new_id)": "merge(word[::-1], right, left, new_id)[::-1]"},
             "a run is merged from the right",
             "Inside one merge, work from left to right, as in the previous exercise."),
    ),
)
