"""The process that a learner's code runs in.

It runs cells, answers "call this function with these arrays", and knows nothing else: it never
imports the catalogue, so no reference is loaded where a learner's code could reach it. Requests
come on what was standard input, replies go to what was standard output; the learner's code finds
the null device in both places.
"""

import os
import sys
from importlib import import_module
from typing import IO, Any

import transformer_lesson

_PACKAGE = os.path.dirname(os.path.abspath(transformer_lesson.__file__))


def main() -> None:
    """Answer requests until there are no more."""
    requests, replies = _private_pipes()
    _hide_checks()

    import torch

    from transformer_lesson.grading import wire
    from transformer_lesson.grading.shell import Shell

    torch.set_num_threads(1)
    shell = Shell.start()
    _silence(2)
    process = os.getpid()
    while line := requests.readline():
        request = wire.load(line)
        reply = _answer(shell, request)
        if os.getpid() != process:
            os._exit(0)  # a cell called os.fork: the child must not take part in the protocol
        replies.write(wire.dump(reply | {"id": request["id"]}))
        replies.flush()


def _private_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Move the protocol away from where the learner's prints and input() go."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    _silence(0)
    _silence(1)
    return requests, replies


def _silence(descriptor: int) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, descriptor)
    os.close(null)


def _hide_checks() -> None:
    """Put a stub in the place of ``transformer_lesson.checks``.

    A check cell in a submission then does nothing, and importing the package's own ``__init__``,
    which loads the catalogue, is no longer possible. What the worker needs is loaded first.
    """
    stub = type(sys)("transformer_lesson.checks")
    stub.__path__ = [os.path.join(_PACKAGE, "checks")]
    sys.modules[stub.__name__] = stub
    transformer_lesson.checks = stub  # type: ignore[attr-defined]
    import_module("transformer_lesson.checks.calls")
    stub.__path__ = []
    for name in ("check", "hint", "progress"):
        setattr(stub, name, _nothing)


def _nothing(*_: object) -> None:
    """What ``check``, ``hint`` and ``progress`` do here."""


def _answer(shell: Any, request: dict[str, Any]) -> dict[str, Any]:
    if request["do"] == "cell":
        return {"error": shell.run(request["source"])}
    if request["do"] == "call":
        return _call(shell.user_ns.get(request["name"]), request)
    return {}


def _call(answer: Any, request: dict[str, Any]) -> dict[str, Any]:
    from transformer_lesson.checks.calls import call
    from transformer_lesson.checks.exercise import Outcome
    from transformer_lesson.grading import wire

    if not callable(answer):
        return {"missing": "" if answer is None else type(answer).__name__}
    try:
        outcome = call(
            answer,
            wire.unpack_case(request["case"]),
            tuple(request["returns"]),
            forbidden=frozenset(request["forbidden"]),
            allowed=tuple(request["allowed"]),
            seconds=request["seconds"],
        )
        return {"outcome": wire.pack_outcome(outcome)}
    # Also SystemExit and whatever else an answer raises to get past `except Exception`.
    except BaseException as error:
        outcome = Outcome(error=f"{type(error).__name__}: {error}")
        return {"outcome": wire.pack_outcome(outcome)}


if __name__ == "__main__":
    main()
