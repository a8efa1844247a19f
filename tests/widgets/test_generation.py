"""The view of a generation, without a browser."""

from transformer_lesson.widgets import GenerationExplorer, GenerationStep

FIRST = GenerationStep(["The", "cat"], [("ran", 0.25), ("sat", 0.5)], computed=2, cached=0)
SECOND = GenerationStep(["The", "cat", "sat"], [("on", 0.9)], computed=1, cached=2)


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
