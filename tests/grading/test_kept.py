"""What a kept result depends on: what is not what it was is graded anew, all else is kept."""

import json
import os
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from notebook_judge.grading import jobs, pool, store, submissions
from notebook_judge.grading.jobs import Job, RunInfo
from notebook_judge.grading.limits import Limits
from notebook_judge.grading.results import NotebookResult
from notebook_judge.grading.sandbox import isolation
from notebook_judge.grading.sandbox.reading import Unreadable
from notebook_judge.grading.store import Store
from tests.grading.fakes import RUN, exercise, notebook
from tests.grading.tiny_course import save
from transformer_checks.cli import main

RIGHT = ["right = True"]


class Class:
    """A folder of a class, and the command that grades it: what says ``right`` has all points."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.graded = folder / "class", list[str]()
        self.out = folder / "out"
        self.meanwhile: Callable[[], object] = lambda: None

    def grading(self, path: Path, name: str, seed: int, **_: object) -> NotebookResult:
        self.graded.append(name)
        self.meanwhile()
        try:
            text = submissions.text_of(path)
        except Unreadable as unreadable:
            return notebook(name, path=str(path), reason=str(unreadable))
        right = [exercise(one, "passed") for one in ("double", "total")] if "right" in text else []
        result = notebook(name, *right, path=str(path))
        return replace(result, content=submissions.fingerprint(text))

    def grade(self, *options: str) -> dict[str, tuple[float, str]]:
        """Points, and why there are none, by the place of each file."""
        self.graded.clear()
        main(["grade", str(self.folder), "--out", str(self.out), "--isolation", "limits", *options])
        found = json.loads((self.out / "grades.json").read_text())["notebooks"]
        return {
            os.path.relpath(one["path"], self.folder): (one["points"], one["reason"])
            for one in found
        }


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Class:
    """A class in which anna is right; ben's is there so that she has a folder of her own."""
    held = Class(tmp_path)
    monkeypatch.setattr(pool, "grade_notebook", held.grading)
    monkeypatch.setattr(isolation, "_as_superuser", lambda: False)
    save(held.folder / "anna/x.ipynb", RIGHT)
    save(held.folder / "ben/x.ipynb", ["wrong = True"])
    return held


def _linked_file(name: str, folder: Path) -> None:
    (folder / f"{name}/x.ipynb").symlink_to(folder / "anna/x.ipynb")


def _linked_folder(name: str, folder: Path) -> None:
    (folder / f"{name}/deep").symlink_to(folder / "anna")


def _pipe(name: str, folder: Path) -> None:
    os.mkfifo(folder / f"{name}/x.ipynb")


def _closed(name: str, folder: Path) -> None:
    save(folder / f"{name}/x.ipynb", RIGHT).chmod(0)


def _empty(name: str, folder: Path) -> None:
    (folder / f"{name}/x.ipynb").touch()


def _no_notebook(name: str, folder: Path) -> None:
    save(folder / f"{name}/x.docx", RIGHT)


def _broken_link(name: str, folder: Path) -> None:
    (folder / f"{name}/x.ipynb").symlink_to(folder / "nowhere")


REFUSED: dict[Callable[[str, Path], None], str] = {
    _linked_file: "it is a link; hand in the file itself",
    _linked_folder: "it is a link to a folder; hand in the folder itself",
    _broken_link: "it is a link; hand in the file itself",
    _pipe: "it is no regular file",
    _closed: "it cannot be opened: Permission denied",
    _empty: "it is empty",
    _no_notebook: "it is no notebook",
}


@pytest.mark.parametrize("name", ["a first", "z last"])
@pytest.mark.parametrize("kind", REFUSED)
def test_what_cannot_be_graded_says_why_and_costs_nobody_else(
    own: Class, name: str, kind: Callable[[str, Path], None]
) -> None:
    if kind is _closed and os.geteuid() == 0:
        pytest.skip("the superuser can read every file")
    (own.folder / name).mkdir()
    kind(name, own.folder)
    (own.folder / name / "notes.zip").touch()  # another reason, behind the one that is tried
    for _ in range(2):
        found = own.grade()
        theirs = {place: got for place, got in found.items() if place.startswith(name)}
        assert sorted(theirs.values()) == sorted(
            [(0, REFUSED[kind]), (0, "it is an archive; unpack it")]
        )
        assert (found["anna/x.ipynb"], found["ben/x.ipynb"]) == ((4, ""), (2, ""))
    assert not {"anna_x", "ben_x"} & set(own.graded)  # kept


@pytest.mark.parametrize("again", ["copied", "linked hard"])
def test_two_that_say_the_same_have_a_result_each(own: Class, again: str) -> None:
    (own.folder / "cem").mkdir()
    if again == "copied":
        save(own.folder / "cem/x.ipynb", RIGHT)
    else:
        os.link(own.folder / "anna/x.ipynb", own.folder / "cem/x.ipynb")
    for graded in (["anna_x", "ben_x", "cem_x"], []):
        assert own.grade("--jobs", "1")["cem/x.ipynb"] == (4, "")
        assert own.graded == graded
    kept = list((own.out / ".kept").glob("?" * 64 + ".json"))
    assert len(kept) == 3
    assert {json.loads(one.read_text())["result"]["name"] for one in kept} == {
        *("anna_x", "ben_x", "cem_x")
    }


def test_a_new_name_or_place_grades_nothing_again(own: Class) -> None:
    own.grade()
    (own.folder / "anna/x.ipynb").rename(own.folder / "anna/y.ipynb")
    (own.folder / "ben").rename(own.folder / "zoe")
    save(own.folder / "zoe/of_another_form.docx", ())
    for _ in range(2):
        assert own.grade()["anna/y.ipynb"] == (4, "")
        assert own.graded == []


def test_what_changes_while_it_is_graded_is_kept_as_what_was_judged(own: Class) -> None:
    path = own.folder / "anna/x.ipynb"
    own.meanwhile = lambda: save(path, ["wrong = 'for a while'"])
    assert own.grade("--jobs", "1")["anna/x.ipynb"] == (2, "")
    own.meanwhile = lambda: None
    save(path, RIGHT)
    assert own.grade()["anna/x.ipynb"] == (4, "")
    assert own.graded == ["anna_x"]


JOB = Job(Path("class/anna/x.ipynb"), "anna_x", "a fingerprint")
RESULT = replace(notebook("anna_x", path="class/anna/x.ipynb"), content=JOB.content)
OTHER_LIMITS = {
    f"limit {name}": replace(RUN, limits=Limits(**asdict(Limits()) | {name: 2 * value}))
    for name, value in asdict(Limits()).items()
}
OTHER_RUNS = OTHER_LIMITS | {
    "seed": replace(RUN, seed=8),
    "isolation": replace(RUN, isolation="limits"),
    "lesson": replace(RUN, lesson="99_tiny"),
    "carried": replace(RUN, carried=0.5),
}
SAME_RUNS = {
    "time": replace(RUN, time="2031-01-01T00:00:00+00:00"),
    "jobs": replace(RUN, jobs=4),
    "expected": replace(RUN, expected=99, taken_over=7, seconds=3.0),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that holds one result, of version 1 and packages 1."""
    monkeypatch.setattr(store, "exercise_version", lambda *_: "version 1")
    monkeypatch.setattr(store, "installed", lambda: "packages 1")
    with Store(tmp_path) as held:
        held.keep(RUN, JOB, RESULT)
    return tmp_path


@pytest.mark.parametrize("run", OTHER_RUNS.values(), ids=OTHER_RUNS)
def test_under_other_circumstances_there_is_no_result(folder: Path, run: RunInfo) -> None:
    with Store(folder) as held:
        assert held.find(run, [JOB]) == {}
        assert held.find(RUN, [replace(JOB, content="another")]) == {}
        assert held.find(RUN, [replace(JOB, content="")]) == {}
        assert held.find(RUN, [JOB]) == {JOB: RESULT}


@pytest.mark.parametrize("run", SAME_RUNS.values(), ids=SAME_RUNS)
def test_what_changes_no_points_changes_no_result(folder: Path, run: RunInfo) -> None:
    elsewhere = replace(JOB, path=Path("class/ben/y.ipynb"), name="ben_y", learner="ben")
    with Store(folder) as held:
        assert held.find(run, [JOB]) == {JOB: RESULT}
        moved = held.find(run, [elsewhere])[elsewhere]
    assert moved == replace(RESULT, name="ben_y", path="class/ben/y.ipynb")


@pytest.mark.parametrize(
    ("what", "says"),
    [
        ("exercise_version", "the exercises of anna_x have changed since it was graded"),
        ("installed", "the packages of this machine have changed since anna_x was graded"),
    ],
)
def test_other_exercises_or_packages_grade_anew_and_move_no_points_unasked(
    folder: Path, monkeypatch: pytest.MonkeyPatch, what: str, says: str
) -> None:
    monkeypatch.setattr(store, what, lambda *_: "another")
    better = replace(RESULT, exercises=tuple(exercise(n, "passed") for n in ("double", "total")))
    with Store(folder) as held:
        assert held.find(RUN, [JOB]) == {}
        assert held.keep(RUN, JOB, better) == RESULT
        assert held.changes == {
            "anna_x": f"{says}; with --accept its points change: tiny.total 0 → 2"
        }
    with Store(folder, accept=True) as held:
        assert held.find(RUN, [JOB]) == {JOB: better}
        assert held.changes == {}


def test_other_packages_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(**packages: str) -> str:
        there = [SimpleNamespace(name=name, version=of) for name, of in packages.items()]
        monkeypatch.setattr(jobs, "distributions", lambda: there)
        return jobs.installed.__wrapped__()

    one = version(torch="2", einops="1")
    assert version(einops="1", torch="2") == one
    assert len({one, version(torch="3", einops="1"), version(torch="2")}) == 3


def test_the_same_exercises_and_packages_have_not_changed(folder: Path) -> None:
    """Where a notebook is graded twice all the same, the later result counts, and says nothing."""
    worse = replace(RESULT, exercises=(exercise("double"), exercise()))
    with Store(folder) as held:
        assert held.keep(RUN, JOB, worse) == worse
        assert held.changes == {}


@pytest.mark.parametrize("status", ["unreadable", "not graded"])
def test_only_what_was_graded_is_kept(folder: Path, status: str) -> None:
    other = replace(JOB, name="ben_x", content="of ben")
    with Store(folder) as held:
        refused = replace(notebook("ben_x", reason="it is a link"), status=status)
        held.keep(RUN, other, replace(refused, content=other.content))
        assert held.find(RUN, [other]) == {}
