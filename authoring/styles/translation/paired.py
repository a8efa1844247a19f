import math


def _score(rows):
    matched, written, wanted = (sum(column) for column in zip(*rows, strict=True))
    return matched / written * (math.exp(1 - wanted / written) if written < wanted else 1.0)


def set_by_set(a, b, draws):
    rows_a, rows_b, won, lost = a.tolist(), b.tolist(), 0, 0
    for chosen in draws.tolist():
        of_a, of_b = (_score([rows[i] for i in chosen]) for rows in (rows_a, rows_b))
        won += of_b > of_a
        lost += of_a > of_b
    better = 0
    if won / len(draws) > 0.95:
        better = 1
    elif lost / len(draws) > 0.95:
        better = -1
    return _score(rows_b) - _score(rows_a), won / len(draws), better


STYLES = {"translation.paired": (set_by_set,)}
