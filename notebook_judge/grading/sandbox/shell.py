"""Run code cells as JupyterLab would, without a kernel."""

import builtins
import os
import sys
import tempfile
from ast import PyCF_ONLY_AST
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from notebook_judge.checks.clock import Clock, TimeLimitExceeded
from notebook_judge.grading.sandbox.going_on import GoingOn

_MOST_PROMPTS = 100  # so that whoever asks until the answer suits comes to an end
_MOST_TOKENS = 10**8  # letters of a cell's tokens, where each keeps its whole line


class Shell(InteractiveShell):
    """An IPython shell that keeps no history and opens no windows, with the magics of a kernel.

    Attributes:
        sources: the cells of the notebook that it runs.
        going: what it does with a cell that raises.
        answers: by exercise, the name of its answer.
        moments: by exercise, what all names stood for when its check ran, or behind its own cell.
    """

    sources: Sequence[str] = ()
    going: GoingOn
    answers: dict[str, str]
    moments: dict[str, dict[str, Any]]

    # What follows a "!" runs without a terminal of its own: an isolated process cannot have one.
    system = InteractiveShell.system_raw

    def enable_gui(self, gui: str | None = None) -> None:
        """Accept ``%gui …``: there is no event loop to enable."""

    def enable_matplotlib(self, gui: str | None = None) -> Any:
        """Accept any ``%matplotlib …``, also of what is installed at the learner's alone."""
        return super().enable_matplotlib("inline")

    def transform_cell(self, raw_cell: str) -> str:
        """Turn magics into Python; a cell of long lines that is Python already stays as it is.

        Python 3.12 copies the whole line into each of its tokens.
        """
        if sum(len(line) ** 2 for line in raw_cell.splitlines()) > _MOST_TOKENS:
            with suppress(SyntaxError, ValueError, RecursionError):
                compile(raw_cell, "cell", "exec", PyCF_ONLY_AST)
                return raw_cell
        return super().transform_cell(raw_cell)

    def showtraceback(self, *arguments: Any, **named: Any) -> None:
        """Show nothing to nobody, and keep alive nothing that a cell which failed had made."""

    showsyntaxerror = showtraceback

    def run_line_magic(self, magic_name: str, line: str, _stack_depth: int = 1) -> Any:
        """Run a magic; pass over one of what is installed at the learner's alone, and `%reset`.

        Whoever tidies up at the end of a notebook has seen its answers pass.
        """
        if magic_name in ("reset", "reset_selective"):
            return None
        if self.find_line_magic(magic_name) is None:
            return None
        missing = (ImportError,) if magic_name in ("load_ext", "reload_ext") else ()
        with suppress(*missing):
            return super().run_line_magic(magic_name, line, _stack_depth + 1)

    @classmethod
    def build(cls) -> None:
        """Make the shell, which the processes that are forked from this one share."""
        config = Config()
        config.HistoryManager.enabled = False
        config.InteractiveShell.colors = "nocolor"
        with tempfile.TemporaryDirectory() as folder:
            shell = cls.instance(config=config, ipython_dir=folder)
        shell.run_line_magic("load_ext", "storemagic")
        shell.going, shell.answers, shell.moments = GoingOn(shell), {}, {}
        shell.run("pass")  # the first cell takes longer: here once for all notebooks

    @classmethod
    def start(cls) -> "Shell":
        """Return the shell, at home in the folders of this process."""
        shell = cls.instance()
        shell.init_ipython_dir(None)
        shell.init_profile_dir(None)
        sys.path.insert(0, os.getcwd())  # as in a kernel: what %%writefile made can be imported
        builtins.input = _prompt()
        return shell

    def note(self, exercise: str, **answer: Any) -> None:
        """Keep what all names stand for at this moment, and the answer that its check was given."""
        self.moments[exercise] = self.user_ns | answer

    def run(self, source: str, clock: Clock | None = None) -> str:
        """Run one cell, magics included, and return what it raised first, or ``""``.

        What it would have bound by that is in ``going.failures``.
        """
        self.going.failures.clear()
        before, invisible, _ = source.partition("\0")
        if invisible:  # Python's own words for it name no line, and differ between versions
            line = before.count("\n") + 1
            return f"SyntaxError: line {line} holds a NUL byte, which no editor shows: type it anew"
        try:
            with (clock or Clock()).running():
                result = self.run_cell(source, silent=False, store_history=False)
        # By IPython itself, where a cell closed its streams, or where its time was over.
        except (Exception, TimeLimitExceeded) as fault:
            return _one_line(fault)
        finally:
            _mend_streams()
        errors = [one.error for one in self.going.failures]
        ended = result.error_before_exec, result.error_in_exec
        errors += [one for one in ended if one is not None]
        # By their types: a learner's error may be false, or have a `__class__` of its own.
        late = [one for one in errors if issubclass(type(one), TimeLimitExceeded)]
        return _one_line((late or errors)[0]) if errors else ""


def _prompt() -> Callable[..., str]:
    """What ``input`` is here: somebody who presses Enter."""
    left = iter([""] * _MOST_PROMPTS)

    def prompt(words: object = "") -> str:
        print(words, end="")
        for answer in left:
            return answer
        raise EOFError("there is nobody to answer")

    return prompt


def _mend_streams() -> None:
    """Give the next cell streams to print to; this one may have closed them."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None or getattr(stream, "closed", False):  # a learner's own need not have it
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115


def _one_line(error: Any) -> str:
    kind = type(error).__name__
    try:
        if issubclass(type(error), SyntaxError):
            return f"{kind}: {error.msg} (line {error.lineno})"
        message = (str(error).strip().splitlines() or [""])[0]
        return f"{kind}: {message}" if message else kind
    except BaseException:  # a learner's exception may be broken itself
        return kind
