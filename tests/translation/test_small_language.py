"""The small languages of lesson 10's open exercise."""

from transformer_lesson.translation.small_language import PAIRS, TESTS, small_language


def test_a_number_always_gives_the_same_language() -> None:
    assert small_language(7) == small_language(7)
    assert small_language(7).sources != small_language(8).sources


def test_what_is_to_be_translated_is_longer_and_made_of_known_words() -> None:
    sources, targets, tests, references = small_language(3)
    assert len(sources) == len(targets) == PAIRS
    assert len(tests) == len(references) == TESTS
    assert not {*map(tuple, tests)} & {*map(tuple, sources)}
    assert sum(map(len, tests)) / TESTS > 2 * sum(map(len, sources)) / PAIRS
    for long, short in ((tests, sources), (references, targets)):
        assert {word for row in long for word in row} <= {word for row in short for word in row}
