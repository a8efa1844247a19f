"""Make all that an exercise forbids useless, whoever calls it and however.

A watch inside the learner's process can be stopped by code in that process. So a right answer is
called once more in a worker in which, before any cell ran, PyTorch's own operators were replaced
by others that give wrong numbers, and the course's functions by such that raise: an answer that
needs one of them is wrong there, and the judge outside sees it.
"""

import ctypes
import os
import pkgutil
import sys
import warnings
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from glob import glob
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import torch
from torch import Tensor, _refs
from torch._decomp import decompositions
from torch._refs.nn import functional as references
from torch.ao.nn.quantizable import MultiheadAttention
from torch.nn import functional as F
from torch.nn.attention.flex_attention import flex_attention
from torch.utils._pytree import tree_map

from notebook_judge.checks.shortcuts import SHORTCUTS, WATCHED
from notebook_judge.course import course, folder_of

# Dense tensors and the others of a CPU, with and without a record for gradients.
_KEYS = (
    *("CPU", "MkldnnCPU", "NestedTensorCPU", "SparseCPU"),
    *("AutogradCPU", "AutogradNestedTensor", "AutogradOther"),
)
_WRONG = 0.5
_keep = ctypes.pythonapi.Py_IncRef

# What PyTorch composes of operators that are allowed; and where it writes operators in Python.
_COMPOSED = {
    "attention": (F.multi_head_attention_forward, flex_attention, MultiheadAttention),
    "layer": (F.multi_head_attention_forward, MultiheadAttention),
}
_FLEX = import_module("torch._higher_order_ops.flex_attention")  # its name is a function's, too
_IN_PYTHON = (_refs, references, decompositions, _FLEX)


def can_poison(forbidden: Iterable[str], allowed: Iterable[str] = ()) -> frozenset[str]:
    """The shortcuts that are operators, for the others can only be watched; and the course's parts.

    Args:
        forbidden: keys of ``SHORTCUTS``.
        allowed: parts of the course that an answer may build on.
    """
    allowed = tuple(allowed)
    spared = {*course().shown, *course().spared, *allowed}
    spared.update(course().underneath if allowed else ())
    parts = {f"{course().package}.{part}" for part in _parts() - spared}
    return (frozenset(forbidden) - WATCHED) | parts


@cache
def _parts() -> frozenset[str]:
    folders = [str(folder_of(course().package))] if course().package else []
    return frozenset(module.name for module in pkgutil.iter_modules(folders))


def poison(forbidden: Iterable[str]) -> None:
    """Replace every operator of these shortcuts, and all of these parts, in this process.

    Args:
        forbidden: see ``can_poison``.
    """
    parts = tuple(one for one in forbidden if one not in SHORTCUTS)
    forbidden = [one for one in forbidden if one in SHORTCUTS]
    if parts:
        _poison_course(parts)
    # Not PyTorch's class for this, which takes everything back when it is collected.
    library: Any = torch._C._dispatch_library("IMPL", "aten", "", __file__, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a kernel is replaced
        for name, operator in ChainMap(*map(operators_of, forbidden)).items():
            for key in _KEYS:
                library.impl(name, key, _wrong(operator), False)
    words = [word for one in forbidden for word in SHORTCUTS[one]]
    written = [v for m in _IN_PYTHON for n, v in vars(m).items() if any(w in n for w in words)]
    for value in (*written, *(one for name in forbidden for one in _COMPOSED.get(name, ()))):
        for function in _functions(value):
            _refuse(function)
    # The switch without which TorchScript compiles nothing that asks for no kernel.
    torch._C._jit_set_te_must_use_llvm_cpu = _refused
    sys.modules["_cffi_backend"] = None  # type: ignore[assignment]
    # It lives on, and nothing refers to it, so that no search for objects finds it.
    _keep(ctypes.py_object(library))


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


def _refuse(function: Any) -> None:
    """Replace a function's code, so that no other name leads to it."""
    code = function.__code__
    function.__code__ = _refused.__code__.replace(co_freevars=code.co_freevars)


def _poison_course(parts: tuple[str, ...]) -> None:
    """Replace what these modules hold now, and what is imported of them later, by any name.

    Their files can be read by an import alone.
    """
    below = tuple(f"{part}." for part in parts)
    package, spared = f"{course().package}.", course().spared
    around = folder_of(course().package).resolve()
    importing: list[object] = []

    def poisoned(file: str | None) -> bool:
        path = Path(file or "").resolve()
        if path.suffix not in (".py", ".pyc") or around not in path.parents:
            return False
        folders = (one for one in path.relative_to(around).parent.parts if one != "__pycache__")
        name = ".".join((*folders, path.name.partition(".")[0]))
        return f"{package}{name}.".startswith(below) and name not in spared

    def execute(loader: Any, module: ModuleType) -> None:
        if not poisoned(file := getattr(loader, "path", None)):
            return run(loader, module)
        importing.append(file)
        try:
            run(loader, module)
        finally:
            importing.pop()
        _refuse_all(module)

    def guard(event: str, arguments: tuple[Any, ...]) -> None:
        if event.startswith("ctypes.dl"):  # PyTorch's C code, by name
            raise PermissionError("this exercise is to build it")
        file = arguments[0] if event == "open" and not importing else None
        if isinstance(file, str | bytes | os.PathLike):
            name = os.fsdecode(file)
            # With ``dir_fd`` it begins at any folder that is open.
            places = () if os.path.isabs(name) else glob("/proc/self/fd/*")
            if any(poisoned(os.path.join(place, name)) for place in ("", *places)):
                raise PermissionError("this exercise is to build it")

    loaders: Any = import_module("importlib._bootstrap_external")._LoaderBasics
    run, loaders.exec_module = loaders.exec_module, execute
    for name, module in list(sys.modules.items()):
        if name.startswith(package) and poisoned(getattr(module, "__file__", None)):
            _refuse_all(module)
    sys.addaudithook(guard)


def _refuse_all(module: ModuleType) -> None:
    for value in list(vars(module).values()):
        if getattr(value, "__module__", None) == module.__name__:
            for function in _functions(value):
                _refuse(function)


def _functions(value: Any) -> Iterator[FunctionType]:
    """The functions of a class, or the one that a decorator has wrapped."""
    if isinstance(value, type):
        for member in vars(value).values():
            if not isinstance(member, type):
                yield from _functions(getattr(member, "fget", member))
        return
    value = getattr(value, "__func__", value)
    while hasattr(value, "__wrapped__"):
        value = value.__wrapped__
    if isinstance(value, FunctionType):
        yield value


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
