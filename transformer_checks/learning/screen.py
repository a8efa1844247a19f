"""What the learner's commands print on."""

import io
import sys

from rich.console import Console

PIPED_WIDTH = 160


def console() -> Console:
    """A console that is wide where nobody set a width, and that no letter of ours can break."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # on Windows a pipe may know few letters
        sys.stdout.reconfigure(errors="replace")
    out = Console(highlight=False, markup=False)
    return out if out.is_terminal else Console(highlight=False, markup=False, width=PIPED_WIDTH)


def refuse(message: str) -> int:
    """Say why a command cannot be carried out; return its exit code."""
    print(f"transformer-lesson: {message}", file=sys.stderr)
    return 2


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
