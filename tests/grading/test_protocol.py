"""Arrays survive the journey; whatever is no array is refused."""

import base64
from typing import Any

import pytest
import torch
from torch import Tensor

from notebook_judge.checks.cases import Outcome
from notebook_judge.grading.sandbox import protocol

TENSORS = [
    torch.randn(2, 3),
    torch.randn(2, 3, 4).transpose(1, 2),
    torch.randn(4, 3, 2).permute(2, 0, 1),
    torch.randn(()),
    torch.randn(4)[::4],
    torch.randn(0, 3),
    torch.arange(5),
    torch.tensor([True, False]),
    torch.randn(3).to(torch.bfloat16),
    torch.randn(3, 1).half(),
    torch._neg_view(torch.randn(2, 3)),
    torch.tensor([float("nan"), float("inf"), -float("inf")]),
]


@pytest.mark.parametrize("tensor", TENSORS, ids=lambda t: f"{t.dtype}-{tuple(t.shape)}")
def test_tensors_arrive_as_they_left(tensor: Tensor) -> None:
    back = protocol.unpack(protocol.load(protocol.dump({"v": protocol.pack(tensor)}))["v"])
    assert isinstance(back, Tensor)
    assert (back.dtype, back.shape) == (tensor.dtype, tensor.shape)
    assert back.is_contiguous() == tensor.is_contiguous()
    assert torch.allclose(back, tensor, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("value", [3, 0.1, True, None])
def test_numbers_arrive_as_they_left(value: Any) -> None:
    back = protocol.unpack(protocol.load(protocol.dump({"v": protocol.pack(value)}))["v"])
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
    with pytest.raises(protocol.ProtocolError, match=f"weights: .*{words}"):
        protocol.pack_outcome(Outcome(values={"weights": tensor}))


def packed(values: bytes = bytes(24), **others: Any) -> dict[str, Any]:
    """What ``pack`` would make of an array, with other bytes or another description."""
    data = base64.b64encode(values).decode()
    return {"order": [0, 1], "dtype": "float32", "shape": [2, 3], "data": data} | others


GOOD = protocol.pack(torch.zeros(2, 3))


def test_an_array_can_be_written_by_hand() -> None:
    back = protocol.unpack(packed())
    assert isinstance(back, Tensor)
    assert back.equal(torch.zeros(2, 3))


@pytest.mark.parametrize(
    "plain",
    [
        packed(shape=[2, 4]),
        packed(shape=[-2, -3]),
        packed(shape="23"),
        packed(shape=[10**30, 0]),
        packed(shape=[2**32, 2**32]),
        packed(shape=[1] * 33 + [6], order=list(range(34))),
        packed(b"", shape=[0, 2**62, 2**62], order=[0, 1, 2]),
        packed(shape=[2.0, 3.0]),
        packed(shape=[True, 6]),
        packed(shape={"2": 3}),
        packed(dtype="object"),
        packed(dtype=["float32"]),
        packed(dtype="complex64", shape=[3], order=[0]),
        packed(bytes(25)),
        packed(bytes(protocol.ARRAY_BYTES + 4), shape=[protocol.ARRAY_BYTES // 4 + 1], order=[0]),
        packed(order=[0, 0]),
        packed(order=[1, 5]),
        packed(order=[0]),
        GOOD | {"order": None},
        GOOD | {"data": "no base64"},
        GOOD | {"data": None},
        GOOD | {"data": ""},
        GOOD | {"data": base64.b64encode(b"\xff" * 32).decode()},
        {"order": [0, 1]},
        "an array",
        [GOOD],
    ],
    ids=lambda plain: str(plain)[:60],
)
def test_malformed_arrays_are_refused(plain: Any) -> None:
    with pytest.raises(protocol.ProtocolError):
        protocol.unpack(plain)


def test_bytes_that_are_no_boolean_become_one() -> None:
    back = protocol.unpack(packed(b"\x07\x00", dtype="bool", shape=[2], order=[0]))
    assert isinstance(back, Tensor)
    assert back.to(torch.uint8).tolist() == [1, 0]


OUTCOME = protocol.pack_outcome(Outcome(values={"weights": torch.zeros(2)}))


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
    with pytest.raises(protocol.ProtocolError):
        protocol.unpack_outcome(plain, {"weights"})


@pytest.mark.parametrize("line", [b"", b"\n", b"[1]\n", b"{", b"[" * 100_000, b"\xff"], ids=len)
def test_lines_that_are_no_message_are_refused(line: bytes) -> None:
    with pytest.raises(protocol.ProtocolError):
        protocol.load(line)


def test_texts_from_outside_become_one_harmless_line() -> None:
    assert protocol.text("a\x1b[31m\r\nb\x00\ud800\u202ec") == "a�[31m b���c"
    assert len(protocol.text("x" * 10_000)) == protocol.TEXT_LENGTH
    with pytest.raises(protocol.ProtocolError, match="a list in the place of a text"):
        protocol.text([])
