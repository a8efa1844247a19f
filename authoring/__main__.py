"""``python -m authoring MODULE``: like ``python -m MODULE``, while someone reads what it prints."""

import runpy
import sys

from transformer_lesson.files import ending_with_its_reader


@ending_with_its_reader
def main() -> int:
    """Run the module; it ends the process with its own code."""
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
