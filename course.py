#!/usr/bin/env python3
"""Set up the course and run it: ``python course.py lab`` makes what is missing and opens it.

In syntax that any Python can read, so that one that is too old can say what is wrong. The commands
are in authoring/commands.py.
"""

import os
import sys

OLDEST_PYTHON, NEWEST_PYTHON = (3, 11), (3, 14)  # those that the tests have passed with

if __name__ == "__main__":
    if not OLDEST_PYTHON <= sys.version_info[:2] <= NEWEST_PYTHON:
        print(
            "Stopped: this is Python {0}.{1}; the course needs {2}.{3} to {4}.{5}.\n"
            "  Name one: `python{4}.{5} course.py lab`, or `make lab PYTHON=python{4}.{5}`.".format(
                *(sys.version_info[:2] + OLDEST_PYTHON + NEWEST_PYTHON)
            )
        )
        sys.exit(1)
    # Nothing of other work that PYTHONPATH names, and this folder whatever PYTHONSAFEPATH says.
    others = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [here] + [place for place in sys.path if place not in others]
    from authoring.commands import main

    sys.exit(main(sys.argv[1:]))
