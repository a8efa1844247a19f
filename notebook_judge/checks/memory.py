"""Measure how much an answer holds and computes, instead of believing it."""

import weakref
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode


class Operators(TorchDispatchMode):
    """Each operation that reaches the dispatcher inside the block goes through ``run``."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # Otherwise the first operation imports the compiler, and with it Triton: a second lost, and
        # lesson 09 must choose Triton's interpreter before Triton is imported.
        return False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        return self.run(func, args, kwargs or {})

    def run(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return what an operation gives."""
        raise NotImplementedError


class LiveNumbers(Operators):
    """Count the numbers in all tensors that are made inside the block and still alive.

    What was there before, such as the inputs of an answer, is not counted, nor are views of it.

    Attributes:
        most: the largest count.
        largest: the shape of the largest tensor that was made.
    """

    def __init__(self) -> None:
        super().__init__()
        self.most = 0
        self.largest: tuple[int, ...] = ()
        self._now = 0
        self._known: set[int] = set()

    def run(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        for tensor in _tensors((args, kwargs)):
            self._know(tensor, 0)
        made = func(*args, **kwargs)
        for tensor in _tensors(made):
            self._know(tensor, tensor.untyped_storage().nbytes() // tensor.element_size())
        return made

    def _know(self, tensor: Tensor, numbers: int) -> None:
        storage = tensor.untyped_storage()
        if storage._cdata in self._known:
            return
        self._known.add(storage._cdata)
        weakref.finalize(storage, self._forget, storage._cdata, numbers)
        self._now += numbers
        self.most = max(self.most, self._now)
        if numbers > torch.Size(self.largest).numel() * bool(self.largest):
            self.largest = tuple(tensor.shape)

    def _forget(self, address: int, numbers: int) -> None:
        self._known.discard(address)
        self._now -= numbers


class Products(Operators):
    """Count the multiplications of numbers inside the block, in matrix products and otherwise.

    Attributes:
        made: how many.
    """

    def __init__(self) -> None:
        super().__init__()
        self.made = 0

    def run(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        made = func(*args, **kwargs)
        name = func.overloadpacket.__name__
        if name in _MATRIX_PRODUCTS:
            # All of them sum over the last axis of their last but one matrix.
            left = [arg for arg in args if isinstance(arg, Tensor)][-2]
            self.made += made.numel() * left.shape[-1]
        elif name in ("mul", "mul_"):
            self.made += made.numel()
        return made


_MATRIX_PRODUCTS = frozenset({"mm", "bmm", "addmm", "baddbmm", "addbmm", "mv", "addmv", "dot"})


def _tensors(values: Any) -> Iterator[Tensor]:
    # Not PyTorch's tree_leaves, which took longer than everything that an answer computes.
    if isinstance(values, Tensor):
        yield values
    elif isinstance(values, list | tuple):
        for value in values:
            yield from _tensors(value)
    elif isinstance(values, dict):
        yield from _tensors(tuple(values.values()))
