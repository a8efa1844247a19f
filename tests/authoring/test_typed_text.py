"""What the shipped translator learns from keeps the two sides of a pair together."""

import re
from random import Random

import pytest

from authoring.shipped.typed_text import (
    HELD_OUT_TALK,
    from_template,
    join,
    spoil,
    swap_names,
    swap_numbers,
    talk,
    typed,
)

PAIR = ("Tom has 15 cats.", "Tom a 15 chats.")
OTHERS = [("It's late.", "Il est tard."), ("Go.", "Va !"), ("I know Tom", "Je connais Tom")]


def test_a_seed_draws_the_same_and_epochs_draw_anew() -> None:
    draws = [[typed(PAIR, OTHERS, Random(seed)) for seed in seeds] for seeds in (range(50),) * 2]
    assert draws[0] == draws[1] and len(set(draws[0])) > 25


@pytest.mark.parametrize("seed", range(30))
def test_names_and_numbers_are_swapped_on_both_sides(seed: int) -> None:
    english, french = swap_numbers(swap_names(PAIR, Random(seed)), Random(seed))
    name, number = re.fullmatch(r"(\S+) has (\d+) cats\.", english).groups()  # type: ignore[union-attr]
    assert french == f"{name} a {number} chats." and number != "1" and len(number) == 2


def test_a_vowel_takes_the_e_of_de() -> None:
    drawn = [swap_names(("I know Tom.", "Je parle de Tom."), Random(i))[1] for i in range(60)]
    assert any("d'A" in text for text in drawn) and not any("de A" in text for text in drawn)


@pytest.mark.parametrize("seed", range(40))
def test_a_template_s_slots_are_filled_alike(seed: int) -> None:
    english, french = from_template(("Go.", "Va !"), Random(seed))
    assert "{" not in english + french
    figures = [
        set(re.findall(r"\d{3,4}", text.replace(",", "").replace(" ", "")))
        for text in (english, french)
    ]
    if not re.search(r"[$€]|\d:\d| [ap]\.?m|dollars|euros", english):
        assert figures[0] == figures[1]


def test_joined_texts_have_ends_and_only_english_is_spoiled() -> None:
    assert join(OTHERS[::2]) == ("It's late. I know Tom.", "Il est tard. Je connais Tom.")
    spoiled = [spoil(PAIR, Random(seed)) for seed in range(300)]
    assert {french for _, french in spoiled} == {PAIR[1], PAIR[1][:-1]}
    assert len({english for english, _ in spoiled}) > 10


def _talk_rows() -> list[list[str]]:
    text = HELD_OUT_TALK.with_name("talk.tsv").read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines() if not line.startswith("# ")]


def test_the_talk_has_as_many_alternatives_and_slots_on_both_sides() -> None:
    for english, french in _talk_rows():
        sides = [re.findall(r"\[([^]]*)\]", text) for text in (english, french)]
        for texts, textes in zip(*sides, strict=True):
            assert textes.count("|") in (0, texts.count("|")), english
        slots = [sorted(re.findall(r"{.*?}", text)) for text in (english, french)]
        assert slots[0] == slots[1], english


def test_talk_is_drawn_whole_and_questions_end_as_such() -> None:
    random = Random(0)
    drawn = {talk(random) for _ in range(3000)}
    assert len(drawn) > 1000
    for english, french in drawn:
        assert not re.search(r"[][{}|+]|  | [.,]", english + french), (english, french)
        assert english.endswith("?") == french.endswith(" ?"), (english, french)
    assert ("Is tax included?", "La taxe est-elle comprise ?") in drawn
    assert any("près du " in french for _, french in drawn)
