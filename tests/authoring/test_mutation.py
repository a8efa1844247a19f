"""The mutation gate: which changes it makes, and that it tells a hole from an equivalent."""

from dataclasses import replace

import pytest
import torch
from torch import Generator

from authoring.audits import mutation
from authoring.audits import own_process as process
from authoring.audits.equivalents import same
from authoring.audits.mutants import mutants
from authoring.audits.mutation import examine, of_solution, passes, solution
from authoring.audits.own_process import apart
from authoring.audits.reasons import reasons
from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from notebook_judge.checks.solutions import Solution
from tests.fixtures import Patch
from transformer_checks.catalogue import CHECKS

TEXT = '''
def unused(x):
    return x + 1


def clipped(x, low, training):
    """Raise what is below a limit."""
    if training and low > 0:
        x = x + low
    return x[1:].clamp(min=low).amax(dim=-1, keepdim=True) - 2.0
'''


def changes(text: str = TEXT, answer: str = "clipped") -> set[str]:
    return {f"{mutant.before} -> {mutant.after}" for mutant in mutants(text, answer)}


CHANGES = """
training and low > 0 -> training or low > 0
training and low > 0 -> low > 0
low > 0 -> low >= 0
x = x + low -> pass
x = x + low -> x += low
x + low -> (x - low)
low -> training
1 -> 2
1 -> None
x[1:].clamp(min=low) -> x[1:]
x[1:].clamp(min=low).amax(dim=-1, keepdim=True) -> x[1:].clamp(min=low).amax(dim=-1)
-1 -> 1
True -> False
2.0 -> 4.0
"""


def test_what_a_slip_of_the_pen_changes() -> None:
    maximum = "x[1:].clamp(min=low).amax(dim=-1, keepdim=True)"
    wanted = {*CHANGES.split("\n")[1:-1], f"{maximum} -> {maximum.replace('amax', 'amin')}"}
    assert wanted <= changes()


def test_what_an_answer_does_not_use_is_left_alone() -> None:
    assert "x + 1 -> (x - 1)" not in changes()
    assert "x + 1 -> (x - 1)" in changes(answer="unused")
    assert not any("Raise what is below" in change for change in changes())


def test_every_mutant_is_another_text_that_compiles() -> None:
    texts = [mutant.text for mutant in mutants(TEXT, "clipped")]
    assert len(set(texts)) == len(texts)
    for text in texts:
        compile(text, "a mutant", "exec")


def test_a_change_is_named_by_its_lines() -> None:
    named = {mutant.change(TEXT) for mutant in mutants(TEXT, "clipped")}
    assert "x = x + low => x += low" in named


def _draw(generator: Generator) -> list[Case]:
    return [Case("three numbers", {"x": torch.rand(3, generator=generator)})]


DOUBLE = Check(
    name="numbers.double", lesson="00_numbers", title="Double", answer="double", returns=("y",),
    points=1, difficulty=1, importance=1, minutes=1, draw=_draw, slips=(),
    solution=Solution(
        "numbers.double", "double",
        "def double(x):\n    if (x > 5).any():\n        return x\n    return 2 * x.abs()\n",
    ),
)  # fmt: skip


def _in_the_catalogue(monkeypatch: Patch) -> None:
    monkeypatch.setitem(CHECKS, DOUBLE.name, DOUBLE)
    monkeypatch.setattr(mutation, "solution", lambda check: check.text)


def test_what_the_cases_do_not_tell_apart_survives(monkeypatch: Patch) -> None:
    _in_the_catalogue(monkeypatch)
    report = examine(DOUBLE.name)
    assert "return 2 * x.abs() => return 2 * x" in report.findings, "no case has a negative number"
    assert "return 2 * x.abs() => return 3 * x.abs()" not in report.findings
    assert report.counts["noticed"] > 5


SAME = """
def pooled(scores, other, lengths):
    shift: dict[str, int] = scores.amax(-1).masked_fill(scores.amax(-1) == -torch.inf, 0.0)
    lowest = torch.finfo(scores.dtype).min
    count = int(lengths.sum())
    pairs = zip(lengths, lengths, strict=True)
    far = (scores - other).abs().sum(dim=-1) / scores.shape[-1]
    return torch.cat([far, far], dim=0)
"""
RULED = """
torch.finfo(scores.dtype) -> torch.finfo()
int(lengths.sum()) -> lengths.sum()
zip(lengths, lengths, strict=True) -> zip(lengths, lengths)
True -> False
scores - other -> (other - scores)
scores -> other
-1 -> 1
torch.cat([far, far], dim=0) -> torch.cat([far, far])
"""


def test_a_change_that_does_the_same_is_known_by_its_kind() -> None:
    def draw(generator: Generator) -> list[Case]:
        numbers = torch.rand(2, 3, generator=generator)
        return [
            Case("one", {"scores": numbers, "other": numbers + 1, "lengths": torch.ones(2).long()})
        ]

    check = replace(DOUBLE, draw=draw, solution=Solution("numbers.pool", "pooled", SAME))
    made = mutants(SAME, "pooled")
    assert not any("dict" in mutant.before for mutant in made), "an annotation computes nothing"
    ruled = {f"{one.before} -> {one.after}" for one in made if same(check, one)}
    assert {*RULED.split("\n")[1:-1]} <= ruled
    assert not {"scores - other -> (scores + other)", "-1 -> None"} & ruled
    assert len(ruled) < len(made) / 2
    more_axes = replace(
        check,
        draw=lambda generator: [
            *draw(generator),
            Case("three axes", {"scores": torch.rand(2, 2, 3)}),
        ],
    )
    assert not any(same(more_axes, one) for one in made if (one.before, one.after) == ("-1", "1"))


def test_a_listed_equivalent_is_no_survivor_and_a_stale_entry_is_told(monkeypatch: Patch) -> None:
    _in_the_catalogue(monkeypatch)
    known = {"return 2 * x.abs() => return 2 * x": "all are positive", "gone => gone": "?"}
    monkeypatch.setattr(mutation, "reasons", lambda audit, name: known)
    findings = examine(DOUBLE.name).findings
    assert "return 2 * x.abs() => return 2 * x" not in findings
    assert "a reason for what is not found: gone => gone" in findings


def _passes(*texts: str) -> list[bool]:
    (first, *_) = mutants(DOUBLE.text.text, "double")
    made = [replace(first, text=text) for text in texts]
    return [*apart(lambda mutant: passes(DOUBLE, DOUBLE.text, mutant), made, False)]


DEAF = """import signal
def double(x):
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    while True:
        pass
"""


@pytest.mark.parametrize(
    "mutant",
    [
        "def double(x):\n    while True:\n        pass\n",
        DEAF,
        "import os\ndef double(x):\n    os._exit(9)\n",
    ],
    ids=["never ends", "no signal reaches it", "brings its process down"],
)
def test_a_mutant_that_does_not_come_back_is_noticed(mutant: str, monkeypatch: Patch) -> None:
    monkeypatch.setattr(mutation, "SECONDS", 0.2)
    monkeypatch.setattr(process, "PATIENCE", 1.0)
    assert _passes(mutant, DOUBLE.text.text) == [False, True]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["attention.causal_mask", "training.shift"])
def test_a_sample_of_mutants_is_noticed(name: str) -> None:
    check, known = CHECKS[name], reasons("mutation", name)
    text = solution(check)
    made = of_solution(check)[:12]
    judged = apart(lambda mutant: passes(check, text, mutant), made, False)
    for mutant, passed in zip(made, judged, strict=True):
        change = mutant.change(text.text)
        assert not passed or change in known or same(check, mutant), f"{name}: {change}"
