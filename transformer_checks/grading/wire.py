"""What travels between the grader and a worker: JSON lines, arrays as plain bytes, never pickle."""

import base64
import json
import math
import re
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from transformer_checks.checks.cases import Build, Case, LanguageModel, Outcome, Value

ARRAY_BYTES = 2**22  # per array: the largest right answer of the course is far below it
LINE_BYTES = 2**24  # per message
MOST_PARTS = 100_000  # per message: a reply has a few dozen, and what stands in its texts
MOST_AXES = 32  # per array
MOST_TEXTS = 64  # per list of names
TEXT_LENGTH = 400  # per text that a learner's code can choose
_START = 2**14  # of such a text, which may have millions of characters: more is never looked at

_DTYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        torch.bool,
        torch.uint8,
        torch.int8,
        torch.int16,
        torch.int32,
        torch.int64,
        torch.float16,
        torch.bfloat16,
        torch.float32,
        torch.float64,
    )
}
# Terminals obey control characters, XML forbids them, and bidirectional ones reorder a report.
_UNSAFE = re.compile(
    r"[^\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\u202a-\u202e\u2066-\u2069]"
)


class WireError(ValueError):
    """A message or an array that does not follow the protocol."""


def clean(text: str, length: int = TEXT_LENGTH) -> str:
    """Make a text from outside one line that is safe to print and to write into any report."""
    start = text[:_START]
    text = _UNSAFE.sub("\N{REPLACEMENT CHARACTER}", " ".join(start.splitlines()))
    return text if len(text) <= length else text[: length - 1] + "…"


def text(value: Any) -> str:
    """A text that a worker sent, made harmless.

    Raises:
        WireError: it is no text.
    """
    if not isinstance(value, str):
        raise WireError(f"a {type(value).__name__} in the place of a text")
    return clean(value)


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or len(values) > MOST_TEXTS:
        raise WireError("no list of names, or too long a one")
    return tuple(text(value) for value in values)


def dump(message: dict[str, Any]) -> bytes:
    """A message as one line."""
    return json.dumps(message).encode() + b"\n"


def load(line: bytes, *, trusted: bool = False) -> dict[str, Any]:
    """The message in a line.

    Args:
        line: the bytes, with the end of the line.
        trusted: whether it comes from the grader, where a cell of a notebook may be of any kind.

    Raises:
        WireError: it is no JSON object, or cut off at ``LINE_BYTES``.
    """
    # Millions of empty lists fit into a message, and would take seconds.
    if not trusted and sum(map(line.count, (b",", b"[", b"{"))) > MOST_PARTS:
        raise WireError("the message has too many parts")
    if not line.endswith(b"\n"):
        raise WireError("the message is cut off")
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise WireError("the message is not one line of JSON") from error
    if not isinstance(message, dict):
        raise WireError("the message is not a JSON object")
    return message


def pack(value: Value) -> Any:
    """A tensor as dtype, shape, order of its axes in memory, and bytes; a number as itself.

    The order matters: a transposed view must arrive as one that is not contiguous.

    Raises:
        WireError: the tensor is too large, or of a kind that has no plain bytes.
    """
    if not isinstance(value, Tensor):
        return value
    dtype = str(value.dtype).removeprefix("torch.")
    if dtype not in _DTYPES or value.layout != torch.strided:
        raise WireError(f"a {value.dtype} tensor with layout {value.layout} is no result")
    if value.numel() * value.element_size() > ARRAY_BYTES:
        raise WireError(
            f"a tensor of shape {tuple(value.shape)} is larger than {ARRAY_BYTES // 2**20} MiB"
        )
    strides = value.stride()
    order = sorted(range(value.dim()), key=strides.__getitem__, reverse=True)
    flat = value.detach().cpu().permute(order).reshape(-1)
    data = flat.view(torch.uint8).numpy().tobytes()
    return {
        "dtype": dtype,
        "shape": list(value.shape),
        "order": order,
        "data": base64.b64encode(data).decode(),
    }


def unpack(plain: Any) -> Value:
    """What ``pack`` packed; every part of it is verified.

    Raises:
        WireError: it is not what ``pack`` makes.
    """
    if plain is None or isinstance(plain, bool | int | float):
        return plain
    try:
        dtype, shape, order = _DTYPES[plain["dtype"]], plain["shape"], plain["order"]
        data = base64.b64decode(plain["data"], validate=True)
        if not isinstance(shape, list) or len(shape) > MOST_AXES:
            raise WireError("no shape")
        if sorted(order) != list(range(len(shape))) or not all(_is_size(size) for size in shape):
            raise WireError("the shape and the order of the axes do not belong together")
        if math.prod(shape) * dtype.itemsize != len(data) or len(data) > ARRAY_BYTES:
            raise WireError("the bytes of an array do not fit its shape")
        flat = torch.frombuffer(bytearray(data), dtype=torch.uint8) if data else torch.empty(0)
        # A bool made from any other byte than 0 and 1 is undefined.
        flat = flat != 0 if dtype == torch.bool else flat.view(dtype) if data else flat.to(dtype)
        back = sorted(range(len(order)), key=order.__getitem__)
        return flat.reshape([shape[axis] for axis in order]).permute(back)
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise WireError(f"not a packed array: {type(error).__name__}: {error}") from error


def _is_size(size: Any) -> bool:
    return type(size) is int and size >= 0


def pack_case(case: Case) -> dict[str, Any]:
    """A case without its label, which is none of the answer's business."""
    plain: dict[str, Any] = {
        "inputs": _pack_all(case.inputs),
        "gradients": case.gradients,
        "most_numbers": case.most_numbers,
    }
    if case.build:
        plain["build"] = {
            "config": _pack_all(case.build.config),
            "weights": _pack_all(case.build.weights),
            "training": case.build.training,
        }
    return plain


def _pack_all(values: Mapping[str, Value]) -> dict[str, Any]:
    return {
        name: {"table": pack(value.table)} if isinstance(value, LanguageModel) else pack(value)
        for name, value in values.items()
    }


def unpack_case(plain: dict[str, Any]) -> Case:
    """The case that ``pack_case`` packed; it comes from the grader and is trusted."""
    build = plain.get("build")
    return Case(
        "",
        _unpack_all(plain["inputs"]),
        plain["gradients"],
        Build(_unpack_all(build["config"]), _unpack_all(build["weights"]), build["training"])
        if build
        else None,
        plain["most_numbers"],
    )


def _unpack_all(plain: dict[str, Any]) -> dict[str, Any]:
    return {name: _unpack_input(value) for name, value in plain.items()}


def _unpack_input(plain: Any) -> Value:
    if isinstance(plain, dict) and "table" in plain:
        return LanguageModel(_tensor(plain["table"]))
    return plain if isinstance(plain, str | list) else unpack(plain)


def pack_outcome(outcome: Outcome) -> dict[str, Any]:
    """An outcome as JSON.

    Raises:
        WireError: see ``pack``; the message names the result.
    """
    values = {}
    for name, value in outcome.values.items():
        try:
            values[name] = pack(value)
        except WireError as error:
            raise WireError(f"{name}: {error}") from error
    return {
        "values": values,
        "error": outcome.error[:_START],
        "unanswered": outcome.unanswered,
        "unsteady": outcome.unsteady,
        "timed_out": outcome.timed_out,
        "changed": outcome.changed,
        "shortcuts": outcome.shortcuts,
        "too_much": outcome.too_much[:_START],
    }


def pack_outcome_or_error(outcome: Outcome) -> dict[str, Any]:
    """As ``pack_outcome``; what is too large for a message becomes an error in words."""
    plain = pack_outcome(outcome)
    if len(dump(plain)) <= LINE_BYTES - 2**10:
        return plain
    return pack_outcome(Outcome(error=f"its results are larger than {LINE_BYTES // 2**20} MiB"))


def unpack_outcome(plain: Any, names: set[str]) -> Outcome:
    """The outcome that a worker sent, which may have been written by the learner's code.

    Args:
        plain: the decoded JSON.
        names: of the values that an outcome without an error must have, no more and no fewer.

    Raises:
        WireError: it is not an outcome of that call.
    """
    try:
        if not plain["values"].keys() <= names:
            raise WireError("the outcome holds values that nobody asked for")
        outcome = Outcome(
            values={name: _tensor(value) for name, value in plain["values"].items()},
            error=text(plain["error"]),
            unanswered=plain["unanswered"] is True,
            unsteady=plain["unsteady"] is True,
            timed_out=plain["timed_out"] is True,
            changed=_texts(plain["changed"]),
            shortcuts=_texts(plain["shortcuts"]),
            too_much=text(plain["too_much"]),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise WireError(f"not an outcome: {type(error).__name__}: {error}") from error
    without_values = outcome.error or outcome.unanswered or outcome.timed_out
    if not without_values and outcome.values.keys() != names:
        raise WireError("the outcome does not hold the values that were asked for")
    return outcome


def _tensor(plain: Any) -> Tensor:
    value = unpack(plain)
    if not isinstance(value, Tensor):
        raise WireError("a value of an outcome is not an array")
    return value
