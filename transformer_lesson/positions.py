"""Where a token stands: five ways to tell attention, as lesson 04 builds them.

Two are added to the embeddings (sinusoidal, learned), two to the scores (relative bias, ALiBi),
one turns queries and keys (rotary). Positions are always given, never assumed to start at 0:
a decoder with a cache asks for position 7 alone.
"""

import math
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from transformer_lesson.initialization import draw
from transformer_lesson.validation import arguments, tensors


def sinusoidal_table(max_tokens: int, d_model: int, *, base: float = 10_000.0) -> Tensor:
    """Return the sines and cosines of Vaswani et al. 2017, section 3.5.

    Column ``2i`` holds ``sin(position * base ** (-2i / d_model))``, column ``2i + 1`` the cosine of
    the same angle. An odd ``d_model`` ends in a sine without its cosine.

    Returns:
        ``(max_tokens, d_model)``, float32.

    Raises:
        ValueError: a size is below 1, or ``base`` is not positive.
    """
    arguments.check_sizes(max_tokens=max_tokens, d_model=d_model)
    angles = _angles(torch.arange(max_tokens), d_model, base)
    table = torch.empty(max_tokens, d_model)
    table[:, 0::2] = angles.sin()
    table[:, 1::2] = angles.cos()[:, : d_model // 2]
    return table


class _Rows(nn.Module):
    """Rows of a table, one for each position."""

    table: Tensor

    def forward(self, positions: Tensor) -> Tensor:
        """Return the rows ``(tokens, d_model)`` of ``positions (tokens,)``.

        Raises:
            IndexError: a position is beyond the table (on a GPU, an assertion fails).
        """
        tensors.check_positions(positions)
        # Not self.table[positions], which would take the last row for position -1.
        return F.embedding(positions, self.table)


class SinusoidalPositions(_Rows):
    """Rows of the sinusoidal table.

    Args:
        d_model: width of a row.
        max_tokens: number of positions.
    """

    def __init__(self, d_model: int, max_tokens: int) -> None:
        super().__init__()
        # A buffer moves with the model; there is nothing in it that would need to be saved.
        table = sinusoidal_table(max_tokens, d_model)
        self.register_buffer("table", table, persistent=False)

    def _load_from_state_dict(self, state_dict: Any, prefix: str, *others: Any) -> None:
        self.reset_parameters()
        super()._load_from_state_dict(state_dict, prefix, *others)

    def reset_parameters(self) -> None:
        """Compute the table anew: ``to_empty`` may have left other numbers in its memory."""
        device = torch.get_default_device() if self.table.is_meta else self.table.device
        self.table = sinusoidal_table(*self.table.shape).to(device, self.table.dtype)


class _Learned(nn.Module):
    """A table that is learned."""

    table: Tensor

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Set the table in place to new numbers."""
        draw(self.table, partial(nn.init.normal_, std=0.02), generator)


class LearnedPositions(_Learned, _Rows):
    """One learned row for each position (Gehring et al. 2017; BERT and GPT-2).

    Args:
        d_model: width of a row.
        max_tokens: number of positions; there is no row for a later one.
        generator: source of the initial values, normal with standard deviation 0.02 (OpenAI's
            model.py for GPT-2: 0.01).
    """

    def __init__(
        self, d_model: int, max_tokens: int, *, generator: torch.Generator | None = None
    ) -> None:
        super().__init__()
        arguments.check_sizes(max_tokens=max_tokens, d_model=d_model)
        self.table = nn.Parameter(torch.empty(max_tokens, d_model))
        self.reset_parameters(generator)


class RelativeBias(_Learned):
    """A learned bias on every score, by head and by distance (after Shaw et al. 2018; T5).

    A head has ``2 * max_distance + 1`` entries; longer distances share the outermost.

    Args:
        num_heads: number of heads.
        max_distance: the largest distance with an entry of its own.
        generator: source of the initial values, normal with standard deviation 0.02.
    """

    def __init__(
        self, num_heads: int, max_distance: int, *, generator: torch.Generator | None = None
    ) -> None:
        super().__init__()
        arguments.check_sizes(num_heads=num_heads, max_distance=max_distance)
        self.max_distance = max_distance
        self.table = nn.Parameter(torch.empty(num_heads, 2 * max_distance + 1))
        self.reset_parameters(generator)

    def forward(self, query_positions: Tensor, key_positions: Tensor) -> Tensor:
        """Return the bias ``(heads, queries, keys)`` for positions ``(queries,)`` and ``(keys,)``.

        Raises:
            ValueError: the positions have another shape.
        """
        distance = _distance(query_positions, key_positions)
        row = distance.clamp(-self.max_distance, self.max_distance) + self.max_distance
        return self.table[:, row]


def rotate(
    x: Tensor,
    positions: Tensor,
    *,
    base: float = 10_000.0,
    factor: float = 1.0,
    trained_tokens: int | None = None,
) -> Tensor:
    """Turn each pair of neighboring columns by an angle that grows with the position (rotary).

    Columns ``2i`` and ``2i + 1`` form a pair, turned by ``position * base ** (-2i / d_head)``
    (Su et al. 2021, eq. 34). Some models pair column ``i`` with ``i + d_head / 2`` instead; their
    weights need their columns reordered.

    Args:
        x: queries or keys ``(..., tokens, d_head)``, ``d_head`` even.
        positions: integer ``(tokens,)``, any values.
        base: the larger, the slower the late columns turn.
        factor: what angles are divided by, so that a text ``factor`` times longer than those of the
            training stays within the angles seen there (position interpolation, Chen et al. 2023).
        trained_tokens: length of those texts. If it is given, only angles of pairs that turn once
            or less in such a text are divided, those that turn four times or more stay, and between
            them it is something between (Llama 3.1).

    Returns:
        The turned rows, of the shape and dtype of ``x``.

    Raises:
        ValueError: ``x`` has fewer axes or holds integers, ``d_head`` is odd, there are not as many
            positions as tokens, or ``base`` or ``factor`` is not positive.
    """
    tensors.check_is_tensor(x=x)
    if x.dim() < 2 or not x.is_floating_point():
        raise ValueError(
            f"x has shape {tuple(x.shape)} and dtype {x.dtype}; expected (..., tokens, d_head), "
            "floating point."
        )
    tokens, d_head = x.shape[-2:]
    if d_head % 2 != 0:
        raise ValueError(
            f"d_head={d_head} is odd; rotary positions turn pairs of columns. "
            "Choose num_heads so that d_model / num_heads is even."
        )
    tensors.check_positions(positions)
    if positions.shape[0] != tokens:  # not len(positions), which an exported graph would fix
        raise ValueError(f"there are {len(positions)} positions for {tokens} tokens.")
    arguments.check_positive(factor=factor)
    angles = _angles(positions, d_head, base)  # (tokens, d_head / 2)
    if trained_tokens is None:
        angles = angles / factor
    else:
        arguments.check_sizes(trained_tokens=trained_tokens)
        turns = _angles(positions.new_full((1,), trained_tokens), d_head, base) / (2 * math.pi)
        stays = ((turns - 1) / (4 - 1)).clamp(0, 1)
        angles = angles * (stays + (1 - stays) / factor)
    sine, cosine = angles.sin().to(x.dtype), angles.cos().to(x.dtype)
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cosine - odd * sine, even * sine + odd * cosine), -1).flatten(-2)


def ntk_base(base: float, factor: float, d_head: int) -> float:
    """Return the rotary base for texts ``factor`` times longer than those of the training.

    It is ``base * factor ** (d_head / (d_head - 2))`` ("NTK-aware", bloc97 2023; Peng et al. 2024,
    section 3.1): the slowest pair of columns turns ``factor`` times slower, as under interpolation,
    and the fastest as before, so that neighbors stay apart.

    Raises:
        ValueError: ``base`` is not positive, ``factor`` is below 1, or ``d_head`` is below 4: of a
            single pair the slowest is the fastest.
    """
    arguments.check_positive(base=base, factor=factor)
    if factor < 1:
        raise ValueError(f"factor={factor}; expected 1 or more: how much longer texts may become.")
    arguments.check_sizes(d_head=d_head)
    if d_head < 4:
        raise ValueError(
            f"d_head={d_head}; an NTK-aware base needs 4 or more, two pairs of columns. "
            "Use fewer heads, or interpolation."
        )
    return base * factor ** (d_head / (d_head - 2))


def alibi_slopes(num_heads: int, *, device: torch.device | None = None) -> Tensor:
    """Return the slope of each head ``(heads,)``, float32 (Press et al. 2022, section 3).

    For 8 heads they are 1/2, 1/4, … 1/256. Where ``num_heads`` is no power of two, the slopes of
    the next smaller power come first, then every other slope of the next larger one, as in the
    authors' code.

    Raises:
        ValueError: ``num_heads`` is below 1.
    """
    arguments.check_sizes(num_heads=num_heads)
    power = 2 ** math.floor(math.log2(num_heads))
    places = [*range(1, power + 1), *(head + 0.5 for head in range(num_heads - power))]
    return torch.tensor([2 ** (-8 * place / power) for place in places], device=device)


def alibi_bias(num_heads: int, query_positions: Tensor, key_positions: Tensor) -> Tensor:
    """Return ``-slope * |distance|`` for each head: ``(heads, queries, keys)``, float32.

    The paper looks back only; the absolute value does for an encoder what it does for a decoder.

    Raises:
        ValueError: ``num_heads`` is below 1, or the positions have another shape.
    """
    distance = _distance(query_positions, key_positions).abs()
    return -alibi_slopes(num_heads, device=distance.device)[:, None, None] * distance


def _angles(positions: Tensor, width: int, base: float) -> Tensor:
    """``(tokens,)`` to ``(tokens, ⌈width / 2⌉)``, in float64: late positions have large angles."""
    arguments.check_positive(base=base)
    exponents = torch.arange(0, width, 2, device=positions.device, dtype=torch.float64) / width
    return positions[:, None] * base**-exponents


def _distance(query_positions: Tensor, key_positions: Tensor) -> Tensor:
    """How far each key stands behind (< 0) or ahead of (> 0) each query: ``(queries, keys)``."""
    tensors.check_positions(query_positions)
    tensors.check_positions(key_positions)
    return key_positions - query_positions[:, None]
