"""positions.rotary: pairs of columns, turned by the position."""

import torch
from torch import Generator

from transformer_checks.catalogue import families
from transformer_checks.catalogue.draws import Draw, gapped, normal, spread, tidy
from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    def inputs(draw: Draw, shape: tuple[int, ...], positions: list[int]) -> dict[str, Value]:
        x = draw(generator, *shape, len(positions), 4 if draw is tidy else 8)
        return {"x": x, "positions": torch.tensor(positions)}

    far = torch.tensor([5000, 3])
    late = torch.randint(100, 400, (4,), generator=generator).tolist()
    cases = [
        Case("2 tokens, d_head 4", inputs(tidy, (), [0, 1])),
        Case("one new token at position 7", inputs(tidy, (), [7])),
        Case("positions 5, 0, 9", inputs(tidy, (), [5, 0, 9])),
        Case("batch 2, heads 3, 5 tokens", inputs(normal, (2, 3), [0, 1, 2, 3, 4])),
        Case("batch 2, heads 3, late positions", inputs(normal, (2, 3), late)),
        Case("batch 1, one head", inputs(normal, (1, 1), [2, 6])),
        Case("positions before 0 too", inputs(tidy, (), [-2, 3])),
        # The first pair's frequency is 1: float32 holds its angle exactly, however late.
        Case("one pair, positions 5000 and 3", {"x": tidy(generator, 2, 2), "positions": far}),
        Case("gradients", inputs(normal, (2,), [3, 4, 8]), gradients=True),
        Case("3 tokens, the second zero", inputs(gapped, (), [2, 0, 5])),
        Case("the same position twice", inputs(tidy, (), [3, 3, 1])),
        Case("batch 3, heads 2", inputs(normal, (3, 2), [4, 1])),
    ]
    many: dict[str, Value] = {"x": normal(generator, 18, 20) * spread(20),
                              "positions": torch.randperm(40, generator=generator)[:18]}
    return [*cases, Case("18 tokens, d_head 20, columns of many sizes", many)]


_EXPONENTS = "-torch.arange(0, d_head, 2) / d_head"
_NEIGHBOURS = "x[..., 0::2], x[..., 1::2]"
_TURNED = "(even * cosine - odd * sine, even * sine + odd * cosine)"
_RESULT = "torch.stack(pairs, dim=-1).flatten(-2)"

CHECK = Check(
    name="positions.rotary", lesson="04_positional_encoding", title="Rotary positions",
    answer="rotate", returns=("rotated",), draw=_draw,
    points=3, difficulty=4, importance=5, minutes=20,
    slips=(
        Slip("positions counted, not read",
             {"positions[:, None]": "torch.arange(x.shape[-2])[:, None]"},
             "the positions are counted from 0 instead of taken from the argument",
             "A token read with a cache comes alone, and stands at position 7."),
        Slip("pairs in halves",
             {_NEIGHBOURS: "x.chunk(2, dim=-1)", _RESULT: "torch.cat(pairs, dim=-1)"},
             "column i is paired with column i + d_head / 2: the other layout in use",
             "Many models do so. Here the pairs are neighbours: columns 2i and 2i + 1."),
        Slip("turned pairs laid out in halves", {_RESULT: "torch.cat(pairs, dim=-1)"},
             "the pairs are turned rightly, but all first columns come before all second ones",
             "Put the two results side by side again: stack along a new last axis, then flatten."),
        Slip("turned the other way", {"= positions": "= -positions"},
             "the pairs turn the other way: by minus the angle",
             "A pair (1, 0) at a small angle becomes (cos, +sin)."),
        Slip("multiplied by the table", {_TURNED: "(even * sine, odd * cosine)"},
             "the numbers are multiplied by the sinusoidal table",
             "Each new number is made of both numbers of its pair."),
        Slip("added", {_TURNED: "(even + sine, odd + cosine)"}, "the sinusoidal table is added",
             "Rotary positions add nothing: they turn each pair, and keep its length."),
        families.exponent_doubled({"-torch.arange": "-2 * torch.arange"}),
        Slip("exponent halved", {_EXPONENTS: "-torch.arange(0, d_head, 2) / 2 / d_head"},
             "the exponent is i / d_head instead of 2i / d_head",
             "With d_head 4 the second pair has the frequency 10000 ** (-2 / 4)."),
        Slip("positions from 1", {"positions[:, None]": "(positions[:, None] + 1)"},
             "the positions are one too large", "Position 0 turns nothing."),
        Slip("base 1000", {"10_000": "1_000"}, "the base is 1000, not 10000",
             "Compare it with the formula of the table."),
    ),
)
