"""A round that is given minutes, on a CPU and for seconds."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from authoring.shipped import mixture, timed_round
from authoring.shipped.timed_round import LOG, WEIGHTS, batches, draw, load, train
from transformer_lesson.translation.commands import METRICS
from transformer_lesson.translation.translator import Translator
from transformer_lesson.translation.vocabulary import PADDING


def test_a_round_goes_on_from_the_shipped_weights_and_keeps_a_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {
        name: [("The cat sleeps.", "Le chat dort."), ("I am here.", "Je suis ici.")]
        for shares in timed_round._SHARES
        for name in shares
    }
    monkeypatch.setattr(timed_round, "training_text", lambda data, parliament: texts)
    monkeypatch.setattr(timed_round, "_PASSES", (1, 1))
    monkeypatch.setattr(mixture, "_DRAWN", 20)
    monkeypatch.setitem(timed_round._TOKENS, "cpu", 64)
    draw(tmp_path / "drawn.xz", tmp_path)
    start = Translator.shipped()
    for seed in range(2):
        train(tmp_path / f"run-{seed}", tmp_path / "drawn.xz", 0.05, start, seed)
    log = json.loads((tmp_path / "run-0" / LOG).read_text(encoding="utf-8"))
    assert log["steps"] > 0 and log["rows"]
    load(tmp_path / "out", [tmp_path / "run-0", tmp_path / "run-1"])
    runs = [timed_round._state(tmp_path / f"run-{seed}") for seed in range(2)]
    mean = Translator.load(tmp_path / "out").model.state_dict()
    for name, tensor in start.model.state_dict().items():
        torch.testing.assert_close(mean[name], (runs[0][name] + runs[1][name]) / 2)
        assert tensor.shape == mean[name].shape
    assert any(not torch.equal(runs[0][name], runs[1][name]) for name in mean)
    metrics = json.loads((tmp_path / "out" / METRICS).read_text(encoding="utf-8"))
    assert metrics["runs"] == 2 and metrics["steps"] > log["steps"]
    assert load_file(tmp_path / "run-0" / WEIGHTS.format(0)).keys() < mean.keys()


def test_batches_have_few_shapes_and_every_pair_once() -> None:
    pairs = [([5] * (1 + n % 13), [6] * (1 + n % 29)) for n in range(400)]
    made = list(batches(pairs, "cpu"))
    assert {source.shape[1] for source, _ in made} == {8, 16, 24, 32}
    assert all(source.shape == target.shape for source, target in made)
    counts = [[(ids != PADDING).sum(1).tolist() for ids in batch] for batch in made]
    rows = [pair for sides in counts for pair in zip(*sides, strict=True)]
    assert sorted(rows) == sorted((len(source), len(target)) for source, target in pairs)
