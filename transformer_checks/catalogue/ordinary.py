"""The inputs that every exercise on numbers is tried with, drawn from the axes of its arguments."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Build, Case, Value
from transformer_checks.catalogue.draws import Draw, normal, some, spread, tidy, uneven

Given = Mapping[str, Value] | Callable[[Mapping[str, Any]], Mapping[str, Value]]
_MASKS = ("bool", "bool?")


def ordinary(
    generator: Generator,
    draw: Draw = uneven,
    *,
    axes: Mapping[str, str] = MappingProxyType({}),
    given: Given = MappingProxyType({}),
    prefix: str = "",
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
        axes: arguments as below, where ``inputs_of`` has them too.
        given: arguments that are not drawn, behind the others or in place of one, or a function
            that makes them of those that are.
        prefix: how each label begins.
        gradients: whether the exercise asks that gradients flow.
        turned: whether a case is added in which no tensor of three axes is contiguous.
        arguments: the axes of each argument, as in ``query="... queries width"``. Axes of one name
            have one size; "..." stands for any axes, the same in all arguments; ``heads*d_head`` is
            as long as both together, ``words+1`` is longer by one, and ``num_heads="=heads"`` is
            the size itself; where sizes differ, most named later are larger. Arguments keep their
            order. One that is to be smaller than a size, such as a window, is made by ``given``.
            ``positions="<400 tokens"`` has whole numbers from 0 to 399,
            ``ids="<words batch tokens"`` those below a size, and ``padding_id="<words"`` is one
            of these; with ``~padding_id`` behind the axes rows end in padding or are nothing else,
            but the first id of all is none.
            ``mask="bool queries keys"`` has a True in each row, and of ``"bool?"`` some rows have
            none. A name with a dot is a weight of a module, as in ``as_case``. Where a sum runs
            over an axis, it is ``+d_head`` in one factor and ``-d_head`` in the other: in the long
            case, what is large in one along it is small in the other, so that each term counts.
    """
    given_axes = {**axes, **arguments}
    split = {name: _axes(words) for name, words in given_axes.items()}
    padded = {name: words.partition("~")[2] for name, words in given_axes.items() if "~" in words}
    tensors = [many for many in split.values() if not many[0].startswith("=")]
    named = _named(split)
    # What is no axis, such as a number of layers, may be large too.
    ends = _ends(tensors) | set(named).difference(*map(_names, tensors))

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
            for at, (name, many) in enumerate(split.items())
        }
        for name, padding_id in padded.items():
            _pad(inputs[name], inputs[padding_id], generator)
        words = ", ".join(_words(name, size) for name, size in of.items())
        label = prefix + label.format(words or "every size another")
        more = given(inputs) if callable(given) else given
        return as_case(label, {**inputs, **more}, gradients=gradients)

    numbers = any(many[0] not in _MASKS and many[0][0] not in "=<" for many in split.values())
    zeros = ", a vector of zeros in each" if numbers else ""
    many_sizes = ", numbers of many sizes" if numbers else ""
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
        case(f"every size 3{zeros}", tidy, (3,), [3] * count, change=_gapped),
        case("gradients, {}" if gradients else "{}", normal, front, another, gradients=gradients),
        case(f"{{}}{many_sizes}", draw, many_in_front, longer, long=True),
    ]
    if turned:
        cases.append(case("not contiguous, {}", normal, front, another, change=_turned))
    return cases


def inputs_of(
    generator: Generator,
    axes: Mapping[str, str],
    draw: Draw,
    *sizes: int,
    front: Sequence[int] = (),
) -> dict[str, Any]:
    """The arguments of a case by hand, with the axes that ``ordinary`` is given.

    The sizes are in the order in which ``axes`` first names them; ``front`` is for "...".
    """
    split = {name: [axis.lstrip("+-") for axis in _axes(words)] for name, words in axes.items()}
    of = dict(zip(_named(split), sizes, strict=True))
    return {
        name: _drawn(generator, draw, many, front, of, long=False) for name, many in split.items()
    }


def as_case(
    label: str, values: Mapping[str, Value], *, gradients: bool = False, training: bool = False
) -> Case:
    """A case of these arguments; of a module, where there are weights among them.

    They are those with a dot in their names; numbers and words then go to the constructor.
    """
    weights = {n: v for n, v in values.items() if "." in n and isinstance(v, Tensor)}
    if not weights:
        return Case(label, values, gradients)
    config = {name: v for name, v in values.items() if isinstance(v, int | float | str)}
    inputs = {name: v for name, v in values.items() if name not in weights | config}
    return Case(label, inputs, gradients, Build(config, weights, training))


def _axes(words: str) -> list[str]:
    return words.partition("~")[0].split()


def _factors(axis: str) -> list[str]:
    return axis.lstrip("+-=<").removesuffix("+1").split("*")


def _named(arguments: Mapping[str, Sequence[str]]) -> list[str]:
    """All names of axes, in the order in which they first stand there."""
    return list(dict.fromkeys(name for many in arguments.values() for name in _names(many)))


def _names(axes: Sequence[str]) -> list[str]:
    """What the axes are called whose sizes are to be chosen."""
    return [
        name
        for axis in axes
        if axis != "..." and axis not in _MASKS
        for name in _factors(axis)
        if name.isidentifier()
    ]


def _ends(tensors: Sequence[Sequence[str]]) -> set[str]:
    """The names of the last two axes of each, and of ids: all may be long; of a product, one."""
    last = [
        names
        for many in tensors
        for axis in (*many[-2:], *(axis for axis in many[:1] if axis[0] == "<"))
        if (names := _names([axis]))
    ]
    ends = {names[0] for names in last if len(names) == 1}
    return ends | {names[0] for names in last if not ends.intersection(names)}


def _words(name: str, size: int) -> str:
    if name.startswith(("d_", "batch", "vocab", "width", "group")):
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
        return math.prod(int(of.get(n, n)) for n in _factors(axis)) + axis.endswith("+1")

    if axes[0].startswith("="):
        return size(axes[0])
    if axes[0].startswith("<"):
        ids = torch.randint(size(axes[0]), [*map(size, axes[1:])], generator=generator)
        return ids if axes[1:] else int(ids)
    if long and any(axis[0] in "+-" for axis in axes):
        draw = normal
    is_mask = axes[0] in _MASKS
    shape = [n for axis in axes[is_mask:] for n in (front if axis == "..." else [size(axis)])]
    if is_mask:
        allowed = some(generator, *shape)
        empty = torch.rand(*shape[:-1], 1, generator=generator) < 0.2
        return allowed & ~empty if axes[0] == "bool?" else allowed
    numbers = draw(generator, *shape) if len(shape) > 1 else draw(generator, *shape, 1)[..., 0]
    for behind, axis in enumerate(reversed(axes)):
        if axis[0] in "+-":
            sizes = _sizes(_factors(axis), of) if long else torch.ones(size(axis))
            factor = sizes if axis[0] == "+" else 1 / (sizes * math.sqrt(size(axis)))
            numbers = numbers * factor.view(-1, *[1] * behind)
    return numbers


def _pad(ids: Value, padding_id: Value, generator: Generator) -> None:
    """Write padding behind an end of each row, and a word where all begin."""
    assert isinstance(ids, Tensor) and isinstance(padding_id, int)
    ends = torch.randint(ids.shape[-1] + 1, (*ids.shape[:-1], 1), generator=generator)
    ids[torch.arange(ids.shape[-1]) >= ends] = padding_id
    ids.view(-1)[0] = int(padding_id == 0)


def _sizes(factors: Sequence[str], of: Mapping[str, int]) -> Tensor:
    """Sizes along a product of axes: they differ along the last that has a name."""
    axes = [int(of.get(name, name)) for name in factors]
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
