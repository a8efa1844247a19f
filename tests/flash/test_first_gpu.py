"""The command for the first minutes on a GPU, tried where there is none."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.first_gpu import Report, Row

ROOT = Path(__file__).parents[2]
# A machine with a GPU may have PyTorch, Triton and NumPy alone.
BARE = """
import runpy, sys
for name in "psutil tokenizers jupyterlab IPython anywidget matplotlib pandas rich pytest".split():
    sys.modules[name] = None
sys.argv = ["first_gpu", *sys.argv[1:]]
runpy.run_module("benchmarks.first_gpu", run_name="__main__")
"""
STEPS = ["device", "compile all", "correctness", "limits", "speed", "decoding", "plain", "search"]


def started(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", BARE, *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900)


@pytest.mark.rare
@pytest.mark.skipif(sys.platform != "linux", reason="Triton is made for Linux")
def test_a_dry_run_goes_through_every_step(tmp_path: Path) -> None:
    done = started("--dry", "--minutes", "12", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    rows = json.loads((tmp_path / "first-gpu-dry-run.json").read_text())
    assert list(dict.fromkeys(row["step"] for row in rows)) == STEPS
    assert [row for row in rows if "error" in row or row.get("right") is False] == []
    assert any("as it is" in row["what"] for row in rows)
    compiled = next(row["what"] for row in rows if "do not spill" in row["what"])
    assert not compiled.startswith("0 of")


def test_without_a_gpu_nothing_is_measured(tmp_path: Path) -> None:
    done = started("--out", str(tmp_path))
    assert done.returncode == 0
    assert "No GPU here" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_fault_is_a_row_and_the_next_step_runs(tmp_path: Path) -> None:
    def breaks(report: Report) -> Iterator[tuple[str, Row]]:
        yield "before", {"measured": 1.0}
        raise RuntimeError("out of luck")

    def goes_on(report: Report) -> Iterator[tuple[str, Row]]:
        yield "after", {"rival": float("nan")}

    report = Report(tmp_path, "some", 60)
    report.run(breaks, "breaks")
    report.run(goes_on, "goes on")
    rows = json.loads((tmp_path / "some.json").read_text())
    assert [row["what"] for row in rows] == ["before", "failed", "after"]
    assert rows[1]["error"] == "RuntimeError: out of luck"
    assert rows[2]["rival"] is None
    assert len((tmp_path / "some.txt").read_text().splitlines()) == 3


def test_what_was_known_when_the_time_was_up_is_kept(tmp_path: Path) -> None:
    def long(report: Report) -> Iterator[tuple[str, Row]]:
        for number in range(100):
            time.sleep(0.02)
            yield f"{number}", {}

    report = Report(tmp_path, "some", 0.1)
    report.run(long, "long")
    report.run(long, "long")
    rows = json.loads((tmp_path / "some.json").read_text())
    assert 1 < len(rows) < 100
    assert [row["what"] for row in rows[-2:]] == [
        "stopped here: the time is up",
        "not begun: the time is up",
    ]
