"""Entries of the tile table compile without spilling a register, as the stored report says."""

import os
import re
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, cast

import pytest

pytest.importorskip("triton", reason="Triton exists for Linux alone")

from benchmarks.flash_compiled_gpu import Case, Resources, cases, fits
from transformer_lesson.flash.configs import Entry, Tiles

PRODUCTS_WAITED_FOR = {"forward": 1, "backward_keys": 2, "backward_queries": 1}
REPORT = Path(__file__).parents[2] / "benchmarks" / "results" / "flash-compiled.txt"


def read(line: str) -> tuple[str, Resources]:
    words = r"(.*\S) +(\d+) registers +(\d+) stack +(\d+) shared  (.*), loop: (.*), waits: ?(.*)"
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
        {"waits": "cp.async 0"},
        {"waits": "cp.async 2, wgmma 0, wgmma each"},
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
    forward round adds the last round's values meanwhile), and for the keys' gradients for that of
    the values too. The queries' gradients begin that one a round ahead.
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


def test_a_tile_costs_what_it_does_in_tritons_tutorial(report: dict[str, Resources]) -> None:
    """The work of a thread for each score."""
    theirs = [read(line) for line in REPORT.read_text().splitlines() if line[:11] == "tutorial sm"]
    for name, counted in theirs:
        _, capability, _, width, entry, _, tiles = name.split()
        case = Case(int(capability[3:]), "bfloat16", int(width), cast(Entry, entry), True, False)
        found, forward = report[str(case).strip()], entry == "forward"
        ours, its = case.tiles, Tiles(*map(int, re.split("[x/]", tiles)))
        size = ours.queries * ours.keys / ours.warps / (its.queries * its.keys / its.warps)
        kinds = ["mul", "ex2", *(["fma", "instructions"] if forward else [])]
        assert all(found.loop[kind] <= 1.1 * size * counted.loop[kind] for kind in kinds)
        assert found.waits.count("wgmma 0") <= counted.waits.count("wgmma 0")


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
    assert Tiles(16, 16, 4, 1, block).blocks(width) == blocks
    assert sum(blocks) == width


@pytest.mark.rare
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
