"""The command line of the translation, on two small files."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
import torch

from tests.fixtures import Capture, Patch
from tests.translation.toy import ENGLISH, FRENCH
from transformer_lesson.translation.__main__ import main
from transformer_lesson.translation.commands import COMMANDS
from transformer_lesson.translation.corpora import CORPORA, Corpus, load_corpus
from transformer_lesson.translation.stand_ins import Draft
from transformer_lesson.translation.translator import Translator

SMALL = """--vocab-size=60 --d-model=16 --num-heads=2 --d-ff=32 --max-tokens=20 --batch-tokens=60
--learning-rate=0.01 --warmup-steps=10 --evaluate-every=60"""
SIZES = SMALL.split()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("text")
    texts = {"train": (ENGLISH * 20, FRENCH * 20), "test": (["a cat here"], ["un chat ici"])}
    paths = {name: written(folder, name, *lines) for name, lines in texts.items()}
    train, test = paths["train"], paths["test"]
    return ["--train", *train, "--validation", *test, "--test", *test]


def written(folder: Path, name: str, *texts: list[str]) -> list[str]:
    """The paths of an English and a French file of these lines."""
    paths = [folder / f"{name}.{language}" for language in ("en", "fr")]
    for path, lines in zip(paths, texts, strict=True):
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return list(map(str, paths))


def train(folder: Path, files: list[str], *more: str) -> int:
    return main(["train", "--out", str(folder), *files, *SIZES, *more])


@pytest.fixture(scope="module")
def model(files: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run") / "model"
    assert train(folder, files, "--steps", "150") == 0
    return folder


def test_it_trains_into_a_folder(model: Path) -> None:
    names = "checkpoint.pt config.json log.csv metrics.json model.safetensors run.json"
    assert " ".join(sorted(path.name for path in model.iterdir())) == f"{names} vocabulary.json"
    metrics = json.loads((model / "metrics.json").read_text())
    assert metrics["steps"] == 150 and metrics["evaluations"][-1][0] == 150


def test_it_translates_arguments_and_lines(
    model: Path, capsys: Capture, monkeypatch: Patch
) -> None:
    assert main(["translate", str(model), "a big cat", "a dog"]) == 0
    assert capsys.readouterr().out.splitlines() == ["un gros chat", "un chien"]
    standard_input(monkeypatch, b"a dog\r\n\none dog sleeps\n")
    assert main(["translate", str(model), "--beam-width", "2"]) == 0
    assert capsys.readouterr().out.splitlines() == ["un chien", "", "un chien dort"]
    standard_input(monkeypatch, b"")
    assert main(["translate", str(model)]) == 0 and not capsys.readouterr().out


def standard_input(monkeypatch: Patch, data: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_a_line_that_is_too_long_is_translated_in_parts(
    model: Path, tmp_path: Path, capsys: Capture
) -> None:
    assert main(["translate", str(model), "a dog " * 30, "a dog"]) == 0
    shown = capsys.readouterr()
    assert shown.out.splitlines()[1:] == ["un chien"] and shown.out.count("chien") > 3
    test = written(tmp_path, "a", ["a dog", "a cat " * 30], ["un chien", "un chat " * 30])
    assert main(["evaluate", str(model), "--test", *test]) == 0
    assert capsys.readouterr().out.startswith("2 pairs, test: BLEU ")


@pytest.mark.parametrize(
    "words",
    ["a big cat|a dog|--beam-width|2", "--beam-width=2|a big cat|a dog",
     "a big cat|--beam-width|2|a dog", "--length-penalty|1|--|a big cat|a dog"],
)  # fmt: skip
def test_texts_may_stand_behind_the_options(model: Path, words: str, capsys: Capture) -> None:
    assert main(["translate", str(model), *words.split("|")]) == 0
    assert capsys.readouterr().out.splitlines() == ["un gros chat", "un chien"]


def test_an_unknown_option_is_no_text(model: Path) -> None:
    for words in (["translate", str(model), "--wide", "a cat"], ["evaluate", str(model), "a cat"]):
        with pytest.raises(SystemExit, match="2"):
            main(words)


@pytest.mark.rare
def test_the_shipped_model_is_known_by_its_word(capsys: Capture, monkeypatch: Patch) -> None:
    few = Corpus("few", [], [], load_corpus("everyday").test[:2], "")
    monkeypatch.setitem(CORPORA, "everyday", lambda: few)
    for command in ("evaluate", "profile"):
        assert main([command, "shipped"]) == 0
        assert re.match("2 pairs|Seconds by stage, 2 sentences", capsys.readouterr().out)
    assert main(["translate", "shipped", "--doubt", "Thank you.", ""]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Merci") and " words as a person" in lines[1] and lines[3:]


def test_it_prints_where_the_locale_has_few_letters(monkeypatch: Patch) -> None:
    printed = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", printed)
    assert main(["translate", "shipped", "She doesn't like coffee."]) == 0
    printed.seek(0)
    assert printed.read() == "Elle n'aime pas le caf?.\n"


@pytest.mark.parametrize("place", ["standard input", "TEXT"])
def test_one_bad_line_costs_one_line(
    place: str, model: Path, capsys: Capture, monkeypatch: Patch
) -> None:
    lines = [b"a dog", "un été".encode("latin1"), b"a big cat"]
    standard_input(monkeypatch, b"\n".join(lines))
    texts = [os.fsdecode(line) for line in lines] if place == "TEXT" else []
    assert main(["translate", str(model), *texts]) == 1
    shown = capsys.readouterr()
    assert shown.err.startswith(f"translate: {place}, line 2: not UTF-8 (byte 0xe9); convert it")
    assert shown.err.count("\n") == 1
    assert shown.out.splitlines() == ["un chien", "", "un gros chat"]


def test_what_is_not_english_is_one_line_too(capsys: Capture, monkeypatch: Patch) -> None:
    lines = ["Thank you.", "je ne sais pas", "acgt" * 1500, "x\0y", "-", "Hi."]
    standard_input(monkeypatch, "\n".join(lines).encode())
    assert main(["translate", "shipped"]) == 1
    shown = capsys.readouterr()
    assert shown.out.splitlines() == ["Merci.", "", "", "", "-", "Salut."]
    told = [f"translate: standard input, line {number}: " for number in (2, 3, 4)]
    assert all(map(str.startswith, shown.err.splitlines(), told)) and shown.err.count("\n") == 3
    assert main(["translate", "shipped", "--doubt", "-", "☃"]) == 0
    assert capsys.readouterr().out.splitlines() == ["-", "  no words", "☃", "  no words"]
    standard_input(monkeypatch, "Thank you.".encode("utf-16"))
    assert main(["translate", "shipped"]) == 2
    assert capsys.readouterr().err.startswith("translate: standard input: this is UTF-16")


def test_what_was_not_kept_is_told(capsys: Capture, monkeypatch: Patch) -> None:
    monkeypatch.setattr(Draft, "not_kept", lambda draft: ["9.99"] if "Hi" in draft.read else [])
    assert main(["translate", "shipped", "Hi.", "Thank you."]) == 0
    shown = capsys.readouterr()
    assert shown.out.splitlines() == ["Salut.", "Merci."]
    assert shown.err == "Not kept: 9.99. In: Hi.\n"


def test_it_evaluates_on_its_own_test_set_or_the_files_of_a_split(
    model: Path, files: list[str], capsys: Capture
) -> None:
    pair = files[1:3]
    for more, shown in (
        ([], "1 pairs, test: BLEU "),
        (["--test", *pair], "120 pairs, test: BLEU "),
        (["--split", "validation", "--validation", *pair], "120 pairs, validation: BLEU "),
    ):
        assert main(["evaluate", str(model), *more]) == 0
        told = capsys.readouterr().out
        assert told.startswith(shown) and "tok:13a" in told


def test_it_prints_what_a_translation_costs(model: Path, capsys: Capture) -> None:
    assert main(["profile", str(model), "--sentences", "1", "--beam-widths", "1", "2"]) == 0
    shown = capsys.readouterr().out
    for part in ("1 sentence\n", "detokenizing", "beam 2", "aten::", "activations", "reserved"):
        assert part in shown


def test_the_same_command_again_trains_no_more(model: Path, files: list[str]) -> None:
    before = (model / "checkpoint.pt").stat().st_mtime_ns
    assert train(model, files, "--steps", "150") == 0
    assert (model / "checkpoint.pt").stat().st_mtime_ns == before


def test_it_starts_from_a_trained_model(model: Path, files: list[str], tmp_path: Path) -> None:
    new = tmp_path / "new"
    options = ["--start-from", str(model), "--learning-rate=1e-9", "--dropout=0.5"]
    options += ["--steps=1", "--warmup-steps=0"]
    assert main(["train", "--out", str(new), *files, *options]) == 0
    before, after = Translator.load(model), Translator.load(new)
    assert after.vocabulary.pieces("a cat") == before.vocabulary.pieces("a cat")
    assert after.model.config.dropout == 0.5
    for old, trained in zip(before.model.parameters(), after.model.parameters(), strict=True):
        torch.testing.assert_close(trained, old, atol=1e-7, rtol=0)
    # It is another run than one that starts from nothing, or from elsewhere.
    options[1] = "shipped"
    assert main(["train", "--out", str(new), *files, *options]) == 2


@pytest.mark.rare
def test_two_processes_train_what_one_does(files: list[str], tmp_path: Path) -> None:
    """The same batches, dropout included, and one of them writes."""
    # Which precision is the fastest may come out differently in the two runs.
    options = [*files, *SIZES, "--steps=20", "--batches-per-step=4", "--precision=float32"]
    options += ["--dropout=0.1", "--evaluate-every=10"]
    assert main(["train", "--out", str(tmp_path / "one"), *options]) == 0
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    command = ["-m", "transformer_lesson.translation", "train", "--out", str(tmp_path / "two")]
    ended = subprocess.run(
        [sys.executable, *launcher, *command, *options],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.count("The model is in") == 1
    one, two = (pd.read_csv(tmp_path / name / "log.csv") for name in ("one", "two"))
    assert list(two.tokens[1:]) == list(one.tokens[1:])
    assert list(two.loss[1:]) == pytest.approx(list(one.loss[1:]), rel=1e-4)
    assert list(two.bleu.dropna().index) == list(one.bleu.dropna().index)
    # Not the weights: the bias of a key has no gradient, and Adam makes steps of its rounding.
    tokens = torch.arange(4, 24)[None]
    first, second = (Translator.load(tmp_path / n).model(tokens, tokens) for n in ("one", "two"))
    torch.testing.assert_close(second, first, atol=1e-3, rtol=1e-3)


def in_two_processes(folder: Path, files: list[str], *more: str) -> subprocess.Popen[str]:
    command = ["-m", "transformer_lesson.translation", "train", "--out", str(folder), *files]
    return subprocess.Popen(
        [sys.executable, *command, *SIZES, "--batches-per-step=2", "--processes=2", *more],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.rare
def test_an_error_of_several_processes_is_one_line(files: list[str], tmp_path: Path) -> None:
    # Only the processes find out that the text holds too little for so many pieces.
    with in_two_processes(tmp_path, files, "--vocab-size=900") as ended:
        err = ended.communicate(timeout=200)[1]
    assert ended.returncode == 2
    assert err.startswith("train: size=900, but ") and err.count("\n") == 1


@pytest.mark.rare
def test_ctrl_c_stops_several_processes_and_keeps_the_run(files: list[str], tmp_path: Path) -> None:
    with in_two_processes(tmp_path, files, "--steps=100000") as running:
        deadline = time.monotonic() + 100
        while not (tmp_path / "checkpoint.pt").exists() and time.monotonic() < deadline:
            time.sleep(0.2)
        before = (tmp_path / "checkpoint.pt").stat().st_mtime_ns
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=100)
    assert running.returncode == 130 and "Traceback" not in err
    assert (tmp_path / "checkpoint.pt").stat().st_mtime_ns > before


@pytest.mark.parametrize(
    "refused", [["--vocab-size=900"], ["--vocab-size=10"], ["--batch-tokens=3"], ["--max-tokens=2"]]
)
def test_a_refused_setting_does_not_block_the_corrected_one(
    files: list[str], tmp_path: Path, refused: list[str], capsys: Capture
) -> None:
    assert train(tmp_path, files, "--steps", "20", *refused) == 2
    shown = capsys.readouterr().err
    assert shown.startswith("train: ") and shown.count("\n") == 1
    assert train(tmp_path, files, "--steps", "20") == 0
    assert train(tmp_path, files, "--steps", "20", "--d-model", "32") == 2


def test_a_validation_sentence_that_is_too_long_stops_no_training(
    files: list[str], tmp_path: Path
) -> None:
    validation = written(tmp_path, "v", ["a cat " * 30, "a dog"], ["un chat " * 30, "un chien"])
    given = [*files[:3], "--validation", *validation, *files[6:]]
    assert train(tmp_path / "run", given, "--steps", "20") == 0


def test_text_in_the_place_of_a_model_is_told_where_it_belongs(capsys: Capture) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["translate", "I see a cat."])
    assert 'translate shipped "' in capsys.readouterr().err


def test_the_help_names_every_corpus(capsys: Capture) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    shown = capsys.readouterr().out
    assert all(f'"{name}"' in shown for name in CORPORA)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("--help", 0),
        *((f"{name} --help", 0) for name in COMMANDS),
        ("no-such-command", 2),
        ("train", 2),
        ("translate", 2),
    ],
)
def test_what_computes_nothing_loads_no_pytorch(words: str, code: int) -> None:
    without = f"import sys; sys.modules['torch'] = None; from {main.__module__} import main; main()"
    done = subprocess.run([sys.executable, "-c", without, *words.split()], capture_output=True)
    assert (done.returncode, b"Traceback" in done.stderr) == (code, False), done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("train --out MODEL --d-model 32", "holds a run with"),
        ("train --out NEW --corpus files", "needs --train EN FR"),
        ("train --out NEW --corpus builtin --test a b", "for --corpus fi"),
        ("train --out NEW --train no.en no.fr", "no.en"),
        ("train --out NEW --steps 0", "steps=0"),
        ("train --out NEW --num-heads 3", "num_heads=3"),
        ("train --out NEW --precision half", "precision='half'; expected 'float32' or"),
        ("train --out NEW --corpus builtin --pairs 0", "pairs=0"),
        ("train --out NEW --corpus everyday --pairs 0", "pairs=0"),
        ("train --out NEW --processes 0", "--processes 0; expected"),
        ("train --out NEW --processes 2", "divides --batches-per-step 1"),
        ("train --out NEW --start-from NEW", "holds no model.safetensors"),
        ("train --out NEW --start-from MODEL --d-ff 8", "--d-ff 8, but"),
        ("evaluate MODEL --validation a b", "--split test was asked for"),
        ("evaluate MODEL --pairs 5", "--pairs needs --corpus"),
        ("evaluate MODEL --train a b --pairs 5", "not files"),
        ("translate NEW a_cat", "holds no model.safetensors"),
        ("translate MODEL a_cat --doubt", "was not measured"),
        ("translate MODEL a_cat --beam-width 100000", "expected 1 to 64"),
        ("evaluate MODEL --beam-width 0", "expected 1 to 64"),
        ("profile MODEL --beam-widths 1 65", "expected 1 to 64"),
        ("profile MODEL --sentences 0", "--sentences 0"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(
    words: str, message: str, model: Path, tmp_path: Path, capsys: Capture
) -> None:
    places = {"MODEL": str(model), "NEW": str(tmp_path / "new")}
    assert main([places.get(word, word) for word in words.split()]) == 2
    shown = capsys.readouterr().err
    assert message in shown and "Traceback" not in shown
