"""The inputs that every exercise on numbers is tried with, drawn from the axes of its arguments."""

from collections.abc import Sequence

from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from transformer_checks.catalogue.draws import Draw, normal, uneven


def ordinary(generator: Generator, draw: Draw = uneven, **arguments: str) -> list[Case]:
    """Cases that an answer must bear whatever it computes.

    Axes of size 1 and 2, gradients with all sizes different, and long axes of numbers that are as
    large as hundreds, thousandths, or zero.

    Args:
        generator: of the numbers.
        draw: draws the numbers of the long case, where those of ``uneven`` are too large.
        arguments: the axes of each argument, as in ``query="... queries width"``. Axes of one name
            have one size; "..." stands for any axes, the same in all arguments.
    """
    axes = {name: words.split() for name, words in arguments.items()}
    named = list(dict.fromkeys(axis for many in axes.values() for axis in many if axis != "..."))
    ends = {axis for many in axes.values() for axis in many[-2:]}  # of which any may be long
    count = len(named)

    def case(
        label: str, draw: Draw, front: Sequence[int], sizes: Sequence[int], gradients: bool = False
    ) -> Case:
        of = {"...": front} | {axis: (size,) for axis, size in zip(named, sizes, strict=True)}
        shapes = {name: [size for axis in many for size in of[axis]] for name, many in axes.items()}
        inputs = {name: _drawn(draw, generator, shape) for name, shape in shapes.items()}
        return Case(label, inputs, gradients)

    longer = [18 + at if axis in ends else 2 for at, axis in enumerate(named)]
    # In front as many that the last two axes of each argument are long.
    missing = max((3 - len(many) for many in axes.values() if "..." in many), default=0)
    front = [18 + count + at for at in range(missing)]
    return [
        case("every size 1", normal, (1, 1), [1] * count),
        case("every size 2", normal, (2, 2), [2] * count),
        case("gradients, every size another", normal, (3, 4), range(5, 5 + count), gradients=True),
        case("long axes, numbers of many sizes", draw, front, longer),
    ]


def _drawn(draw: Draw, generator: Generator, shape: Sequence[int]) -> Tensor:
    """Numbers of this shape; those of a single axis each as a row of its own."""
    return draw(generator, *shape) if len(shape) > 1 else draw(generator, *shape, 1)[..., 0]
