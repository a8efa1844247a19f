"""What flash attention refuses, and what it says."""

import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from tests.fixtures import Patch
from transformer_lesson.flash import api, flash_attention


def zeros(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.zeros(shape, dtype=dtype)


Q = zeros(2, 4, 5, 16)


def test_a_backend_that_cannot_run_is_refused_with_the_reason() -> None:
    with pytest.raises(RuntimeError, match="float64 is for backend='tiled'"):
        flash_attention(*(zeros(1, 1, 2, 16, dtype=torch.float64),) * 3, backend="triton")
    with pytest.raises(ValueError, match="backend='cudnn'; expected"):
        flash_attention(Q, Q, Q, backend="cudnn")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("hip", "capability", "words"),
    [("6.4", (9, 4), "NVIDIA"), (None, (7, 5), "older than"), (None, (8, 0), "")],
)
def test_gpus_that_the_kernels_do_not_know(
    hip: str | None, capability: tuple[int, int], words: str, monkeypatch: Patch
) -> None:
    monkeypatch.setattr(api, "interpreting", lambda: False)
    monkeypatch.setattr(torch.version, "hip", hip)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda _: capability)
    query: Any = SimpleNamespace(dtype=torch.float16, device=torch.device("cuda"))
    reason = api.why_not_triton(query)
    assert words in reason if words else not reason


ASK_ON_A_CPU = """
import torch
from transformer_lesson.flash import flash_attention
q = torch.zeros(1, 1, 2, 16)
flash_attention(q, q, q)
import sys
assert "triton" not in sys.modules, "the tiles need no Triton"
flash_attention(q, q, q, backend="triton")
"""
ASK_TOO_LATE = """
import triton
from transformer_lesson.flash.interpret import use_interpreter
use_interpreter()
"""


@pytest.mark.parametrize(
    ("program", "words"),
    [(ASK_ON_A_CPU, "Triton needs a GPU"), (ASK_TOO_LATE, "Restart the kernel and call")],
)
def test_without_the_interpreter(program: str, words: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env={"PATH": ""}
    )
    assert words in run.stderr
    assert "RuntimeError" in run.stderr
