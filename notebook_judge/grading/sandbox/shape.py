"""What is left of code without its names: the same for two cells that differ in these alone."""

import ast
import hashlib
from typing import Any

FEWEST = 60  # nodes: shorter answers are alike by themselves


def shape(tree: ast.AST) -> str:
    """Condense a syntax tree without names of its own, imports, annotations and docstrings.

    Returns:
        The same text for code that differs in these alone; empty if there is little left.
    """
    try:
        plain = _Plain(_defined(tree)).visit(tree)
        whole = ast.dump(plain) if sum(1 for _ in ast.walk(plain)) >= FEWEST else ""
    except RecursionError:
        return ""
    return whole and hashlib.sha256(whole.encode(errors="surrogatepass")).hexdigest()[:16]


def _defined(tree: ast.AST) -> dict[str, str]:
    """The names that the code chooses itself, each with what stands for it."""
    names = dict[str, str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            name = node.name
        elif isinstance(node, ast.arg):
            name = node.arg
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            name = node.id if isinstance(node, ast.Name) else node.attr
        else:
            continue
        names.setdefault(name, f"name {len(names)}")
    return names


class _Plain(ast.NodeTransformer):
    """Puts numbers in the place of names; each tree is used once, so it is changed in place."""

    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def generic_visit(self, node: ast.AST) -> Any:
        for part in ("name", "id", "arg", "attr"):
            name = getattr(node, part, None)
            if isinstance(name, str):
                setattr(node, part, self._names.get(name, name))
        for part in ("annotation", "returns", "type_comment"):
            if hasattr(node, part):
                setattr(node, part, None)
        return super().generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is None:
            return None
        return self.generic_visit(ast.Assign(targets=[node.target], value=node.value))

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        return None

    visit_ImportFrom = visit_Import

    def visit_Expr(self, node: ast.Expr) -> Any:
        """A text alone is a docstring, or says as little."""
        return None if isinstance(node.value, ast.Constant) else self.generic_visit(node)
