"""authoring/grammar: what a native reader struck out stays out, rule by rule."""

import re
from functools import cache
from random import Random

import pytest

from authoring.grammar import Sentence, draw_sentence
from authoring.grammar.adjective_order import first_said
from authoring.grammar.draft import Draft
from authoring.grammar.lexicon import lexicon
from authoring.grammar.special import missed
from authoring.grammar.surface import finish

COUNT = 8_000


@cache
def sample() -> tuple[Sentence, ...]:
    rng = Random(11)
    return tuple(draw_sentence(rng) for _ in range(COUNT))


# What a native reader struck out, one line for each rule that keeps it out.
STRUCK_FRENCH = {
    "de de": r"\bde (de|des|du) ",
    "the age of a child": r"^(Le médecin|La reine|L'avocate?) \w+ (deux|six|dix) ans",
    "a pair of trousers as a mass": r"\b(du|de la) (pantalon|pyjama|short)\b",
    "a bachelor for an old boy": r"\b([Vv]ieux garçon|[Vv]ieille fille)s?\b",
    "a great man for a tall one": r"\b[Gg]rands? (hommes?|pères?|fils)\b",
    "some men as des hommes": r"^Des (hommes|garçons|filles|femmes) ",
    "on the square": r"\bdans (la|une|cette) (belle |grande |vieille |petite )?(place|terrasse)\b",
    "not enough for not quite": r" pas assez (?!d['e])",
    "an instrument among others": r"\bjou\w+ (d'une?|de (trompettes|guitares|pianos|violons))\b",
}
STRUCK_ENGLISH = {
    "used you": r"\b[Uu]sed (you|he|she|we|they|I)\b",
    "has showed": r"\b(has|have|had) showed\b",
    "there are a pair": r"\b[Tt]here (are|were) a pair",
    "there is not a": r"\b[Tt]here (is|was) not an? ",
    "old before an opinion": r"\bold (funny|modern|famous|jealous|interesting|brave) ",
    "our wife": r"\b([Oo]ur|[Tt]heir) (wife|husband)\b",
    "no longer did once": r"\bno longer (bought|lost|stole|broke|found|met|gave|arrived)\b",
    "often every day": r"\b(often|always|rarely|sometimes)\b[^,]* every (day|week|year|evening)",
    "without some": r"\bwithout \w+ing some\b",
    "my mother whom": r"\b(?i:my|his|her|our|their) (\w+ )?(mother|father) (whom|who)\b",
}


@pytest.mark.parametrize("name", STRUCK_FRENCH)
def test_french_that_a_reader_struck_out(name: str) -> None:
    for sentence in sample():
        assert not re.search(STRUCK_FRENCH[name], sentence.french_text), sentence.french_text


@pytest.mark.parametrize("name", STRUCK_ENGLISH)
def test_english_that_a_reader_struck_out(name: str) -> None:
    for sentence in sample():
        assert not re.search(STRUCK_ENGLISH[name], sentence.english_text), sentence.english_text


def test_a_preposition_is_said_again_before_the_second_of_two() -> None:
    rng = Random(5)
    two = 0
    for _ in range(6_000):
        draft = Draft(rng, lexicon())
        _, french = missed(draft)
        text = " ".join(word for word, _ in finish(french, draft.lexicon.aspirated))
        if "coordination" in draft.phenomena:
            two += 1
            assert re.search(r" et (à|au|aux) ", text), text
    assert two > 20


def test_what_was_known_or_said_stands_further_back_in_time() -> None:
    found = 0
    for sentence in sample():
        said = re.search(
            r"\b(sav|croy|pens|espér)ai\w+ (que |qu')(ils?|elles?|j'|nous) ?"
            r"(a|ai|ont|est|sont|avons|sommes) ",
            sentence.french_text,
        )
        assert not said, sentence.french_text
        found += "had " in sentence.english_text and "pluperfect" in sentence.phenomena
    assert found > 20


def test_what_one_has_several_of_is_not_broken_in_the_plural() -> None:
    for sentence in sample():
        limb = r"\b(se|s') ?\w* (\w+ )?(cass|coup|bless)\w+ (à )?(le|la|l') ?(doigt|jambe|bras)"
        if re.search(limb, sentence.french_text):
            assert not re.search(r"\b(their|our) (arm|leg|finger)s", sentence.english_text)
    shaved = [s for s in sample() if re.search(r"\bshav\w+ \w+ legs?\b", s.english_text)]
    assert shaved and all("les jambes" in s.french_text for s in shaved)


def test_a_thing_is_not_said_to_be_two_things_at_once() -> None:
    colour = "(white|black|grey|brown|red|blue|green|yellow)"
    for sentence in sample():
        assert not re.search(rf"\b{colour} {colour}\b", sentence.english_text)
        assert not re.search(r"\b(small|big) (huge|big|small)\b", sentence.english_text)


def test_english_says_an_opinion_before_the_age() -> None:
    known = lexicon().adjectives
    by_name = {(a.english, a.before): a for a in known.values()}
    old = by_name["old", True]
    assert first_said(old, by_name["funny", False]) is by_name["funny", False]
    assert first_said(by_name["black", False], old) is old
    assert first_said(by_name["big", True], by_name["dark", False]) is by_name["big", True]


def test_je_is_said_again_where_english_leaves_out_the_subject() -> None:
    for sentence in sample():
        assert not re.search(r"^(Je|J')[^,]*(, | et | et puis )ai \w+é", sentence.french_text), (
            sentence.french_text
        )


def test_an_order_is_marked_with_what_it_shows() -> None:
    orders = [s for s in sample() if "imperative" in s.phenomena]
    assert len(orders) > 30
    for sentence in orders:
        if re.search(r"-(moi|lui|leur|nous)\b", sentence.french_text):
            assert re.search(r"\b(me|him|her|us|them)\b", sentence.english_text)
            assert "clitic" in sentence.phenomena
        if "possessive" in sentence.phenomena:
            assert re.search(r"\b(my|your|his|her|its|our|their)\b", sentence.english_text.lower())
