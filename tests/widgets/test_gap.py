"""The view of a gap, without a browser."""

import re
from dataclasses import replace
from typing import Any

import pytest
from traitlets import TraitError

from transformer_lesson.widgets import GapExplorer, Sentence

CATS = Sentence(
    ["cats", "sleep", "here"],
    {
        "masked": [[("dogs", 0.2), ("cats", 0.7)], [("sleep", 0.9)], [("there", 0.5)]],
        "causal": [[], [("eat", 0.5), ("sleep", 0.3)], [("here", 0.6)]],
    },
)
DOGS = Sentence(["dogs"], {"masked": [[("dogs", 1.0)]], "causal": [[("the", 0.5)]]})


def changed(**values: Any) -> Sentence:
    return replace(CATS, **values)


def with_guesses(model: str, guesses: Any) -> Sentence:
    return changed(guesses={**CATS.guesses, model: guesses})


def test_the_browser_gets_the_most_probable_first() -> None:
    explorer = GapExplorer([CATS, DOGS])
    assert explorer.gap == 1
    assert explorer.sentences[0]["tokens"] == ["cats", "sleep", "here"]
    assert explorer.sentences[0]["masked"][0] == [("cats", 0.7), ("dogs", 0.2)]


def test_first_guesses_are_counted_where_a_model_was_asked() -> None:
    explorer = GapExplorer([CATS, DOGS])
    assert explorer.right() == {"masked": (2, 3), "causal": (1, 2)}
    explorer.sentence = 1
    assert explorer.right() == {"masked": (1, 1), "causal": (0, 1)}
    assert explorer.gap == 0


def test_the_text_says_the_gap_and_the_guesses() -> None:
    explorer = GapExplorer([CATS])
    explorer.gap = 0
    assert explorer._repr_mimebundle_()[0]["text/plain"].splitlines() == [
        "Sentence 1 of 1: [gap] sleep here",
        "The token in the gap: cats.",
        "Guesses of the masked model, both sides in view: cats 0.7000, dogs 0.2000. "
        "In the whole sentence its first guess is right in 2 of 3 gaps.",
        "Guesses of the causal model, the left side alone: not asked. "
        "In the whole sentence its first guess is right in 1 of 2 gaps.",
    ]


@pytest.mark.parametrize(
    ("sentences", "error", "rule"),
    [
        (CATS, TypeError, "sentences is a Sentence; pass a list of Sentence"),
        ([], ValueError, "there are 0 sentences; this view shows 1 to 64"),
        ([CATS, ["a"]], TypeError, "sentences[1] is a list; pass a Sentence"),
        ([changed(tokens="cats")], TypeError, "sentences[0].tokens is 'cats'; pass a list"),
        ([changed(tokens=[])], ValueError, "sentences[0] has 0 tokens; pass 1 to 64"),
        (
            [changed(guesses={"masked": []})],
            ValueError,
            "sentences[0] has guesses of ['masked']; pass those of the two models",
        ),
        (
            [with_guesses("causal", [[]])],
            ValueError,
            "has 3 tokens and guesses of the causal model for 1; pass a list for each token",
        ),
        (
            [with_guesses("causal", ["cats", [], []])],
            TypeError,
            "sentences[0].guesses['causal'][0] is 'cats'; pass a list of (token, probability)",
        ),
        (
            [with_guesses("causal", [[], [("eat", 3.0)], []])],
            ValueError,
            "gives 'eat' the probability 3.0",
        ),
        (
            [with_guesses("masked", [[("eat", 0.1)] * 13, [], []])],
            ValueError,
            "has 13 tokens; pass the 0 to 12 most probable",
        ),
    ],
)
def test_bad_sentences_are_refused(sentences: Any, error: type[Exception], rule: str) -> None:
    with pytest.raises(error, match=re.escape(rule)):
        GapExplorer(sentences)


def test_what_python_changes_is_checked() -> None:
    explorer = GapExplorer([CATS, DOGS])
    for name, value, rule in [
        ("gap", 3, "gap=3 is out of range; choose 0 to 2"),
        ("sentence", 2, "sentence=2 is out of range; choose 0 to 1"),
    ]:
        with pytest.raises(TraitError, match=rule):
            setattr(explorer, name, value)
