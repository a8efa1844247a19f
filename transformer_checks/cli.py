"""``transformer-lesson``: the command line of the course."""

import sys

import transformer_checks  # noqa: F401 - hands the course over
from notebook_judge.cli import main

if __name__ == "__main__":
    sys.exit(main())
