"""Models become whole graphs, without Python."""

import subprocess
import sys
from pathlib import Path


def test_models_compile_whole() -> None:
    # Not in this process: the compiler imports Triton before a test can ask for its interpreter.
    program = Path(__file__).with_name("compile_models.py")
    run = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    assert len(run.stdout.splitlines()) == 7


def test_models_export_forward_and_one_cached_step() -> None:
    program = Path(__file__).with_name("export_models.py")
    run = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    assert len(run.stdout.splitlines()) == 6
