"""Every version of a text of Python that differs in one place, as a slip of the pen would."""

import ast
import difflib
from collections.abc import Iterator
from dataclasses import dataclass

ARITHMETIC: dict[type[ast.operator], tuple[str, ...]] = {
    ast.Add: ("-",),
    ast.Sub: ("+",),
    ast.Mult: ("/", "+"),
    ast.Div: ("*", "//"),
    ast.FloorDiv: ("/", "*"),
    ast.Mod: ("//",),
    ast.Pow: ("*",),
    ast.BitAnd: ("|", "^"),
    ast.BitOr: ("&", "^"),
}
COMPARISONS: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Lt: ("<=", ">", ">="),
    ast.LtE: ("<", ">", ">="),
    ast.Gt: (">=", "<", "<="),
    ast.GtE: (">", "<", "<="),
    ast.Eq: ("!=", "<=", ">="),
    ast.NotEq: ("==", "<", ">"),
    ast.Is: ("is not",),
    ast.IsNot: ("is",),
    ast.In: ("not in",),
    ast.NotIn: ("in",),
}
# Functions and methods that are taken for one another.
_PAIRS = """
    min max, amin amax, minimum maximum, argmin argmax, sum mean, sum prod, tril triu, sin cos,
    exp exp2, log log2, log log1p, cat stack, floor ceil, softmax log_softmax, relu gelu, all any,
    ones zeros, ones_like zeros_like
"""
ALIKE = [tuple(pair.split()) for pair in _PAIRS.split(",")]
# What gives the same either way, wherever it stands, shows no hole.
HARMLESS_CALLS = ("contiguous",)
HARMLESS_KEYWORDS = ("device",)
SYMMETRIC = (
    *("transpose", "swapaxes", "min", "max", "maximum", "minimum"),
    *("logaddexp", "logical_and", "logical_or"),
)
DTYPES = ("float32", "float64", "bool", "int64")


@dataclass(frozen=True)
class Mutant:
    """A text with one change.

    Attributes:
        kind: what was changed, such as ``"comparison"``.
        line: number of the line in the text, from 1.
        before: what stood there.
        after: what stands there now.
        text: the whole text.
        around: the expressions that it stands in, from the smallest on.
    """

    kind: str
    line: int
    before: str
    after: str
    text: str
    around: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"line {self.line}: {_short(self.before)} -> {_short(self.after)} ({self.kind})"

    def change(self, original: str) -> str:
        """The lines that differ from the original, as one line: how a list names this mutant."""
        lines = difflib.ndiff(original.splitlines(), self.text.splitlines())
        changed = [line for line in lines if line[0] in "+-"]
        old, new = (
            " ".join(line[1:].strip() for line in changed if line[0] == sign) for sign in "-+"
        )
        return f"{old} => {new}"


def mutants(text: str, answer: str) -> list[Mutant]:
    """Return all mutants of ``answer``, and of what it calls of the same text, each once."""
    found: dict[str, Mutant] = {}
    source = _Source(text)
    for definition in _used(source.tree, answer):
        for function in ast.walk(definition):
            if isinstance(function, ast.FunctionDef):
                for mutant in _of_function(source, function):
                    found.setdefault(mutant.text, mutant)
    return [mutant for changed, mutant in found.items() if changed != text and _compiles(changed)]


def _used(tree: ast.Module, answer: str) -> list[ast.stmt]:
    """The functions and classes of a text that an answer uses, itself included."""
    # What needs a library that is not everywhere stands behind a condition.
    parts = [part for one in tree.body for part in (one.body if isinstance(one, ast.If) else [one])]
    defined = {
        part.name: part for part in parts if isinstance(part, ast.FunctionDef | ast.ClassDef)
    }
    used, waiting = set[str](), {answer}
    while waiting:
        name = waiting.pop()
        used.add(name)
        named = {node.id for node in ast.walk(defined[name]) if isinstance(node, ast.Name)}
        waiting |= (named & defined.keys()) - used
    return [part for name, part in defined.items() if name in used]


class _Source:
    """A text, its tree, and where each node of the tree stands in it."""

    def __init__(self, text: str) -> None:
        self.text, self.tree = text, ast.parse(text)
        self._above = {
            child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)
        }
        self._lines = [0]
        for line in text.encode().splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))

    def of(self, node: ast.AST) -> str:
        start, end = self._span(node)
        return self.text.encode()[start:end].decode()

    def with_(self, node: ast.AST, after: str, kind: str) -> Mutant:
        """The text with ``after`` in the place of a node."""
        start, end = self._span(node)
        whole = self.text.encode()
        text = (whole[:start] + after.encode() + whole[end:]).decode()
        line: int = node.lineno  # type: ignore[attr-defined]
        return Mutant(kind, line, self.of(node), after, text, tuple(self._around(node)))

    def _around(self, node: ast.AST) -> Iterator[str]:
        while isinstance(node := self._above[node], ast.expr | ast.keyword):
            yield self.of(node)

    def _span(self, node: ast.AST) -> tuple[int, int]:
        assert isinstance(node, ast.expr | ast.stmt | ast.keyword | ast.arg)
        assert node.end_lineno is not None and node.end_col_offset is not None
        start = self._lines[node.lineno - 1] + node.col_offset
        return start, self._lines[node.end_lineno - 1] + node.end_col_offset


def _of_function(source: _Source, function: ast.FunctionDef) -> Iterator[Mutant]:
    names = [argument.arg for argument in function.args.args if argument.arg != "self"]
    holders = [
        getattr(node, "annotation", None) or getattr(node, "returns", None)
        for node in ast.walk(function)
    ]
    annotations = {node for holder in holders if holder for node in ast.walk(holder)}
    for statement in function.body:
        for node in ast.walk(statement):
            if node in annotations:
                continue  # it computes nothing
            if isinstance(node, ast.stmt):
                yield from _of_statement(source, node)
            elif isinstance(node, ast.expr):
                yield from _of_expression(source, node, names)


def _of_statement(source: _Source, node: ast.stmt) -> Iterator[Mutant]:
    match node:
        case ast.Expr(value=ast.Constant()):
            return  # a docstring
        case ast.Assign() | ast.AugAssign() | ast.Expr() | ast.Raise() | ast.Break():
            yield source.with_(node, "pass", "statement dropped")
        case ast.If() | ast.For() | ast.While():
            yield source.with_(node, "pass", "block dropped")
    if isinstance(node, ast.AugAssign) and type(node.op) in ARITHMETIC:
        target, value = source.of(node.target), source.of(node.value)
        yield source.with_(node, f"{target} = {value}", "sum dropped")
    match node:
        case ast.Assign(
            targets=[ast.Name(id=name)],
            value=ast.BinOp(left=ast.Name(id=left), op=ast.Add(), right=right),
        ) if name == left:
            yield source.with_(node, f"{name} += {source.of(right)}", "in place")


def _of_expression(source: _Source, node: ast.expr, names: list[str]) -> Iterator[Mutant]:
    match node:
        case ast.BinOp():
            yield from _of_operator(source, node)
        case ast.Compare(ops=[operator], comparators=[right]):
            for other in COMPARISONS[type(operator)][: 1 if _is_string(right) else None]:
                whole = f"{source.of(node.left)} {other} {source.of(right)}"
                yield source.with_(node, whole, "comparison")
            if isinstance(right, ast.Constant) and isinstance(right.value, float):
                for moved in (0.9 * right.value, 1.1 * right.value):
                    yield source.with_(right, repr(moved), "threshold moved")
        case ast.BoolOp():
            other = " or " if isinstance(node.op, ast.And) else " and "
            yield source.with_(node, other.join(map(source.of, node.values)), "and, or")
            for part in node.values:
                yield source.with_(node, source.of(part), "condition dropped")
        case ast.UnaryOp(op=ast.USub() | ast.Invert() | ast.Not(), operand=operand):
            yield source.with_(node, source.of(operand), "sign dropped")
        case ast.Constant():
            yield from _of_constant(source, node)
        case ast.IfExp():
            yield source.with_(node, source.of(node.body), "always the first")
            yield source.with_(node, source.of(node.orelse), "always the second")
        case ast.Call():
            yield from _of_call(source, node)
        case ast.Attribute(value=value) if isinstance(node.ctx, ast.Load):
            yield from _of_attribute(source, node, value)
        case ast.Name(id=name) if isinstance(node.ctx, ast.Load) and name in names:
            for other in names:
                if other != name:
                    yield source.with_(node, other, "another argument")
        case ast.Subscript(slice=place):
            yield from _of_slice(source, node, place)


def _of_operator(source: _Source, node: ast.BinOp) -> Iterator[Mutant]:
    left, right = source.of(node.left), source.of(node.right)
    for other in ARITHMETIC.get(type(node.op), ()):
        yield source.with_(node, f"({left} {other} {right})", "operator")
    if isinstance(node.op, ast.Sub | ast.Div | ast.MatMult | ast.Pow | ast.FloorDiv):
        sign = source.of(node)[len(left) : -len(right)]
        yield source.with_(node, f"({right}{sign}{left})", "sides exchanged")
    yield source.with_(node, left, "right side dropped")
    yield source.with_(node, right, "left side dropped")


def _of_constant(source: _Source, node: ast.Constant) -> Iterator[Mutant]:
    match node.value:
        case bool(value):
            yield source.with_(node, str(not value), "constant")
        case int(value):
            for whole in {value - 1, value + 1, 0}:
                yield source.with_(node, f"({whole})" if whole < 0 else str(whole), "constant")
        case float(value):
            for other in (0.0, 1.0, 2 * value, value / 2):
                yield source.with_(node, repr(other), "constant")


def _of_call(source: _Source, node: ast.Call) -> Iterator[Mutant]:
    arguments = list(map(source.of, node.args))
    keywords = [source.of(keyword) for keyword in node.keywords]
    function = source.of(node.func)

    def call(name: str, *parts: str) -> str:
        return f"{name}({', '.join(parts)})"

    name = node.func.attr if isinstance(node.func, ast.Attribute) else function
    for place in range(len(arguments) - 1):
        if name in SYMMETRIC and place == len(arguments) - 2:
            continue
        swapped = [*arguments]
        swapped[place : place + 2] = swapped[place + 1], swapped[place]
        yield source.with_(node, call(function, *swapped, *keywords), "arguments exchanged")
    for place in range(len(arguments)):
        kept = arguments[:place] + arguments[place + 1 :]
        yield source.with_(node, call(function, *kept, *keywords), "argument dropped")
    for place, keyword in enumerate(node.keywords):
        if keyword.arg in HARMLESS_KEYWORDS:
            continue
        kept = keywords[:place] + keywords[place + 1 :]
        yield source.with_(node, call(function, *arguments, *kept), "keyword dropped")
    if name in HARMLESS_CALLS:
        pass
    elif isinstance(node.func, ast.Attribute):
        yield source.with_(node, source.of(node.func.value), "call dropped")
    elif arguments:
        yield source.with_(node, arguments[0], "call dropped")
    for pair in ALIKE:
        if name in pair and name != "view":  # where view works, reshape does
            other = function.removesuffix(name) + pair[1 - pair.index(name)]
            yield source.with_(node, call(other, *arguments, *keywords), "another function")


def _of_attribute(source: _Source, node: ast.Attribute, value: ast.expr) -> Iterator[Mutant]:
    if node.attr in ("T", "mT"):
        yield source.with_(node, source.of(value), "transpose dropped")
    for other in DTYPES:
        if node.attr in DTYPES and node.attr != other:
            yield source.with_(node, f"{source.of(value)}.{other}", "dtype")


def _of_slice(source: _Source, node: ast.Subscript, place: ast.expr) -> Iterator[Mutant]:
    parts = place.elts if isinstance(place, ast.Tuple) else [place]
    for part in parts:
        if not isinstance(part, ast.Slice):
            continue
        for end in (part.lower, part.upper, part.step):
            if end is not None:
                if not (end is part.lower and source.of(end) == "0"):
                    yield source.with_(end, "None", "slice end dropped")
                yield source.with_(end, f"({source.of(end)}) + 1", "slice end moved")
                yield source.with_(end, f"({source.of(end)}) - 1", "slice end moved")
    yield source.with_(node, source.of(node.value), "index dropped")


def _is_string(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _compiles(text: str) -> bool:
    try:
        compile(text, "a mutant", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def _short(code: str) -> str:
    line = " ".join(code.split())
    return line if len(line) <= 60 else f"{line[:57]}..."
