"""Entries of the tile table compile without spilling a register, as the stored report says."""

import os
import re
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("triton", reason="Triton exists for Linux alone")

from benchmarks.flash_compiled_gpu import Case, Resources, cases, fits
from transformer_lesson.flash import configs

PRODUCTS_WAITED_FOR = {"forward": 1, "backward_keys": 2, "backward_queries": 2}
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


def without(what: Resources, **changes: Any) -> Resources:
    counts = {kind: changes.pop(kind, number) for kind, number in what.loop.items()}
    return replace(what, loop=counts, **changes)


@pytest.mark.parametrize(
    "worse",
    [
        {"stack": 8},
        {"shared": 300_000},
        {"mul": 99},
        {"bytes": 40_000},
        {"waits": "cp.async 0, wgmma 0"},
    ],
    ids=str,
)
def test_what_exceeds_its_budget_does_not_fit(
    report: dict[str, Resources], worse: dict[str, Any]
) -> None:
    case = Case(90, "bfloat16", 128, "forward", True, False)
    assert not fits(case, without(report[str(case).strip()], **worse))


def test_products_and_addresses_on_hopper(report: dict[str, Resources]) -> None:
    """Tensor cores starve on products of 16 columns; addresses cost two products a tile.

    Triton waits for a product whose result is used in the same round: for that of the scores (a
    forward round adds the last round's values meanwhile), and backward for that of the values too.
    """
    for width, (entry, waited_for) in product((64, 128), PRODUCTS_WAITED_FOR.items()):
        case = f"sm_90  bfloat16 {width:3} {entry} "
        found = [what for kind, what in report.items() if kind.startswith(case)]
        assert len(found) == 4
        for what in found:
            assert what.waits.count("wgmma 0") == waited_for
            kind, *columns = what.products.split()
            assert kind == "wgmma" and columns and "n16" not in columns
            assert what.loop["mul64"] <= 2


# Of one thread, in a loop without masks with the arithmetic of Triton's tutorial, written anew and
# compiled by Triton 3.7.1: causal, bfloat16, tiles of 128 x 64, eight warps, three stages, for
# capability 9.0.
TUTORIAL = {
    64: {"mul": 34, "fma": 34, "ex2": 34, "instructions": 298},
    128: {"mul": 66, "fma": 34, "ex2": 34, "instructions": 337},
}


@pytest.mark.parametrize("width", TUTORIAL)
def test_a_forward_tile_costs_what_it_does_in_tritons_tutorial(
    report: dict[str, Resources], width: int
) -> None:
    case = str(Case(90, "bfloat16", width, "forward", True, False)).strip()
    assert case.endswith("128x64/8/3")
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
