"""positions.sinusoidal: the table of sines and cosines."""

import torch
from torch import Generator

from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    positions = int(torch.randint(30, 60, (), generator=generator))
    pairs = int(torch.randint(4, 12, (), generator=generator))
    sizes = [
        (3, 4, 10_000.0), (4, 6, 10_000.0), (3, 4, 100.0), (4, 5, 10_000.0),
        (positions, 2 * pairs, 10_000.0), (2, 1, 10_000.0), (20, 33, 31.5), (1, 6, 10_000.0),
        (2100, 1, 10_000.0),  # more positions than half precision can count
        (18, 20, 2.75),
    ]
    return [
        Case(f"{p} positions, d_model {d}, base {base:g}", dict(max_tokens=p, d_model=d, base=base))
        for p, d, base in sizes
    ]


_EXPONENTS = "-torch.arange(0, d_model, 2) / d_model"

CHECK = Check(
    name="positions.sinusoidal", lesson="04_positional_encoding", title="The sinusoidal table",
    answer="sinusoidal_table", returns=("table",), draw=_draw,
    points=2, difficulty=2, importance=5, minutes=12,
    slips=(
        Slip("exponent doubled", {"-torch.arange": "-2 * torch.arange"},
             "the exponent is doubled: the second pair is far too slow",
             "If your i counts 0, 2, 4, …, it is already the 2i of the formula."),
        Slip("exponent doubled, and the cosine on its own angle", {
                 "-torch.arange": "-2 * torch.arange",
                 "angles.cos()": "(angles * base ** (-2 / d_model)).cos()",
             },
             "the exponent is doubled, and a cosine has another angle than its sine",
             "Both columns of a pair share one angle, and 0, 2, 4, … is already 2i."),
        Slip("power before division", {f"({_EXPONENTS})": _EXPONENTS},
             "the base is raised to -2i, and what comes out is divided by d_model",
             "A power comes before a division: put the whole exponent in brackets."),
        Slip("exponent halved", {_EXPONENTS: "-torch.arange(0, d_model, 2) / 2 / d_model"},
             "the exponent is i / d_model instead of 2i / d_model: the slow pairs are too fast",
             "With d_model 4 the second pair has the frequency base ** (-2 / 4)."),
        Slip("last pair at 1/base", {_EXPONENTS: "-torch.linspace(0, 1, (d_model + 1) // 2)"},
             "the exponents run up to 1: the last pair has the frequency 1/base",
             "2i / d_model never reaches 1. With d_model 4 the exponents are 0 and 2/4."),
        Slip("cosine on its own angle", {"angles.cos()": "(angles * base ** (-1 / d_model)).cos()"},
             "a cosine has another angle than its sine: sin² + cos² is not 1",
             "Columns 2i and 2i + 1 are one pair. They share one angle."),
        Slip("positions from 1", {"torch.arange(max_tokens)": "torch.arange(1, max_tokens + 1)"},
             "the first row belongs to position 1", "Position 0 has the row 0, 1, 0, 1, …"),
        Slip("even widths only", {"[:, : d_model // 2]": ""},
             "an odd d_model fails: there is one cosine fewer than there are sines",
             "The last column of an odd width is a sine without its cosine. Cut the cosines."),
        Slip("frequencies that grow", {"-torch.arange": "torch.arange"},
             "the sign of the exponent is missing: later pairs turn faster, not slower",
             "The first pair has the frequency 1, and each pair is slower than the one before."),
        Slip("base 1000", {"= base ** (": "= 1000 ** ("}, "the base is 1000, whatever is asked for",
             "Use the argument."),
        Slip("degrees", {"= angles.": "= angles.deg2rad()."}, "the angles are taken as degrees",
             "Sine and cosine take position times frequency as it is, in radians."),
        Slip("turned the other way", {"torch.arange(max_tokens)[": "-torch.arange(max_tokens)["},
             "the sines have the wrong sign: positions count downwards",
             "Position p has the angle p times the frequency, with a plus."),
    ),
)
