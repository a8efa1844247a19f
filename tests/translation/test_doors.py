"""Text is made equal at every door: an accent typed as a sign of its own is that of the letter."""

import gzip
import io
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fixtures import Capture, Patch
from transformer_lesson.translation.__main__ import main
from transformer_lesson.translation.evaluation import compare, score
from transformer_lesson.translation.normalization import normalized
from transformer_lesson.translation.stored import VOCABULARY
from transformer_lesson.translation.text_files import read_pairs
from transformer_lesson.translation.translator import SHIPPED, Translator
from transformer_lesson.translation.wmt14 import _pair
from transformer_lesson.widgets.sentence import ENGINE
from transformer_lesson.widgets.sentence_models import typed_model

PLAIN = "My fiancé is late."
TYPED = [
    "My fiance\u0301 is late.",
    "\ufeffMy fi\u00adan\u200bc\u00e9 is\u00a0late.",
    "\uff2dy \ufb01anc\u00e9 is\u202flate.",
]
FRENCH = "Mon fiancé est en retard."


@pytest.fixture(scope="module")
def shipped() -> Translator:
    return Translator.shipped()


def command(*options: str) -> Callable[[str, Capture, Patch, Path], object]:
    def translated(text: str, capsys: Capture, patch: Patch, _: Path) -> object:
        patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        more = [text] if "TEXT" in options else []
        assert main(["translate", "shipped", *more, *options[len(more) :]]) == 0
        return capsys.readouterr().out.splitlines()[0]

    return translated


def of_file(name: str) -> Callable[[str, Capture, Patch, Path], object]:
    """Both sides of the pair that a file of this name holds."""

    def pair(text: str, _: Capture, __: Patch, folder: Path) -> object:
        pack = gzip.compress if name.endswith(".gz") else bytes
        if ".tsv" in name:
            (folder / name).write_bytes(pack(f"{text}\t{text}\n".encode()))
            (found,) = read_pairs(folder / name)
        else:
            for side in "ab":
                (folder / f"{side}{name}").write_bytes(pack(f"{text}\n".encode()))
            (found,) = read_pairs((folder / f"a{name}", folder / f"b{name}"))
        return found.english, found.french

    return pair


def of_hub(text: str, *_: object) -> object:
    found = _pair({"translation": {"en": text, "fr": text}})
    return found.english, found.french


DOORS: dict[str, tuple[Callable[..., object], object]] = {
    "an argument": (command("TEXT"), FRENCH),
    "an argument, in doubt": (command("TEXT", "--doubt"), FRENCH),
    "standard input": (command(), FRENCH),
    "standard input, a beam": (command("--beam-width=2"), FRENCH),
    "two files": (of_file(".txt"), (PLAIN, PLAIN)),
    "two packed files": (of_file(".gz"), (PLAIN, PLAIN)),
    "a table": (of_file("a.tsv"), (PLAIN, PLAIN)),
    "a packed table": (of_file("a.tsv.gz"), (PLAIN, PLAIN)),
    "the hub": (of_hub, (PLAIN, PLAIN)),
    "a score": (lambda text, *_: score([text], [PLAIN]).bleu, pytest.approx(100)),
    "a reference": (lambda text, *_: score([PLAIN], [text]).bleu, pytest.approx(100)),
    "a comparison": (lambda text, *_: compare([PLAIN], [text], [PLAIN], resamples=9).bleu, 0),
}


@pytest.mark.parametrize("text", TYPED)
@pytest.mark.parametrize("door", DOORS)
def test_each_door_makes_text_equal(
    door: str, text: str, capsys: Capture, monkeypatch: Patch, tmp_path: Path
) -> None:
    through, expected = DOORS[door]
    assert text != PLAIN and through(text, capsys, monkeypatch, tmp_path) == expected


@pytest.mark.parametrize("text", TYPED)
def test_so_do_the_functions_and_the_view(text: str, shipped: Translator) -> None:
    assert shipped.translate([text]) == [FRENCH]
    assert shipped.read(text) == PLAIN
    assert shipped.source(text) == shipped.source(PLAIN)
    typed = typed_model(shipped, None)
    assert typed.answer(text) == FRENCH and typed.encode(text) == typed.encode(PLAIN)


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_so_does_the_engine_of_the_browser() -> None:
    """What its worker gives to the tokenizer, whose pieces the view shows."""
    code = f"""{ENGINE}
      const {{ vocabulary, texts }} = JSON.parse(require("fs").readFileSync(0, "utf8"));
      const answers = new Answers(() => null);
      answers.tokenizer = tokenizerOf(vocabulary);
      answers.known = new KnownWords(vocabulary.words);
      const read = (text) => answers.pieces(text).map((piece) => piece.text).join("");
      console.log(JSON.stringify(texts.map((text) => [normalized(text), read(text)])));"""
    vocabulary = json.loads((SHIPPED / VOCABULARY).read_text(encoding="utf-8"))
    given = json.dumps({"vocabulary": vocabulary, "texts": TYPED})
    done = subprocess.run(["node", "-e", code], input=given, capture_output=True, text=True)
    assert not done.stderr
    assert json.loads(done.stdout) == [[PLAIN, "▁" + PLAIN.replace(" ", "▁")]] * len(TYPED)


def test_text_without_such_signs_stays() -> None:
    for text in ("", "Plain.", PLAIN, "L'œuf à 10 €…", "m² ½", "日本 \t\n"):
        assert normalized(text) == text
