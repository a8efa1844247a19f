"""Of a cell that raises, run what can still be run: imports one by one, definitions.

A module that is not on this machine, or an experiment that fails, then costs no answer in the same
cell. It serves every shell in which the course runs a notebook: the worker's, and nbval's kernel.
"""

import ast
import dis
from collections.abc import Iterable
from types import CodeType
from typing import Any, NamedTuple

# What another machine may have: files, modules, a network, somebody who answers.
_OF_THE_MACHINE = (ImportError, OSError, EOFError)
# Cell magics that run their cell in one piece, which is run here as if they were not there.
_IN_ONE_PIECE = ("time", "prun")


class Failure(NamedTuple):
    """A statement that failed.

    Attributes:
        error: what it raised.
        lost: the names that it would have bound.
    """

    error: BaseException
    lost: list[str]


class GoingOn:
    """Makes an IPython shell go on in a cell behind a statement that raised.

    Where the machine is the cause, what follows counts as it would elsewhere. Where it is not, the
    learner's kernel has stopped there: what has a value by then keeps it.

    Attributes:
        failures: of the cells since it was last emptied, the first first.
        lenient: whether what follows counts in any case.
    """

    def __init__(self, shell: Any) -> None:
        self.failures: list[Failure] = []
        self.lenient = False
        self._shell, self._run, self._magic = shell, shell.run_code, shell.run_cell_magic
        self._cell: Any = None
        self._held = dict[str, Any]()
        shell.run_code, shell.run_cell_magic = self._run_code, self._run_cell_magic
        shell.ast_transformers.append(_OneByOne())

    def first(self, sources: Iterable[str]) -> None:
        """Run the course's own cells, so that they stand in for what is missing of them."""
        for source in sources:
            self._shell.run_cell(source, store_history=False)
        self.failures.clear()

    async def _run_code(self, code: CodeType, result: Any = None, **named: Any) -> bool:
        """Run one statement; return whether the cell ends with it."""
        if result is not self._cell:  # the first statement of a cell
            self._cell, self._held = result, {}
        before = result and result.error_in_exec
        failed = await self._run(code, result, **named)
        self._shell.user_ns.update(self._held)
        error = result.error_in_exec if failed and result else None
        if error is not None:
            self.failures.append(Failure(error, _bound(code)))
            if not (self._held or self.lenient or issubclass(type(error), _OF_THE_MACHINE)):
                self._held = dict(self._shell.user_ns)
        if before is not None:  # the first one is told
            result.error_in_exec = before
        return failed and not issubclass(type(error), Exception)

    def _run_cell_magic(self, name: str, line: str, cell: str) -> Any:
        if name in _IN_ONE_PIECE:
            return self._shell.run_cell(cell, store_history=False).result
        return self._magic(name, line, cell)


def _bound(code: CodeType) -> list[str]:
    """The names that a statement of a cell gives a value."""
    return [one.argval for one in dis.get_instructions(code) if one.opname == "STORE_NAME"]


class _OneByOne(ast.NodeTransformer):
    """Makes a statement of each name that a cell imports."""

    def visit_Module(self, module: ast.Module) -> ast.Module:
        module.body = [part for statement in module.body for part in _parts(statement)]
        return module


def _parts(statement: ast.stmt) -> list[ast.stmt]:
    if isinstance(statement, ast.Import):
        made: list[ast.stmt] = [ast.Import([name]) for name in statement.names]
    elif isinstance(statement, ast.ImportFrom):
        module, level = statement.module, statement.level
        made = [ast.ImportFrom(module, [name], level) for name in statement.names]
    else:
        return [statement]
    return [ast.copy_location(one, statement) for one in made]
