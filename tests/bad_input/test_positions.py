"""What positions refuse, and in which words."""

# What is given here has a wrong type more often than not.
# mypy: disable-error-code="arg-type"

import math

import torch
from torch import ones, tensor

from tests.tables import Refused, refusing
from transformer_lesson.positions import (
    LearnedPositions,
    RelativeBias,
    SinusoidalPositions,
    alibi_slopes,
    ntk_base,
    rotate,
    sinusoidal_table,
)

X = torch.ones(2, 5, 16)
WHOLE = torch.ones(2, 5, 16, dtype=torch.long)
PLACES = torch.arange(5)


VALUES: Refused = [
    (lambda: rotate(WHOLE, PLACES), "and dtype torch.int64; expected"),
    (lambda: rotate(ones(4), torch.arange(4)), "x has shape (4,) and dtype"),
    (lambda: ntk_base(1e4, 2.0, 4.5), "d_head=4.5; expected an integer"),
    (lambda: ntk_base(1e4, 0.5, 8), "factor=0.5; expected 1 or more"),
    (lambda: ntk_base(1e4, 2.0, 2), "d_head=2; an NTK-aware base needs 4 or more"),
    (lambda: rotate(ones(5, 5), PLACES), "d_head=5 is odd…num_heads"),
    (lambda: rotate(ones(2, 4), PLACES), "there are 5 positions for 2 tokens"),
    (lambda: sinusoidal_table(2, 4, base=0.0), "base=0.0; expected a positive number,"),
    (lambda: rotate(X, PLACES, factor=0.0), "factor=0.0; expected a positive number"),
    (lambda: sinusoidal_table(0, 4), "max_tokens=0"),
    (lambda: LearnedPositions(0, 4), "d_model=0;"),
    (lambda: RelativeBias(0, 4), "num_heads=0"),
    (lambda: alibi_slopes(0), "num_heads=0;"),
    (lambda: rotate(X, PLACES, base=math.inf), "base=inf; expected a positive number"),
]

TYPES: Refused = [(lambda: SinusoidalPositions(8, 4)([1]), "positions is a list")]

BEYOND: Refused = [
    (lambda: SinusoidalPositions(4, 8)(tensor([8])), "out of range"),
    (lambda: LearnedPositions(4, 8)(tensor([-1])), "out of range"),
]

test_values = refusing(ValueError, VALUES)
test_types = refusing(TypeError, TYPES)
test_what_lies_beyond = refusing(IndexError, BEYOND)
