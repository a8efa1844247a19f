"""The view reads what is typed, puts names back and doubts, as Python does."""

import json
import shutil
import subprocess

import pytest

from transformer_lesson.translation.doubt import Calibration
from transformer_lesson.translation.known_words import KnownWords
from transformer_lesson.translation.stand_ins import (
    Draft,
    StandIn,
    put_back,
    put_quotation,
    with_stand_ins,
    without_quotation,
)
from transformer_lesson.translation.typed import as_read
from transformer_lesson.widgets.view import HERE

ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ\u00e90123456789 .,!?'\"-"
WORDS = (
    "the I you Tom they friend don't believe restaurant very she Monday is late it at Mr lives in"
)
TEXTS = [
    "I WAS THERE. WERE YOU?", "i think he's late. am i?", "USA", "123!", "", "NATO is late",
    "It\u2019s \u201cfine\u201d \u2013 really\u2026", "Krzy\u017canowska", "non\u00a0stop \u2603",
    '"hello," she said. "i know."', "\u00e9t\u00e9 i_x 2i", "\u00e9t\u00e9 \u00c9mile",
    "Thnak you, i dont beleive the resturant is verry late", "he is my freind on monday",
    "At 5 pm, 12:30 a.m. and 12 PM Mr. Blenkinsop, Tom Okafor's boss, is late.", "IT IS TOM",
    "Gwendolyn lives in Oslo, not Oslo", "45,000 or 3712 or 1999, 3.14, 12345 and 45,000",
    "Nuns, definately not. Teh XYZ! I'm Zbigniew's friend, Jackson",
]  # fmt: skip
QUOTING = [
    '"Come in," she said.', 'They cried "Help!"', 'Only "this" and "that"', '"All of it."', "None",
]  # fmt: skip
FRENCH = ["le", "chien", "de", "Tom,", "Jackson", "«", "Oui,", "»", "dit", "Boston."]
QUOTED = ["Viens", "ici."]
NUMBERED = [
    ("in 1977", "en 1977"), ("in 1977", "en 197"), ("1500 or 25", "1 500"),
    ("2000 cars", "2\u202f000"),
    ("no number", "rien"), ("3, 250 and 4", "3 et 4"),
]  # fmt: skip
STOOD_IN = [[], [("Tom", "Amara")], [("Tom", "Ada"), ("Boston", "Oslo")], [("Tokyo", "X")]]
SHARES = [0.0, 0.1, 0.25, 0.4, 0.7, 0.9, 1.0]
CODE = """
  const given = JSON.parse(require("fs").readFileSync(0, "utf8"));
  const alphabet = new Set(given.alphabet);
  const words = new KnownWords(given.words);
  const calibration = { probabilities: [0.1, 0.4, 0.9], shares: [0.2, 0.3, 0.95] };
  const of = (texts) => texts.map((text) => ({ text, share: 1 }));
  const texts = (words) => words && words.map(({ text }) => text);
  const read = given.texts.map((text) => asRead(text, alphabet, words));
  const standing = (text, attempt) => Object.values(withStandIns(text, words, attempt));
  console.log(JSON.stringify({
    plain: given.texts.map((text) => asRead(text, alphabet, null)),
    read,
    standing: read.flatMap((text) => [standing(text, 0), standing(text, 1)]),
    back: given.stoodIn.map((standIns) => texts(putBack(of(given.french), standIns))),
    split: given.quoting.map(withoutQuotation),
    put: texts(putQuotation(of(given.french), of(given.quoted))),
    numbers: given.numbered.map(([read, french]) => keepsNumbers(read, french)),
    shares: given.shares.map((p) => shareOf(calibration, p)),
  }));"""


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_it_does_what_python_does() -> None:
    scripts = [(HERE / f"sentence_{name}.js").read_text("utf-8") for name in ("typed", "words")]
    given = {
        "alphabet": ALPHABET, "words": WORDS, "texts": TEXTS, "shares": SHARES, "quoted": QUOTED,
        "quoting": QUOTING, "french": FRENCH, "stoodIn": STOOD_IN,
        "numbered": NUMBERED,
    }  # fmt: skip
    code, typed = "".join([*scripts, CODE]), json.dumps(given)
    done = subprocess.run(["node", "-e", code], input=typed, capture_output=True, text=True)
    assert not done.stderr
    told = json.loads(done.stdout)

    known, alphabet = KnownWords(WORDS.split()), frozenset(ALPHABET)
    read = [as_read(text, alphabet, known) for text in TEXTS]
    assert (told["plain"], told["read"]) == ([as_read(text, alphabet) for text in TEXTS], read)
    both = [with_stand_ins(text, known, attempt) for text in read for attempt in (0, 1)]
    assert told["standing"] == [[text, [list(one) for one in found]] for text, found in both]
    french, quoted = ([(word, 1.0) for word in some] for some in (FRENCH, QUOTED))
    back = [put_back(french, [StandIn(*one) for one in some]) for some in STOOD_IN]
    assert told["back"] == [None if some is None else [word for word, _ in some] for some in back]
    split = [without_quotation(text) for text in QUOTING]
    assert told["split"] == [None if parts is None else list(parts) for parts in split]
    assert told["put"] == [word for word, _ in put_quotation(french, quoted)]
    assert told["numbers"] == [Draft(*texts, []).holds() for texts in NUMBERED]
    assert set(told["numbers"]) == {True, False}
    calibration = Calibration((0.1, 0.4, 0.9), (0.2, 0.3, 0.95))
    assert told["shares"] == pytest.approx([calibration.share(p) for p in SHARES])
