"""What values and code mean, without words and layout, as bytes and text to be compared."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import torch
from torch import Tensor

_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def as_bytes(value: Any) -> Iterator[bytes]:
    """A value as bytes, but for the labels of cases, which only say what is special about them."""
    if isinstance(value, Tensor):
        yield f"{value.dtype} {tuple(value.shape)} {value.stride()}".encode()
        yield value.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
    elif is_dataclass(value):
        for one in fields(value):
            if one.name != "label":
                yield from as_bytes((one.name, getattr(value, one.name)))
    elif isinstance(value, Mapping):
        yield from as_bytes(sorted(value.items()))
    elif isinstance(value, frozenset):
        yield from as_bytes(sorted(value))
    elif isinstance(value, list | tuple):
        yield str(len(value)).encode()
        for one in value:
            yield from as_bytes(one)
    else:
        yield repr(value).encode()


def code(text: str) -> str:
    """What a text of Python does: without comments, docstrings and layout.

    Two texts can be compared that one version of Python has read.

    Raises:
        SyntaxError: it is no Python.
    """
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
    return ast.dump(tree)
