"""The command line of a course."""

import argparse
import sys
from collections.abc import Sequence

from careful_io import ending_with_its_reader
from notebook_judge.course import course
from notebook_judge.grading.sandbox import launch


@ending_with_its_reader
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that ``arguments`` name.

    Returns:
        0 if the command did what it is for; else a number that its ``--help`` explains.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    if _grades_behind_walls(arguments):
        launch.load_ahead()  # before anything here loads PyTorch: both load it at the same time
    options = _parser().parse_args(arguments)
    return int(options.run(options))


def _grades_behind_walls(arguments: Sequence[str]) -> bool:
    first = argparse.ArgumentParser(add_help=False)
    first.add_argument("command", nargs="?")
    first.add_argument("-h", "--help", action="store_true")
    first.add_argument("--isolation", nargs="?")
    seen, _ = first.parse_known_args(arguments)
    return seen.command == "grade" and not seen.help and seen.isolation != "limits"


def _parser() -> argparse.ArgumentParser:
    from notebook_judge.grading import options as grading
    from notebook_judge.learning import cli as learning

    parser = argparse.ArgumentParser(
        prog=course().name, description=f"Tools of the course “{course().title}”."
    )
    # Each gives its parsers a default `run`: a function that takes the options, returns the code.
    commands = parser.add_subparsers(required=True, metavar="command")
    learning.add_commands(commands)
    grading.add_commands(commands)
    return parser
