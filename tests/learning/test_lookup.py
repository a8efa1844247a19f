"""What a learner may call an exercise, and what is said to any other name."""

import pytest

from notebook_judge.learning import lookup
from transformer_checks.catalogue import CHECKS


@pytest.mark.parametrize("name", CHECKS)
def test_every_exercise_has_its_own_name(name: str) -> None:
    assert lookup.find_exercise(name).name == name


@pytest.mark.parametrize(
    ("short", "name"),
    [
        ("softmax", "attention.softmax"),
        ("Attention.Softmax", "attention.softmax"),
        ("masked", "attention.masked"),
        ("masked_attention", "attention.masked"),
        ("attention.self", "attention.self_attention"),
        ("repaired_h", "attention.repaired_heads"),
        ("2.1", "attention.softmax"),
        ("02.8", "attention.repaired_heads"),
    ],
)
def test_shorter_forms(short: str, name: str) -> None:
    assert lookup.find_exercise(short).name == name


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("attention.sofmax", "Did you mean attention.softmax"),
        ("attend", "may be any of attention.attend, heads.attend. Write more of it"),
        ("zzz", "`transformer-lesson exercises` lists them all"),
        ("", "there is no exercise ''"),
        ("2.99", "lesson 02_self_attention has exercises 1 to 9, no 99"),
        ("99.1", "no exercises belong to a lesson '99'"),
        ("lesson attention", "may be any of 02_self_attention, 03_multi"),
        ("lesson ", "Lessons: 01_tokens_and_embeddings, 02"),
    ],
)
def test_other_names_are_answered_in_words(name: str, words: str) -> None:
    of_lesson = name.startswith("lesson ")
    find = lookup.find_lesson if of_lesson else lookup.find_exercise
    with pytest.raises(lookup.UnknownName, match=r"^[^\n]+$") as refused:
        find(name.removeprefix("lesson "))
    assert words in str(refused.value)


@pytest.mark.parametrize(
    "name", ["2", "02", "02_self_attention", "self-attention", "Self attention", "02_self"]
)
def test_a_lesson_by_number_or_part(name: str) -> None:
    assert lookup.find_lesson(name) == "02_self_attention"
