import numpy as np


def part_by_part(stream):
    """In NumPy, one part after the other."""
    given = stream.numpy()
    added = np.stack([given[p] - given[p - 1] if p else given[0] for p in range(len(given))])
    end = given[-1]
    return added, np.einsum("pbtd,btd->pbt", added, end) / np.einsum("btd,btd->bt", end, end)


STYLES = {"inside.stream": (part_by_part,)}
