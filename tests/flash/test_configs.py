"""Every entry of the tile table compiles without spilling a register, as the stored report says."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("triton", reason="Triton exists for Linux alone")

from benchmarks.flash_compiled_gpu import LEAST_SHARED, cases

REPORT = Path(__file__).parents[2] / "benchmarks" / "results" / "flash-compiled.txt"


def test_the_report_covers_the_whole_table_and_everything_fits() -> None:
    lines = [line for line in REPORT.read_text().splitlines() if line.startswith("sm_")]
    expected = [str(case) for case in cases()]
    assert [line[: len(case)] for line, case in zip(lines, expected, strict=True)] == expected
    numbers = [re.search(r"(\d+) stack +(\d+) shared", line) for line in lines]
    assert {found[1] for found in numbers if found} == {"0"}
    assert max(int(found[2]) for found in numbers if found) <= LEAST_SHARED
    assert all(numbers)


def test_a_sample_compiles_as_the_report_says() -> None:
    # In a process of its own: this one has chosen the interpreter.
    compiling = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    command = [sys.executable, "-m", "benchmarks.flash_compiled_gpu", "--every", "113"]
    root = REPORT.parents[2]
    run = subprocess.run(
        command, capture_output=True, text=True, timeout=500, env=compiling, cwd=root
    )
    assert run.returncode == 0, run.stdout + run.stderr
    found = [line for line in run.stdout.splitlines() if line.startswith("sm_")]
    assert len(found) == 7
    assert set(found) <= set(REPORT.read_text().splitlines())
