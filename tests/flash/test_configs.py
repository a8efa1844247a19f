"""Entries of the tile table compile without spilling a register, as the stored report says."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("triton", reason="Triton exists for Linux alone")

from benchmarks.flash_compiled_gpu import Resources, cases, fits

REPORT = Path(__file__).parents[2] / "benchmarks" / "results" / "flash-compiled.txt"


def read(line: str) -> tuple[str, Resources]:
    found = re.fullmatch(r"(.*\S) +(\d+) registers +(\d+) stack +(\d+) shared  (.*)", line)
    assert found, line
    registers, stack, shared = map(int, found.groups()[1:4])
    return found[1], Resources(registers, stack, shared, found[5])


def test_what_the_report_says_of_the_table_fits() -> None:
    known = {str(case).strip(): case for case in cases()}
    lines = REPORT.read_text().splitlines()
    found = dict(read(line) for line in lines if line.startswith("sm_"))
    assert found
    assert set(found) <= set(known), "the table has changed: run benchmarks.flash_compiled_gpu"
    assert [case for case in found if not fits(known[case], found[case])] == []


def test_a_sample_compiles_as_the_report_says() -> None:
    # In a process of its own: this one has chosen the interpreter.
    compiling = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.flash_compiled_gpu", "--only", REPORT, "--every", "8"],
        capture_output=True,
        text=True,
        timeout=500,
        env=compiling,
        cwd=REPORT.parents[2],
    )
    assert run.returncode == 0, run.stdout + run.stderr
    found = [line for line in run.stdout.splitlines() if line.startswith("sm_")]
    assert len(found) >= 3
    assert set(found) <= set(REPORT.read_text().splitlines())
