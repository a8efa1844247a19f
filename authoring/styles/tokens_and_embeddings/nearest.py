import math


def loops_and_sorted(vectors, index, count):
    rows = vectors.tolist()
    own = math.hypot(*rows[index])
    found = []
    for i, row in enumerate(rows):
        if i != index:
            product = sum(a * b for a, b in zip(row, rows[index], strict=True))
            found.append((product / (math.hypot(*row) * own or 1.0), i))
    cosines, indices = zip(*sorted(found, reverse=True)[:count], strict=True)
    return indices, cosines


STYLES = {"tokens.nearest": (loops_and_sorted,)}
