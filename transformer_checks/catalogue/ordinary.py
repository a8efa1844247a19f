"""The inputs that every exercise on numbers is tried with, drawn from the axes of its arguments."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case, Value
from transformer_checks.catalogue.draws import Draw, normal, spread, tidy, uneven


def ordinary(
    generator: Generator,
    draw: Draw = uneven,
    *,
    given: Mapping[str, Value] = MappingProxyType({}),
    gradients: bool = True,
    turned: bool = False,
    **arguments: str,
) -> list[Case]:
    """Cases that an answer must bear whatever it computes.

    Axes of size 1, all and one by one, and of size 2, vectors of zeros, all sizes different, with
    gradients, and long axes of numbers that are as large as hundreds, thousandths, or zero.

    Args:
        generator: of the numbers.
        draw: draws the numbers of the long case, where those of ``uneven`` are too large.
        given: arguments that are the same in all of these cases, behind the others.
        gradients: whether the exercise asks that gradients flow.
        turned: whether a case is added in which no tensor of three axes is contiguous.
        arguments: the axes of each argument, as in ``query="... queries width"``. Axes of one name
            have one size; "..." stands for any axes, the same in all arguments; ``heads*d_head`` is
            as long as both together; ``num_heads="=heads"`` is the size itself, and
            ``positions="<400 tokens"`` has whole numbers from 0 to 399. Where a sum runs
            over an axis, it is ``+d_head`` in one factor and ``-d_head`` in the other: in the long
            case, what is large in one along it is small in the other, so that each term counts.
    """
    axes = {name: words.split() for name, words in arguments.items()}
    tensors = [many for many in axes.values() if not many[0].startswith("=")]
    named = list(dict.fromkeys(name for many in axes.values() for name in _names(many)))
    ends = _ends(tensors)

    def case(
        label: str,
        draw: Draw,
        front: Sequence[int],
        sizes: Iterable[int],
        *,
        long: bool = False,
        gradients: bool = False,
        change: Callable[[Value, int], Value] = lambda value, at: value,
    ) -> Case:
        of = dict(zip(named, sizes, strict=True))
        inputs = {
            name: change(_drawn(generator, draw, many, front, of, long), at)
            for at, (name, many) in enumerate(axes.items())
        }
        words = ", ".join(_words(name, size) for name, size in of.items())
        return Case(label.format(words or "every size another"), {**inputs, **given}, gradients)

    count = len(named)
    another, front = range(3, 3 + count), (3 + count, 4 + count)
    # In front as many that the last two axes of each argument are long.
    missing = max((3 - len(many) for many in tensors if "..." in many), default=0)
    longer = [18 + at if name in ends else 2 for at, name in enumerate(named)]
    many_in_front = range(18 + count, 18 + count + missing)
    cases = [
        case("every size 1", normal, (1, 1), [1] * count),
        # A mistake at one axis may not show where all are 1: over one key any softmax gives 1.
        *(
            case("{}", normal, (2 - at % 2, 1 + at % 2), [*another[:at], 1, *another[at + 1 :]])
            for at in range(count)
        ),
        case("every size 2", normal, (2, 2), [2] * count),
        case("every size 3, a vector of zeros in each", tidy, (3,), [3] * count, change=_gapped),
        case("gradients, {}" if gradients else "{}", normal, front, another, gradients=gradients),
        case("{}, numbers of many sizes", draw, many_in_front, longer, long=True),
    ]
    if turned:
        cases.append(case("not contiguous, {}", normal, front, another, change=_turned))
    return cases


def _factors(axis: str) -> list[str]:
    return axis.lstrip("+-=").split("*")


def _names(axes: Sequence[str]) -> list[str]:
    """What the axes are called whose sizes are to be chosen."""
    return [
        name
        for axis in axes
        if axis != "..." and axis[0] != "<"
        for name in _factors(axis)
        if name.isidentifier()
    ]


def _ends(tensors: Sequence[Sequence[str]]) -> set[str]:
    """The names of the last two axes of each, any of which may be long; of a product, one."""
    last = [names for many in tensors for axis in many[-2:] if (names := _names([axis]))]
    ends = {names[0] for names in last if len(names) == 1}
    return ends | {names[0] for names in last if not ends.intersection(names)}


def _words(name: str, size: int) -> str:
    if name.startswith(("d_", "batch", "width", "group")):
        return f"{name} {size}"
    one = {"queries": "query"}.get(name, name.removesuffix("s"))
    return f"{size} {one if size == 1 else name}".replace("_", " ")


def _drawn(
    generator: Generator,
    draw: Draw,
    axes: Sequence[str],
    front: Sequence[int],
    of: Mapping[str, int],
    long: bool,
) -> Value:
    """An argument with these axes; the numbers of a single axis each as a row of its own."""

    def size(axis: str) -> int:
        return math.prod(of.get(name) or int(name) for name in _factors(axis))

    if axes[0].startswith("="):
        return size(axes[0])
    if axes[0].startswith("<"):
        return torch.randint(int(axes[0][1:]), [*map(size, axes[1:])], generator=generator)
    if long and any(axis[0] in "+-" for axis in axes):
        draw = normal
    shape = [n for axis in axes for n in (front if axis == "..." else [size(axis)])]
    numbers = draw(generator, *shape) if len(shape) > 1 else draw(generator, *shape, 1)[..., 0]
    for behind, axis in enumerate(reversed(axes)):
        if axis[0] in "+-":
            sizes = _sizes(_factors(axis), of) if long else torch.ones(size(axis))
            factor = sizes if axis[0] == "+" else 1 / (sizes * math.sqrt(size(axis)))
            numbers = numbers * factor.view(-1, *[1] * behind)
    return numbers


def _sizes(factors: Sequence[str], of: Mapping[str, int]) -> Tensor:
    """Sizes along a product of axes: they differ along the last that has a name."""
    axes = [of.get(name) or int(name) for name in factors]
    behind = next(at for at, name in enumerate(reversed(factors)) if name in of)
    sizes = spread(axes[-1 - behind])
    return sizes.view(-1, *[1] * behind).expand(axes).flatten()


def _turned(value: Value, at: int) -> Value:
    """The same numbers, with another order of axes in memory."""
    if not isinstance(value, Tensor) or value.dim() < 3:
        return value
    return value.transpose(-3, -2).contiguous().transpose(-3, -2)


def _gapped(value: Value, at: int) -> Value:
    """A vector is zero, in each argument another: a product with zero hides what the other is."""
    if isinstance(value, Tensor) and value.is_floating_point() and value.dim() > 1:
        value[..., (1 + at) % value.shape[-2], :] = 0.0
    return value
