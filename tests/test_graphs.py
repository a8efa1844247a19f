"""Models become whole graphs, without Python."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.rare
def test_models_become_whole_graphs() -> None:
    # Not in this process: the compiler imports Triton before a test can ask for its interpreter.
    program = Path(__file__).with_name("graph_models.py")
    run = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stderr
    assert run.stdout == "all\n"
