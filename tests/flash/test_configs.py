"""Every tuned tile compiles for Hopper without spilling a register."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("triton", reason="Triton exists for Linux alone")


def test_every_entry_compiles_without_spills() -> None:
    # In a process of its own: this one has chosen the interpreter.
    program = Path(__file__).with_name("compile_configs.py")
    compiling = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    command = [sys.executable, str(program)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=500, env=compiling)
    assert run.returncode == 0, run.stderr
    spills = json.loads(run.stdout)
    assert spills
    assert {entry: words for entry, words in spills.items() if words} == {}
