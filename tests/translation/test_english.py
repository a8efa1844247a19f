"""What is no English is refused with a reason; names, slips and rare words are not."""

import json
import shutil
import subprocess
import tracemalloc

import pytest

from transformer_lesson.translation import known_words
from transformer_lesson.translation.corpora import load_corpus
from transformer_lesson.translation.english import refusal
from transformer_lesson.translation.known_words import KnownWords
from transformer_lesson.translation.stored import VOCABULARY
from transformer_lesson.translation.translator import SHIPPED, Translator
from transformer_lesson.translation.vocabulary import Vocabulary
from transformer_lesson.widgets.sentence import ENGINE
from transformer_lesson.widgets.sentence_models import typed_model

ENGLISH = [
    "My fiancé is late.", "kombucha", "Priya googled Svetlana.", "Maria de la Cruz called.",
    "Ursula von der Leyen met Charles de Gaulle.", "Zbigniew", "krzysztof is here",
    "Thnak you, i dont beleive it", "I AM SO LATE", "im so tired", "El Niño is back.", "NASA",
    "See https://example.com/a_b?c=d&e=f for details.", "Write to jo_e@ex_am.org.", "1984", "-",
    "Bring your friend(s).", "I love you <3 :)", "It costs $3.50 (cash).", "café", "",
    "Bon appétit!", "The iPhone and the MacBook are cheap.", "C# and F# are languages.",
    "Ants, olives, notebooks.",
    "My naïve fiancée has a résumé.", "Où is a French word.", "2 + 2 = 4", "Nguyen Van Minh",
    "He gave " + "acgt" * 500 + " to his dog and went away.",
]  # fmt: skip
OTHER = [
    "je ne sais pas", "Où est la gare ?", "Il fait froid.", "Je t'aime.", "JE SUIS MALADE.",
    "Bonjour, comment allez-vous ?", "Mon fiancé est en retard.", "Ich liebe dich.",
    "Der Hund schläft im Garten.", "¿Dónde está la biblioteca?", "Mam dwa koty i psa.",
    "Я тебя люблю.", "你好", "asdf qwer zxcv", "ACGTTGA CCGTATG TTGACAC", "acgt" * 1500,
    "ACGT" * 1500,
]  # fmt: skip
CODE = [
    'print("hello world")', "SELECT * FROM users WHERE id = 3;", "if (a == b) { return; }",
    "def f(a, b): return a + b_c", "for (int i = 0; i < n; i++) { x[i] = 0; }", "<p>Hello</p>",
]  # fmt: skip


@pytest.fixture(scope="module")
def words() -> KnownWords:
    found = Vocabulary.load(SHIPPED / VOCABULARY).words
    assert found
    return found


@pytest.mark.parametrize("text", ENGLISH)
def test_english_is_translated(text: str, words: KnownWords) -> None:
    assert refusal(text, words) is None


@pytest.mark.parametrize("text", OTHER + CODE)
def test_other_text_is_refused_in_a_sentence(text: str, words: KnownWords) -> None:
    why = str(refusal(text, words))
    assert ("looks like code" in why) == (text in CODE) and why.count(".") == 1


def test_of_everyday_sentences_hardly_one_is_refused_and_of_french_ones_most(
    words: KnownWords,
) -> None:
    test = load_corpus("everyday").test
    for case in (str, str.lower, str.upper):
        assert sum(bool(refusal(case(pair.english), words)) for pair in test) <= len(test) / 1000
    assert sum(bool(refusal(pair.french, words)) for pair in test) > 0.95 * len(test)


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_view_refuses_the_same(words: KnownWords) -> None:
    code = f"""{ENGINE}
      const {{ texts, other, vocabulary }} = JSON.parse(require("fs").readFileSync(0, "utf8"));
      const answers = new Answers(() => null);
      answers.tokenizer = tokenizerOf(vocabulary);
      answers.known = new KnownWords(vocabulary.words);
      const refused = texts.map((text) => refusalOf(text, answers.known));
      const answer = Promise.all(other.map((text) => answers.translated(text, [])));
      answer.then((found) => console.log(JSON.stringify([refused, found])));"""
    test = load_corpus("everyday").test[:200]
    texts = [*ENGLISH, *OTHER, *CODE, *(t for p in test for t in (p.english, p.french))]
    vocabulary = json.loads((SHIPPED / VOCABULARY).read_text(encoding="utf-8"))
    given = json.dumps({"texts": texts, "other": OTHER, "vocabulary": vocabulary})
    done = subprocess.run(["node", "-e", code], input=given, capture_output=True, text=True)
    assert not done.stderr
    refused, answers = json.loads(done.stdout)
    assert refused == [refusal(text, words) for text in texts]
    assert answers == [{"pieces": [], "refused": refusal(text, words)} for text in OTHER]
    assert typed_model(Translator.shipped(), None).answer(OTHER[0]) == refusal(OTHER[0], words)


def test_a_word_longer_than_any_known_is_not_searched(
    words: KnownWords, monkeypatch: pytest.MonkeyPatch
) -> None:
    tracemalloc.start()
    assert words.spelled("acgt" * 1500, recased=False) == "acgt" * 1500
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()
    monkeypatch.setattr(known_words, "_slips", lambda word: pytest.fail(f"searched: {word}"))
    assert words.nearest("a" * (words.longest + 2)) is None


def test_what_has_no_letter_and_no_figure_passes_through() -> None:
    texts = ["-", "…", "☃", "?!", "« »", ""]
    assert Translator.shipped().translate(texts) == texts
