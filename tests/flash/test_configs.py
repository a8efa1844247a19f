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
    words = r"(.*\S) +(\d+) registers +(\d+) stack +(\d+) shared  (.*), loop: (.*), waits: (.*)"
    found = re.fullmatch(words, line)
    assert found, line
    registers, stack, shared = map(int, found.groups()[1:4])
    loop = {kind: int(number) for number, kind in re.findall(r"(\d+) (\w+)", found[6])}
    return found[1], Resources(registers, stack, shared, found[5], loop, found[7])


@pytest.fixture(scope="module")
def report() -> dict[str, Resources]:
    lines = REPORT.read_text().splitlines()
    return dict(read(line) for line in lines if line.startswith("sm_"))


def test_what_the_report_says_of_the_table_fits(report: dict[str, Resources]) -> None:
    known = {str(case).strip(): case for case in cases()}
    assert set(report) == set(known), "the table has changed: run benchmarks.flash_compiled_gpu"
    assert [case for case, what in report.items() if not fits(known[case], what)] == []


@pytest.mark.parametrize(
    ("entry", "products_waited_for"),
    [("forward", 1), ("backward_keys", 2), ("backward_queries", 2)],
)
def test_copies_run_ahead_on_hopper(
    report: dict[str, Resources], entry: str, products_waited_for: int
) -> None:
    """Two tiles are on their way while one is multiplied; addresses cost two products a tile.

    Triton waits for a product whose result is used in the same round: for that of the scores (a
    forward round adds the last round's values meanwhile), and backward for that of the values too.
    """
    cases = [f"sm_90  bfloat16 {width:3} {entry} " for width in (64, 128)]
    found = [what for case, what in report.items() if case.startswith(tuple(cases))]
    assert len(found) == 8
    for what in found:
        *copies, _ = what.waits.split(", wgmma 0" + ", wgmma 0" * (products_waited_for - 1))
        assert copies and re.fullmatch(r"cp\.async [24]", copies[0]), what
        assert what.loop["mul64"] <= 2, what


# Of one thread, in the loop without masks of python/tutorials/06-fused-attention.py, Triton 3.7.1:
# causal, bfloat16, tiles of 128 x 64, eight warps, three stages, compute capability 9.0.
TUTORIAL = {64: {"mul": 34, "fma": 34, "ex2": 34}, 128: {"mul": 66, "fma": 34, "ex2": 34}}


@pytest.mark.parametrize("width", TUTORIAL)
def test_a_forward_tile_costs_what_it_does_in_tritons_tutorial(
    report: dict[str, Resources], width: int
) -> None:
    case = next(
        case for case in report if re.match(rf"sm_90  bfloat16 +{width} forward +causal +1", case)
    )
    assert "128x64/8/3" in case
    for kind, number in TUTORIAL[width].items():
        assert report[case].loop[kind] <= 1.1 * number


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
