"""tokens.merge: one merge of byte-pair encoding."""

import torch
from torch import Generator

from transformer_checks.catalogue.tokens.letters import alphabet, random_word, spell
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception


def merged(ids: list[int], left: int, right: int, new_id: int) -> list[int]:
    """Replace the pair from left to right; a token is used once."""
    result: list[int] = []
    rest = list(ids)
    while rest:
        if rest[:2] == [left, right]:
            result.append(new_id)
            del rest[:2]
        else:
            result.append(rest.pop(0))
    return result


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, word: str, pair: str) -> Case:
        letters = "".join(sorted({*word, *pair}))
        ids = alphabet(generator, letters)
        left, right = spell(pair, ids)
        new_id = 40 + int(torch.randint(20, (1,), generator=generator))
        return Case(
            label, {"ids": spell(word, ids), "left": left, "right": right, "new_id": new_id}
        )

    return [
        case("the pair at the end", "cat", "at"),
        case("the pair at the beginning", "atlas", "at"),
        case("the pair twice", "theothe", "th"),
        case("the two tokens in the wrong order too", "baabba", "ab"),
        case("both tokens, but never side by side", "axbxa", "ab"),
        case("a run of three", "baaac", "aa"),
        case("a run of four", "aaaa", "aa"),
        case("a run of five", "caaaaab", "aa"),
        case("one token", "a", "aa"),
        case("no token", "", "ab"),
        Case(
            "twenty random tokens",
            {"ids": random_word(generator, 20, 20, 3), "left": 1, "right": 1, "new_id": 3},
        ),
    ]


def _used_twice(ids: list[int], left: int, right: int, new_id: int) -> list[int]:
    result = []
    for at, token in enumerate(ids):
        if ids[at : at + 2] == [left, right]:
            result.append(new_id)
        elif not (at and ids[at - 1 : at + 1] == [left, right]):
            result.append(token)
    return result


def _from_the_right(ids: list[int], left: int, right: int, new_id: int) -> list[int]:
    return merged(ids[::-1], right, left, new_id)[::-1]


def _first_only(ids: list[int], left: int, right: int, new_id: int) -> list[int]:
    for at in range(len(ids) - 1):
        if ids[at : at + 2] == [left, right]:
            return [*ids[:at], new_id, *ids[at + 2 :]]
    return list(ids)


def _either_order(ids: list[int], left: int, right: int, new_id: int) -> list[int]:
    result, at = [], 0
    while at < len(ids):
        found = ids[at : at + 2] in ([left, right], [right, left])
        result.append(new_id if found else ids[at])
        at += 2 if found else 1
    return result


def _last_lost(ids: list[int], left: int, right: int, new_id: int) -> list[int]:
    result, at = [], 0
    while at < len(ids) - 1:
        found = ids[at : at + 2] == [left, right]
        result.append(new_id if found else ids[at])
        at += 2 if found else 1
    return result


def _right_kept(ids: list[int], left: int, right: int, new_id: int) -> list[int]:
    return [new_id if ids[at : at + 2] == [left, right] else token for at, token in enumerate(ids)]


def _anywhere(ids: list[int], left: int, right: int, new_id: int) -> list[int]:
    if left == right:
        return [new_id if token == left else token for token in ids]
    return [new_id if token == left else token for token in ids if token != right]


def _whole_run(ids: list[int], left: int, right: int, new_id: int) -> list[int]:
    result: list[int] = []
    for token in merged(ids, left, right, new_id):
        after_merge = bool(result) and result[-1] == new_id
        if not (after_merge and left == right and token in (new_id, left)):
            result.append(token)
    return result


def _every_second(ids: list[int], left: int, right: int, new_id: int) -> list[int]:
    result: list[int] = []
    for at in range(0, len(ids), 2):
        part = ids[at : at + 2]
        result += [new_id] if part == [left, right] else part
    return result


MERGE = Check(
    name="tokens.merge",
    lesson="01_tokens_and_embeddings",
    title="One merge",
    answer="merge",
    returns=("ids",),
    points=1,
    difficulty=2,
    importance=4,
    minutes=8,
    draw=_draw,
    reference=merged,
    slips=(
        Misconception(
            "a token used twice",
            _used_twice,
            "in a run of three the middle token is used for two merges",
            "After a merge, go on behind the token that was used up.",
        ),
        Misconception(
            "from the right",
            _from_the_right,
            "a run is merged from the right: 7 7 7 becomes 7 and the new token",
            "Read from left to right, and merge as soon as you see the pair.",
        ),
        Misconception(
            "only the first",
            _first_only,
            "only the first occurrence is merged",
            "A merge applies wherever the pair occurs.",
        ),
        Misconception(
            "either order",
            _either_order,
            "the reverse of the pair is merged too",
            "(left, right) is a pair in this order.",
        ),
        Misconception(
            "the last token lost",
            _last_lost,
            "a last token that is not merged is lost",
            "How far does your loop run? The last token has no right neighbour, "
            "but it belongs to the result.",
        ),
        Misconception(
            "the right token kept",
            _right_kept,
            "the left token is replaced, and the right one is still there",
            "The new token stands for both.",
        ),
        Misconception(
            "neighbours not required",
            _anywhere,
            "tokens are replaced that do not stand side by side",
            "Look at two places at once: at and at + 1.",
        ),
        Misconception(
            "a whole run at once",
            _whole_run,
            "a run of equal tokens becomes one token, however long it is",
            "One merge makes one token of two; four equal tokens become two.",
        ),
        Misconception(
            "every second place",
            _every_second,
            "pairs are looked for at even places only",
            "Where no pair begins, go on by one token, not by two.",
        ),
    ),
    hints=(
        "Walk with an index. At each place there are two cases: the pair begins here, or not.",
        "A `for` loop cannot skip; `while at < len(ids)` can: add 2 after a merge, else 1.",
        "`ids[at : at + 2] == [left, right]` is safe at the end of the list.",
    ),
)
