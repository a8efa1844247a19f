"""What the commands print on, and how they ask and refuse."""

import sys

from rich.console import Console

from careful_io import print_somehow
from notebook_judge.course import course
from notebook_judge.sanitize import sanitize

PIPED_WIDTH = 160


def console() -> Console:
    """A console that is wide where nobody set a width, and that prints any character somehow."""
    print_somehow()  # on Windows a pipe may know few characters
    out = Console(highlight=False, markup=False)
    return out if out.is_terminal else Console(highlight=False, markup=False, width=PIPED_WIDTH)


def refuse(message: str, code: int = 2) -> int:
    """Say why a command cannot be carried out, and return its exit code."""
    print(f"{course().name}: {sanitize(message)}", file=sys.stderr)
    return code


def confirmed(question: str, *, yes: bool) -> bool | None:
    """Ask before going on; None if nobody is there to answer."""
    if yes:
        return True
    if not sys.stdin or not sys.stdin.isatty():
        return None
    try:
        return input(f"{question} [y/N] ").strip().casefold() in ("y", "yes")
    except EOFError:
        return False
