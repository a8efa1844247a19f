"""Entries of the tile table compile without spilling a register, as the stored report says."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("triton", reason="Triton exists for Linux alone")

from benchmarks.flash_compiled_gpu import Resources, cases, fits
from transformer_lesson.flash import configs

REPORT = Path(__file__).parents[2] / "benchmarks" / "results" / "flash-compiled.txt"


def read(line: str) -> tuple[str, Resources]:
    words = r"(.*\S) +(\d+) registers +(\d+) stack +(\d+) shared  (.*), waits: (.*)"
    found = re.fullmatch(words, line)
    assert found, line
    registers, stack, shared = map(int, found.groups()[1:4])
    return found[1], Resources(registers, stack, shared, found[5], found[6])


def test_what_the_report_says_of_the_table_fits() -> None:
    known = {str(case).strip(): case for case in cases()}
    lines = REPORT.read_text().splitlines()
    found = dict(read(line) for line in lines if line.startswith("sm_"))
    assert set(found) == set(known), "the table has changed: run benchmarks.flash_compiled_gpu"
    assert [case for case, what in found.items() if not fits(known[case], what)] == []


def test_tiles_of_products_are_asynchronous_on_hopper_and_copies_run_ahead() -> None:
    """What was reached is in the compiled text; that no softmax runs beside a product is too."""
    lines = REPORT.read_text().splitlines()
    found = dict(read(line) for line in lines if line.startswith("sm_90  bfloat16"))
    forward = [what for case, what in found.items() if " forward " in case]
    assert forward
    assert {what.products for what in forward} == {"wgmma"}
    assert all("wgmma 0" in what.waits and "wgmma 0 " not in what.waits for what in forward)
    ahead = [what.waits for case, what in found.items() if case.endswith("/3")]
    assert ahead
    assert all(re.search(r"cp.async 0 [24]", waits) for waits in ahead)


@pytest.mark.parametrize(
    ("width", "block", "blocks"),
    [
        (16, 256, (16,)),
        (80, 256, (64, 16)),
        (96, 256, (64, 32)),
        (128, 256, (128,)),
        (256, 128, (128, 128)),
        (96, 16, (16,) * 6),
    ],
)
def test_blocks_are_powers_of_two_and_no_wider_than_asked(
    width: int, block: int, blocks: tuple[int, ...]
) -> None:
    assert configs.Tiles(16, 16, 4, 1, block).blocks(width) == blocks
    assert sum(blocks) == width


def test_a_sample_compiles_as_the_report_says() -> None:
    # In a process of its own: this one has chosen the interpreter.
    compiling = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.flash_compiled_gpu", "--only", REPORT, "--every", "40"],
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
