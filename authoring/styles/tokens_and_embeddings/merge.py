import re


def recursion(ids, left, right, new_id):
    if len(ids) < 2:
        return ids[:]
    if (ids[0], ids[1]) == (left, right):
        return [new_id, *recursion(ids[2:], left, right, new_id)]
    return [ids[0], *recursion(ids[1:], left, right, new_id)]


def regular_expression(ids, left, right, new_id):
    text = "".join(map(chr, ids))
    pair = re.escape(chr(left) + chr(right))
    return [ord(letter) for letter in re.sub(pair, lambda _: chr(new_id), text)]


class Generator:
    """Called like a function, it goes through the ids with a generator."""

    def __call__(self, ids, left, right, new_id):
        return list(self.tokens(iter(ids), left, right, new_id))

    def tokens(self, ids, left, right, new_id):
        token = next(ids, None)
        while token is not None:
            following = next(ids, None)
            if (token, following) == (left, right):
                yield new_id
                following = next(ids, None)
            else:
                yield token
            token = following


STYLES = {"tokens.merge": (recursion, regular_expression, Generator())}
