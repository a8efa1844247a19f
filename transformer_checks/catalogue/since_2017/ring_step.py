"""modern.ring_step: a cache of as many tokens as a window shows."""

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, tidy, uneven_columns, whole
from transformer_checks.catalogue.ordinary import ordinary


def _draw(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw, heads: int, window: int, widths: tuple[int, int], position: int
    ) -> dict[str, Value]:
        d_head, d_value = widths
        return {
            "query": draw(generator, heads, d_head),
            "key": draw(generator, heads, d_head),
            "value": draw(generator, heads, d_value),
            "keys": draw(generator, heads, window, d_head),
            "values": draw(generator, heads, window, d_value),
            "position": position,
        }

    def scaled(given: dict[str, Value], factors: dict[str, Tensor | float]) -> dict[str, Value]:
        """Some of the tensors multiplied."""
        numbers = {n: v for n, v in given.items() if isinstance(v, Tensor)}
        return given | {name: factor * numbers[name] for name, factor in factors.items()}

    def positive(g: Generator, *shape: int) -> Tensor:
        return normal(g, *shape).abs()  # in a mean of large values none cancels another

    unwritten = torch.tensor([[1.0], [1.0], [1.0], [1e6], [-1e6]])
    unset = torch.tensor([[1.0], [1.0], [torch.nan], [torch.nan]])
    zeros = {name: torch.zeros(2, 2) for name in ("query", "key", "value")}
    return [
        Case("the first token, a ring of 2", inputs(tidy, 1, 2, (2, 2), 0)),
        Case("the second token, a ring of 3", inputs(tidy, 1, 3, (2, 2), 1)),
        Case("the last free slot of a ring of 3", inputs(tidy, 2, 3, (2, 1), 2)),
        Case("the first slot is written again", inputs(tidy, 2, 3, (2, 2), 3)),
        Case("position 4, a ring of 3", inputs(tidy, 2, 3, (2, 3), 4)),
        Case("a ring of one slot, heads of width 1", inputs(normal, 2, 1, (1, 3), 5)),
        Case("position 1000, a ring of 7", inputs(normal, 3, 7, (4, 5), 1000)),
        Case(
            "large numbers in slots that nobody has written",
            scaled(inputs(normal, 2, 5, (3, 4), 2), {"keys": unwritten, "values": unwritten}),
        ),
        Case(
            "NaN in slots that nobody has written",
            scaled(inputs(normal, 2, 4, (3, 2), 1), {"keys": unset, "values": unset}),
        ),
        Case(
            "a score below -10⁹ at the first token",
            scaled(inputs(positive, 2, 4, (3, 2), 0), {"query": -1e6, "key": 1e6}),
        ),
        Case("large scores", scaled(inputs(whole, 2, 4, (3, 2), 9), {"keys": 100.0})),
        Case("a token of zeros", inputs(tidy, 2, 3, (2, 2), 4) | zeros),
        *ordinary(
            generator,
            uneven_columns,
            gradients=False,
            query="heads +d_head",
            key="heads -d_head",
            value="heads d_value",
            keys="heads slots -d_head",
            values="heads slots d_value",
            given={"position": 53},
        ),
    ]


CHECK = Check(
    name="modern.ring_step",
    lesson="11_since_2017",
    title="A cache that is a ring",
    answer="ring_step",
    returns=("output", "keys", "values"),
    draw=_draw,
    points=3,
    difficulty=4,
    importance=4,
    minutes=18,
    forbidden=frozenset({"attention"}),
)
