"""Flash attention on one small score matrix, tile by tile, for the text alternative.

``tiles_model.js`` does the same in the page, which gets the tables from here.
``tests/browser/test_tiles_page.py`` holds both equal on the walks of
``tests/widgets/tile_walks.py``, which reach every branch, and ``tests/widgets/test_tiles.py`` holds
this file equal to ``flash.tiled`` and ``flash.traffic``.
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

MILLION = 1e6


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
    """One query before and after a step.

    ``before`` and ``after`` are (maximum, sum, accumulator) in the forward pass and the gradient of
    the query in the backward pass. ``due`` is the right value of the rescaling ``factor``.
    ``so_far`` is the result over the keys seen so far and ``end`` that of the whole walk; ``error``
    and ``end_error`` are their distances from ``exact`` and ``end_exact``.
    """

    inside: bool
    before: Partial | Tensor
    after: Partial | Tensor
    factor: float
    due: float
    keys_seen: int
    so_far: Tensor
    exact: Tensor
    error: float
    end: Tensor
    end_exact: Tensor
    end_error: float
    log_sum_exp: float
    row_term: float


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

    def row(self, row: int, step: int) -> Row:
        """Return the state of query ``row`` before and after ``step``, and its error."""
        rows = self.steps[step].rows
        before, after = (self._state(row, at) for at in (step, step + 1))
        seen = self._seen(step + 1)
        so_far, exact = self._result(step + 1)[row], self._exact(seen)[row]
        last = len(self.steps)
        end, end_exact = self._result(last)[row], self._exact(self.allowed)[row]
        inside = rows.start <= row < rows.stop
        due = 1.0
        if inside and isinstance(before, Partial) and isinstance(after, Partial):
            due = math.exp(float(before.maximum) - _finite(float(after.maximum)))
        return Row(
            inside=inside,
            before=before,
            after=after,
            factor=due if self.rules.rescaling else 1.0,
            due=due,
            keys_seen=int(seen[row].sum()),
            so_far=so_far,
            exact=exact,
            error=distance(so_far, exact),
            end=end,
            end_exact=end_exact,
            end_error=distance(end, end_exact),
            log_sum_exp=float(self._finished[1][row]),
            row_term=float(self._row_term[row]),
        )

    def finished(self, step: int) -> list[int]:
        """Return the queries that have no tile to come after ``step``."""
        left = {row for tile in self.steps[step + 1 :] for row in range(self.queries)[tile.rows]}
        return [row for row in range(self.queries) if row not in left]

    def largest_error(self, step: int) -> float:
        """Return the largest error of the finished queries: 0 without any, NaN if one is NaN."""
        result, exact = self._result(len(self.steps)), self._exact(self.allowed)
        errors = [distance(result[row], exact[row]) for row in self.finished(step)]
        return math.nan if any(map(math.isnan, errors)) else max(errors, default=0.0)

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

    def _masked(self, tile: Tile) -> Tensor:
        fill = -MILLION if self.rules.minus_million else -math.inf
        part = (tile.rows, tile.columns)
        return self.scores[part].masked_fill(~self.allowed[part], fill)

    @cached_property
    def _forward(self) -> list[Partial]:
        """The states of all queries before the first step and after each step."""
        start = -math.inf if self.rules.maximum == "running" else 0.0
        seen = Partial(
            torch.full((self.queries,), start),
            torch.zeros(self.queries),
            torch.zeros(self.queries, self.given.value.shape[1]),
        )
        states = [seen]
        for tile in self.steps:
            part = Partial(*(tensor[tile.rows] for tensor in seen))
            seen = Partial(*(tensor.clone() for tensor in seen))
            new = absorb(part, self._masked(tile), self.given.value[tile.columns], self.rules)
            for old, changed in zip(seen, new, strict=True):
                old[tile.rows] = changed
            states.append(seen)
        return states

    @cached_property
    def _finished(self) -> tuple[Tensor, Tensor]:
        return finish(self._forward[-1])

    @cached_property
    def _row_term(self) -> Tensor:
        return (self._upstream * self._finished[0]).sum(-1)

    @cached_property
    def _upstream(self) -> Tensor:
        """The upstream gradient: 1 + the index of the row in every column."""
        rows = torch.arange(1.0, self.queries + 1)[:, None]
        return rows.expand(-1, self.given.value.shape[1])

    @cached_property
    def _backward(self) -> list[Tensor]:
        """The gradients of all queries before the first step and after each step."""
        states = [torch.zeros(self.queries, self.given.key.shape[1])]
        log_sum_exp = self._finished[1]
        shift = log_sum_exp.masked_fill(log_sum_exp == -math.inf, 0.0)[:, None]
        for tile in self.steps:
            rows, columns = tile.rows, tile.columns
            weights = torch.exp(self._masked(tile) - shift[rows])
            d_weights = self._upstream[rows] @ self.given.value[columns].mT
            d_scores = weights * (d_weights - self._row_term[rows, None])
            new = states[-1].clone()
            scale = self.given.scale * self.rules.times
            new[rows] += scale * d_scores @ self.given.key[columns]
            states.append(new)
        return states

    def _state(self, row: int, step: int) -> Partial | Tensor:
        if self.rules.direction == "backward":
            return self._backward[step][row]
        return Partial(*(tensor[row] for tensor in self._forward[step]))

    def _result(self, step: int) -> Tensor:
        if self.rules.direction == "backward":
            return self._backward[step]
        return finish(self._forward[step])[0]

    def _seen(self, step: int) -> Tensor:
        seen = torch.zeros_like(self.allowed)
        for tile in self.steps[:step]:
            seen[tile.rows, tile.columns] = self.allowed[tile.rows, tile.columns]
        return seen

    def _exact(self, seen: Tensor) -> Tensor:
        """The right results over the keys that were seen, in float64."""
        value, key = self.given.value.double(), self.given.key.double()
        if self.rules.direction == "forward":
            return finish(partial(self._only(seen), value))[0]
        output, log_sum_exp = finish(partial(self._only(self.allowed), value))
        shift = log_sum_exp.masked_fill(log_sum_exp == -math.inf, 0.0)[:, None]
        upstream = self._upstream.double()
        row_term = (upstream * output).sum(-1, keepdim=True)
        weights = torch.exp(self._only(seen) - shift)
        scale = self.given.scale * self.rules.times
        return scale * (weights * (upstream @ value.mT - row_term)) @ key

    def _only(self, seen: Tensor) -> Tensor:
        return self.scores.double().masked_fill(~seen, -math.inf)


def absorb(seen: Partial, scores: Tensor, value: Tensor, rules: Rules) -> Partial:
    """Return the states after one more tile, computed correctly or as the rules break it."""
    if rules.rescaling and rules.maximum == "running":
        return merge(seen, partial(scores, value))
    maximum = torch.maximum(seen.maximum, scores.amax(-1))
    if rules.maximum == "none":
        maximum = torch.zeros_like(maximum)
    shift = maximum.masked_fill(maximum == -math.inf, 0.0)
    factor = torch.exp(seen.maximum - shift) if rules.rescaling else torch.ones_like(shift)
    exponentials = torch.exp(scores - shift[:, None])
    return Partial(
        maximum,
        factor * seen.total + exponentials.sum(-1),
        factor[:, None] * seen.weighted + exponentials @ value,
    )


def distance(one: Tensor, other: Tensor) -> float:
    """Return the largest absolute difference; NaN if any difference is NaN."""
    return float((one.double() - other.double()).abs().max())


def _cut(length: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, length)) for start in range(0, length, size)]


def _finite(maximum: float) -> float:
    return 0.0 if maximum == -math.inf else maximum
