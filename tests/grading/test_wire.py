"""Arrays survive the journey; whatever is no array is refused."""

import base64
from typing import Any

import pytest
import torch
from torch import Tensor

from transformer_checks.checks.cases import Outcome
from transformer_checks.grading import wire

TENSORS = [
    torch.randn(2, 3),
    torch.randn(2, 3, 4).transpose(1, 2),
    torch.randn(4, 3, 2).permute(2, 0, 1),
    torch.randn(()),
    torch.randn(0, 3),
    torch.arange(5),
    torch.tensor([True, False]),
    torch.randn(3).to(torch.bfloat16),
    torch.randn(3, 1).half(),
    torch.tensor([float("nan"), float("inf"), -float("inf")]),
]


@pytest.mark.parametrize("tensor", TENSORS, ids=lambda t: f"{t.dtype}-{tuple(t.shape)}")
def test_tensors_arrive_as_they_left(tensor: Tensor) -> None:
    back = wire.unpack(wire.load(wire.dump({"v": wire.pack(tensor)}))["v"])
    assert isinstance(back, Tensor)
    assert (back.dtype, back.shape) == (tensor.dtype, tensor.shape)
    assert back.is_contiguous() == tensor.is_contiguous()
    assert torch.allclose(back, tensor, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("value", [3, 0.1, True, None])
def test_numbers_arrive_as_they_left(value: Any) -> None:
    back = wire.unpack(wire.load(wire.dump({"v": wire.pack(value)}))["v"])
    assert (back, type(back)) == (value, type(value))


@pytest.mark.parametrize(
    ("tensor", "words"),
    [
        (torch.zeros(1).expand(10**12), r"shape \(1000000000000,\) is larger than 4 MiB"),
        (torch.zeros(2, dtype=torch.complex64), "complex64"),
        (torch.eye(2).to_sparse(), "sparse"),
    ],
)
def test_what_cannot_travel_is_named(tensor: Tensor, words: str) -> None:
    with pytest.raises(wire.WireError, match=f"weights: .*{words}"):
        wire.pack_outcome(Outcome(values={"weights": tensor}))


GOOD = wire.pack(torch.zeros(2, 3))


@pytest.mark.parametrize(
    "change",
    [
        {"shape": [2, 4]},
        {"shape": [-2, -3]},
        {"shape": [True, 6]},
        {"shape": "23"},
        {"shape": [10**30, 0]},
        {"order": [0, 0]},
        {"order": [1, 5]},
        {"dtype": "object"},
        {"dtype": ["float32"]},
        {"data": "no base64"},
        {"data": None},
        {"data": base64.b64encode(bytes(25)).decode()},
    ],
    ids=str,
)
def test_malformed_arrays_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(wire.WireError):
        wire.unpack(GOOD | change)


def test_bytes_that_are_no_boolean_become_one() -> None:
    plain = wire.pack(torch.tensor([True, False]))
    plain["data"] = base64.b64encode(b"\x07\x00").decode()
    back = wire.unpack(plain)
    assert isinstance(back, Tensor)
    assert back.to(torch.uint8).tolist() == [1, 0]


OUTCOME = wire.pack_outcome(Outcome(values={"weights": torch.zeros(2)}))


@pytest.mark.parametrize(
    "plain",
    [
        None,
        [],
        {},
        OUTCOME | {"values": {}},
        OUTCOME | {"values": {"weights": GOOD, "more": GOOD}},
        OUTCOME | {"values": {"weights": 3}},
        OUTCOME | {"values": [GOOD]},
        OUTCOME | {"changed": 3},
    ],
    ids=lambda plain: str(plain)[-60:],
)
def test_malformed_outcomes_are_refused(plain: Any) -> None:
    with pytest.raises(wire.WireError):
        wire.unpack_outcome(plain, {"weights"})


@pytest.mark.parametrize("line", [b"", b"\n", b"[1]\n", b"{", b"[" * 100_000, b"\xff"], ids=len)
def test_lines_that_are_no_message_are_refused(line: bytes) -> None:
    with pytest.raises(wire.WireError):
        wire.load(line)


def test_texts_from_outside_become_one_harmless_line() -> None:
    assert wire.clean("a\x1b[31m\r\nb\x00\ud800\u202ec") == "a�[31m b���c"
    assert wire.clean("é ✓ 🜁 <&>") == "é ✓ 🜁 <&>"
    assert len(wire.clean("x" * 10_000)) == wire.TEXT_LENGTH
