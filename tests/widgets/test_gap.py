"""The view of a gap, without a browser."""

from transformer_lesson.widgets import GapExplorer, Sentence

CATS = Sentence(
    ["cats", "sleep", "here"],
    {
        "masked": [[("dogs", 0.2), ("cats", 0.7)], [("sleep", 0.9)], [("there", 0.5)]],
        "causal": [[], [("eat", 0.5), ("sleep", 0.3)], [("here", 0.6)]],
    },
)
DOGS = Sentence(["dogs"], {"masked": [[("dogs", 1.0)]], "causal": [[("the", 0.5)]]})


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
