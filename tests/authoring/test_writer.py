"""The training of the writer, on a few sentences and at a small size."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from authoring.shipped import writer
from benchmarks.first_gpu import Report
from transformer_lesson.models import DecoderOnly
from transformer_lesson.translation.stored import load_folder
from transformer_lesson.translation.vocabulary import END

SENTENCES = [[7, END], [4, 5, 6, END], [8, 9, END]]
STREAM = np.array([i for sentence in SENTENCES for i in sentence])
ENGLISH = ["I like cats.", "Do you like old cats?", "He has a cat."] * 100
SMALL = replace(writer.CONFIG, vocab_size=45, d_model=16, d_ff=16, num_layers=1)


def _sentences(stream: writer.Ids) -> list[list[int]]:
    return [part.tolist() for part in np.split(stream, np.flatnonzero(stream == END) + 1)[:-1]]


def test_shuffling_keeps_each_sentence_whole() -> None:
    orders = [_sentences(writer.shuffled(STREAM, np.random.default_rng(s))) for s in range(20)]
    assert all(sorted(order) == sorted(SENTENCES) for order in orders)
    assert len({str(order) for order in orders}) > 1


def test_each_text_begins_with_a_sentence() -> None:
    stream = np.tile(STREAM, 100)
    found = writer.texts(stream)
    assert found.shape == (len(stream) // writer.TOKENS, writer.TOKENS + 1)
    assert set(found[:, 0].tolist()) == {END}
    assert set(found[:, 1].tolist()) == {7, 4, 8}


def test_training_leaves_its_best_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "TEXTS", 4)
    monkeypatch.setattr(writer, "PASSES", 3)
    rows = writer.trained(Report(tmp_path, "log", 300), SMALL, [ENGLISH, ENGLISH], tmp_path, "cpu")
    losses = [row["held out"] for _, row in rows]
    assert len(losses) == 3 and losses[2] == min(losses) < losses[0]
    model, vocabulary = load_folder(tmp_path, DecoderOnly)
    batch = writer.texts(writer.cut(vocabulary, ENGLISH))
    assert writer.loss(model, batch).item() == pytest.approx(losses[-1], abs=1e-4)
