"""positions.rotary: pairs of columns, turned by the position."""

from collections.abc import Callable

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Misconception

Turn = Callable[[Tensor, Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]


def _angles(positions: Tensor, d_head: int, dtype: torch.dtype, factor: float = 1.0) -> Tensor:
    columns = torch.arange(0, d_head, 2, dtype=torch.float64)
    return (positions[:, None] * 10_000 ** (-factor * columns / d_head)).to(dtype)


def _turn(even: Tensor, odd: Tensor, sine: Tensor, cosine: Tensor) -> tuple[Tensor, Tensor]:
    return even * cosine - odd * sine, even * sine + odd * cosine


def _rotary(x: Tensor, positions: Tensor, turn: Turn = _turn, factor: float = 1.0) -> Tensor:
    angles = _angles(positions, x.shape[-1], x.dtype, factor)
    pairs = turn(x[..., 0::2], x[..., 1::2], angles.sin(), angles.cos())
    return torch.stack(pairs, dim=-1).flatten(-2)


def _reference(x: Tensor, positions: Tensor) -> Tensor:
    angles = _angles(positions, x.shape[-1], torch.float64)
    pairs = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())
    turned = pairs * torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(turned).flatten(-2)


def _draw(generator: Generator) -> list[Case]:
    def inputs(draw: Draw, shape: tuple[int, ...], positions: list[int]) -> dict[str, Value]:
        x = draw(generator, *shape, len(positions), 4 if draw is tidy else 8)
        return {"x": x, "positions": torch.tensor(positions)}

    return [
        Case("2 tokens, d_head 4", inputs(tidy, (), [0, 1])),
        Case("one new token at position 7", inputs(tidy, (), [7])),
        Case("positions 5, 0, 9", inputs(tidy, (), [5, 0, 9])),
        Case("batch 2, heads 3, 5 tokens", inputs(normal, (2, 3), [0, 1, 2, 3, 4])),
        Case("batch 2, heads 3, late positions", inputs(normal, (2, 3), [100, 102, 300, 301])),
        Case("gradients", inputs(normal, (2,), [3, 4, 8]), gradients=True),
    ]


def _halves(x: Tensor, positions: Tensor) -> Tensor:
    angles = _angles(positions, x.shape[-1], x.dtype)
    first, second = x.chunk(2, dim=-1)
    return torch.cat(_turn(first, second, angles.sin(), angles.cos()), dim=-1)


def _laid_out_in_halves(x: Tensor, positions: Tensor) -> Tensor:
    angles = _angles(positions, x.shape[-1], x.dtype)
    turned = _turn(x[..., 0::2], x[..., 1::2], angles.sin(), angles.cos())
    return torch.cat(turned, dim=-1)


def _mixed(x: Tensor, positions: Tensor) -> Tensor:
    angles = _angles(positions, x.shape[-1], x.dtype).repeat_interleave(2, dim=-1)
    first, second = x.chunk(2, dim=-1)
    return x * angles.cos() + torch.cat((-second, first), dim=-1) * angles.sin()


def _added(x: Tensor, positions: Tensor) -> Tensor:
    angles = _angles(positions, x.shape[-1], x.dtype)
    return x + torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(-2)


def _ends_at_the_base(x: Tensor, positions: Tensor) -> Tensor:
    d_head = x.shape[-1]
    return _rotary(x, positions, factor=d_head / (d_head - 2))


def _overwritten(x: Tensor, positions: Tensor) -> Tensor:
    def turn(even: Tensor, odd: Tensor, sine: Tensor, cosine: Tensor) -> tuple[Tensor, Tensor]:
        even = even * cosine - odd * sine
        return even, even * sine + odd * cosine

    return _rotary(x, positions, turn)


def _one_angle(x: Tensor, positions: Tensor) -> Tensor:
    return _rotary(x, positions, factor=0.0)


ROTARY = Check(
    name="positions.rotary",
    lesson="04_positional_encoding",
    title="Rotary positions",
    answer="rotate",
    returns=("rotated",),
    points=3,
    difficulty=4,
    importance=5,
    minutes=20,
    draw=_draw,
    reference=_reference,
    slips=(
        Misconception(
            "positions counted, not read",
            lambda x, positions: _rotary(x, torch.arange(x.shape[-2])),
            "the positions are counted from 0 instead of taken from the argument",
            "A token read with a cache comes alone, and stands at position 7.",
        ),
        Misconception(
            "pairs in halves",
            _halves,
            "column i is paired with column i + d_head / 2: the other layout in use",
            "Many models do so. Here the pairs are neighbours: columns 2i and 2i + 1.",
        ),
        Misconception(
            "turned pairs laid out in halves",
            _laid_out_in_halves,
            "the pairs are turned rightly, but all first columns come before all second ones",
            "Put the two results side by side again: stack along a new last axis, then flatten.",
        ),
        Misconception(
            "two layouts mixed",
            _mixed,
            "angles are laid out for neighbours, and partners are taken from the other half",
            "The partner of column 2i is column 2i + 1. `rotate_half` belongs to the other layout.",
        ),
        Misconception(
            "turned the other way",
            lambda x, positions: _rotary(x, -positions),
            "the pairs turn the other way: scores would agree, but not with other models' keys",
            "A pair (1, 0) at a small angle becomes (cos, +sin).",
        ),
        Misconception(
            "no minus",
            lambda x, positions: _rotary(
                x, positions, lambda e, o, s, c: (e * c + o * s, e * s + o * c)
            ),
            "both sines are added: this is no rotation, it changes lengths",
            "Of the four products of a rotation one has a minus.",
        ),
        Misconception(
            "first number overwritten",
            _overwritten,
            "the second number of a pair is made of the new first one, not of the old",
            "Compute both numbers before you write either.",
        ),
        Misconception(
            "only the cosine",
            lambda x, positions: _rotary(x, positions, lambda e, o, s, c: (e * c, o * c)),
            "the numbers are multiplied by the cosine, and the sine is missing",
            "Each new number is made of both numbers of its pair.",
        ),
        Misconception(
            "multiplied by the table",
            lambda x, positions: _rotary(x, positions, lambda e, o, s, c: (e * s, o * c)),
            "the numbers are multiplied by the sinusoidal table",
            "Each new number is made of both numbers of its pair.",
        ),
        Misconception(
            "added",
            _added,
            "the sinusoidal table is added",
            "Rotary positions add nothing: they turn each pair, and keep its length.",
        ),
        Misconception(
            "exponent doubled",
            lambda x, positions: _rotary(x, positions, factor=2.0),
            "the exponent is doubled: the slow pairs hardly turn",
            "If your i counts 0, 2, 4, …, it is already the 2i of the formula.",
        ),
        Misconception(
            "exponent halved",
            lambda x, positions: _rotary(x, positions, factor=0.5),
            "the exponent is i / d_head instead of 2i / d_head",
            "With d_head 4 the second pair has the frequency 10000 ** (-2 / 4).",
        ),
        Misconception(
            "last pair at 1/10000",
            _ends_at_the_base,
            "the exponents run up to 1: the last pair has the frequency 1/10000",
            "2i / d_head never reaches 1. With d_head 4 the exponents are 0 and 2/4.",
        ),
        Misconception(
            "one angle for all pairs",
            _one_angle,
            "every pair is turned by the position itself",
            "Each pair has a frequency of its own.",
        ),
        Misconception(
            "unturned",
            lambda x, positions: x.clone(),
            "nothing is turned",
            "Start with one token of width 2, at position 1.",
        ),
    ),
    hints=(
        "Take the even columns and the odd ones apart: `x[..., 0::2]` and `x[..., 1::2]`.",
        "A pair (a, b) becomes (a cos - b sin, a sin + b cos), with the angle "
        "position * 10000 ** (-2i / d_head).",
        "The angles are (tokens, d_head / 2) and broadcast over batch and heads. Put the results "
        "together with `torch.stack((first, second), dim=-1).flatten(-2)`.",
    ),
)
