"""Notice code that reaches for the machinery around it.

What an answer calls is watched inside its own process, and a notebook that takes hold of that
process can stop the watching. It cannot make a wrong result right: the judge stands outside.
"""

import ast

from notebook_judge.course import JUDGE, course

_NAMES = frozenset(
    {
        "setprofile",
        "getprofile",
        "_getframe",
        "currentframe",
        "tb_frame",
        "f_back",
        "f_locals",
        "f_globals",
        "get_objects",
        "get_referrers",
        "DisableTorchFunction",
        "DisableTorchFunctionSubclass",
        "_DisableTorchDispatch",
        "_disable_current_modes",
        "_pop_mode",
    }
)
_OFFERED = frozenset({"check", "hint", "progress", "*"})


def tampering(tree: ast.AST) -> str:
    """The first thing in a cell that no answer needs and that could hide what an answer calls."""
    for node in ast.walk(tree):
        for name in _reached(node):
            if name in _NAMES or _is_machinery(name):
                return name
    return ""


def _is_machinery(name: str) -> bool:
    """Whether it names a part of the judge or of the exercises, and not what the door offers."""
    door = course().door
    if name == door or (name.startswith(f"{door}.") and name.removeprefix(f"{door}.") in _OFFERED):
        return False
    return f"{name}.".startswith(tuple(f"{one}." for one in (JUDGE, course().hidden, door)))


def _reached(node: ast.AST) -> list[str]:
    """The names that a node uses, those of modules in full."""
    if isinstance(node, ast.Attribute):
        return [node.attr]
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        names = [alias.name for alias in node.names]
        return names + [f"{node.module}.{name}" for name in names]
    return []
