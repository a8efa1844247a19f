"""The training of the writer, on a few sentences and at a small size."""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from authoring import writer
from transformer_lesson.models import DecoderOnly
from transformer_lesson.translation.vocabulary import END, START

SENTENCES = [[7, END], [4, 5, 6, END], [8, 9, END]]
STREAM = np.array([i for sentence in SENTENCES for i in sentence], np.uint16)


def _sentences(stream: np.ndarray) -> list[list[int]]:
    return [part.tolist() for part in np.split(stream, np.flatnonzero(stream == END) + 1)[:-1]]


def test_shuffling_keeps_each_sentence_whole() -> None:
    orders = [_sentences(writer.shuffled(STREAM, np.random.default_rng(s))) for s in range(20)]
    assert all(sorted(order) == sorted(SENTENCES) for order in orders)
    assert len({str(order) for order in orders}) > 1
    assert len(_sentences(writer.shuffled(STREAM, np.random.default_rng(0), 2))) == 2


def test_each_text_begins_with_a_sentence_and_leaves_out_less_than_one() -> None:
    stream = np.tile(STREAM, 100)
    texts = writer.rows(stream)
    assert texts.shape == (len(stream) // writer.TOKENS, writer.TOKENS + 1)
    assert set(texts[::2, 0]) == {START} and set(texts[1::2, 0]) == {END}
    assert set(texts[:, 1]) <= {7, 4, 8}


@pytest.mark.parametrize("fault", [False, True])
def test_a_run_leaves_weights_and_its_log_and_a_fault_ends_that_run_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: bool
) -> None:
    stream = np.tile(STREAM, 300)
    arrays: dict[str, Any] = {
        "everyday": stream,
        "validation": stream[:900],
        "letters": np.array(2_000),
    }
    np.savez(tmp_path / "1024.npz", **arrays)
    monkeypatch.setattr(writer, "TEXTS", 8)
    runs = (writer.Run("mixture", 1, 0.1, others=1.0), writer.Run("everyday", 3, 0.1, rate=0.03))
    monkeypatch.setattr(writer, "RUNS", runs[not fault :])
    asked = {"texts": tmp_path, "out": tmp_path, "minutes": 5.0, "device": "cpu", "tiny": True}
    writer.train(argparse.Namespace(**asked))
    rows = json.loads((tmp_path / "writer.json").read_text(encoding="utf-8"))
    assert [row["step"] for row in rows if row["what"] == "failed"] == ["mixture"] * fault
    losses = [row["held out"] for row in rows if "held out" in row]
    assert len(losses) == 3 and losses[-1] < losses[0]
    model = DecoderOnly(writer.config(1024, d_model=32, d_ff=64))
    model.load_state_dict(load_file(tmp_path / "everyday.safetensors"))
    with torch.no_grad():
        texts = writer.on("cpu", writer.rows(arrays["validation"]))
        assert writer.loss(model, texts).item() == pytest.approx(losses[-1], abs=0.01)
