"""Keys and values that were computed once and need not be computed again (lesson 06)."""

from collections.abc import Sequence

import torch
from torch import Tensor

from transformer_lesson.validation import arguments


class CachedKeys:
    """The keys and values that one attention has seen, in memory that grows by doubling.

    Args:
        fixed: whether they all come at once, as those of an encoder's output do.
    """

    window: int | None = None

    def __init__(self, *, fixed: bool = False) -> None:
        self.fixed, self.length = fixed, 0
        self._key = self._value = torch.empty(0, 0, 0, 0)

    @property
    def complete(self) -> bool:
        """Whether there is nothing left to project."""
        return self.fixed and self.length > 0

    @property
    def key(self) -> Tensor:
        """``(batch, heads, length, d_head)``, as ``value``."""
        return self._key[..., : self.length, :]

    @property
    def value(self) -> Tensor:
        return self._value[..., : self.length, :]

    def places(self, new: int) -> Tensor | None:
        """Where in the text the keys stand that ``append`` will return; None: all, in order."""
        return None

    def append(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Add what new tokens bring, ``(batch, heads, new tokens, d_head)`` each; return all.

        Raises:
            RuntimeError: they record gradients, which would keep every step's memory alive.
            ValueError: the cache holds another batch size, number of heads or width.
        """
        self._check(key, value)
        if self.length == 0:
            self._key, self._value = key, value
        else:
            self._key = _written(self._key, key, self.length, self.window)
            self._value = _written(self._value, value, self.length, self.window)
        self.length += key.shape[-2]
        return self.key, self.value

    def _check(self, key: Tensor, value: Tensor) -> None:
        if key.requires_grad or value.requires_grad:
            raise RuntimeError("a cache is for generating text; call under torch.no_grad().")
        if self.length and _without_tokens(key) != _without_tokens(self._key):
            raise ValueError(
                f"the cache holds keys for (batch, heads, d_head) = {_without_tokens(self._key)}; "
                f"these have {_without_tokens(key)}. Use a new cache for another batch."
            )

    def reorder(self, rows: Tensor) -> None:
        """Let row ``i`` of the batch continue what row ``rows[i]`` has read: ``rows (batch,)``."""
        # Several times faster than self._key[rows].
        self._key = self._key.index_select(0, rows)
        self._value = self._value.index_select(0, rows)


class RingKeys(CachedKeys):
    """The keys and values of the last ``window`` tokens, in memory of that size.

    It is a ring: what stands at place ``p`` of the text is kept in slot ``p % window``, where it
    replaces what stood ``window`` places before (the rolling buffer of Mistral, Jiang et al. 2023).
    """

    def __init__(self, window: int) -> None:
        super().__init__()
        arguments.check_sizes(window=window)
        self.window: int = window

    def places(self, new: int) -> Tensor:
        """Where in the text the keys stand that ``append`` will return: ``(keys,)``.

        One new token sees what the ring then holds, slot by slot. Of several the first sees tokens
        that the last replace: these come before the new ones, all in order.
        """
        last = self.length + new - 1
        if new == 1:
            return last - (last - torch.arange(min(last + 1, self.window))) % self.window
        return torch.arange(max(self.length - self.window + 1, 0), last + 1)

    def append(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Do what ``CachedKeys.append`` does, but return no key that no new token may see."""
        if self.length + key.shape[-2] <= self.window:
            return super().append(key, value)
        self._check(key, value)
        keys, self._key = self._turned(self._key, key)
        values, self._value = self._turned(self._value, value)
        self.length += key.shape[-2]
        return keys, values

    def _turned(self, ring: Tensor, new: Tensor) -> tuple[Tensor, Tensor]:
        """What the new tokens may see, and the ring with them in it."""
        if new.shape[-2] == 1:
            slot = self.length % self.window
            ring[..., slot : slot + 1, :] = new
            return ring, ring
        seen = new
        if self.length:
            kept = ring[..., : self.length, :].roll(-self.length, -2)  # in order
            seen = torch.cat([kept[..., max(kept.shape[-2] + 1 - self.window, 0) :, :], new], -2)
        return seen, seen[..., -self.window :, :].roll(self.length + new.shape[-2], -2)


class LayerCache:
    """What one layer keeps: its own keys and, in a decoder with an encoder, the memory's."""

    def __init__(self, window: int | None = None) -> None:
        self.self_attention = CachedKeys() if window is None else RingKeys(window)
        self.cross_attention = CachedKeys(fixed=True)


class KeyValueCache:
    """The keys and values of all layers of one model for one batch of texts.

    The memory's keys are projected in the first step and read in all others. Queries are never
    kept: each is used once.

    Args:
        num_layers: number of layers of the decoder.
        windows: of each layer its window, whose keys a ring then keeps, or None:
            ``config.windows``. By default all keys of all layers are kept.

    Raises:
        ValueError: ``num_layers`` is below 1, or not an integer.
    """

    def __init__(self, num_layers: int, windows: Sequence[int | None] | None = None) -> None:
        arguments.check_sizes(num_layers=num_layers)
        self.layers = [LayerCache(window) for window in windows or [None] * num_layers]
        self._tokens: Tensor | None = None
        self._source: Tensor | None = None

    @property
    def length(self) -> int:
        """How many tokens have been read."""
        return self.layers[0].self_attention.length

    @property
    def nbytes(self) -> int:
        """How many bytes the keys and values of all layers take, without room for later ones."""
        attentions = (each for layer in self.layers for each in vars(layer).values())
        return sum(each.key.nbytes + each.value.nbytes for each in attentions)

    def read(self, tokens: Tensor) -> Tensor:
        """Do what ``with_new`` does, and keep it: the ids say where the padding is."""
        self._tokens = self.with_new(tokens)
        return self._tokens

    def with_new(self, tokens: Tensor) -> Tensor:
        """Return the ids of all tokens, were these ``(batch, new tokens)`` read next.

        Raises:
            ValueError: the batch has another size.
        """
        if self._tokens is None:
            return tokens
        if self._tokens.shape[0] != tokens.shape[0]:
            raise ValueError(
                f"the cache holds {len(self._tokens)} texts; {len(tokens)} go on. "
                "Use a new cache for another batch."
            )
        return torch.cat([self._tokens, tokens], dim=1)

    def read_from(self, source: Tensor) -> None:
        """Note the source ``(batch, source tokens)``, whose keys are projected once.

        Raises:
            ValueError: it is not the same as before.
        """
        known = self._source is None or self._source is source or torch.equal(self._source, source)
        if not known:
            raise ValueError(
                "the cache holds the keys of another source. Use a new cache for another text."
            )
        self._source = source

    def reorder(self, rows: Tensor, *, sources: bool = False) -> None:
        """Let row ``i`` continue what row ``rows[i]`` has read, as a beam search needs it.

        Without ``sources`` the keys of the memory stay where they are: ``rows[i]`` must belong to
        the source of row ``i``. With it they go along.

        Raises:
            ValueError: nothing has been read.
        """
        if self._tokens is None:
            raise ValueError("the cache is empty: there is nothing to reorder yet.")
        self._tokens = self._tokens.index_select(0, rows)
        for layer in self.layers:
            layer.self_attention.reorder(rows)
            if sources and layer.cross_attention.length:
                layer.cross_attention.reorder(rows)
        if sources and self._source is not None:
            self._source = self._source[rows]


def _without_tokens(heads: Tensor) -> tuple[int, ...]:
    return *heads.shape[:2], heads.shape[3]


def _written(room: Tensor, new: Tensor, start: int, most: int | None) -> Tensor:
    """Write ``new`` after the first ``start`` tokens; if the room is too small, double it.

    There is never room for more than ``most`` tokens, if that is a number.
    """
    end = start + new.shape[-2]
    if end > room.shape[-2]:
        batch, heads, _, d_head = room.shape
        larger = room.new_empty(batch, heads, min(2 * end, most or 2 * end), d_head)
        larger[..., :start, :] = room[..., :start, :]
        room = larger
    room[..., start:end, :] = new
    return room
