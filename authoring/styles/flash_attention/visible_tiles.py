import numpy as np
import torch


def all_tiles_at_once(queries, keys, tile_queries, tile_keys):
    """Four edges of every tile, compared by broadcasting."""
    top, left = torch.arange(0, queries, tile_queries), torch.arange(0, keys, tile_keys)
    bottom = (top + tile_queries).clamp(max=queries) - 1
    right = (left + tile_keys).clamp(max=keys) - 1
    shift = keys - queries
    visited = left <= bottom[:, None] + shift
    whole = right <= top[:, None] + shift
    return visited.long() + whole.long()


def with_numpy(queries, keys, tile_queries, tile_keys, causal=True):
    """For each tile of queries: how many tiles are whole, how many are visited."""
    columns = -(-keys // tile_keys)
    ends = np.minimum(np.arange(1, columns + 1) * tile_keys, keys)
    kinds = np.zeros((-(-queries // tile_queries), columns), dtype=np.int32)
    for index, kind in enumerate(kinds):
        top = index * tile_queries
        first = top + 1 + keys - queries  # keys that the first query sees
        last = min(top + tile_queries, queries) + keys - queries
        kind[: max(0, -(-last // tile_keys))] += 1
        kind[: np.searchsorted(ends, first, side="right")] += 1
    return kinds


class Recursive:
    """A callable: the last row of tiles is written first, then those above it."""

    def __call__(self, queries, keys, tile_queries, tile_keys):
        rows = self.rows(queries, keys, tile_queries, tile_keys, keys - queries)
        return torch.tensor(rows, dtype=torch.uint8)

    def rows(self, queries, keys, height, width, shift):
        if queries <= 0:
            return []
        top = (queries - 1) // height * height
        row = [
            (left <= queries - 1 + shift) + (min(left + width, keys) <= top + 1 + shift)
            for left in range(0, keys, width)
        ]
        return [*self.rows(top, keys, height, width, shift), row]


STYLES = {"flash.visible_tiles": (all_tiles_at_once, with_numpy, Recursive())}
