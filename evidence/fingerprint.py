"""What a claim's module measures, condensed: the same digest on every Python."""

import ast
import hashlib
import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

CLAIMS = "evidence.claims."


def fingerprint(measure: Callable[..., Any]) -> str:
    """Condense the module of ``measure``: a change of it makes stored runs those of another.

    What it imports from other modules of ``evidence.claims`` counts too. Words, criterion and
    verdict may change: they only read the runs.
    """
    modules = [measure.__module__]
    parts: list[str] = []
    for name in modules:  # grows as imports are met
        tree = ast.parse(inspect.getsource(import_module(name)))
        parts += plain(tree)
        imported = [part.module or "" for part in tree.body if isinstance(part, ast.ImportFrom)]
        modules += [one for one in imported if one.startswith(CLAIMS) and one not in modules]
    return digest(parts)


def digest(parts: list[str]) -> str:
    """Return sixteen hexadecimal digits that stand for ``parts``."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def plain(tree: ast.Module) -> list[str]:
    """Write out each statement that measures, without words.

    ``ast.dump`` and ``ast.unparse`` differ between versions of Python. Here stand the names of the
    nodes and of those fields that hold something, so that a field which a newer Python adds, and
    older code cannot fill, changes nothing.
    """
    return [" ".join(_words(part)) for part in tree.body if not _reads_only(part)]


def _reads_only(part: ast.stmt) -> bool:
    match part:
        case ast.FunctionDef(name=name) if name.startswith("decide"):
            return True
        case ast.Assign(targets=[ast.Name(id=name)]) if name.startswith("CLAIM"):
            return True
    return _is_text(part)


def _is_text(part: object) -> bool:
    """Say whether a part is text for readers: a docstring, say."""
    match part:
        case ast.Expr(value=ast.Constant(value=str())):
            return True
    return False


def _words(value: object) -> Iterator[str]:
    match value:
        case ast.JoinedStr(values=parts):  # 3.12.1 adds an empty string to the end of some
            yield "(JoinedStr"
            yield from _words([part for part in parts if getattr(part, "value", None) != ""])
            yield ")"
        case ast.AST():
            yield f"({type(value).__name__}"
            for name, content in ast.iter_fields(value):
                if content is not None and content != []:
                    yield name
                    yield from _words(content)
            yield ")"
        case list():
            yield "["
            for content in value:
                if not _is_text(content):
                    yield from _words(content)
            yield "]"
        case _:
            yield ascii(value)  # what counts as printable depends on Python's version of Unicode
