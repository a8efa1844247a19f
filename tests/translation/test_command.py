"""The command line of the translation, on two small files."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tests.translation.test_translator import ENGLISH, FRENCH
from transformer_lesson.translation.__main__ import main
from transformer_lesson.translation.translator import Translator

SIZES = [
    "--vocab-size=60",
    "--d-model=16",
    "--num-heads=2",
    "--d-ff=32",
    "--max-tokens=20",
    "--batch-tokens=60",
    "--learning-rate=0.01",
    "--warmup-steps=10",
    "--evaluate-every=60",
]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("text")
    paths = []
    for name, lines in (("train.en", ENGLISH), ("train.fr", FRENCH)):
        (folder / name).write_text("\n".join(lines * 20) + "\n", encoding="utf-8")
        paths.append(str(folder / name))
    for name, lines in (("test.en", ["a cat here"]), ("test.fr", ["un chat ici"])):
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    test = [str(folder / name) for name in ("test.en", "test.fr")]
    return ["--train", *paths, "--validation", *test, "--test", *test]


def train(folder: Path, files: list[str], *more: str) -> int:
    return main(["train", "--out", str(folder), *files, *SIZES, *more])


@pytest.fixture(scope="module")
def model(files: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run") / "model"
    assert train(folder, files, "--steps", "150") == 0
    return folder


def test_it_trains_into_a_folder(model: Path) -> None:
    names = {path.name for path in model.iterdir()}
    assert names == {
        "checkpoint.pt",
        "config.json",
        "metrics.json",
        "model.safetensors",
        "run.json",
        "vocabulary.json",
    }
    metrics = json.loads((model / "metrics.json").read_text())
    assert metrics["steps"] == 150 and metrics["evaluations"][-1][0] == 150


def test_it_translates_arguments_and_lines(
    model: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["translate", str(model), "a big cat", "a dog"]) == 0
    assert capsys.readouterr().out.splitlines() == ["un gros chat", "un chien"]
    monkeypatch.setattr("sys.stdin", io.StringIO("a dog\n\none dog sleeps\n"))
    assert main(["translate", str(model), "--beam-width", "2"]) == 0
    assert capsys.readouterr().out.splitlines() == ["un chien", "", "un chien dort"]


def test_it_evaluates_on_the_run_s_own_test_set(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", str(model)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("1 pairs, test: BLEU ") and "tok:13a" in shown


def test_files_of_a_split_are_enough_to_evaluate_on_it(
    model: Path, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    english, french = files[1:3]
    assert main(["evaluate", str(model), "--test", english, french]) == 0
    assert capsys.readouterr().out.startswith("120 pairs, test: BLEU ")
    there = ["--split", "validation", "--validation", english, french]
    assert main(["evaluate", str(model), *there]) == 0
    assert capsys.readouterr().out.startswith("120 pairs, validation: BLEU ")


def test_it_prints_what_a_translation_costs(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["profile", str(model), "--sentences", "1", "--beam-widths", "1", "2"]) == 0
    shown = capsys.readouterr().out
    for part in ("1 sentence ", "detokenising", "beam 2", "aten::", "activations", "reserved"):
        assert part in shown


def test_the_same_command_again_trains_no_more(model: Path, files: list[str]) -> None:
    before = (model / "checkpoint.pt").stat().st_mtime_ns
    assert train(model, files, "--steps", "150") == 0
    assert (model / "checkpoint.pt").stat().st_mtime_ns == before


def test_two_processes_train_what_one_does(files: list[str], tmp_path: Path) -> None:
    options = [*files, *SIZES, "--steps", "20", "--batches-per-step", "2"]
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
    # Not the weights: the bias of a key has no gradient, and Adam makes steps of its rounding.
    tokens = torch.arange(4, 24)[None]
    one, two = (Translator.load(tmp_path / name).model(tokens, tokens) for name in ("one", "two"))
    torch.testing.assert_close(two, one, atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "--out", "MODEL", "--d-model", "32"], "holds a run with"),
        (["train", "--out", "NEW", "--corpus", "files"], "needs --train EN FR"),
        (
            ["train", "--out", "NEW", "--corpus", "builtin", "--test", "a", "b"],
            "for --corpus files",
        ),
        (["train", "--out", "NEW", "--train", "no.en", "no.fr"], "no.en"),
        (["train", "--out", "NEW", "--steps", "0"], "steps=0"),
        (["train", "--out", "NEW", "--num-heads", "3"], "num_heads=3"),
        (["train", "--out", "NEW", "--corpus", "builtin", "--pairs", "0"], "pairs=0"),
        (["evaluate", "MODEL", "--validation", "a", "b"], "--split test was asked for"),
        (["evaluate", "MODEL", "--pairs", "5"], "--pairs needs --corpus"),
        (["evaluate", "MODEL", "--train", "a", "b", "--pairs", "5"], "not files"),
        (["translate", "NEW", "a cat"], "holds no model.safetensors"),
        (["profile", "MODEL", "--sentences", "0"], "--sentences 0"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(
    model: Path,
    tmp_path: Path,
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    places = {"MODEL": str(model), "NEW": str(tmp_path / "new")}
    assert main([places.get(word, word) for word in arguments]) == 2
    shown = capsys.readouterr().err
    assert message in shown and "Traceback" not in shown
