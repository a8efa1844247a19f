"""The command line: what it prints, what it writes, and how it ends."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.grading.tiny_course import RIGHT, save
from transformer_lesson.grading import cli
from transformer_lesson.grading.grade import NotebookResult

SOLUTION = Path(__file__).parents[2] / "solutions" / "02_self_attention.ipynb"


def test_a_class_is_graded_and_reported(
    tiny: None,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    long = "def total(x):\n    raise ValueError('" + "a long story " * 20 + "')"
    save(tmp_path / "class/anna/02.ipynb", [RIGHT["double"], long])
    save(tmp_path / "class/[b]ben/02.ipynb", ["def double(x):\n    ..."])
    (tmp_path / "class/[b]ben/zzz.ipynb").write_text("no notebook")
    out = tmp_path / "deep/out"

    code = cli.main(["grade", str(tmp_path / "class"), "--out", str(out), "--seed", "7"])

    printed, written = capsys.readouterr().out, json.loads((out / "grades.json").read_text())
    assert code == 0
    assert "\x1b" not in printed
    assert "[b]ben" in printed
    assert "unreadable: it is not JSON" in printed
    assert " ".join(printed.split()).count("a long story") >= 15
    assert "seed 7" in printed
    assert written["seed"] == 7
    ben, broken, anna = written["notebooks"]
    assert [e["status"] for e in ben["exercises"]] == ["not attempted"] * 4
    assert broken["status"] == "unreadable"
    assert [e["status"] for e in anna["exercises"][:3]] == ["passed", "error", "not attempted"]
    assert anna["points"] == 1
    assert (out / "gradescope/anna_02/results.json").exists()


def test_the_solution_of_a_lesson_gets_full_marks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["grade", str(SOLUTION), "--out", str(tmp_path)]) == 0
    (notebook,) = json.loads((tmp_path / "grades.json").read_text())["notebooks"]
    assert {e["status"] for e in notebook["exercises"]} == {"passed"}, capsys.readouterr().out
    assert notebook["points"] == notebook["max_points"] > 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["missing.ipynb"], "there is no file or folder 'missing.ipynb'"),
        (["empty"], "no notebook in 'empty'"),
        (["a.ipynb", "--out", "a.ipynb"], "cannot write to 'a.ipynb'"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    arguments: list[str],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    save(tmp_path / "a.ipynb", ())
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    assert cli.main(["grade", *arguments]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("seed", ["-1", "one", "1.5", str(2**63)])
def test_a_seed_that_is_none_is_refused(seed: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        cli.main(["grade", "x.ipynb", f"--seed={seed}"])
    assert stopped.value.code == 2
    assert f"'{seed}' is not a whole number" in capsys.readouterr().err


def test_an_interrupted_run_keeps_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(path: Path, name: str, seed: int) -> NotebookResult:
        if name == "b":
            raise KeyboardInterrupt
        return NotebookResult(name, str(path), "unreadable", "it is empty")

    for name in ("a", "b", "c"):
        save(tmp_path / f"{name}.ipynb", ())
    monkeypatch.setattr(cli, "grade", interrupted)
    out = tmp_path / "out"
    assert cli.main(["grade", str(tmp_path), "--out", str(out)]) == 130
    assert "Stopped: 1 of 3 notebooks graded" in capsys.readouterr().out
    assert len(json.loads((out / "grades.json").read_text())["notebooks"]) == 1


def test_a_fault_of_the_grader_is_shown_and_stops_no_other_notebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def faulty(path: Path, name: str, seed: int) -> NotebookResult:
        if name == "a":
            raise ZeroDivisionError("in the judge")
        return NotebookResult(name, str(path), "graded")

    for name in ("a", "b"):
        save(tmp_path / f"{name}.ipynb", ())
    monkeypatch.setattr(cli, "grade", faulty)
    assert cli.main(["grade", str(tmp_path), "--out", str(tmp_path / "out")]) == 1
    written = json.loads((tmp_path / "out/grades.json").read_text())
    assert [n["status"] for n in written["notebooks"]] == ["not graded", "graded"]
    assert "ZeroDivisionError: in the judge" in written["notebooks"][0]["reason"]
    assert "Traceback" in capsys.readouterr().err


def test_the_worker_module_does_not_load_the_references() -> None:
    code = (
        "import sys, transformer_lesson.grading.worker; "
        "sys.exit(any('checks' in name or name == 'IPython' for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
