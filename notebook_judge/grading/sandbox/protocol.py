"""What travels between the grader and a worker: JSON lines, arrays as bytes, never pickle."""

import base64
import json
import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from notebook_judge.checks.cases import Build, Case, LanguageModel, Outcome, Value
from notebook_judge.grading.sandbox.reading import LONGEST_SHOWN
from notebook_judge.sanitize import MAX_LINE, sanitize, sanitize_line

ARRAY_BYTES = 2**22  # per array: the largest right answer of the course is far below it
LINE_BYTES = 2**24  # per message
MOST_PARTS = 100_000  # per message: a reply has a few dozen, and what stands in its texts
MOST_AXES = 32  # per array
MOST_TEXTS = 64  # per list of names
TEXT_LENGTH = 400  # per text that a learner's code can choose

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


class ProtocolError(ValueError):
    """A message or an array that does not follow the protocol."""


def text(value: Any) -> str:
    """A text that a worker sent, sanitized.

    Raises:
        ProtocolError: it is no text.
    """
    if not isinstance(value, str):
        raise ProtocolError(f"a {type(value).__name__} in the place of a text")
    return sanitize_line(value, TEXT_LENGTH) if value else ""  # as most are


def lines(value: Any) -> str:
    """A text of several lines that a worker sent, sanitized.

    Raises:
        ProtocolError: it is no text, or longer than a report shows.
    """
    if not isinstance(value, str) or len(value) > LONGEST_SHOWN:
        raise ProtocolError("no text, or too long a one")
    return sanitize(value)


def texts(values: Any) -> tuple[str, ...]:
    """Texts that a worker sent, sanitized.

    Raises:
        ProtocolError: it is no list of texts, or too long a one.
    """
    if not isinstance(values, list) or len(values) > MOST_TEXTS:
        raise ProtocolError("no list of names, or too long a one")
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
        ProtocolError: it is no JSON object, or cut off at ``LINE_BYTES``.
    """
    # Millions of empty lists fit into a message, and would take seconds.
    if not trusted and sum(map(line.count, (b",", b"[", b"{"))) > MOST_PARTS:
        raise ProtocolError("the message has too many parts")
    if not line.endswith(b"\n"):
        raise ProtocolError("the message is cut off")
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ProtocolError("the message is not one line of JSON") from error
    if not isinstance(message, dict):
        raise ProtocolError("the message is not a JSON object")
    return message


def pack(value: Value) -> Any:
    """A tensor as the order of its axes in memory, its shape and its bytes; a number as itself.

    The order matters: a transposed view must arrive as one that is not contiguous.

    Raises:
        ProtocolError: the tensor is too large, or of a kind that has no plain bytes.
    """
    if not isinstance(value, Tensor):
        return value
    if value.dtype not in _DTYPES.values() or value.layout != torch.strided:
        raise ProtocolError(f"a {value.dtype} tensor with layout {value.layout} is no result")
    if value.numel() * value.element_size() > ARRAY_BYTES:
        raise ProtocolError(
            f"a tensor of shape {tuple(value.shape)} is larger than {ARRAY_BYTES // 2**20} MiB"
        )
    order = sorted(range(value.dim()), key=value.stride().__getitem__, reverse=True)
    plain = value.detach().cpu().resolve_neg().permute(order)
    # A copy, since what counts as contiguous may have any stride along an axis of length 1.
    flat = plain.clone(memory_format=torch.contiguous_format).reshape(-1)
    data = flat.view(torch.uint8).numpy().tobytes()
    return {
        "order": order,
        "dtype": str(value.dtype).removeprefix("torch."),
        "shape": list(plain.shape),
        "data": base64.b64encode(data).decode(),
    }


def unpack(plain: Any) -> Value:
    """What ``pack`` packed; every part of it is verified.

    Raises:
        ProtocolError: it is not what ``pack`` makes.
    """
    if plain is None or isinstance(plain, bool | int | float):
        return plain
    try:
        order, shape, dtype = plain["order"], plain["shape"], _DTYPES[plain["dtype"]]
        data = bytearray(base64.b64decode(plain["data"], validate=True))
        if len(data) > ARRAY_BYTES or len(shape) > MOST_AXES:
            raise ProtocolError("the array is too large, or has too many axes")
        if not all(type(length) is int and 0 <= length <= ARRAY_BYTES for length in shape):
            raise ProtocolError("the shape is none")
        if math.prod(shape) * dtype.itemsize != len(data):
            raise ProtocolError("the shape and the bytes do not belong together")
        if sorted(order) != list(range(len(shape))):
            raise ProtocolError("the shape and the order of the axes do not belong together")
        flat = torch.frombuffer(data, dtype=torch.uint8) if data else torch.empty(0).byte()
        # A boolean made from any other byte than 0 and 1 is undefined.
        tensor = (flat != 0 if dtype == torch.bool else flat.view(dtype)).reshape(shape)
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise ProtocolError(f"not a packed array: {type(error).__name__}: {error}") from error
    return tensor.permute(sorted(range(len(order)), key=order.__getitem__))


@lru_cache(maxsize=1024)  # a class gets the same cases
def pack_case(case: Case) -> dict[str, Any]:
    """A case without its label, which is none of the answer's business."""
    plain: dict[str, Any] = {
        "inputs": _pack_all(case.inputs),
        "gradients": case.gradients,
        "most_numbers": case.most_numbers,
        "most_products": case.most_products,
        "least_products": case.least_products,
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
        plain["most_products"],
        plain["least_products"],
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
        ProtocolError: see ``pack``; the message names the result.
    """
    values = {}
    for name, value in outcome.values.items():
        try:
            values[name] = pack(value)
        except ProtocolError as error:
            raise ProtocolError(f"{name}: {error}") from error
    return {
        "values": values,
        "error": outcome.error[:MAX_LINE],
        "unanswered": outcome.unanswered,
        "unsteady": outcome.unsteady,
        "timed_out": outcome.timed_out,
        "changed": outcome.changed,
        "shortcuts": outcome.shortcuts,
        "too_much": outcome.too_much[:MAX_LINE],
        "leaves": outcome.leaves[:MAX_LINE],
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
        ProtocolError: it is not an outcome of that call.
    """
    try:
        if not plain["values"].keys() <= names:
            raise ProtocolError("the outcome holds values that nobody asked for")
        outcome = Outcome(
            values={name: _tensor(value) for name, value in plain["values"].items()},
            error=text(plain["error"]),
            unanswered=plain["unanswered"] is True,
            unsteady=plain["unsteady"] is True,
            timed_out=plain["timed_out"] is True,
            changed=texts(plain["changed"]),
            shortcuts=texts(plain["shortcuts"]),
            too_much=text(plain["too_much"]),
            leaves=text(plain["leaves"]),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ProtocolError(f"not an outcome: {type(error).__name__}: {error}") from error
    without_values = outcome.error or outcome.unanswered or outcome.timed_out
    if not without_values and outcome.values.keys() != names:
        raise ProtocolError("the outcome does not hold the values that were asked for")
    return outcome


def _tensor(plain: Any) -> Tensor:
    value = unpack(plain)
    if not isinstance(value, Tensor):
        raise ProtocolError("a value of an outcome is not an array")
    return value
