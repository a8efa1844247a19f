import re


def regular_expression(ids, left, right, new_id):
    text = "".join(map(chr, ids))
    pair = re.escape(chr(left) + chr(right))
    return [ord(letter) for letter in re.sub(pair, lambda _: chr(new_id), text)]


STYLES = {"tokens.merge": (regular_expression,)}
