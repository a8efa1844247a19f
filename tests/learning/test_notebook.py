"""What a learner sees: panels, one line instead of a stack trace, hints in turn, progress."""

import re
from collections import deque
from pathlib import Path
from typing import Any

import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from torch import Tensor

from notebook_judge.checks.panel import Panel
from notebook_judge.learning import notebook
from notebook_judge.learning.progress import course_progress, lesson_names, lesson_progress
from notebook_judge.learning.progress_panel import ProgressPanel
from notebook_judge.learning.record import Record
from tests.fixtures import Capture, Patch
from transformer_lesson.checks import check, hint, progress


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: Patch) -> Path:
    """A fresh kernel that was started beside a notebook."""
    (tmp_path / "02_self_attention.ipynb").write_text("{}")
    fresh_kernel(tmp_path, monkeypatch)
    return tmp_path


def fresh_kernel(folder: Path, monkeypatch: Patch) -> None:
    monkeypatch.setattr(notebook, "_record", Record(folder))
    monkeypatch.setattr(notebook, "_shown", deque())
    monkeypatch.setattr(notebook, "_said", set())
    monkeypatch.setattr(notebook, "_lesson", None)
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)


def right(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.amax(-1, keepdim=True)).exp()
    return exponentials / exponentials.sum(-1, keepdim=True)


def overflows(scores: Tensor) -> Tensor:
    return scores.exp() / scores.exp().sum(-1, keepdim=True)


def shown(capsys: Capture) -> str:
    return capsys.readouterr().out


def test_a_wrong_answer_shows_slip_example_and_lead(capsys: Capture) -> None:
    with pytest.raises(notebook.NotPassed, match=r"^attention\.softmax: wrong$"):
        check("attention.softmax", overflows)
    text = shown(capsys)
    assert "The exponential overflows" in text
    assert "scores around 1000" in text
    assert "expected weights = " in text


def test_ipython_shows_one_line_and_no_stack_trace(monkeypatch: Patch) -> None:
    shell = InteractiveShell.instance()
    shell.push({"check": check, "stub": lambda scores: None})
    with capture_output() as captured:
        result = shell.run_cell('check("attention.softmax", stub)')
    assert isinstance(result.error_in_exec, notebook.NotPassed)
    assert "Traceback" not in captured.stdout + captured.stderr
    assert "notebook_judge" not in captured.stdout + captured.stderr
    assert captured.stdout.rstrip().endswith("attention.softmax: not yet")
    monkeypatch.delattr(notebook.NotPassed, "_render_traceback_")
    with capture_output() as captured:
        shell.run_cell('check("attention.softmax", stub)')
    assert "Traceback" in captured.stdout and "notebook_judge" in captured.stdout


def test_panel_is_escaped_html() -> None:
    panel = Panel("a < b", "#000", ["use `x < y`"], "<script>")
    html = panel._repr_html_()
    assert "a &lt; b" in html
    assert "<code>x &lt; y</code>" in html
    assert "<script>" not in html


def test_no_panel_reads_dollar_signs_as_mathematics() -> None:
    """MathJax leaves out elements of this class, and preformatted text."""
    said = "got $x_1$ and $x_2$"
    for panel in (Panel("", "#000", [said], said), ProgressPanel(None, (), said)):
        html = panel._repr_html_()
        plain = re.sub(r"<(p class='mathjax_ignore|pre).*?</(p|pre)>", "", html, flags=re.DOTALL)
        assert "$" in html and "$" not in plain


def test_a_hint_can_be_read_again(capsys: Capture) -> None:
    for number in (None, None, 1, None):
        hint("attention.softmax", number)
    titles = [line for line in shown(capsys).splitlines() if line.startswith("attention.softmax:")]
    assert [title[-6] for title in titles] == ["1", "2", "1", "3"]
    with pytest.raises(ValueError, match=r"has hints 1 to 3; there is no hint 4"):
        hint("attention.softmax", 4)


def after_two_checks() -> None:
    check("attention.softmax", right)
    with pytest.raises(notebook.NotPassed):
        check("attention.scores", lambda query, key: torch.ones(2, 3))


def test_progress_shows_this_notebook_and_the_course(capsys: Capture) -> None:
    after_two_checks()
    shown(capsys)
    progress()
    lines = shown(capsys).splitlines()
    assert lines[0] == "02_self_attention: 1 of 16 points"
    assert {
        "attention.softmax: done, 1 of 1 points, core",
        "attention.scores: tried, wrong, 0 of 1 points, core",
        "attention.attend: open, 0 of 2 points, core",
        "02_self_attention: 1 of 9 done, 1 of 16 points",
    } <= set(lines)
    (course,) = [line for line in lines if line.startswith("the course: 1 of ")]
    assert re.search(r", 1 of \d\d exercises of the core way$", course)


def test_a_kernel_that_starts_tomorrow_still_knows(
    folder: Path, monkeypatch: Patch, capsys: Capture
) -> None:
    after_two_checks()
    hint("attention.scores")
    fresh_kernel(folder, monkeypatch)
    shown(capsys)
    progress("02_self_attention")
    hint("attention.scores")
    text = shown(capsys)
    assert "attention.softmax: done, 1 of 1 points" in text
    assert "attention.scores: hint 2 of" in text


def test_before_any_check_the_notebooks_name_tells_the_lesson(
    monkeypatch: Patch, capsys: Capture
) -> None:
    progress()
    assert shown(capsys).startswith("the course: 0 of ")
    monkeypatch.setenv("JPY_SESSION_NAME", "/home/me/exercises/02_self_attention.ipynb")
    progress()
    assert shown(capsys).startswith("02_self_attention: 0 of 16 points")


def test_a_panel_on_the_page_follows_every_check() -> None:
    class Handle:
        renewed: list[str]

        def update(self, panel: ProgressPanel) -> None:
            self.renewed.append(repr(panel).splitlines()[0])

    page = Handle()
    page.renewed = []
    notebook._shown.append(("02_self_attention", page))  # type: ignore[arg-type]
    after_two_checks()
    assert page.renewed == ["02_self_attention: 1 of 16 points"] * 2


def test_it_says_once_that_progress_cannot_be_kept(folder: Path, capsys: Capture) -> None:
    (folder / ".progress").write_text("a file in the way")
    check("attention.softmax", right)
    check("attention.softmax", right)
    text = shown(capsys)
    assert text.count("Progress cannot be kept in") == 1
    assert text.count("passed, 1 of 1 points") == 2
    progress()
    assert "attention.softmax: done" in shown(capsys)


def test_the_panel_is_plain_html_with_words_for_every_picture(folder: Path) -> None:
    after_two_checks()
    record = Record(folder)
    html = ProgressPanel(
        lesson_progress("02_self_attention", record), course_progress(record), "a < b"
    )._repr_html_()
    assert "<script" not in html
    assert html.count("role='img'") == html.count("aria-label='") == 1 + len(lesson_names())
    assert "aria-label='1 of 16 points'" in html
    assert "</span> done<" in html and "</span> tried, wrong<" in html
    assert "A &lt; b" in html
    # Letters take the color of the page; only the marks beside words have their own.
    assert all("<span aria-hidden" in part[-40:] for part in html.split("style='color:")[:-1])


@pytest.mark.parametrize(
    ("ask", "given", "words"),
    [
        (
            check,
            ("attention.sofmax", right),
            r"'attention\.sofmax'\. Did you mean 'attention\.softmax'",
        ),
        (hint, ("zzz",), "lists the exercises of a lesson"),
        (progress, ("99_nothing",), "Lessons: 01_tokens_and_embeddings, 02"),
        (check, (right, "attention.softmax"), r"Write check\(name, answer\)"),
        (check, ("attention.softmax", torch.ones(2)), r"a Tensor\. Write check\('att.*, softmax\)"),
    ],
)
def test_bad_names_and_answers_are_named(ask: Any, given: tuple[Any, ...], words: str) -> None:
    with pytest.raises(TypeError if "Write" in words else KeyError, match=words):
        ask(*given)


def attention_scores(query: Tensor, key: Tensor) -> Tensor:
    return query @ key.mT


def attend(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    weights = attention_scores(query, key).softmax(-1)
    return weights @ value, weights


def test_what_follows_from_an_earlier_answer_says_so(capsys: Capture) -> None:
    with pytest.raises(notebook.NotPassed, match=r"^attention\.attend: wrong$"):
        check("attention.attend", attend)
    assert "It follows from `attention.scores`" in shown(capsys)
    assert attention_scores.__module__ == __name__  # what stood in for it is gone


def test_the_start_page_shows_the_exercises_of_the_course(
    tmp_path: Path, monkeypatch: Patch, capsys: Capture
) -> None:
    for name in ("exercises/02_self_attention.ipynb", "notebooks/00_start_here.ipynb"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("{}")
    Record(tmp_path / "exercises").note_status("attention.softmax", "passed")
    fresh_kernel(tmp_path / "notebooks", monkeypatch)
    progress()
    assert "02_self_attention: 1 of " in shown(capsys)
    assert not (tmp_path / "notebooks" / ".progress").exists()


def test_what_has_passed_once_is_known_after_the_answer_was_emptied(
    folder: Path, capsys: Capture
) -> None:
    check("attention.softmax", right)
    with pytest.raises(notebook.NotPassed):
        check("attention.softmax", lambda scores: None)
    shown(capsys)
    assert Record(folder).entry("attention.softmax").passed_once
    progress("02_self_attention")
    assert "attention.softmax: open, passed once, 0 of 1 points" in shown(capsys)
