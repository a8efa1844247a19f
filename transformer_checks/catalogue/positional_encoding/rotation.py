"""positions.rotation: the matrix that moves every position by k."""

import torch
from torch import Generator

from transformer_checks.catalogue import families
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    k = int(torch.randint(5, 50, (), generator=generator))
    # Not much farther than 100: the float32 angles of right answers would be too coarse.
    sizes = [(1, 4), (3, 6), (-2, 4), (-1, 6), (0, 4), (7, 2), (k, 16), (100, 64)]
    return [Case(f"k = {k}, d_model {d}", {"k": k, "d_model": d}) for k, d in sizes]


_BLOCK = "[[cosine, sine], [-sine, cosine]]"

CHECK = Check(
    name="positions.rotation", lesson="04_positional_encoding", title="The rotation by k",
    answer="rotation", returns=("matrix",), draw=_draw,
    points=2, difficulty=3, importance=4, minutes=15,
    slips=(
        Slip("turns back", {_BLOCK: "[[cosine, -sine], [sine, cosine]]"},
             "the matrix turns the other way: it takes position p to p - k",
             "Try it on position 0, whose pairs are (0, 1). For k = 1 the sine must grow."),
        Slip("no minus", {_BLOCK: "[[cosine, sine], [sine, cosine]]"},
             "both sines are positive: this is no rotation, it changes lengths",
             "cos(a + b) = cos a cos b - sin a sin b. Where does the minus go?"),
        Slip("sine and cosine swapped", {_BLOCK: "[[sine, cosine], [cosine, -sine]]"},
             "sine and cosine have changed places: k = 0 does not give the identity",
             "A shift by 0 leaves every row as it is."),
        families.exponent_doubled({"-i / d_model": "-2 * i / d_model"}),
        Slip("power before division", {"(-i / d_model)": "-i / d_model"},
             "10000 is raised to -2i, and what comes out is divided by d_model",
             "A power comes before a division: put the whole exponent in brackets."),
        Slip("exponent halved", {"-i / d_model": "-i / 2 / d_model"},
             "the exponent is i / d_model instead of 2i / d_model",
             "With d_model 4 the second pair has the frequency 10000 ** (-2 / 4)."),
        Slip("pairs in halves",
             {"i : i + 2, i : i + 2": "i // 2 :: d_model // 2, i // 2 :: d_model // 2"},
             "column i is paired with column i + d_model / 2",
             "In this table sine and cosine of a pair stand side by side: columns 2i and 2i + 1."),
        Slip("degrees", {
                 "math.sin(angle), math.cos(angle)":
                     "math.sin(math.radians(angle)), math.cos(math.radians(angle))",
             },
             "the angles are taken as degrees",
             "The table takes the sine of position times frequency as it is, in radians."),
        Slip("the identity", {f"torch.tensor({_BLOCK})": "torch.eye(2)"},
             "the matrix changes nothing", "Write the four numbers for one pair first."),
        Slip("row k on the diagonal", {_BLOCK: "[[sine, 0], [0, cosine]]"},
             "the matrix multiplies by the row of position k",
             "Each new number is made of both numbers of its pair: the blocks are 2 by 2."),
        Slip("one step too far", {"k * 10_000": "(k + 1) * 10_000"}, "the matrix moves by k + 1",
             "For k = 0 nothing may change."),
        Slip("added to the identity",
             {"torch.zeros(d_model, d_model)": "torch.eye(d_model)", "] = torch": "] += torch"},
             "the blocks are added to the identity",
             "A shift by 0 leaves every row as it is: what does your matrix do for k = 0?"),
    ),
)
