"""The process that a learner's code runs in.

It runs cells, answers "call this function with these arrays", and knows nothing else: it never
imports the catalogue, so no reference is loaded where a learner's code could reach it. It is
forked from the server (``serve``), or started afresh where there is none (``main``). Then requests
come on what was standard input and replies go to what was standard output, and the learner's code
finds the null device in place of both.
"""

import json
import os
import signal
import socket
import sys
from importlib import import_module
from typing import IO, Any

import transformer_lesson
from transformer_checks import PACKAGES
from transformer_checks.grading.sandbox import resources

_TEXT_LENGTH = 10_000
# A notebook has no use for these: importing them fails.
_BLOCKED = ("catalogue", "checks.judge", "cli", "learning")
_CATALOGUE = PACKAGES[1] / "catalogue"
# Loaded before the fork: what a notebook or the calls of its answers are likely to load.
_COMMON = (
    "IPython.core.application",
    "IPython.core.completerlib",
    "IPython.core.magics",
    "matplotlib.pyplot",
    "torch.fx.experimental.symbolic_shapes",  # by the first gradient; 1.4 s
    "torch.utils._device",
    "transformer_checks.checks.calls",
    "transformer_checks.checks.reuse",
    "transformer_lesson.figures",
    "transformer_checks.grading.sandbox.poison",
    "transformer_checks.grading.sandbox.reading",
    "transformer_checks.grading.sandbox.shell",
    "transformer_checks.grading.sandbox.protocol",
    "transformer_lesson.models",
)


def load() -> None:
    """Import what a worker needs and a notebook is likely to need, but no reference."""
    _hide_checks()
    for module in _COMMON:
        import_module(module)
    import torch

    torch.set_num_threads(1)


def main() -> None:
    """Answer requests on the standard streams. Command line: the resources, as JSON."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    for descriptor in (0, 1):
        _silence(descriptor)
    load()
    resources.restrict(resources.Resources(**json.loads(sys.argv[1])))
    _answer_all(requests, replies)


def serve(channel: socket.socket) -> None:
    """Answer the requests that come on a socket."""
    for descriptor in (0, 1):
        _silence(descriptor)
    _answer_all(channel.makefile("rb"), channel.makefile("wb"))


def _answer_all(requests: IO[bytes], replies: IO[bytes]) -> None:
    from transformer_checks.grading.sandbox import protocol
    from transformer_checks.grading.sandbox.shell import Shell

    # As in a notebook, even where the grader runs with Ctrl-C ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    shell = Shell.start()
    _silence(2)
    process = os.getpid()
    while line := requests.readline():
        request = protocol.load(line, trusted=True)
        reply = _answer(shell, request)
        if os.getpid() != process:
            os._exit(0)  # a cell called os.fork: the child must not take part in the protocol
        replies.write(protocol.dump(reply | {"id": request["id"]}))
        replies.flush()


def _silence(descriptor: int) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, descriptor)
    os.close(null)


def _hide_checks() -> None:
    """Put a stub in the place of ``transformer_lesson.checks``, and block what it leads to.

    A check cell in a submission then does nothing.
    """
    stub = type(sys)("transformer_lesson.checks")
    for name in ("check", "hint", "progress"):
        setattr(stub, name, _nothing)
    sys.modules[stub.__name__] = stub
    transformer_lesson.checks = stub  # type: ignore[attr-defined]
    for name in _BLOCKED:
        sys.modules[f"transformer_checks.{name}"] = None  # type: ignore[assignment]


def _nothing(*_: object, **__: object) -> None:
    """What ``check``, ``hint`` and ``progress`` do here."""


def _answer(shell: Any, request: dict[str, Any]) -> dict[str, Any]:
    if request["do"] == "read":
        return _read(shell, request)
    if request["do"] == "cell":
        return {"error": shell.run(shell.sources[request["position"]])[:_TEXT_LENGTH]}
    if request["do"] == "uses":
        return {"uses": sorted(_uses(shell, request["name"]) & set(request["of"]))}
    if request["do"] == "call":
        from transformer_checks.checks.reuse import replaced, stand_in

        others = {name: stand_in(name, text) for name, text in request["instead"].items()}
        with replaced(shell.user_ns, others):
            return _call(shell.user_ns.get(request["name"]), request)
    superuser = hasattr(os, "geteuid") and os.geteuid() == 0
    return {"sees_references": (_CATALOGUE / "__init__.py").exists(), "superuser": superuser}


def _read(shell: Any, request: dict[str, Any]) -> dict[str, Any]:
    from transformer_checks.grading.sandbox import poison, reading

    if request["poison"]:
        poison.poison(request["poison"])
        shell.goes_on = True
    try:
        cells = reading.cells_of(request["notebook"])
    except reading.Unreadable as reason:
        return {"unreadable": str(reason)}
    shell.sources = [source for source, _ in cells]
    answers = frozenset(request["answers"])
    told = [reading.facts(source, answers) | {"grade_id": name} for source, name in cells]
    return {"cells": told}


def _uses(shell: Any, name: str) -> set[str]:
    from transformer_checks.checks.reuse import uses

    return uses(shell.user_ns.get(name), shell.user_ns)


def _call(answer: Any, request: dict[str, Any]) -> dict[str, Any]:
    from transformer_checks.checks.calls import call
    from transformer_checks.checks.cases import Outcome
    from transformer_checks.grading.sandbox import protocol

    if not callable(answer):
        return {"missing": "" if answer is None else type(answer).__name__}
    try:
        outcome = call(
            answer,
            protocol.unpack_case(request["case"]),
            tuple(request["returns"]),
            forbidden=frozenset(request["forbidden"]),
            allowed=tuple(request["allowed"]),
            seconds=request["seconds"],
        )
        return {"outcome": protocol.pack_outcome_or_error(outcome)}
    # Also SystemExit and whatever else an answer raises to get past `except Exception`.
    except BaseException as error:
        outcome = Outcome(error=f"{type(error).__name__}: {error}")
        return {"outcome": protocol.pack_outcome(outcome)}


if __name__ == "__main__":
    main()
