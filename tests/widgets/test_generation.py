"""The view of a generation, without a browser."""

import re
from dataclasses import replace
from typing import Any

import pytest
from traitlets import TraitError

from transformer_lesson.widgets import GenerationExplorer, GenerationStep

FIRST = GenerationStep(["The", "cat"], [("ran", 0.25), ("sat", 0.5)], computed=2, cached=0)
SECOND = GenerationStep(["The", "cat", "sat"], [("on", 0.9)], computed=1, cached=2)


def changed(step: GenerationStep, **values: Any) -> GenerationStep:
    return replace(step, **values)


def test_the_browser_gets_candidates_in_order_and_tokens_once() -> None:
    explorer = GenerationExplorer([FIRST, SECOND])
    assert explorer.tokens == ["The", "cat", "sat"]
    assert [step["length"] for step in explorer.steps] == [2, 3]
    assert explorer.steps[0]["candidates"] == [("sat", 0.5), ("ran", 0.25)]


def test_rows_are_counted_with_and_without_a_cache_in_all_layers() -> None:
    explorer = GenerationExplorer([FIRST, SECOND], num_layers=4)
    assert explorer.rows() == (8, 8)
    explorer.step = 1
    assert explorer.rows() == (12, 20)


def test_the_text_says_what_the_step_shows() -> None:
    explorer = GenerationExplorer([FIRST, SECOND])
    explorer.step = 1
    assert explorer._repr_mimebundle_()[0]["text/plain"].splitlines() == [
        "Generation, step 2 of 2: The cat sat",
        "Most probable next tokens: on 0.9000.",
        "Rows of keys computed in this step 1, read from the cache 2.",
        "Rows computed up to here 3, without a cache 5.",
    ]


@pytest.mark.parametrize(
    ("steps", "error", "rule"),
    [
        (FIRST, TypeError, "pass a list of GenerationStep"),
        ([], ValueError, "there are 0 steps; this view shows 1 to 256"),
        ([FIRST, {"tokens": []}], TypeError, "steps[1] is a dict; pass a GenerationStep"),
        ([changed(FIRST, tokens="ab")], TypeError, "steps[0].tokens is 'ab'; pass a list"),
        ([SECOND, FIRST], ValueError, "steps[1] has 2 tokens and the step before 3"),
        (
            [FIRST, changed(SECOND, tokens=["A", "cat", "sat"])],
            ValueError,
            "steps[1] do not begin with those of steps[0]",
        ),
        ([changed(FIRST, candidates=["sat"])], TypeError, "pass a list of (token, probability)"),
        ([changed(FIRST, candidates=[])], ValueError, "pass the 1 to 12 most probable"),
        ([changed(FIRST, candidates=[("sat", 3.2)])], ValueError, "Pass them after the softmax"),
        (
            [changed(FIRST, candidates=[("sat", 0.8), ("ran", 0.7)])],
            ValueError,
            "sums to 1.5000; probabilities of different next tokens sum to at most 1",
        ),
        ([changed(FIRST, cached=1)], ValueError, "computed 2 rows and read 1 from the cache for 2"),
        ([changed(FIRST, computed=-1)], ValueError, "steps[0].computed=-1 is out of range"),
    ],
)
def test_bad_steps_are_refused(steps: Any, error: type[Exception], rule: str) -> None:
    with pytest.raises(error, match=re.escape(rule)):
        GenerationExplorer(steps)


def test_only_a_step_that_exists_is_shown() -> None:
    explorer = GenerationExplorer([FIRST, SECOND])
    with pytest.raises(TraitError, match="step=2 is out of range; choose 0 to 1"):
        explorer.step = 2


def test_layers_are_counted_from_one() -> None:
    with pytest.raises(ValueError, match="num_layers=0 is out of range"):
        GenerationExplorer([FIRST], num_layers=0)
