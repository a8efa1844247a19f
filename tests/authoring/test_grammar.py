"""authoring/grammar: every sentence that it makes keeps the rules of both languages."""

import re
from functools import cache
from random import Random

import pytest

from authoring.grammar import Sentence, draw_sentence
from authoring.grammar.conjugation import agree, conjugate, feminine, plural
from authoring.grammar.english import article, verb
from authoring.grammar.lexicon import lexicon
from authoring.grammar.listing import listed
from authoring.grammar.sentences import KINDS
from authoring.grammar.surface import Word, finish
from transformer_lesson.translation.words import words

COUNT = 6_000
VOWEL = "aeiouàâäéèêëîïôöùûœ"


@cache
def sample() -> tuple[Sentence, ...]:
    rng = Random(7)
    return tuple(draw_sentence(rng) for _ in range(COUNT))


def test_the_same_seed_gives_the_same_sentences() -> None:
    one, two, other = Random(3), Random(3), Random(4)
    first = [draw_sentence(one) for _ in range(50)]
    assert first == [draw_sentence(two) for _ in range(50)]
    assert first != [draw_sentence(other) for _ in range(50)]


def test_there_are_enough_lexemes() -> None:
    known = lexicon()
    assert len(known.nouns) >= 500
    assert len(known.nouns) + len(known.adjectives) + len(known.verbs) >= 1_000


def test_the_types_that_verbs_ask_for_exist() -> None:
    known = lexicon()
    types = {type_ for noun in known.nouns for type_ in noun.types}
    places = {"where", "when", "outside", "to", "from", "at", "into"}
    for each in known.verbs:
        assert set(each.subjects) <= types, each.name
        assert set(each.objects) <= types | places, each.name
    assert set(known.adjectives_of) <= types


def test_no_lexeme_stands_twice() -> None:
    known = lexicon()
    assert len({noun.name for noun in known.nouns}) == len(known.nouns)
    keys = [(each.name, each.kind, each.subjects) for each in known.verbs]
    assert len(set(keys)) == len(keys)


# What no French sentence holds: a full form before a vowel, an article that should have contracted.
WRONG = {
    "le or la before a vowel": rf"\b(le|la) (?=[{VOWEL}])(?!onze|oui)",
    "a pronoun before a vowel": rf"(?<!-)\b(je|me|te|se|ne|que|de) (?=[{VOWEL}])(?!onze|oui)",
    "de le": r"\bde (le|les) (?!(\w+er|\w+ir|\w+re|\w+oir)\b)",
    "à le": r"\bà (le|les) (?!(\w+er|\w+ir|\w+re|\w+oir)\b)",
    "ma, ta, sa before a vowel": rf"\b(ma|ta|sa) [{VOWEL}]",
    "beau, nouveau, vieux before a vowel": rf"\b(un|le|ce|mon|son|beau|nouveau|vieux|du|au) "
    rf"(beau|nouveau) [{VOWEL}](?!t\b)",
    "si il": r"\bsi ils?\b",
    "du and de la before a vowel": rf"\b(du|de la|au|à la) [{VOWEL}](?!nze\b|ui\b)",
    "the same word twice": r"\b(?!nous|vous)(\w+) \1\b(?!-)",
    "l' before a consonant": rf"\b(l|d|j|n|s|m|t|qu)'[^{VOWEL}hy]",
    "a space too many": r"  | [,.]|' ",
    "an inner mark": r"[_+*~:;A-Z]{2}|[_+*~:;]",
}


@pytest.mark.parametrize("rule", WRONG)
def test_french_that_nobody_writes(rule: str) -> None:
    pattern = re.compile(WRONG[rule], re.IGNORECASE if rule != "an inner mark" else 0)
    for sentence in sample():
        assert not pattern.search(sentence.french_text), sentence.french_text


def test_elision_before_h_follows_the_word() -> None:
    aspirated = lexicon().aspirated
    assert {"héros", "haricot", "hibou"} <= aspirated
    assert not {"homme", "huître", "héroïne", "hôpital", "histoire"} & aspirated
    seen = set()
    for sentence in sample():
        for elided, word in re.findall(
            r"\b(l'|le |la |d'|de |cet |ce )(h\w+)", sentence.french_text
        ):
            if word in ("huit", "hier"):
                continue
            seen.add(word)
            assert (word in aspirated) == (elided in ("le ", "la ", "de ", "ce ")), (
                sentence.french_text
            )
    assert len(seen) > 10


def test_english_that_nobody_writes() -> None:
    for sentence in sample():
        text = sentence.english_text
        for found, word in re.findall(r"\b([Aa]n?) (\w+)", text):
            assert article(word) == found.lower(), text
        assert text.endswith("?") or not re.search(
            r"\b(he|she|it) (are|have|do|don't|were)\b|\bI (is|are)\b", text
        ), text
        assert not re.search(r"  | [,.?]|[_+*~:;]", text), text
        assert not re.search(r"\b(?!that|her|had)(\w+) \1\b", text), text


@pytest.mark.parametrize(
    ("subject", "verbs"),
    [
        ("je", "suis ai vais peux veux"),
        ("tu", "es as vas peux veux"),
        ("ils", "sont ont vont peuvent veulent"),
        ("elles", "sont ont vont peuvent veulent"),
    ],
)
def test_common_verbs_agree_with_a_pronoun(subject: str, verbs: str) -> None:
    right = set(verbs.split())
    forms = {
        form
        for name in ("être", "avoir", "aller", "pouvoir", "vouloir")
        for form in conjugate(name).present
    }
    for sentence in sample():
        for form in re.findall(rf"(?:^|[ ,']){subject} (\w+)", sentence.french_text, re.IGNORECASE):
            assert form not in forms or form in right, sentence.french_text


def test_articles_agree_with_their_nouns() -> None:
    genders: dict[str, set[tuple[str, bool]]] = {}
    for noun in lexicon().nouns:
        for form, number in ((noun.french, False), (noun.french_plural, True)):
            genders.setdefault(form[0], set()).add((noun.gender, number))
            if noun.other:
                other = noun.other.french_plural if number else noun.other.french
                genders.setdefault(other[0], set()).add(("f", number))
    right = {"un": ("m", False), "une": ("f", False), "cette": ("f", False), "cet": ("m", False)}
    for sentence in sample():
        for determiner, word in re.findall(
            r"(?<!et )(?<!-)\b(un|une|cette|cet) (\w+)", sentence.french_text
        ):
            if word in genders and word not in {
                a.french["m", False][0] for a in lexicon().adjectives.values()
            }:
                assert right[determiner] in genders[word], sentence.french_text


def test_participles_agree_with_an_object_before_them() -> None:
    found = 0
    for sentence in sample():
        text = sentence.french_text
        if re.search(r"\bles (ai|as|a|avons|avez|ont) \w+", text) and not re.search(
            "laissé|fait", text
        ):
            found += 1
            helper = r"\bles (ai|as|a|avons|avez|ont) (pas |jamais |plus |souvent )?"
            assert re.search(helper + r"\w+s\b", text), text
    assert found > 20


def test_the_words_of_the_text_are_those_of_the_alignment() -> None:
    for sentence in sample():
        assert tuple(words(sentence.english_text, "en")) == sentence.english
        assert tuple(words(sentence.french_text, "fr")) == sentence.french


def test_alignments_stay_within_the_sentence_and_tie_all_that_carries_meaning() -> None:
    free_english = listed("the a an that to at of do does did not in for on some any")
    free_french = listed("le la les l' de du des d' que qu' un une est-ce à il en au")
    for sentence in sample():
        left = {i for i, _ in sentence.alignment}
        right = {j for _, j in sentence.alignment}
        assert max(left) < len(sentence.english) and max(right) < len(sentence.french)
        loose = {w.lower() for i, w in enumerate(sentence.english) if i not in left}
        assert loose <= set(free_english), (sentence.english_text, loose)
        loose = {w.lower() for j, w in enumerate(sentence.french) if j not in right}
        assert loose <= set(free_french), (sentence.french_text, loose)


def test_alignment_crosses_where_french_puts_the_adjective_after() -> None:
    for sentence in sample():
        pair = re.search(r"\bred (\w+)", sentence.english_text)
        if pair and "adjective-after" in sentence.phenomena:
            i = sentence.english.index("red") if "red" in sentence.english else -1
            places = [j for k, j in sentence.alignment if k == i]
            assert all(sentence.french[j].startswith("rouge") for j in places)


def test_every_kind_of_sentence_can_be_made() -> None:
    assert len(KINDS) >= 15
    named = {name for sentence in sample() for name in sentence.phenomena}
    assert {
        "elision",
        "contraction",
        "clitic",
        "reflexive",
        "participle-agreement",
        "relative-que",
        "agreement-at-distance",
        "tu-vous",
        "word-sense",
        "gender-from-context",
        "h-aspire",
    } <= named


@pytest.mark.parametrize(
    ("infinitive", "forms"),
    [
        ("manger", "mange nous mangeons mangeais nous mangions mangerai mangé"),
        ("commencer", "commence nous commençons commençais nous commencions commencerai commencé"),
        ("acheter", "achète nous achetons achetais nous achetions achèterai acheté"),
        ("appeler", "appelle nous appelons appelais nous appelions appellerai appelé"),
        ("préférer", "préfère nous préférons préférais nous préférions préférerai préféré"),
        ("essuyer", "essuie nous essuyons essuyais nous essuyions essuierai essuyé"),
        ("finir", "finis nous finissons finissais nous finissions finirai fini"),
        ("apprendre", "apprends nous apprenons apprenais nous apprenions apprendrai appris"),
        (
            "reconnaître",
            "reconnais nous reconnaissons reconnaissais nous reconnaissions reconnaîtrai reconnu",
        ),
        ("envoyer", "envoie nous envoyons envoyais nous envoyions enverrai envoyé"),
    ],
)
def test_conjugation(infinitive: str, forms: str) -> None:
    made = conjugate(infinitive)
    shown = (
        f"{made.present[0]} nous {made.present[3]} {made.imperfect[0]} nous {made.imperfect[3]} "
        f"{made.future[0]} {made.participle}"
    )
    assert shown == forms


def test_irregular_forms() -> None:
    assert conjugate("faire").present == ("fais", "fais", "fait", "faisons", "faites", "font")
    assert conjugate("dire").present[4] == "dites"
    assert conjugate("interdire").present[4] == "interdisez"
    assert agree("dû", "f", False) == "due" and agree("pris", "m", True) == "pris"
    assert [plural(w) for w in ("cheval", "bal", "gâteau", "nez", "feu")] == [
        "chevaux",
        "bals",
        "gâteaux",
        "nez",
        "feux",
    ]
    assert [feminine(w) for w in ("vif", "cher", "cruel", "italien", "rouge")] == [
        "vive",
        "chère",
        "cruelle",
        "italienne",
        "rouge",
    ]
    assert (
        verb("lie").ing == "lying"
        and verb("stop").past == "stopped"
        and verb("go/went/gone").third == "goes"
    )


def test_finish_elides_contracts_and_keeps_the_links() -> None:
    made = finish(
        [("de", (1,)), ("LE", (2,)), ("chat", (3,)), ("si", (4,)), ("il", (5,))], frozenset()
    )
    assert made == [("du", (1, 2)), ("chat", (3,)), ("s'", (4,)), ("il", (5,))]
    before: list[Word] = [("à", ()), ("LE", ()), ("homme", ())]
    assert [word for word, _ in finish(before, frozenset())] == ["à", "l'", "homme"]
    assert [word for word, _ in finish(before, frozenset({"homme"}))] == ["au", "homme"]
    infinitive: list[Word] = [("de", ()), ("le", ()), ("lire", ())]
    assert [word for word, _ in finish(infinitive, frozenset())] == [
        "de",
        "le",
        "lire",
    ]
