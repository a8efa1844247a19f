"""The view reads what is typed, puts names back and doubts, as Python does."""

import json
import shutil
import subprocess

import pytest

from transformer_lesson.translation.doubt import Calibration
from transformer_lesson.translation.forms import TABLE, differing, in_french
from transformer_lesson.translation.known_words import KnownWords
from transformer_lesson.translation.stand_ins import (
    Draft,
    StandIn,
    Word,
    leaves_trace,
    put_back,
    put_quotation,
    with_left_out,
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
    "Noor paid $9.99, 12.50 €, £5 million or 2.5% at 14:30, 9.30 pm. and 5 p.m.",
    "Dr. J. K. van der Berg-O\u2019Brien met Mrs Lee, St. Luc and Jean-Luc on May 1st, 4 July 1985",
    "Write @me to a.b-c@mail.org, www.x.io/y?z=1, or +33 6 12 34 56 78; AF1234, #48, 5 km/h, -3 °C",
    "She came 1st, he 22nd and 3,000th: 10-12, 24/7, 06 12 34 56 78. Łukasz saw 21 Baker Street.",
    "$.50, -.5 °C, 2 liters, 0.5 inches, the 1980s, on the 15th, until the 1st. McDrew's is late",
    "aB3$kL9, AB-123-CD, SW1A 1AA, lucy-x.art; my Xu 308; Queen Noor, Sir Noor is Noor's",
    "On Mondays it is 7 watts, 65 hectares, 0.5 acres at DE44 5001 0517 5407 3249 31 or BX-2207/A",
    "\u20ac60 million, $1.5bn, \u00a310k, $2.5k, CHF 3m; 1.4 billion, 2 million, 3 trillion",
    "3 hours 12 minutes, 5 feet 11 inches, 2 lbs and 3 oz, 1 month 2 days, 2.5 h",
    "from 9 to 5 p.m., 2 and 4:30 am, at 7.45, at 7.45 p.m.; twenty past six, five to one, 2.5 m",
    "Half a percent of half a million, thirty-five per cent, the hundredth in the 80s, minus 2.5",
    "minus 1 degree, 12 square feet, 2 tablespoons; Room 304, version 2.5, error E-404, my bus 46",
    "Prime Minister Noor and Brother Noor met; Order 3 friends, bus 38. Gate C17 is late",
    "Noor lives in Norway, South Korea, Chile, Ireland, the Netherlands; Dover. It is 3 pounds 50",
    "King Noor the Third, Noor the Great, Queen Noor the First, Monday the Third",
    "from 2 to 15 August, between the 1st and 5th May, from 30 June to 2 July 1999, Aix-en-Crete",
    "is Noor 3.12 late, two tablespoons, in Noor 2.5 metres; five to ten people, ten to four",
    "Thirty-seven, a hundred and five, two hundred thousand, twenty two, fifty two-third, 40 quid",
    "on the twenty-first of May, from August 3 to 9, from May 3 to June 1st 1999, invoice 20-118",
    "Cape Town, Lake Geneva, Mount Noor and Mt. St. Helens, Cape Noor's, New Orleans",
    "I met miss Noor, dr. Noor, my king Noor; I miss Noor. Bishop Noor, Nurse Noor, Coach Noor",
    "Park Seo-yeon lives in Port-au-Prince. They-xu is late; Is they-xu late, T-shirt, They-late",
    "two and a half miles, five and a half kilos, Two thirds of one tenth of it, fifty bucks",
    "a hundred quid, 500 Swiss francs, three pints, six foot two, 5 feet 11; 1 and a half pints",
    "0033 1 70 18 99 00 or +33; Text STOP, press 1, dial 112; 7714-KX-20, my Noor S23, iPhone 15",
    "It is on the 23rd, not the 24th, by the 2nd or the 3rd. Friday the 13th, Sunday the 1st",
    "It is by 10/31, 12/25/2026 or 5/6/2026, I got 10/20; 44 BC, 79 A.D., 5 C., 44 BCE. King James",
    "6-8 pm, 10am - 5:30pm, from 11-1 p.m., 5-6 people, the fourth friend, half a mile",
    "half a pound, Bosnia-Herzegovina, Bosnia and Herzegovina, Dar es Salaam",
    "Pope Francis, Queen Elizabeth the Second, Prince Henry",
    "On Monday Uncle  \u013duto\u0161 flew to Lisbon. Is it Lisbon's? The 1990s, 12, 1999, 450",
]  # fmt: skip
QUOTING = [
    '"Come in," she said.', 'They cried "Help!"', 'Only "this" and "that"', '"All of it."', "None",
]  # fmt: skip
FRENCH = ["le", "chien", "de", "Tom,", "Jackson", "«", "Oui,", "»", "dit", "Boston."]
QUOTED = ["Viens", "ici."]
MEASURED = ["Il", "est", "3,5", "h,", "4\u202f%", "heures", "\u20ac", "un", "chat"]
NUMBERED = [
    ("in 1977", "en 1977"), ("in 1977", "en 197"), ("1500 or 25", "1 500"), ("a dozen", "12"),
    ("2000 cars", "2\u202f000"), ("at 14h30", "à 14 h 30"), ("2,5 or 7", "25 ou sept"),
    ("no number", "rien"), ("3, 250 and 4", "3 et 4"), ("it is 13,4", "il est 13,4 h, 13,4 kg"),
    ("2,5 hours", "2,5 h"), ("at 7", "à 7 heures"), ("a 7", "un 7 heures"), ("17h30", "17h30"),
    ("four", "dix-sept, vingt"), ("40", "vingt, trente-et-un, quarante"),
    ("à soixante-dix", "soixante-dix, trente heures"),
    ("He is 4,5", "4,5 ans"), ("5\u202fkm", "5 km, 5\u202f%, 5-\u20ac"), ("2,5", "2,5 millions"),
]  # fmt: skip
STOOD_IN = [
    [StandIn(known, "own", known, french) for known, french in some]
    for some in (
        [], [("Tom", "Amara")], [("Tom", "le Dr Ada"), ("Boston", "Oslo X")], [("Tokyo", "X")],
        [("Tom", "le roi Lear"), ("de Jackson", "")], [("Jackson «", "9,99\u202f€")],
        [("Tom", "la reine Ada")], [("Tom", "1er mai"), ("Jackson", "le 15")],
        [("Tom", "la chambre 12"), ("Boston", "l'appartement X")],
        [("Tom", "trois quarts")], [("Tom", "un tiers")],
        [("Tom", "3\u202f%")],
    )
]  # fmt: skip
FRENCH_TEXTS = [
    ["le", "Tom"],
    ["Le", "Tom"],
    ["en", "Tom"],
    ["Tom"],
    ["de", "Tom"],
    ["Tom", "dort."],
    ["Bonjour,", "Tom", "!"],
    ["que", "Tom,", "Tom"],
]
NAMES = ("typed", "forms", "words")
FIGURES = [
    StandIn("2000", own, "2000", french)
    for own, french in [
        ("9.5", "9,5"),
        ("(9.5 %)", "9,5\u202f%"),
        ("25", "25"),
        ("3rd", "3e"),
        ("7", "7e"),
    ]
]
SHARES = [0.0, 0.1, 0.25, 0.4, 0.7, 0.9, 1.0]
CODE = """
  const given = JSON.parse(require("fs").readFileSync(0, "utf8"));
  const alphabet = new Set(given.alphabet);
  const words = new KnownWords(given.words);
  const calibration = { probabilities: [0.1, 0.4, 0.9], shares: [0.2, 0.3, 0.95] };
  const of = (texts) => texts.map((text) => ({ text, probability: 0.5 }));
  const both = (words) => words && words.map(({ text, probability }) => [text, probability]);
  const texts = (words) => words && words.map(({ text }) => text);
  const read = given.texts.map((text) => asRead(text, alphabet, words));
  const standing = (text, attempt) => {
    const [whole, found] = withStandIns(text, words, attempt);
    return [whole, found.map(Object.values)];
  };
  const some = (text) => withStandIns(text, words, { turn: 1 })[1].map(({ own }) => own).slice(1);
  console.log(JSON.stringify({
    plain: given.texts.map((text) => asRead(text, alphabet, null)),
    read,
    standing: read.flatMap((text) =>
      [{ turn: 0 }, { turn: 1, only: some(text) }].map((attempt) => standing(text, attempt))),
    without: read.map((text) => [standing(text, { turn: 0, only: [] })[0], inFrench(text, words)]),
    leftOut: given.stoodIn.map((own) =>
      withLeftOut(given.french.join(" "), own).map(({ times }) => times)),
    traces: given.stoodIn.map((own) =>
      leavesTrace("Bostons Amara", own.map((one) => ({ ...one, times: 0 })))),
    kept: given.stoodIn.map((own) => keptOf(given.french.join(" "), own)),
    back: given.stoodIn.flatMap((own) => given.said.map((some) => both(putBack(of(some), own)))),
    split: given.quoting.map(withoutQuotation),
    put: texts(putQuotation(of(given.french), of(given.quoted))),
    numbers: given.numbered.map((both) => differing(...both).map((some) => some.sort())),
    invented: both(withInvented(of(given.french), "Tom, 3")),
    strange: both(withInvented(of(given.measured), "It is 3,5 or 4")),
    rewritten: given.stoodIn.map((own) =>
      withTyped("25 Tom (9.5 %) 9.5", own, given.figures).map(({ own, times }) => [own, times])),
    lost: given.stoodIn.map((own) => lostIn("25 Amara", own, "2,5 9,99")),
    shares: given.shares.map((p) => shareOf(calibration, p)),
  }));"""


def _sure(texts: list[str]) -> list[Word]:
    return [(text, 0.5) for text in texts]


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_it_does_what_python_does() -> None:
    scripts = [(HERE / f"sentence_{name}.js").read_text("utf-8") for name in NAMES]
    scripts.insert(0, f"const FORMS = {json.dumps(TABLE)};")
    given = {
        "alphabet": ALPHABET, "words": WORDS, "texts": TEXTS, "shares": SHARES, "quoted": QUOTED,
        "quoting": QUOTING, "french": FRENCH, "measured": MEASURED, "numbered": NUMBERED,
        "figures": [one._asdict() for one in FIGURES], "said": [FRENCH, *FRENCH_TEXTS],
        "stoodIn": [[one._asdict() for one in some] for some in STOOD_IN],
    }  # fmt: skip
    code, typed = "".join([*scripts, CODE]), json.dumps(given)
    done = subprocess.run(["node", "-e", code], input=typed, capture_output=True, text=True)
    assert not done.stderr
    told = json.loads(done.stdout)

    known, alphabet = KnownWords(WORDS.split()), frozenset(ALPHABET)
    read = [as_read(text, alphabet, known) for text in TEXTS]
    assert (told["plain"], told["read"]) == ([as_read(text, alphabet) for text in TEXTS], read)
    some = [[one.own for one in with_stand_ins(text, known, 1)[1][1:]] for text in read]
    both = [
        found
        for text, only in zip(read, some, strict=True)
        for found in (with_stand_ins(text, known), with_stand_ins(text, known, 1, only))
    ]
    assert any(some)
    assert told["standing"] == [[text, [list(one) for one in found]] for text, found in both]
    bare = [with_stand_ins(text, known, only=())[0] for text in read]
    assert told["without"] == [[a, in_french(b, known)] for a, b in zip(bare, read, strict=True)]
    french, quoted = (_sure(some) for some in (FRENCH, QUOTED))
    back = [put_back(_sure(some), s) for s in STOOD_IN for some in (FRENCH, *FRENCH_TEXTS)]
    assert told["back"] == [None if some is None else list(map(list, some)) for some in back]
    assert None in back
    split = [without_quotation(text) for text in QUOTING]
    assert told["split"] == [None if parts is None else list(parts) for parts in split]
    assert told["put"] == [word for word, _ in put_quotation(french, quoted)]
    assert told["numbers"] == [[sorted(some) for some in differing(*both)] for both in NUMBERED]
    draft = Draft("", [], " ".join(FRENCH), typed="Tom, 3")
    assert told["invented"] == [list(word) for word in draft.words(lambda _: french)]
    strange = Draft("", [], "", typed="It is 3,5 or 4").words(lambda _: _sure(MEASURED))
    assert told["strange"] == list(map(list, strange))
    assert [word for word, p in strange if p == 0] == ["h,", "4\u202f%"]
    draft = Draft("", [], "25 Amara", typed="2,5 9,99")
    kept = [Draft("", some, " ".join(FRENCH)).kept() for some in STOOD_IN]
    assert list(map(frozenset, told["kept"])) == kept and any(kept)
    left_out = [with_left_out(" ".join(FRENCH), some) for some in STOOD_IN]
    assert told["leftOut"] == [[one.times for one in some] for some in left_out]
    no_times = [[one._replace(times=0) for one in some] for some in STOOD_IN]
    traces = [leaves_trace("Bostons Amara", some) for some in no_times]
    assert told["traces"] == traces and any(traces) and not all(traces)
    rewritten = [Draft("", some, "25 Tom (9.5 %) 9.5").rewritten(FIGURES) for some in STOOD_IN]
    told_times = [[[one.own, one.times] for one in draft.stand_ins] for draft in rewritten]
    assert told["rewritten"] == told_times and ["9.5", 1] in told_times[0]
    assert told["lost"] == [list(draft.giving_up(some).lost) for some in STOOD_IN]
    calibration = Calibration((0.1, 0.4, 0.9), (0.2, 0.3, 0.95))
    assert told["shares"] == pytest.approx([calibration.share(p) for p in SHARES])


TOLD = """
  const given = JSON.parse(require("fs").readFileSync(0, "utf8"));
  const pieces = given.pieces.map((text, word) => ({ text, word, unknown: false }));
  const notes = notesOf(pieces, given.standIns);
  console.log(JSON.stringify([notes, toldOf(given.kept), toldOf(given.lost)]));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_its_message_says_what_happened() -> None:
    """What stands in is put back where the text says so, and what was lost is named as lost."""
    code = (HERE / "sentence_pieces.js").read_text("utf-8") + TOLD
    stand_in = StandIn("10:30", "5 pm", "10 h 30", "17h")._asdict()
    given = {
        "pieces": ["▁at", "▁10", ":", "30", "."], "standIns": [stand_in], "kept": {"lost": []},
        "lost": {"lost": ["Noor"], "quotation": "No."},
    }  # fmt: skip
    done = subprocess.run(
        ["node", "-e", code], input=json.dumps(given), capture_output=True, text=True
    )
    assert not done.stderr
    notes, kept, lost = json.loads(done.stdout)
    assert [bool(note) for note in notes] == [False, True, True, True, False]
    assert "“10:30” stands in for “5 pm”; “17h” is put back" in notes[1]
    assert kept == "" and "Not kept: “Noor”" in lost and "“Yes” stands in" in lost
