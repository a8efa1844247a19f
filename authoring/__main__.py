"""``python -m authoring MODULE``: like ``python -m MODULE``, while someone reads what it prints."""

import argparse
import runpy
import sys

from careful_io import ending_with_its_reader


@ending_with_its_reader
def main() -> int:
    """Run the module; it ends the process with its own code."""
    parser = argparse.ArgumentParser("python -m authoring", description=__doc__)
    parser.add_argument("module")
    parser.add_argument("words", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    sys.argv[:] = [given.module, *given.words]
    runpy.run_module(given.module, run_name="__main__", alter_sys=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
