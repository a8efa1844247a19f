"""tokens.merge, in other styles."""

import re
from collections.abc import Iterator


def recursion(ids: list[int], left: int, right: int, new_id: int) -> list[int]:
    if len(ids) < 2:
        return ids[:]
    if (ids[0], ids[1]) == (left, right):
        return [new_id, *recursion(ids[2:], left, right, new_id)]
    return [ids[0], *recursion(ids[1:], left, right, new_id)]


def stack(ids: list[int], left: int, right: int, new_id: int) -> list[int]:
    merged: list[int] = []
    for token in ids:
        merged.append(token)
        if merged[-2:] == [left, right]:
            merged[-2:] = [new_id]
    return merged


def regular_expression(ids: list[int], left: int, right: int, new_id: int) -> list[int]:
    text = "".join(map(chr, ids))
    pair = re.escape(chr(left) + chr(right))
    return [ord(letter) for letter in re.sub(pair, lambda _: chr(new_id), text)]


def characters_replaced(ids: list[int], left: int, right: int, new_id: int) -> tuple[int, ...]:
    text = "".join(map(chr, ids)).replace(chr(left) + chr(right), chr(new_id))
    return tuple(map(ord, text))


def flag_that_skips(ids: list[int], left: int, right: int, new_id: int) -> list[int]:
    merged, skip = [], False
    for token, following in zip(ids, [*ids, None][1:], strict=True):
        if skip:
            skip = False
            continue
        skip = token == left and following == right
        merged.append(new_id if skip else token)
    return merged


class Generator:
    """Called like a function, it goes through the ids with a generator."""

    def __call__(self, ids: list[int], left: int, right: int, new_id: int) -> list[int]:
        return list(self.tokens(iter(ids), left, right, new_id))

    def tokens(self, ids: Iterator[int], left: int, right: int, new_id: int) -> Iterator[int]:
        token = next(ids, None)
        while token is not None:
            following = next(ids, None)
            if (token, following) == (left, right):
                yield new_id
                following = next(ids, None)
            else:
                yield token
            token = following


STYLES = {
    "tokens.merge": (
        recursion,
        stack,
        regular_expression,
        characters_replaced,
        flag_that_skips,
        Generator(),
    )
}
