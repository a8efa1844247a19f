"""The round on a GPU, on a CPU, with a teacher and batches that are small."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from authoring.shipped import gpu_round
from authoring.shipped.gpu_round import LOG, WEIGHTS, distilled_loss, load, text_loss, train
from transformer_lesson.models import EncoderDecoder
from transformer_lesson.translation.translator import Translator


def test_a_round_writes_weights_that_differ_and_a_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {
        name: [("The cat sleeps.", "Le chat dort."), ("I am here.", "Je suis ici.")]
        for shares in gpu_round._SHARES
        for name in shares
    }
    monkeypatch.setattr(gpu_round, "training_text", lambda data, parliament: texts)
    monkeypatch.setattr(gpu_round, "held_out", lambda model, data, device: {"everyday": 1.0})
    monkeypatch.setattr(gpu_round, "_TOKENS", 64)
    small = {"d_model": 16, "num_heads": 2, "d_ff": 16, "num_layers": 1, "num_encoder_layers": 1}
    monkeypatch.setattr(gpu_round, "_TEACHER", small)
    folder = tmp_path / "round"
    train(folder, tmp_path, 0.2)
    log = json.loads((folder / LOG).read_text(encoding="utf-8"))
    assert log["steps"] > 0 and log["teacher's steps"] > 0
    assert set(log["held-out loss"]) == {"before", "teacher", "student"}
    trained, shipped = load_file(folder / WEIGHTS), Translator.shipped().model.state_dict()
    assert trained.keys() == shipped.keys()
    assert any(not torch.equal(trained[name].float(), shipped[name]) for name in shipped)
    load(folder)
    assert Translator.load(folder).translate(["I am here."])[0]


def test_the_student_learns_from_the_teacher_and_the_text_without_padding() -> None:
    torch.manual_seed(0)
    config = Translator.shipped().model.config
    teacher = EncoderDecoder(config).eval()
    student = EncoderDecoder(config).eval()
    source, target = torch.tensor([[5, 6, 7]]), torch.tensor([[1, 8, 9, 2]])
    padded = torch.nn.functional.pad(target, (0, 3))
    found = distilled_loss(teacher, student, source, target)
    torch.testing.assert_close(distilled_loss(teacher, student, source, padded), found)
    with torch.no_grad():
        expected = teacher(source, target[:, :-1]).softmax(-1)
        own = student(source, target[:, :-1]).log_softmax(-1)
    soft = -(expected * own).sum(-1).mean()
    hard = text_loss(student, source, target)
    torch.testing.assert_close(found, gpu_round._SOFT * soft + (1 - gpu_round._SOFT) * hard)
    assert found.requires_grad and all(w.grad is None for w in teacher.parameters())
