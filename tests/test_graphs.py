"""Models become whole graphs, without Python."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(("name", "models"), [("compile", 7), ("export", 6)])
def test_models_become_whole_graphs(name: str, models: int) -> None:
    # Not in this process: the compiler imports Triton before a test can ask for its interpreter.
    program = Path(__file__).with_name(f"{name}_models.py")
    run = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    assert len(run.stdout.splitlines()) == models
