"""What never ends is stopped, once, and nobody waits for it."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from notebook_judge.checks.clock import Clock, TimeLimitExceeded
from notebook_judge.grading import pool
from notebook_judge.grading.jobs import Job
from notebook_judge.grading.results import NotebookResult
from notebook_judge.grading.sandbox.isolation import LIMITS
from tests.fixtures import Patch
from tests.grading.fakes import RUN, notebook
from tests.grading.tiny_course import QUICK, RIGHT, Grade, statuses

PASSED = dict.fromkeys(RIGHT, "passed")
SLEEP = "def double(x):\n    time.sleep(10**6)"


@pytest.mark.parametrize("deed", [lambda: time.sleep(60), lambda: spin()])
def test_a_clock_tells_waiting_from_computing(deed: Any) -> None:
    clock = Clock(1.0, far=1.0)
    with pytest.raises(TimeLimitExceeded), clock.running():
        deed()
    assert clock.idle == (clock.spent < 0.5)


def spin() -> None:
    while True:
        pass


def test_a_notebook_has_so_long_by_the_clock(grade_cells: Grade) -> None:
    asleep = [SLEEP.replace("double", name) for name in list(RIGHT)[:3]]
    limits = replace(QUICK, notebook=8.0)
    began = time.monotonic()
    results = grade_cells(*asleep, RIGHT["ends"], limits=limits)
    assert time.monotonic() - began < 60
    assert set(statuses(results).values()) == {"timeout"}
    assert "took longer than 8 s by the clock" in results["ends"].headline


def test_what_timed_out_is_not_called_for_others(grade_cells: Grade) -> None:
    limits = replace(QUICK, exercise=8.0)
    results = grade_cells(
        SLEEP,
        "def total(x):\n    return double(x).sum(-1) / 2",
        "def weights(x):\n    return double(x)",
        RIGHT["ends"],
        limits=limits,
    )
    expected = {"double": "timeout", "total": "follows", "weights": "timeout", "ends": "passed"}
    assert statuses(results) == expected
    assert results["weights"].headline.startswith("it calls `tiny.double`")
    assert results["total"].seconds + results["weights"].seconds < results["double"].seconds


@pytest.mark.parametrize("interval", ["10", "10**6"])
def test_a_thread_that_keeps_the_processor_costs_no_other_cell(
    grade_cells: Grade, interval: str
) -> None:
    spins = f"""\
import threading
def spin():
    while True: pass
threading.Thread(target=spin, daemon=True).start()
sys.setswitchinterval({interval})"""
    assert statuses(grade_cells(spins, *RIGHT.values())) == PASSED


def test_the_hindered_wait_for_nobody(monkeypatch: Patch) -> None:
    """They are graded again beside the slowest; what came of them before is told, and not kept."""
    begun, kept = list[str](), list[str]()
    again = Event()

    def grading(path: Path, name: str, *_: object, **__: object) -> NotebookResult:
        begun.append(name)
        if name == "slow":
            assert again.wait(60), "the hindered waits for the slowest"
        if begun.count("hindered") == 2:
            again.set()
        return replace(notebook(name), hindered=name == "hindered" and begun.count(name) == 1)

    def keep(job: Job, result: NotebookResult) -> NotebookResult:
        kept.append(job.name)
        return result

    monkeypatch.setattr(pool, "grade_notebook", grading)
    jobs = [Job(Path(name), name, name) for name in ("hindered", "slow", "quick", "last")]
    told: Iterator[tuple[Job, NotebookResult]]
    told = pool.grade_all(jobs, replace(RUN, jobs=2), LIMITS, keep)
    results = [(job.name, result.hindered) for job, result in told]
    assert [hindered for name, hindered in results if name == "hindered"] == [True, False]
    assert sorted(kept) == ["hindered", "last", "quick", "slow"]
    assert begun.count("hindered") == 2


def test_who_is_hindered_twice_has_the_machine_alone_at_last(monkeypatch: Patch) -> None:
    begun = list[str]()
    twice = Event()

    def grading(path: Path, name: str, *_: object, **__: object) -> NotebookResult:
        begun.append(name)
        if name == "slow":
            assert twice.wait(60)
        if begun.count("hindered") == 2:
            twice.set()
        return replace(notebook(name), hindered=name == "hindered")

    monkeypatch.setattr(pool, "grade_notebook", grading)
    jobs = [Job(Path(name), name, name) for name in ("hindered", "slow")]
    told = list(pool.grade_all(jobs, replace(RUN, jobs=2), LIMITS, lambda job, result: result))
    assert begun.count("hindered") in (2, 3) and begun[-1] == "hindered"
    assert (told[-1][0].name, told[-1][1].hindered) == ("hindered", False)
    assert "was too busy" in told[-1][1].remark
