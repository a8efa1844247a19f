"""Save, and see the first thing that is wrong."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from notebook_judge.grading.results import ExerciseResult, NotebookResult
from notebook_judge.learning import watch
from notebook_judge.learning.record import FOLDER, Record
from tests.fixtures import Capture, Patch
from tests.learning.conftest import LESSON, ROOT, Answer
from transformer_checks.cli import main


def result(*statuses: str) -> NotebookResult:
    names = ("attention.softmax", "attention.scores", "attention.attend")
    said = (1, "the slip", "what now?", "", "with 1")
    exercises = tuple(
        ExerciseResult(name, "", status, int(status == "passed"), *said)
        for name, status in zip(names, statuses, strict=True)
    )
    return NotebookResult("n", "n", "graded", lesson=LESSON, exercises=exercises)


@pytest.fixture
def results(monkeypatch: Patch) -> list[NotebookResult]:
    """What the grader says, save after save; then Ctrl-C."""
    said: list[NotebookResult] = []

    def grade(*_: object) -> NotebookResult:
        if not said:
            raise KeyboardInterrupt
        return said.pop(0)

    monkeypatch.setattr("notebook_judge.grading.grader.grade_notebook", grade)
    monkeypatch.setattr(watch, "watch_files", lambda find: iter(list(find()) * 9))
    return said


def test_it_shows_one_failure_at_a_time_and_keeps_what_passed(
    notebook: Path, results: list[NotebookResult], capsys: Capture
) -> None:
    results += [result("passed", "wrong", "error"), result("passed", "passed", "not attempted")]
    assert main(["watch", str(notebook)]) == 0
    first, second, end = capsys.readouterr().out.split("Waiting for the next save. Ctrl-C ends.")
    assert "1 of 3 passed, 1 of 3 points" in first
    assert "passed: attention.softmax\n" in first
    assert "attention.scores: wrong\nThe slip.\nWhat now?\nwith 1\n" in first
    assert "Stuck? transformer-lesson hint attention.scores" in first
    assert "attention.attend" not in first
    assert "attention.attend: not attempted" in second
    assert "Stopped watching." in end
    entry = Record(notebook.parent).entry
    assert [entry(f"attention.{name}").state for name in ("scores", "attend")] == ["done", "open"]


def test_when_all_pass_it_names_the_next_lesson(
    notebook: Path, results: list[NotebookResult], capsys: Capture
) -> None:
    results += [result("passed", "passed", "passed")]
    assert main(["watch", "2"]) == 0
    assert "All 3 exercises pass. Next lesson: 03_multi" in capsys.readouterr().out


def test_it_says_once_that_nothing_can_be_kept(
    notebook: Path, results: list[NotebookResult], capsys: Capture
) -> None:
    (notebook.parent / FOLDER).write_text("a file in the way")
    results += [result("passed", "wrong", "error")] * 2
    assert main(["watch", str(notebook)]) == 0
    assert capsys.readouterr().out.count("Progress cannot be kept") == 1


def test_a_notebook_that_is_none_is_said_and_waited_for(notebook: Path, capsys: Capture) -> None:
    notebook.write_text("{")
    out = watch.console()
    watch._check(out, notebook, set())
    assert "It cannot be checked: it is not JSON" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "words"),
    [("nowhere/x.ipynb", "there is no notebook"), ("99", "no exercises belong to a lesson '99'")],
)
def test_what_cannot_be_watched_is_said(
    course: Path, capsys: Capture, name: str, words: str
) -> None:
    assert main(["watch", name]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.rare
@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent another way on Windows")
def test_from_save_to_ctrl_c(course: Path, notebook: Path, answer: Answer, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("w") as sink:
        process = subprocess.Popen(
            [sys.executable, "-u", "-m", "transformer_checks.cli", "watch", str(notebook)],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=sink,
            stderr=sink,
        )
        try:
            shows(log, "attention.softmax: not attempted")
            answer("attention-softmax", "def softmax(scores):\n    return scores.exp()")
            shows(log, "attention.softmax: wrong")
            answer("attention-softmax", "solution")
            shows(log, "attention.scores: not attempted")
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == 0
        finally:
            process.kill()
    text = log.read_text()
    assert "1 of 9 passed, 1 of 16 points" in text
    assert text.endswith("`transformer-lesson exercises` lists what is done.\n")
    assert "Traceback" not in text
    assert Record(notebook.parent).entry("attention.softmax").state == "done"


def shows(log: Path, words: str) -> None:
    deadline = time.monotonic() + 90
    while words not in log.read_text() or not log.read_text().endswith("Ctrl-C ends.\n"):
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.1)
