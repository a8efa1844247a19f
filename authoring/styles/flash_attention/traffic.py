"""flash.traffic, in other styles."""

from itertools import product

import numpy as np
import torch
from torch import Tensor


def every_tile(queries: int, keys: int, width: int, capacity: int) -> tuple[Tensor, int]:
    """Try all tiles that fit, and let the loops of each order run."""
    best = [float("inf"), float("inf")]
    for a, b in product(range(1, queries + 1), range(1, keys + 1)):
        of_queries, of_keys = a * (2 * width + 2), b * 2 * width
        if of_queries + of_keys + a * b <= capacity:
            tops, lefts = len(range(0, queries, a)), len(range(0, keys, b))
            outer = queries * width + tops * keys * (width + width) + queries * width
            once, passing = keys * (width + width), width + 2 * (width + 2)
            best = [min(best[0], outer), min(best[1], once + lefts * queries * passing)]
    return torch.tensor(best).long(), int(best[0] > best[1])


def tile_by_tile(queries: int, keys: int, width: int, capacity: int) -> tuple[list[int], int]:
    """Count what goes in and out of a tile, one tile after the other."""
    tall = long = 1
    while tall < queries and (tall + 1) * (2 * width + 3) + 2 * width <= capacity:
        tall += 1
    while long < keys and (long + 1) * (2 * width + 1) + 2 * width + 2 <= capacity:
        long += 1
    by_queries = by_keys = 0
    for top in range(0, queries, tall):
        rows = min(tall, queries - top)
        by_queries += rows * width + 2 * keys * width + rows * width
    for left in range(0, keys, long):
        by_keys += 2 * min(long, keys - left) * width
        read = written = queries * (width + 1 + 1)
        by_keys += queries * width + read + written
    return [by_queries, by_keys], [by_queries, by_keys].index(min(by_queries, by_keys))


def in_closed_form(queries: int, keys: int, width: int, capacity: int) -> list[Tensor]:
    """Whole divisions, rounded up by their negative."""
    pair = 2 * width
    tall = min((capacity - pair) // (pair + 3), queries)
    long = min((capacity - pair - 2) // (pair + 1), keys)
    outer = pair * (queries - (-queries // tall) * keys)
    inner = pair * keys - (-keys // long) * queries * (3 * width + 4)
    return [torch.tensor([outer, inner]), torch.tensor(outer > inner).long()]


def on_a_grid(
    queries: int, keys: int, width: int, capacity: int
) -> tuple[np.ndarray, np.signedinteger]:
    """All tiles at once; those that do not fit move without end."""
    a, b = np.arange(1, queries + 1)[:, None], np.arange(1, keys + 1)[None, :]
    tile = 2 * width * (a + b) + 2 * a + a * b
    visits_of_keys, visits_of_queries = np.ceil(queries / a), np.ceil(keys / b)
    orders = (
        2 * width * (queries + keys * visits_of_keys) + 0 * b,
        2 * width * keys + queries * visits_of_queries * (width + 2 * (width + 2)) + 0 * a,
    )
    moved = np.array([np.where(tile > capacity, np.inf, order).min() for order in orders])
    return moved.astype(np.int64), moved.argmin()


class Traffic:
    """A callable that knows the sizes and asks for the side that stays, by bisection."""

    def __call__(
        self, queries: int, keys: int, width: int, capacity: int
    ) -> tuple[tuple[int, int], bool]:
        query = output = key = value = width
        state = output + 2
        tall = self.largest(queries, capacity - key - value, query + state + 1)
        long = self.largest(keys, capacity - query - state, key + value + 1)
        outer = queries * (query + output) + self.tiles(queries, tall) * keys * (key + value)
        inner = keys * (key + value) + self.tiles(keys, long) * queries * (query + 2 * state)
        return (outer, inner), inner < outer

    def largest(self, most: int, room: int, row: int) -> int:
        low, high = 1, most
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if middle * row <= room else (low, middle - 1)
        return low

    def tiles(self, length: int, side: int) -> int:
        return (length + side - 1) // side


STYLES = {
    "flash.traffic": (every_tile, tile_by_tile, in_closed_form, on_a_grid, Traffic()),
}
