"""What authors run to make the notebooks: not part of what a learner needs."""

import argparse
import sys
from pathlib import Path


def named(words: str | None, most: int | None = None) -> list[str]:
    """Return the arguments of a command that has no options but ``--help``, which prints ``words``.

    An argument beyond ``most`` of them ends the process with 2.
    """
    program, raw = f"python -m authoring.{Path(sys.argv[0]).stem}", argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(program, description=words, formatter_class=raw)
    if most != 0:
        parser.add_argument("names", nargs="*")
    return getattr(parser.parse_args(), "names", [])
