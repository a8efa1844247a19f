"""Judge answers that may loop for ever or destroy the memory: in a process of their own."""

import os
import resource
import sys
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, TypeVar

import torch

PATIENCE = 300.0  # seconds for all calls of one answer
MEMORY = 6 * 2**30

T = TypeVar("T")
R = TypeVar("R")


def apart(judge: Callable[[T], R], answers: Sequence[T], lost: R) -> Iterator[R]:
    """Yield what ``judge`` says of each answer, or ``lost`` where it brought the process down.

    One process, forked from this one, judges them one after the other; where it dies or does not
    come back within ``PATIENCE``, another goes on behind the answer that did it.
    """
    done = 0
    while done < len(answers):
        receiver, sender = get_context("fork").Pipe(duplex=False)
        process = get_context("fork").Process(target=_all, args=(judge, answers[done:], sender))
        process.start()
        sender.close()
        while done < len(answers):
            said = _received(receiver)
            done += 1
            yield lost if said is None else said[0]
            if said is None:
                break
        process.kill()
        process.join()


def _received(receiver: Connection) -> tuple[Any] | None:
    try:
        return (receiver.recv(),) if receiver.poll(PATIENCE) else None
    except EOFError:
        return None


def _all(judge: Callable[[T], R], answers: Sequence[T], sender: Connection) -> None:
    torch.set_num_threads(1)  # the threads of this process's parent do not exist after the fork
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - NumPy warns of what mutants divide by
    for answer in answers:
        sender.send(judge(answer))
