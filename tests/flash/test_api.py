"""What flash attention refuses, and what it says."""

import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from transformer_lesson import seeded
from transformer_lesson.config import ModelConfig
from transformer_lesson.flash import api, flash_attention
from transformer_lesson.models import EncoderDecoder


def zeros(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.zeros(shape, dtype=dtype)


Q = zeros(2, 4, 5, 16)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((zeros(4, 5, 16), Q, Q), ValueError, r"query \(4, 5, 16\).*expected \(batch, heads"),
        ((Q, zeros(2, 3, 5, 16), zeros(2, 3, 5, 16)), ValueError, "4 heads cannot share 3"),
        ((Q, zeros(2, 4, 5, 8), zeros(2, 4, 5, 8)), ValueError, "one batch size and d_head"),
        ((Q, Q, zeros(2, 4, 6, 16)), ValueError, "as many values as keys"),
        ((Q, Q.double(), Q), TypeError, "key torch.float64"),
        ((Q.int(), Q.int(), Q.int()), TypeError, "floating-point"),
        ((zeros(1, 1, 5, 512),) * 3, ValueError, "d_head=512; expected 1 to 256. Use more heads"),
        ((Q, zeros(2, 4, 0, 16), zeros(2, 4, 0, 16)), ValueError, "at least one query and one key"),
    ],
)
def test_shapes_and_dtypes_that_do_not_fit(
    arguments: tuple[torch.Tensor, ...], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        flash_attention(*arguments)


@pytest.mark.parametrize("scale", [0.0, -1.0, float("nan"), float("inf")])
def test_a_scale_that_is_no_positive_number(scale: float) -> None:
    with pytest.raises(ValueError, match="expected a positive number, and a finite one"):
        flash_attention(Q, Q, Q, scale=scale)


def test_padding_that_does_not_fit() -> None:
    with pytest.raises(TypeError, match=r"expected torch\.bool"):
        flash_attention(Q, Q, Q, real=torch.ones(2, 5))
    with pytest.raises(ValueError, match="real is on meta, key on cpu; move them"):
        flash_attention(Q, Q, Q, real=torch.ones(2, 5, dtype=torch.bool, device="meta"))
    with pytest.raises(ValueError, match=r"expected \(batch, keys\) = \(2, 5\)"):
        flash_attention(Q, Q, Q, real=torch.ones(2, 4, dtype=torch.bool))


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
    hip: str | None, capability: tuple[int, int], words: str, monkeypatch: pytest.MonkeyPatch
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


@pytest.mark.parametrize("positions", ["sinusoidal", "rotary"])
def test_a_model_gives_the_same_logits_and_gradients(positions: str) -> None:
    found = []
    for attention in ("reference", "flash"):
        config = ModelConfig(
            11,
            d_model=32,
            d_ff=64,
            positions=positions,  # type: ignore[arg-type]
            attention=attention,
        )
        model = EncoderDecoder(config, generator=seeded(0))
        source = torch.tensor([[3, 4, 5, 0, 0], [1, 2, 3, 4, 5]])
        target = torch.tensor([[1, 4, 0], [1, 9, 8]])
        logits = model(source, target)
        logits.square().mean().backward()
        found.append([logits, *(p.grad for p in model.parameters() if p.grad is not None)])
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


def test_what_flash_attention_cannot_do_is_refused() -> None:
    with pytest.raises(ValueError, match="positions='alibi' add to every score"):
        ModelConfig(7, positions="alibi", attention="flash")
    from transformer_lesson.attention import MultiHeadAttention, causal_mask

    with pytest.raises(ValueError, match="never holds them"):
        MultiHeadAttention(8, 2, dropout=0.1, attention="flash")
    layer = MultiHeadAttention(8, 2, attention="flash")
    with pytest.raises(TypeError, match="Give a FlashMask"):
        layer(zeros(1, 3, 8), mask=causal_mask(3))
