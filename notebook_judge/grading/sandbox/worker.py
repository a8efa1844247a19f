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
from collections.abc import Iterator
from importlib import import_module
from itertools import repeat
from typing import IO, Any

from notebook_judge.checks.clock import Clock, TimeLimitExceeded
from notebook_judge.course import JUDGE, course, folder_of, use
from notebook_judge.course import load as load_course
from notebook_judge.grading.limits import Limits
from notebook_judge.grading.sandbox import resources

_TEXT_LENGTH = 10_000
_SWITCH = sys.getswitchinterval()  # a thread that a cell has started may wish to hand over less
# A notebook has no use for these: importing them fails.
_BLOCKED = ("catalogue", "slips", "checks.judge", "cli", "learning")
# Loaded before the fork: what a notebook or the calls of its answers are likely to load.
_COMMON = (
    "IPython.core.application",
    "IPython.core.completerlib",
    "IPython.core.magics",
    "matplotlib.pyplot",
    # By operators on the meta device, which the kernels of sandbox.poison ask for shapes; 1.4 s.
    "torch.fx.experimental.symbolic_shapes",
    "torch._dynamo",  # by optimizers and by torch.func, when they are first used
    "torch.utils._device",
    "notebook_judge.checks.calls",
    "notebook_judge.checks.earlier_answers",
    "notebook_judge.grading.sandbox.poison",
    "notebook_judge.grading.sandbox.reading",
    "notebook_judge.grading.sandbox.shell",
    "notebook_judge.grading.sandbox.protocol",
)


def load() -> None:
    """Import what a worker needs and a notebook is likely to need, but no reference."""
    _hide_checks()
    for module in (*_COMMON, *course().preloaded):
        import_module(module)
    import torch

    from notebook_judge.grading.sandbox.shell import Shell

    torch.set_num_threads(1)
    Shell.build()
    _warm_up()


def _warm_up() -> None:
    """Do once what takes time at first, so that all that are forked have it behind them."""
    import torch

    from notebook_judge.checks import calls, shortcuts
    from notebook_judge.checks.cases import Case
    from notebook_judge.grading.sandbox import poison

    for shortcut in shortcuts.SHORTCUTS.keys() - shortcuts.WATCHED:
        poison.operators_of(shortcut)
    inputs, forbidden = {"scores": torch.ones(2, 3)}, frozenset(shortcuts.SHORTCUTS)
    for gradients in (False, True):
        case = Case("", inputs, gradients)
        calls.call(lambda scores: scores.exp() @ scores.T, case, ("product",), forbidden=forbidden)


def main() -> None:
    """Answer requests on the standard streams.

    Command line: the limits, as JSON, and the course, as ``Course.dump`` writes it.
    """
    use(load_course(sys.argv[2]))
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    for descriptor in (0, 1):
        _silence(descriptor)
    load()
    resources.restrict(Limits(**json.loads(sys.argv[1])))
    _answer_all(requests, replies)


def serve(channel: socket.socket) -> None:
    """Answer the requests that come on a socket."""
    for descriptor in (0, 1):
        _silence(descriptor)
    _answer_all(channel.makefile("rb"), channel.makefile("wb"))


def _answer_all(requests: IO[bytes], replies: IO[bytes]) -> None:
    from notebook_judge.grading.sandbox import protocol
    from notebook_judge.grading.sandbox.shell import Shell

    # As in a notebook, even where the grader runs with Ctrl-C ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    shell = Shell.start()
    _silence(2)
    process = os.getpid()
    while line := requests.readline():
        request = protocol.load(line, trusted=True)
        for place, reply in enumerate(_answers(shell, request)):
            if os.getpid() != process:
                os._exit(0)  # a cell called os.fork: the child must not take part in the protocol
            replies.write(protocol.dump(reply | {"id": request["id"], "at": place}))
            replies.flush()


def _silence(descriptor: int) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, descriptor)
    os.close(null)


def _hide_checks() -> None:
    """Put a stub in the place of the course's door, and block what it leads to.

    A check cell in a submission then does no more than say that it is its turn.
    """
    for name in (*(f"{JUDGE}.{part}" for part in _BLOCKED), course().hidden):
        sys.modules[name] = None  # type: ignore[assignment]
    stub = type(sys)(course().door)
    for name, deed in (("check", _its_turn), ("hint", _nothing), ("progress", _nothing)):
        setattr(stub, name, deed)
    sys.modules[stub.__name__] = stub
    package, _, name = course().door.rpartition(".")
    if package:
        setattr(import_module(package), name, stub)


def _nothing(*_: object, **__: object) -> None:
    """What ``hint`` and ``progress`` do here."""


def _its_turn(name: object = None, answer: object = None) -> None:
    """What ``check`` does here: the answer is judged as it is now, whatever becomes of its name."""
    from notebook_judge.grading.sandbox.shell import Shell

    shell = Shell.instance()
    if callable(answer) and isinstance(name, str) and name in shell.answers:
        shell.note(name, **{shell.answers[name]: answer})


def _answers(shell: Any, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The replies to a request: one for each cell or case, and one to anything else."""
    if request["do"] == "call":
        yield from _judged(shell, request)
    elif request["do"] == "read":
        yield _read(shell, request)
    elif request["do"] == "cells":
        yield from _cells(shell, request)
    elif request["do"] == "uses":
        yield {"uses": sorted(_uses(shell, request) & set(request["of"]))}
    else:
        superuser = hasattr(os, "geteuid") and os.geteuid() == 0
        sees = (folder_of(course().hidden) / "__init__.py").exists()
        full = not resources.room_for(request.get("room", 0))
        yield {"sees_references": sees, "superuser": superuser, "full": full}


def _read(shell: Any, request: dict[str, Any]) -> dict[str, Any]:
    from notebook_judge.grading.sandbox import poison, reading, seccomp

    if request["poison"]:
        seccomp.refuse_help()  # an operator is right elsewhere
        poison.poison(request["poison"])
        shell.going.lenient = True  # a learner's own test may notice it
    try:
        cells = reading.cells_of(request["notebook"], frozenset(request.get("ids", ())))
    except reading.Unreadable as reason:
        return {"unreadable": str(reason)}
    shell.sources = [source for source, _ in cells]
    if "answers" not in request:
        return {}
    answers = frozenset(request["answers"])
    told = [reading.facts(source, answers) | {"grade_id": name} for source, name in cells]
    return {"cells": told}


def _cells(shell: Any, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Run cells as far as the time allows, and those that are needed in any case."""
    from notebook_judge.grading.sandbox import protocol

    shell.answers = {name: answer for name, (answer, _) in request["exercises"].items()}
    shell.going.first(request["given"])
    left = request["seconds"]
    for position in request["positions"]:
        late = left <= 0 and position not in request["needed"]
        clock = Clock(request["cell"], request["far"])
        error = "" if late else shell.run(shell.sources[position], clock)[:_TEXT_LENGTH]
        sys.setswitchinterval(_SWITCH)
        left -= clock.spent
        for name, (_, own) in request["exercises"].items():
            if own == position and name not in shell.moments:
                shell.note(name)
        yield {
            "error": error,
            "lost": [name for one in shell.going.failures for name in one.lost][
                : protocol.MOST_TEXTS
            ],
            "late": late,
            "over": error.startswith(TimeLimitExceeded.__name__),
            "spent": clock.spent,
            "idle": clock.idle,
            "full": not resources.room_for(request["room"]),
        }
    _end_alarms()


def _end_alarms() -> None:
    """Let no timer that a cell has set, to interrupt itself, go off in an answer or between two."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _uses(shell: Any, request: dict[str, Any]) -> set[str]:
    from notebook_judge.checks.earlier_answers import uses

    names = shell.user_ns | shell.moments.get(request["exercise"], {})
    return uses(names.get(request["name"]), names)


def _judged(shell: Any, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Call an answer as it was when its check ran; as it is at the end if it was empty then."""
    from notebook_judge.checks.earlier_answers import replaced, stand_in

    name, moment = request["name"], shell.moments.get(request["exercise"], {})
    others = {name: stand_in(name, text) for name, text in request["instead"].items()}
    in_the_end = shell.user_ns.get(name)
    with replaced(shell.user_ns, moment | others):
        if others and not callable(shell.user_ns.get(name)):
            for position in request["defined"]:  # its cell may need them to come to its end
                shell.run(shell.sources[position])
        told = _calls(shell.user_ns.get(name), request)
        first = next(told)
        empty = "missing" in first or first["outcome"]["unanswered"]
        if not empty or moment.get(name) is in_the_end or not callable(in_the_end):
            yield first
            yield from told
            return
    with replaced(shell.user_ns, others):
        yield from _calls(in_the_end, request)


def _calls(answer: Any, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Call an answer with each case, until an outcome settles the verdict; then repeat that one."""
    from notebook_judge.checks.modes import judging

    if not callable(answer):
        missing = {"missing": "" if answer is None else type(answer).__name__}
        yield from repeat(missing, len(request["cases"]))
        return
    clock = Clock(request["seconds"], request["far"])
    reply, settled = dict[str, Any](), False
    with judging():
        for case in request["cases"]:
            if not settled:
                reply, settled = _call(answer, case, request, clock)
            yield reply


def _call(
    answer: Any, case: dict[str, Any], request: dict[str, Any], clock: Clock
) -> tuple[dict[str, Any], bool]:
    from notebook_judge.checks.calls import call
    from notebook_judge.checks.cases import Outcome
    from notebook_judge.grading.sandbox import protocol

    forbidden = request["forbidden"]
    try:
        outcome = call(
            answer,
            protocol.unpack_case(case),
            tuple(request["returns"]),
            forbidden=None if forbidden is None else frozenset(forbidden),
            allowed=tuple(request["allowed"]),
            clock=clock,
        )
        plain = protocol.pack_outcome_or_error(outcome)
    # Also SystemExit and whatever else an answer raises to get past `except Exception`.
    except BaseException as error:
        outcome = Outcome(error=f"{type(error).__name__}: {error}")
        plain = protocol.pack_outcome(outcome)
    sys.setswitchinterval(_SWITCH)
    return {"outcome": plain, "idle": clock.idle}, outcome.settles


if __name__ == "__main__":
    main()
