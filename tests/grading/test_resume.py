"""An interrupted run goes on where it stopped, and loses nothing that was finished."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import psutil
import pytest

from notebook_judge.grading import pool
from notebook_judge.grading.jobs import Job
from notebook_judge.grading.results import NotebookResult
from notebook_judge.grading.sandbox import isolation
from notebook_judge.grading.store import Store
from tests.grading.fakes import RUN, fake_grading, notebook
from tests.grading.tiny_course import save
from transformer_checks.cli import main

ROOT = Path(__file__).parents[2]


@dataclass
class Course:
    """A class of four notebooks and the command that grades it."""

    folder: Path
    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]
    graded: list[str] = field(default_factory=list)
    better: str = ""  # who is right in all

    @property
    def out(self) -> Path:
        return self.folder / "out"

    def grade(
        self, *options: str, stop_at: str = "", fault: BaseException | None = None
    ) -> tuple[int, list[str], str]:
        """Run the command; return its code, whom it really graded, and what it said."""

        def before(name: str) -> None:
            if name == stop_at:
                raise fault or KeyboardInterrupt

        self.graded.clear()
        self.monkeypatch.setattr(
            pool, "grade_notebook", fake_grading(self.graded, before, self.better)
        )
        arguments = ["grade", str(self.folder / "class"), "--out", str(self.out), "--jobs", "1"]
        code = main([*arguments, "--isolation", "limits", *options])
        said = self.capsys.readouterr()
        return code, list(self.graded), said.out + said.err

    def report(self) -> dict:
        return json.loads((self.out / "grades.json").read_text())

    def names(self) -> list[str]:
        return [one["name"] for one in self.report()["notebooks"]]


@pytest.fixture
def course(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Course:
    for name in "dbca":
        save(tmp_path / f"class/{name}.ipynb", [f"name = {name!r}"])
    monkeypatch.setattr(isolation, "choose", lambda name="auto": isolation.LIMITS)
    return Course(tmp_path, monkeypatch, capsys)


def test_an_interrupted_run_goes_on(course: Course) -> None:
    code, graded, said = course.grade(stop_at="c")
    assert (code, graded) == (130, ["a", "b"])
    assert "Stopped: 2 of 4 notebooks graded. Their reports are in" in said
    before = course.report()
    assert (course.names(), before["finished"]) == (["a", "b"], False)
    assert "2 notebooks of 4 are still to be graded" in (course.out / "index.html").read_text()

    code, graded, said = course.grade()
    assert (code, graded) == (0, ["c", "d"])
    assert "2 of 4 were graded before" in said
    after = course.report()
    assert (course.names(), after["finished"], after["taken_over"]) == (list("abcd"), True, 2)
    assert after["seed"] == before["seed"]
    assert after["notebooks"][:2] == before["notebooks"]


def test_what_has_changed_is_graded_again(course: Course) -> None:
    course.grade(stop_at="d")
    save(course.folder / "class/b.ipynb", ["name = 'another'"])
    assert course.grade()[:2] == (0, ["b", "d"])


@pytest.mark.parametrize("options", [("--limit", "memory=4000000000"), ("--fresh",)])
def test_under_other_circumstances_everything_is_graded_again(
    course: Course, options: tuple[str, ...]
) -> None:
    course.grade(stop_at="d")
    assert course.grade(*options)[:2] == (0, list("abcd"))


def test_a_wrong_seed_does_not_lose_the_interrupted_run(course: Course) -> None:
    course.grade("--seed", "11", stop_at="d")
    course.grade("--seed", "12", stop_at="b")
    assert course.grade("--seed", "11")[:2] == (0, ["d"])


def test_comments_and_late_files_cost_nothing_and_move_nobody(course: Course) -> None:
    course.grade()
    before = course.report()
    by_hand = course.folder / "by_hand.csv"
    by_hand.write_text("learner,exercise,points,comment\na,attention.softmax,,Well tried.\n")
    assert course.grade("--overrides", str(by_hand))[1] == []
    save(course.folder / "class/late.ipynb", ["late = True"])
    assert course.grade()[:2] == (0, ["late"])
    after = course.report()
    assert after["seed"] == before["seed"]
    assert after["notebooks"][:4] == before["notebooks"]
    assert course.grade("--fresh")[1] == [*"abcd", "late"]
    assert course.report()["seed"] != before["seed"]


def test_new_exercises_say_whose_points_they_would_change(course: Course) -> None:
    course.grade()
    before = course.report()["notebooks"]
    for module in ("store", "cli"):
        name = f"notebook_judge.grading.{module}.exercise_version"
        course.monkeypatch.setattr(name, lambda lesson, seed: "new")
    course.better = "b"
    for graded in (list("abcd"), []):
        code, really, said = course.grade()
        assert (code, really) == (0, graded)
        assert "exercises of b have changed since it was graded" in said
        assert "change: tiny.total 0 → 2." in said
        assert course.report()["notebooks"] == before
    assert course.grade("--accept")[1] == []
    assert [one["points"] for one in course.report()["notebooks"]] == [2, 4, 2, 2]


def test_a_run_leaves_no_reports_of_notebooks_that_it_does_not_have(course: Course) -> None:
    course.grade()
    mine = course.out / "feedback/notes.html"
    mine.write_text("a teacher's own")
    (course.folder / "class/a.ipynb").unlink()
    save(course.folder / "class/e.ipynb", ())
    course.grade(stop_at="e")
    assert (course.out / "feedback/a.html").exists()
    course.grade()
    pages = {path.stem for path in (course.out / "feedback").iterdir()}
    assert pages == {*"bcde", "notes"}
    assert {path.name for path in (course.out / "gradescope").iterdir()} == set("bcde")


def test_where_the_grader_failed_the_next_run_tries_again(course: Course) -> None:
    code, _, said = course.grade(stop_at="b", fault=ZeroDivisionError("\x1b[31m oh"))
    assert code == 1
    assert "The grader failed on 1 of 4 notebooks" in said
    assert "Traceback" in said
    assert "ZeroDivisionError" in course.report()["notebooks"][1]["reason"]
    assert [one["status"] for one in course.report()["notebooks"]] == [
        *("graded", "not graded", "graded", "graded")
    ]
    assert "\x1b" not in said
    assert not course.report()["finished"]
    assert not (course.out / "gradescope/b").exists()
    assert course.grade()[:2] == (0, ["b"])
    assert (course.out / "gradescope/b").exists()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"name": 1}', '{"exercises": [{}]}'])
def test_a_damaged_result_is_graded_again(course: Course, text: str) -> None:
    course.grade(stop_at="c")
    for stored in (course.out / ".kept").glob("?" * 64 + ".json"):
        stored.write_text(text)
    assert course.grade()[:2] == (0, list("abcd"))


def test_a_full_disk_loses_nothing_that_was_finished(course: Course) -> None:
    replacing, stored = os.replace, list[Path]()

    def until_full(source: Path, target: Path) -> None:
        stored.extend([target] if len(target.stem) == 64 else [])
        if len(stored) > 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replacing(source, target)

    with course.monkeypatch.context() as full:
        full.setattr(os, "replace", until_full)
        code, _, said = course.grade()
    assert code == 1
    assert f"cannot write to {str(course.out)!r}: No space left on device. What was" in said
    assert not list(course.out.rglob("*.new"))
    assert course.grade()[:2] == (0, ["c", "d"])
    assert course.names() == list("abcd")


def test_two_runs_do_not_write_into_one_folder(course: Course) -> None:
    with Store(course.out):
        code, graded, said = course.grade()
    assert (code, graded) == (2, [])
    assert "another run is writing into it. Choose another --out" in said


def test_the_time_for_a_notebook_does_not_grow_with_the_class(tmp_path: Path) -> None:
    """Bytes, which a busy machine does not change: three times the class, three times the work."""

    def written(count: int) -> int:
        total = 0

        class Counting(Store):
            def write(self, name: str, text: str | bytes) -> None:
                nonlocal total
                total += len(text)
                super().write(name, text)

        with Counting(tmp_path / str(count)) as folder:
            for number in range(count):
                job = Job(Path(f"{number}.ipynb"), f"n{number:03}", "content")
                folder.keep(RUN, job, replace(notebook(job.name), content=job.content))
        return total

    assert written(90) == pytest.approx(3 * written(30), rel=0.01)


KILLED = """\
import sys, time
sys.path.insert(0, {root!r})
from tests.grading.fakes import fake_grading
from transformer_checks.cli import main
from notebook_judge.grading import pool
from notebook_judge.grading.sandbox import isolation

pool.grade_notebook = fake_grading([], lambda name: time.sleep(0.02))
isolation._as_superuser = lambda: False
sys.exit(main(["grade", "class", "--out", "out", "--jobs", "3", "--isolation", "limits"]))
"""


def _started(command: list[str], folder: Path) -> subprocess.Popen[str]:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def _waited_for(condition: Callable[[], bool], seconds: float = 120.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "nothing happened in time"
        time.sleep(0.01)


def test_kill_9_loses_nothing_and_leaves_no_half_file(tmp_path: Path) -> None:
    for number in range(60):
        save(tmp_path / f"class/{number:02}.ipynb", [f"number = {number}"])
    command = [sys.executable, "-c", KILLED.format(root=str(ROOT))]
    out = tmp_path / "out"

    def stored() -> list[Path]:
        return list((out / ".kept").glob("?" * 64 + ".json"))

    first = _started(command, tmp_path)
    _waited_for(lambda: len(stored()) >= 12)
    first.kill()
    first.wait()
    kept = stored()
    assert 12 <= len(kept) < 60
    for file in out.rglob("*.json"):
        json.loads(file.read_text())
    assert all(p.read_text().endswith("</html>\n") for p in out.rglob("*.html"))

    second = _started(command, tmp_path)
    said = second.communicate()[0]
    assert second.returncode == 0, said
    assert f"{len(kept)} of 60 were graded before." in said
    names = [one["name"] for one in json.loads((out / "grades.json").read_text())["notebooks"]]
    assert names == [f"{number:02}" for number in range(60)]


@pytest.fixture
def endless(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """The real command on two notebooks, of which the second never ends."""
    save(tmp_path / "class/a.ipynb", ["def softmax(scores):\n    return scores"])
    save(tmp_path / "class/b.ipynb", ["def softmax(scores): ...", "while True:\n    pass"])
    command = [sys.executable, "-m", "transformer_checks.cli", "grade", "class", "--out", "out"]
    process = _started([*command, "--jobs", "2"], tmp_path)
    yield process
    process.kill()
    process.communicate()


def _is_alive(process: psutil.Process) -> bool:
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE


def test_ctrl_c_ends_the_workers_at_once(tmp_path: Path, endless: subprocess.Popen[str]) -> None:
    out = tmp_path / "out"
    _waited_for(lambda: (out / "grades.json").exists() or endless.poll() is not None)
    family = psutil.Process(endless.pid).children(recursive=True)
    assert family
    sent = time.monotonic()
    endless.send_signal(signal.SIGINT)
    said = endless.communicate(timeout=20)[0]
    assert time.monotonic() - sent < 15
    assert endless.returncode == 130, said
    assert "Stopped: 1 of 2 notebooks graded" in said
    assert "Traceback" not in said
    _waited_for(lambda: not any(map(_is_alive, family)), 10)
    results: list[NotebookResult] = json.loads((out / "grades.json").read_text())["notebooks"]
    assert len(results) == 1
