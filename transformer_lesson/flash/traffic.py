"""Count the words that attention moves between a large, slow memory and a small, fast one.

A GPU's multiprocessor computes on a fast memory of some 200 KB; everything else lies in a slow one.
The time of attention is the time of the words in between (Dao et al. 2022, section 2). Here the
fast memory is a class that refuses to hold too much and counts what goes in and out.
"""

import importlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

from transformer_lesson.flash.interpret import interpreting
from transformer_lesson.flash.softmax import Partial, finish, merge, partial
from transformer_lesson.flash.tiled import nothing, tiles


class FastMemory:
    """A memory of ``capacity`` words that counts every word that is moved in or out.

    ``read`` and ``written`` count words of the slow memory by name, ``most`` those held at once.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.read: Counter[str] = Counter()
        self.written: Counter[str] = Counter()
        self.most = 0
        self._held: dict[str, int] = {}

    @property
    def moved(self) -> int:
        """Words read and written."""
        return self.read.total() + self.written.total()

    def load(self, name: str, tensor: Tensor) -> Tensor:
        """Read ``tensor`` from the slow memory, and ``hold`` it."""
        self.hold(name, tensor.numel())
        self.read[name] += tensor.numel()
        return tensor

    def hold(self, name: str, words: int) -> None:
        """Reserve room for something computed, in place of what had the same name.

        Raises:
            MemoryError: it does not fit beside what is held.
        """
        held = {**self._held, name: words}
        if sum(held.values()) > self.capacity:
            raise MemoryError(
                f"{name} has {words} words; the fast memory holds {self.capacity}, of which "
                f"{sum(self._held.values())} are taken by {', '.join(self._held) or 'nothing'}."
            )
        self._held = held
        self.most = max(self.most, sum(held.values()))

    def store(self, name: str, tensor: Tensor, where: Tensor) -> None:
        """Write ``tensor`` to its place ``where`` in the slow memory."""
        self.written[name] += tensor.numel()
        where.copy_(tensor)

    def free(self, *names: str) -> None:
        """Free the room of ``names``."""
        for name in names:
            self._held.pop(name, None)


def standard(memory: FastMemory, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Attention that stores all scores and all weights, for ``(tokens, d_head)`` each."""
    tokens, width = query.shape
    scores, weights = torch.empty(tokens, tokens), torch.empty(tokens, tokens)
    output = torch.empty_like(query)
    # Two operands and their product share the memory: a² + 2·a·d words.
    side = _largest(tokens, lambda a: a * a + 2 * a * width, memory.capacity)
    for rows in tiles(tokens, side):
        q = memory.load("query", query[rows])
        for columns in tiles(tokens, side):
            k = memory.load("key", key[columns])
            memory.hold("scores", len(q) * len(k))
            memory.store("scores", q @ k.mT / width**0.5, scores[rows, columns])
    memory.free("query", "key", "scores")
    for row in tiles(tokens, max(1, memory.capacity // tokens)):
        memory.store("weights", memory.load("scores", scores[row]).softmax(-1), weights[row])
    memory.free("scores")
    for rows in tiles(tokens, side):
        memory.hold("output", len(query[rows]) * width)
        out = torch.zeros_like(query[rows])
        for columns in tiles(tokens, side):
            w = memory.load("weights", weights[rows, columns])
            out += w @ memory.load("value", value[columns])
        memory.store("output", out, output[rows])
    return output


def queries_first(memory: FastMemory, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Flash attention with the queries in the outer loop (Dao 2023): outputs are written once."""
    tokens, width = query.shape
    output = torch.empty_like(query)
    side = _tile_side(tokens, width, memory.capacity)
    for rows in tiles(tokens, side):
        q = memory.load("query", query[rows])
        seen = nothing(q)
        memory.hold("output", sum(tensor.numel() for tensor in seen))
        for columns in tiles(tokens, side):
            k, v = memory.load("key", key[columns]), memory.load("value", value[columns])
            memory.hold("scores", len(q) * len(k))
            seen = merge(seen, partial(q @ k.mT / width**0.5, v))
        memory.store("output", finish(seen)[0], output[rows])
    return output


def keys_first(memory: FastMemory, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Flash attention with the keys in the outer loop (Dao et al. 2022): outputs come and go."""
    tokens, width = query.shape
    maximum, total = torch.full((tokens,), -torch.inf), torch.zeros(tokens)
    weighted = torch.zeros_like(query)
    side = _tile_side(tokens, width, memory.capacity)
    for columns in tiles(tokens, side):
        k, v = memory.load("key", key[columns]), memory.load("value", value[columns])
        for rows in tiles(tokens, side):
            q = memory.load("query", query[rows])
            seen = Partial(
                memory.load("maximum", maximum[rows]),
                memory.load("total", total[rows]),
                memory.load("output", weighted[rows]),
            )
            memory.hold("scores", len(q) * len(k))
            seen = merge(seen, partial(q @ k.mT / width**0.5, v))
            memory.store("maximum", seen.maximum, maximum[rows])
            memory.store("total", seen.total, total[rows])
            memory.store("output", seen.weighted, weighted[rows])
    return finish(Partial(maximum, total, weighted))[0]


@contextmanager
def counted_kernels() -> Iterator[Counter[str]]:
    """Count the words that Triton's interpreter loads and stores inside the block.

    Yields:
        A counter with ``"loaded"`` and ``"stored"``; what a mask leaves out is not counted.

    Raises:
        RuntimeError: Triton compiles for a GPU in this process.
    """
    if not interpreting():
        raise RuntimeError(
            "only Triton's interpreter can be counted; call use_interpreter() first."
        )
    builder = importlib.import_module("triton.runtime.interpreter").interpreter_builder
    load, store = builder.create_masked_load, builder.create_masked_store
    words: Counter[str] = Counter()

    def counting_load(pointers, mask, *rest):  # type: ignore[no-untyped-def]
        words["loaded"] += int(mask.data.sum())
        return load(pointers, mask, *rest)

    def counting_store(pointers, value, mask, *rest):  # type: ignore[no-untyped-def]
        words["stored"] += int(mask.data.sum())
        return store(pointers, value, mask, *rest)

    builder.create_masked_load, builder.create_masked_store = counting_load, counting_store
    try:
        yield words
    finally:
        del builder.create_masked_load, builder.create_masked_store


def _tile_side(tokens: int, width: int, capacity: int) -> int:
    """The largest square tile: query, key, value, output, maximum, total and scores fit."""
    return _largest(tokens, lambda a: a * a + 4 * a * width + 2 * a, capacity)


def _largest(tokens: int, words: Callable[[int], int], capacity: int) -> int:
    side = tokens
    while side > 1 and words(side) > capacity:
        side -= 1
    if words(side) > capacity:
        raise MemoryError(
            f"a fast memory of {capacity} words holds no tile; one token needs {words(1)}."
        )
    return side
