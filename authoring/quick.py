"""``make quick``, for every commit: linters, and the tests of what changed since ``main``.

An exercise that changed goes through the author's gate with one seed. One notebook is run: a
changed one, else that of a changed exercise, else a short one.

It takes two minutes on two idle cores: tests that are not done by then are stopped, and the exit
code is 3. They, and those in a browser, are left to ``make test``. However long the linters take on
a busy machine, the tests have their time.
"""

import os
import sys
import time

from authoring import named
from authoring.changed import changed, exercises_of, notebook_of, tests_of
from authoring.ci import NBVAL, PYTEST, PYTHON, lint
from authoring.environment import live
from authoring.sample import CUT_SHORT

SECONDS = 110
LEAST = 60  # for the tests alone
SHORT = "notebooks/00_start_here.ipynb"
ONE_SEED = ("--seeds", "1", "--named-seeds", "1")


def main() -> int:
    """Run it; return 1 if anything failed, 3 if the time was up before."""
    end = time.monotonic() + SECONDS
    files = changed()
    failed = lint()
    os.environ["OMP_NUM_THREADS"] = "1"  # two processes run side by side
    if names := exercises_of(files):
        failed += ["gate"] if live([PYTHON, "-m", "authoring.gate", *names, *ONE_SEED]) else []
    chosen = list(dict.fromkeys(test for file in files for test in tests_of(file)))
    left = max(end - time.monotonic(), LEAST)
    words = [*PYTEST, *NBVAL, "--seconds", f"{left:.0f}", notebook_of(files, SHORT), *chosen]
    print(f"  {' '.join(words)}", flush=True)
    code = live([PYTHON, "-m", *words])
    failed += ["tests"] if code not in (0, CUT_SHORT) else []
    if failed:
        print(f"Failed: {', '.join(failed)}")
    elif code:
        print("The time was up: what ran has passed, and `make test` looks at the rest.")
    else:
        print("All passed.")
    return 1 if failed else code


if __name__ == "__main__":
    named(__doc__, most=0)
    sys.exit(main())
