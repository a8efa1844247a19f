"""The learner's commands as they are typed."""

import io
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from notebook_judge.learning import paths
from notebook_judge.learning.record import FOLDER, Record
from tests.fixtures import Capture, Patch
from tests.learning.conftest import LESSON, Answer, source
from transformer_checks.cli import main


def typing(monkeypatch: Patch, words: str) -> None:
    """As if somebody typed ``words`` in a terminal."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(words))
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)


def test_the_list_says_what_is_done_and_what_is_next(course: Path, capsys: Capture) -> None:
    record = Record(course / "exercises")
    record.note_status("attention.softmax", "passed")
    record.note_status("attention.scores", "wrong")
    assert main(["exercises", "2"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    text = [" ".join(line) for line in lines]
    assert text[0].startswith("02 self attention 1 of 9 done, 1 of 16 points")
    assert text[1] == "done 1 attention.softmax Softmax that does not overflow 1 point 5 min"
    assert text[2] == "> tried 2 attention.scores Scaled scores 1 point 5 min"
    assert text[3].startswith("open 3 attention.attend")
    assert "1 of 9 exercises done, 1 of 16 points." in text
    assert f"Next: attention.scores, exercise 2 in exercises/{LESSON}.ipynb, tried" in text[-2]
    assert text[-1] == "Stuck? transformer-lesson hint attention.scores"


def test_the_list_of_the_course_goes_on_in_the_lesson_worked_on(
    course: Path, capsys: Capture
) -> None:
    Record(course / "exercises").note_status("attention.softmax", "passed")
    assert main(["exercises"]) == 0
    text = capsys.readouterr().out
    assert "01 tokens and embeddings" in text and "09 flash attention" in text
    assert "Next: attention.scores" in text


def test_hints_come_in_turn_across_runs(course: Path, capsys: Capture) -> None:
    titles, ends = [], []
    for extra in ([], [], ["1"], [], []):
        assert main(["hint", "softmax", *extra]) == 0
        lines = capsys.readouterr().out.splitlines()
        titles.append(lines[0])
        ends.append(lines[-1])
    assert titles == [f"attention.softmax: hint {number} of 3" for number in (1, 2, 1, 3, 3)]
    more = [f"{number} more: ask for a hint again." for number in (2, 1, 2)]
    assert ends == [*more, *["That was the last hint."] * 2]
    assert main(["hint", "softmax", "4"]) == 2
    assert "has hints 1 to 3; there is no hint 4" in capsys.readouterr().err
    shutil.rmtree(course / "exercises" / FOLDER)
    (course / "exercises" / FOLDER).write_text("a file in the way")
    assert main(["hint", "softmax"]) == 0
    said = capsys.readouterr()
    assert "hint 1 of 3" in said.out and said.err.count("Progress cannot be kept") == 1


def test_reset_asks_copies_and_forgets(
    course: Path, notebook: Path, answer: Answer, monkeypatch: Patch, capsys: Capture
) -> None:
    answer("attention-softmax", "mine = 1")
    Record(notebook.parent).note_status("attention.softmax", "passed")
    typing(monkeypatch, "n\n")
    assert main(["reset", "softmax"]) == 1
    assert source(notebook, "attention-softmax") == "mine = 1"
    typing(monkeypatch, "y\n")
    assert main(["reset", "softmax"]) == 0
    said = capsys.readouterr().out
    (copy,) = notebook.parent.glob("*copy_*.ipynb")
    assert copy.name in said and "Reload Notebook from Disk" in said
    assert "raise NotImplementedError()" in source(notebook, "attention-softmax")
    assert Record(notebook.parent).entry("attention.softmax").state == "open"
    assert main(["reset", "softmax"]) == 0
    assert "is empty already" in capsys.readouterr().out
    assert len(list(notebook.parent.glob("*copy_*"))) == 1


def test_scripts_must_say_yes(
    notebook: Path, answer: Answer, monkeypatch: Patch, capsys: Capture
) -> None:
    answer("attention-softmax", "mine = 1")
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    for command in ("reset", "solution"):
        assert main([command, "softmax"]) == 2
        assert f"{command} attention.softmax --yes" in capsys.readouterr().err
    assert source(notebook, "attention-softmax") == "mine = 1"
    assert main(["reset", "softmax", "--yes"]) == 0


def test_the_solution_is_free_after_passing(
    course: Path, monkeypatch: Patch, capsys: Capture
) -> None:
    typing(monkeypatch, "\n")
    assert main(["solution", "softmax"]) == 1
    said = capsys.readouterr().out
    assert "attention.softmax has not passed yet. 3 hints left. Show the solution" in said
    assert "def softmax" not in said
    Record(course / "exercises").note_status("attention.softmax", "passed")
    assert main(["solution", "softmax"]) == 0
    assert capsys.readouterr().out.startswith("def softmax(scores: Tensor) -> Tensor:\n")


@pytest.mark.parametrize("command", ["hint", "reset", "solution"])
def test_an_unknown_name_is_answered_with_the_nearest(
    course: Path, capsys: Capture, command: str
) -> None:
    assert main([command, "sofmax"]) == 2
    said = capsys.readouterr().err
    assert "there is no exercise 'sofmax'. Did you mean" in said and "attention.softmax" in said
    assert len(said.splitlines()) == 1


def test_missing_notebooks_and_solutions_are_named(
    course: Path, notebook: Path, monkeypatch: Patch, capsys: Capture
) -> None:
    monkeypatch.setattr(paths, "course", lambda: SimpleNamespace(home=course / "nowhere"))
    (course / f"solutions/{LESSON}.ipynb").unlink()
    for words in (["solution", "softmax", "--yes"], ["reset", "softmax", "--yes"]):
        assert main(words) == 2
        said = capsys.readouterr().err
        assert "is missing: the course's own answers" in said and "need a clone" in said
    assert main(["reset", "heads.split", "--yes"]) == 2
    assert "03_multi_head_attention.ipynb is missing. Did you rename it?" in capsys.readouterr().err
    notebook.unlink()
    assert main(["exercises"]) == 2
    assert "come with a clone of the course: go to its folder, or name" in capsys.readouterr().err


@pytest.mark.parametrize("inside", [".", "exercises", "notebooks", "solutions"])
def test_it_finds_the_exercises_from_anywhere_in_the_course(
    course: Path, monkeypatch: Patch, inside: str
) -> None:
    (course / "notebooks").mkdir()
    (course / f"notebooks/{LESSON}.ipynb").write_text("{}")
    monkeypatch.chdir(course / inside)
    assert paths.exercises_folder().resolve() == (course / "exercises").resolve()


def test_a_folder_of_ones_own(course: Path, tmp_path: Path, capsys: Capture) -> None:
    mine = tmp_path / "my work"
    mine.mkdir()
    assert main(["exercises", "--folder", str(mine)]) == 2
    (mine / f"{LESSON}.ipynb").write_bytes((course / f"exercises/{LESSON}.ipynb").read_bytes())
    assert main(["hint", "softmax", "--folder", str(mine)]) == 0
    assert Record(mine).entry("attention.softmax").hints == 1
