"""Run all benchmarks but those whose names end in ``_gpu``; name those that broke a promise."""

import subprocess
import sys
from pathlib import Path

NO_BENCHMARK = ("__main__", "harness")


def main() -> int:
    """Run each script in a process of its own; return 1 if any failed."""
    failed = []
    for script in sorted(Path(__file__).parent.glob("*.py")):
        if script.stem not in NO_BENCHMARK and not script.stem.endswith("_gpu"):
            print(f"--- {script.stem}", flush=True)
            if subprocess.run([sys.executable, "-m", f"benchmarks.{script.stem}"]).returncode:
                failed.append(script.stem)
    if failed:
        print(f"Failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
