"""Flash attention on one small score matrix, tile by tile, for picture and text alternative.

Here stands which tiles are visited, what they move and hold, and the state of a row in a forward
pass, by ``flash.softmax``. Gradients, and what becomes of a row where a rule is broken, only
``tiles_model.js`` computes. It gets the tables from here, and ``tests/browser/test_tiles_model.py``
holds it to this file and to ``flash.tiled``.
"""

import math
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from itertools import compress
from operator import not_
from typing import NamedTuple

import torch
from torch import Tensor

from transformer_lesson.flash.softmax import Partial, finish, merge, partial


class Given(NamedTuple):
    """The matrices that are cut into tiles, float32.

    Attributes:
        scores: ``(queries, keys)``, before any mask.
        value: ``(keys, d_value)``.
        key: ``(keys, d_head)``.
        scale: the factor by which the dot products of queries and keys were multiplied.
    """

    scores: Tensor
    value: Tensor
    key: Tensor
    scale: float


class Rules(NamedTuple):
    """How the tiles are visited and what is broken, as in the traits of TileExplorer."""

    tile_queries: int
    tile_keys: int
    causal: bool = True
    order: str = "queries"
    direction: str = "forward"
    last_first: bool = False
    rescaling: bool = True
    maximum: str = "running"
    minus_million: bool = False
    times: int = 1


class Tile(NamedTuple):
    """A tile of scores: its queries, its keys, and whether a mask hides part of it."""

    rows: slice
    columns: slice
    partly: bool


class Row(NamedTuple):
    """One query of a forward pass before and after a step.

    ``factor`` is that by which its sums shrink. ``so_far`` is the output over the keys seen so far
    and ``end`` that of the whole walk; ``exact`` and ``end_exact`` are the same in float64.
    """

    before: Partial
    after: Partial
    factor: float
    keys_seen: int
    so_far: Tensor
    exact: Tensor
    end: Tensor
    end_exact: Tensor


def _plan(
    begin: list[str], read: list[str], written: list[str], end: list[str]
) -> dict[str, list[str]]:
    """What is moved when an outer loop begins, in each of its tiles, and when it ends."""
    return {"begin": begin, "read": read, "written": written, "end": end}


# These tables go to the page too.
RUNNING = ["maximum", "sum", "output"]
UPSTREAM = ["dO", "log-sum-exp", "row term D"]
MADE = ["dK", "dV"]
PLANS = {
    "forward": {
        "queries": _plan(["query"], ["key", "value"], [], ["output"]),
        "keys": _plan(["key", "value"], ["query", *RUNNING], RUNNING, []),
    },
    "backward": {
        "queries": _plan(["query", *UPSTREAM], ["key", "value", *MADE], MADE, ["dQ"]),
        "keys": _plan(["key", "value"], ["query", *UPSTREAM, "dQ"], ["dQ"], MADE),
    },
}
MOVED = ["query", "key", "value", "output", "maximum", "sum", *UPSTREAM, "dQ", *MADE]
HELD = {
    "forward": ["query", "key", "value", "scores", *RUNNING],
    "backward": ["query", "key", "value", *UPSTREAM, "P", "dS", "dQ", *MADE],
}
TABLES = {"RULES": Rules._fields, "PLANS": PLANS, "MOVED": MOVED, "HELD": HELD}


class Walk:
    """All steps of a walk over the tiles, and the state after each.

    Attributes:
        steps: the tiles that are visited, in order.
        skipped: the tiles that are not, because the mask hides all of their scores.
    """

    def __init__(self, given: Given, rules: Rules) -> None:
        self.given = given
        self.rules = rules
        self.queries, self.keys = given.scores.shape
        row = torch.arange(self.queries)[:, None] + self.keys - self.queries
        # The causal mask is aligned to the last key.
        last = row if rules.causal else torch.full_like(row, self.keys)
        self.allowed = torch.arange(self.keys) <= last
        self.steps, self.skipped = self._tiles()
        self.scores = given.scores * rules.times

    # -- What is moved and held

    def moved(self, step: int) -> tuple[Counter[str], Counter[str]]:
        """Return the words read and the words written up to and including ``step``, by tensor."""
        rules, (read, written) = self.rules, (Counter[str](), Counter[str]())
        plan = PLANS[rules.direction][rules.order]
        if rules.direction == "backward":
            # The row term is the sum of dO * O over each row, computed before the tiles.
            everything = Tile(slice(0, self.queries), slice(0, self.keys), False)
            read.update(self._words(("output", "dO"), everything))
            written.update(self._words(("row term D",), everything))
        for index, tile in enumerate(self.steps[: step + 1]):
            if index == 0 or self._outer(index - 1) != self._outer(index):
                read.update(self._words(plan["begin"], tile))
            read.update(self._words(plan["read"], tile))
            written.update(self._words(plan["written"], tile))
            if index + 1 == len(self.steps) or self._outer(index + 1) != self._outer(index):
                written.update(self._words(plan["end"], tile))
        return read, written

    def held(self, step: int) -> dict[str, int]:
        """Return the words held in fast memory at ``step``, by tensor."""
        return self._words(HELD[self.rules.direction], self.steps[step])

    # -- The state of a row

    @property
    def plain(self) -> bool:
        """Whether this is a forward pass in which nothing is broken, whose rows are known here."""
        rules = self.rules
        broken = rules.minus_million or rules.maximum != "running" or not rules.rescaling
        return rules.direction == "forward" and not broken

    def row(self, row: int, step: int) -> Row:
        """Return the state of query ``row`` before and after ``step`` of a ``plain`` walk."""
        before, after = (Partial(*(x[row] for x in self._states[at])) for at in (step, step + 1))
        seen = torch.zeros_like(self.allowed)
        for tile in self.steps[: step + 1]:
            seen[tile.rows, tile.columns] = self.allowed[tile.rows, tile.columns]
        shift = after.maximum.masked_fill(after.maximum == -math.inf, 0.0)
        return Row(
            before=before,
            after=after,
            factor=math.exp(before.maximum - shift),
            keys_seen=int(seen[row].sum()),
            so_far=finish(after)[0],
            exact=self._exact(seen)[row],
            end=finish(self._states[-1])[0][row],
            end_exact=self._exact(self.allowed)[row],
        )

    def finished(self, step: int) -> list[int]:
        """Return the queries that have no tile to come after ``step``."""
        left = {row for tile in self.steps[step + 1 :] for row in range(self.queries)[tile.rows]}
        return [row for row in range(self.queries) if row not in left]

    def largest_error(self, step: int) -> float:
        """Return the largest error of the finished queries of a ``plain`` walk: 0 without any."""
        ends, exact = finish(self._states[-1])[0], self._exact(self.allowed)
        return max((distance(ends[row], exact[row]) for row in self.finished(step)), default=0.0)

    # -- The computation

    def _tiles(self) -> tuple[list[Tile], list[Tile]]:
        rows = _cut(self.queries, self.rules.tile_queries)
        columns = _cut(self.keys, self.rules.tile_keys)
        ordered = columns[::-1] if self.rules.last_first else columns
        if self.rules.order == "queries":
            pairs = [(r, c) for r in rows for c in ordered]
        else:
            pairs = [(r, c) for c in ordered for r in rows]
        tiles = [Tile(r, c, not bool(self.allowed[r, c].all())) for r, c in pairs]
        seen = [bool(self.allowed[tile.rows, tile.columns].any()) for tile in tiles]
        return list(compress(tiles, seen)), list(compress(tiles, map(not_, seen)))

    def _outer(self, step: int) -> int:
        tile = self.steps[step]
        return int((tile.rows if self.rules.order == "queries" else tile.columns).start)

    def _words(self, names: Sequence[str], tile: Tile) -> dict[str, int]:
        rows, columns = (part.stop - part.start for part in (tile.rows, tile.columns))
        d_value, d_head = self.given.value.shape[1], self.given.key.shape[1]
        words = {"scores": rows * columns, "P": rows * columns, "dS": rows * columns}
        words |= dict.fromkeys(("query", "dQ"), rows * d_head)
        words |= dict.fromkeys(("key", "dK"), columns * d_head)
        words |= dict.fromkeys(("value", "dV"), columns * d_value)
        words |= dict.fromkeys(("output", "dO"), rows * d_value)
        return {name: words.get(name, rows) for name in names}

    @cached_property
    def _states(self) -> list[Partial]:
        """The states of all queries before the first step and after each step."""
        value, scores = self.given.value, self._only(self.allowed)
        nothing = torch.full((self.queries,), -math.inf), torch.zeros(self.queries)
        states = [Partial(*nothing, torch.zeros(self.queries, value.shape[1]))]
        for rows, columns, _ in self.steps:
            seen = Partial(*(tensor.clone() for tensor in states[-1]))
            part = Partial(*(tensor[rows] for tensor in seen))
            new = merge(part, partial(scores[rows, columns], value[columns]))
            for old, changed in zip(seen, new, strict=True):
                old[rows] = changed
            states.append(seen)
        return states

    def _exact(self, seen: Tensor) -> Tensor:
        """The output over the keys that were seen, in float64."""
        return finish(partial(self._only(seen).double(), self.given.value.double()))[0]

    def _only(self, seen: Tensor) -> Tensor:
        return self.scores.masked_fill(~seen, -math.inf)


def distance(one: Tensor, other: Tensor) -> float:
    """Return the largest absolute difference."""
    return float((one.double() - other.double()).abs().max())


def _cut(length: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, length)) for start in range(0, length, size)]
