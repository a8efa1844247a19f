"""Make forbidden operators give wrong numbers, whoever calls them and however.

A watch inside the learner's process can be stopped by code in that process. So a right answer is
called once more in a worker in which, before any cell ran, PyTorch's own operators were replaced:
an answer that needs one of them is wrong there, and the judge outside sees it.
"""

import ctypes
import warnings
from collections import ChainMap
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.utils._pytree import tree_map

from transformer_checks.checks.shortcuts import SHORTCUTS, WATCHED

# Dense tensors and the others of a CPU, with and without a record for gradients.
_KEYS = (
    *("CPU", "MkldnnCPU", "NestedTensorCPU", "SparseCPU"),
    *("AutogradCPU", "AutogradNestedTensor", "AutogradOther"),
)
_WRONG = 0.5


# What PyTorch composes of operators that are allowed.
_COMPOSED = {
    "attention": (F.multi_head_attention_forward,),
    "layer": (F.multi_head_attention_forward,),
}


def can_poison(forbidden: Iterable[str]) -> frozenset[str]:
    """The shortcuts that are operators; the others can only be watched."""
    return frozenset(forbidden) - WATCHED


def poison(forbidden: Iterable[str]) -> None:
    """Replace every operator of these shortcuts for the rest of this process.

    Args:
        forbidden: keys of ``SHORTCUTS``.
    """
    # Not PyTorch's class for this, which takes everything back when it is collected.
    library: Any = torch._C._dispatch_library("IMPL", "aten", "", __file__, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a kernel is replaced
        for name, operator in ChainMap(*map(operators_of, forbidden)).items():
            for key in _KEYS:
                library.impl(name, key, _wrong(operator), False)
    for one in forbidden:
        for function in _COMPOSED.get(one, ()):  # its code, so that no other name leads to it
            function.__code__ = _refused.__code__
    # It lives on, and nothing refers to it, so that no search for objects finds it.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(library))


@cache
def operators_of(shortcut: str) -> dict[str, Callable[..., Any]]:
    """The operators of a shortcut, by name."""
    found = {}
    for name in torch._C._dispatch_get_all_op_names():
        namespace, _, rest = name.partition("::")
        packet, _, overload = rest.partition(".")
        signature = f"aten.{packet}.{overload}"
        if namespace == "aten" and any(part in signature for part in SHORTCUTS[shortcut]):
            found[rest] = getattr(getattr(torch.ops.aten, packet), overload or "default")
    return found


def _refused(*_: Any, **__: Any) -> None:
    raise RuntimeError("this exercise is to build it")


def _wrong(operator: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel whose results have the right shapes and a wrong number everywhere.

    Gradients flow through it, so that cells around the answers still run.
    """

    def kernel(*arguments: Any, **named: Any) -> Any:
        shapes = operator(*tree_map(_on_meta, arguments), **tree_map(_on_meta, named))
        if "out" in named:
            return named["out"].resize_(shapes.shape).fill_(_WRONG)
        inputs = [one for one in arguments if isinstance(one, Tensor) and one.is_floating_point()]
        zero = 0 * sum(one.sum() for one in inputs)
        return tree_map(lambda one: _filled(one, zero), shapes)

    return kernel


def _on_meta(value: Any) -> Any:
    return value.to("meta") if isinstance(value, Tensor) else value


def _filled(value: Any, zero: Any) -> Any:
    if not isinstance(value, Tensor):
        return value
    if not value.is_floating_point():
        return torch.zeros(value.shape, dtype=value.dtype)
    return (torch.full(value.shape, _WRONG) + zero).to(value.dtype)
