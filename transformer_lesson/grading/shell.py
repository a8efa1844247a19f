"""Run code cells as JupyterLab would, without a kernel."""

from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config


class Shell(InteractiveShell):
    """An IPython shell that keeps no history and opens no windows."""

    def enable_gui(self, gui: str | None = None) -> None:
        """Accept ``%matplotlib …``: there is no event loop to enable."""

    @classmethod
    def start(cls) -> "Shell":
        """Return the process's shell."""
        config = Config()
        config.HistoryManager.enabled = False
        config.InteractiveShell.colors = "nocolor"
        return cls.instance(config=config)

    def run(self, source: str) -> str:
        """Run one cell, magics included, and return what it raised in one line, or ``""``."""
        result = self.run_cell(source, silent=False, store_history=False)
        error = result.error_before_exec or result.error_in_exec
        return _one_line(error) if error else ""


def _one_line(error: Any) -> str:
    if isinstance(error, SyntaxError):
        return f"{type(error).__name__}: {error.msg} (line {error.lineno})"
    message = (str(error).strip().splitlines() or [""])[0]
    return f"{type(error).__name__}: {message}" if message else type(error).__name__
