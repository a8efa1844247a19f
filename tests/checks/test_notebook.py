"""What a learner sees: panels, one line instead of a stack trace, hints in turn, progress."""

import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from torch import Tensor

from transformer_lesson.checks import check, hint, notebook, progress
from transformer_lesson.checks.panel import Panel


@pytest.fixture(autouse=True)
def fresh_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "_verdicts", {})
    monkeypatch.setattr(notebook, "_hints_given", {})


def right(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.amax(-1, keepdim=True)).exp()
    return exponentials / exponentials.sum(-1, keepdim=True)


def overflows(scores: Tensor) -> Tensor:
    return scores.exp() / scores.exp().sum(-1, keepdim=True)


def shown(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out


def test_a_right_answer_shows_its_points(capsys: pytest.CaptureFixture[str]) -> None:
    check("attention.softmax", right)
    assert shown(capsys) == "attention.softmax: passed, 1 of 1 points\n"


def test_a_wrong_answer_shows_slip_example_and_lead(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(notebook.NotPassed, match=r"^attention\.softmax: wrong$"):
        check("attention.softmax", overflows)
    text = shown(capsys)
    assert "The exponential overflows" in text
    assert "scores around 1000" in text
    assert "expected weights = " in text


def test_ipython_shows_one_line_and_no_stack_trace(capsys: pytest.CaptureFixture[str]) -> None:
    shell = InteractiveShell.instance()
    shell.push({"check": check, "stub": lambda scores: None})
    with capture_output() as captured:
        result = shell.run_cell('check("attention.softmax", stub)')
    assert isinstance(result.error_in_exec, notebook.NotPassed)
    assert "Traceback" not in captured.stdout + captured.stderr
    assert "transformer_lesson/" not in captured.stdout + captured.stderr
    assert captured.stdout.rstrip().endswith("attention.softmax: not yet")


def test_panel_is_escaped_html() -> None:
    panel = Panel("a < b", "#000", ["use `x < y`"], "<script>")
    html = panel._repr_html_()
    assert "a &lt; b" in html
    assert "<code>x &lt; y</code>" in html
    assert "<script>" not in html


def test_hints_come_in_turn_and_the_last_one_stays(capsys: pytest.CaptureFixture[str]) -> None:
    titles = []
    for _ in range(4):
        hint("attention.softmax")
        titles.append(shown(capsys).splitlines()[0])
    assert titles == [f"attention.softmax: hint {number} of 3" for number in (1, 2, 3, 3)]


def test_progress_counts_what_this_kernel_has_seen(capsys: pytest.CaptureFixture[str]) -> None:
    check("attention.softmax", right)
    with pytest.raises(notebook.NotPassed):
        check("attention.scores", lambda query, key: torch.ones(2, 3))
    shown(capsys)
    progress("02_self_attention")
    lines = shown(capsys).splitlines()
    assert lines[0] == "02_self_attention: 1 of 14 points"
    assert "attention.softmax: passed, 1 of 1 points" in lines
    assert "attention.scores: wrong, 0 of 1 points" in lines
    assert "attention.attend: not checked yet, 0 of 2 points" in lines


def test_bad_names_and_answers_are_named() -> None:
    with pytest.raises(KeyError, match=r"'attention\.sofmax'\. Did you mean 'attention\.softmax'"):
        check("attention.sofmax", right)
    with pytest.raises(KeyError, match=r"lists the exercises of a lesson"):
        hint("zzz")
    with pytest.raises(KeyError, match=r"Lessons: 01_tokens_and_embeddings, 02"):
        progress("99_nothing")
    with pytest.raises(TypeError, match=r"Write check\(name, answer\)"):
        check(right, "attention.softmax")  # type: ignore[arg-type]
    with pytest.raises(
        TypeError, match=r"was given a Tensor\. Write check\('attention\.softmax', softmax\)"
    ):
        check("attention.softmax", torch.ones(2))  # type: ignore[arg-type]
