"""flash.merge: two partial results become one."""

from collections.abc import Callable

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception

State = tuple[Tensor, Tensor, Tensor]
Answer = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor], State]


def _reference(
    maximum_a: Tensor,
    total_a: Tensor,
    weighted_a: Tensor,
    maximum_b: Tensor,
    total_b: Tensor,
    weighted_b: Tensor,
) -> State:
    maximum = torch.maximum(maximum_a, maximum_b)
    shift = torch.where(maximum.isinf(), 0.0, maximum)
    a, b = torch.exp(maximum_a - shift), torch.exp(maximum_b - shift)
    return (
        maximum,
        a * total_a + b * total_b,
        a[..., None] * weighted_a + b[..., None] * weighted_b,
    )


def _inputs(
    generator: Generator, draw: Draw, leading: tuple[int, ...], a: float, b: float
) -> dict[str, Tensor]:
    inputs: dict[str, Tensor] = {}
    for name, level in (("a", a), ("b", b)):
        inputs |= {
            f"maximum_{name}": level + draw(generator, *leading),
            f"total_{name}": 1 + draw(generator, *leading).abs(),
            f"weighted_{name}": draw(generator, *leading, 2),
        }
    return inputs


def _empty(inputs: dict[str, Tensor], name: str, query: int) -> dict[str, Tensor]:
    inputs[f"maximum_{name}"][query] = -torch.inf
    inputs[f"total_{name}"][query] = 0.0
    inputs[f"weighted_{name}"][query] = 0.0
    return inputs


def _draw(generator: Generator) -> list[Case]:
    g = generator
    neither = _empty(_empty(_inputs(g, tidy, (2,), 0, 0), "a", 1), "b", 1)
    return [
        Case("one query, the second piece scores higher", _inputs(g, tidy, (1,), 0, 4)),
        Case("one query, the first piece scores higher", _inputs(g, tidy, (1,), 4, 0)),
        Case("two queries", _inputs(g, tidy, (2,), 0, 0.5)),
        Case("scores around -200", _inputs(g, tidy, (2,), -200, -201)),
        Case("pieces at -200 and 200", _inputs(g, tidy, (2,), -200, 200)),
        Case("pieces at 200 and -200", _inputs(g, tidy, (2,), 200, -200)),
        Case("batch 2, heads 3, 5 queries", _inputs(g, normal, (2, 3, 5), 0, 0)),
        Case("one piece saw nothing", _empty(_inputs(g, tidy, (2,), -100, -100), "b", 0)),
        Case("a query that neither piece saw anything for", neither),
    ]


def _with(
    *,
    a_factor: bool = True,
    b_factor: bool = True,
    values: bool = True,
    inverted: bool = False,
    guarded: bool = True,
    average: bool = False,
    zero: bool = False,
    larger: bool = False,
) -> Answer:
    def answer(
        maximum_a: Tensor,
        total_a: Tensor,
        weighted_a: Tensor,
        maximum_b: Tensor,
        total_b: Tensor,
        weighted_b: Tensor,
    ) -> State:
        maximum = torch.maximum(maximum_a, maximum_b)
        maximum = maximum.clamp(min=0) if zero else maximum
        shift = torch.where(maximum.isinf(), 0.0, maximum) if guarded else maximum
        a, b = maximum_a - shift, maximum_b - shift
        a, b = (-a, -b) if inverted else (a, b)
        a = a.exp() if a_factor else torch.ones_like(a)
        b = b.exp() if b_factor else torch.ones_like(b)
        total = a * total_a + b * total_b
        if larger:
            total = torch.where(maximum_a > maximum_b, total_a, total_b)
        x, y = (a[..., None], b[..., None]) if values else (1.0, 1.0)
        weighted = x * weighted_a + y * weighted_b
        return (maximum, total / 2, weighted / 2) if average else (maximum, total, weighted)

    return answer


MERGE = Check(
    name="flash.merge",
    lesson="09_flash_attention",
    title="Merge two partial results",
    answer="merge",
    returns=("maximum", "total", "weighted"),
    points=2,
    difficulty=3,
    importance=5,
    minutes=10,
    draw=_draw,
    reference=_reference,
    forbidden=frozenset({"softmax", "attention"}),
    slips=(
        Misconception(
            "added without a factor",
            _with(a_factor=False, b_factor=False),
            "the sums are added although they refer to different maxima",
            "Bring both to the larger maximum first.",
        ),
        Misconception(
            "only the first piece rescaled",
            _with(b_factor=False),
            "the second piece is taken as it is, though the first may have the larger maximum",
            "Either piece may be the one that scores higher: both need a factor.",
        ),
        Misconception(
            "only the second piece rescaled",
            _with(a_factor=False),
            "the first piece is taken as it is, though the second may have the larger maximum",
            "Either piece may be the one that scores higher: both need a factor.",
        ),
        Misconception(
            "weighted values not rescaled",
            _with(values=False),
            "the weighted values are added although they refer to different maxima",
            "They carry the same e^-m as the sums do.",
        ),
        Misconception(
            "factor inverted",
            _with(inverted=True),
            "the factors are turned upside down: they are above 1",
            "A piece that refers to a smaller maximum must shrink: its exponent is negative.",
        ),
        Misconception(
            "the mean of both",
            _with(average=True),
            "the two pieces are averaged",
            "The sum over all keys is the sum over some plus the sum over the others.",
        ),
        Misconception(
            "maximum starts at 0",
            _with(zero=True),
            "the maximum is never below 0: with very negative scores everything underflows",
            "Nothing but the two maxima may enter the new one.",
        ),
        Misconception(
            "sum of the higher piece alone",
            _with(larger=True),
            "the sum is that of the piece with the larger maximum; the other is lost",
            "A lower piece shrinks, but it does not vanish.",
        ),
        Misconception(
            "-inf minus -inf",
            _with(guarded=False),
            "a query that neither piece saw anything for gets NaN",
            "Where both maxima are -inf, subtract 0 instead.",
        ),
    ),
    hints=(
        "The merged maximum is the larger of the two. Which factor brings each piece to it?",
        "exp(its maximum - the larger one): 1 for one of the pieces, below 1 for the other.",
        "Multiply sum and weighted values of each piece by its factor, then add. "
        "Where the larger maximum is -inf, use 0 in its place.",
    ),
)
