"""What a run of a claim computes, condensed: the same digest on every Python."""

import ast
import hashlib
import inspect
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from typing import Any

CLAIMS = "evidence.claims."


@cache
def fingerprint(measure: Callable[..., Any]) -> str:
    """Condense what ``measure`` reaches: a change of it makes stored runs those of another.

    What it names in other modules of ``evidence.claims`` counts too. Words, criteria and what they
    alone name may change: they only read the runs. Settings are compared beside this.
    """
    named = {measure.__module__: {measure.__name__}}
    parts: dict[str, list[str]] = {}
    waiting = [measure.__module__]
    while waiting:
        module = waiting.pop()
        reached = reach(ast.parse(inspect.getsource(import_module(module))), named[module])
        parts[module] = plain(reached)
        for part in reached:
            if isinstance(part, ast.ImportFrom) and (part.module or "").startswith(CLAIMS):
                imported, names = str(part.module), {alias.name for alias in part.names}
                if not names <= named.setdefault(imported, set()):
                    named[imported] |= names
                    waiting.append(imported)  # again, where more of it is named
    return digest([line for module in sorted(parts) for line in parts[module]])


def reach(tree: ast.Module, names: set[str]) -> list[ast.stmt]:
    """Return the statements of a module that define ``names``, and what those name in turn.

    A statement that defines no name, such as one that shuffles a list, may change what others do,
    and counts always.
    """
    defined = {part: _defined(part) for part in tree.body if not _is_silent(part)}
    wanted, found = set(names), set[ast.stmt]()
    while new := {p for p, own in defined.items() if p not in found and (not own or own & wanted)}:
        found |= new
        wanted |= {node.id for p in new for node in ast.walk(p) if isinstance(node, ast.Name)}
    return [_narrowed(part, wanted) for part in tree.body if part in found]


def _narrowed(part: ast.stmt, wanted: set[str]) -> ast.stmt:
    """Leave out of an import what is not named: others may import more for their criteria."""
    if isinstance(part, ast.ImportFrom):
        kept = [alias for alias in part.names if (alias.asname or alias.name) in wanted]
        return ast.ImportFrom(part.module, kept, part.level)
    return part


def _defined(part: ast.stmt) -> set[str]:
    match part:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return {(alias.asname or alias.name).partition(".")[0] for alias in names}
        case ast.Assign(targets=[ast.Tuple(elts=targets)]) | ast.Assign(targets=targets):
            return {target.id for target in targets if isinstance(target, ast.Name)}
        case ast.AnnAssign(target=ast.Name(id=name)):
            return {name}
    return set()


def digest(parts: list[str]) -> str:
    """Return sixteen hexadecimal digits that stand for ``parts``."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def plain(parts: list[ast.stmt]) -> list[str]:
    """Write out each statement without words.

    ``ast.dump`` and ``ast.unparse`` differ between versions of Python. Here stand the names of the
    nodes and of those fields that hold something, so that a field which a newer Python adds, and
    older code cannot fill, changes nothing.
    """
    return [" ".join(_words(part)) for part in parts]


def _is_silent(part: ast.stmt) -> bool:
    """Say whether a statement does nothing where its module is imported."""
    match part:
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
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
