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


def _hidden() -> tuple[str, ...]:
    return JUDGE, course().hidden


def tampering(tree: ast.AST) -> str:
    """The first thing in a cell that no answer needs and that could hide what an answer calls."""
    for node in ast.walk(tree):
        for name in _reached(node):
            if name in _NAMES or name.startswith(_hidden()):
                return name
            module, _, inside = name.partition(f"{course().door}.")
            if not module and inside and inside not in _OFFERED:
                return name
    return ""


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
