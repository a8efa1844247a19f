"""The report names what is there and says what follows when it is not."""

import platform

import torch

from tests.fixtures import Patch
from transformer_lesson import machine


def test_report_names_what_is_there() -> None:
    parts = {part.name: part for part in machine.inspect_machine()}
    assert parts["Python"].found == platform.python_version()
    assert parts["PyTorch"].found == torch.__version__
    assert all(part.meaning for part in parts.values())


def test_what_is_missing_is_said(monkeypatch: Patch) -> None:
    monkeypatch.setattr(machine, "_version", lambda package: "none")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    parts = {part.name: part for part in machine.inspect_machine()}
    assert {parts[name].found for name in ("GPU", "Triton", "widgets")} == {"none"}
    assert "read, not run" in parts["Triton"].meaning


def test_a_gpu_changes_what_triton_means(monkeypatch: Patch) -> None:
    monkeypatch.setattr(machine, "_version", lambda package: "3.7.1")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "Some GPU")
    parts = {part.name: part for part in machine.inspect_machine()}
    assert parts["GPU"].found == "Some GPU"
    assert parts["Triton"].meaning.endswith("on the GPU")
