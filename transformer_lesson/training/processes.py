"""The processes that share a run: one, or those that ``torchrun`` started."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import distributed


@dataclass(frozen=True)
class Processes:
    """This process among those of the run.

    Attributes:
        rank: number of this one, from 0.
        count: how many there are.
    """

    rank: int = 0
    count: int = 1

    @classmethod
    def of_environment(cls) -> "Processes":
        """Return what ``torchrun`` says in the environment."""
        return cls(int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1")))

    @property
    def first(self) -> bool:
        """Whether this is the one that shows progress, evaluates and writes checkpoints."""
        return self.rank == 0

    def sum(self, *values: float, device: torch.device) -> tuple[float, ...]:
        """Add up each value over all processes."""
        if self.count == 1:
            return values
        total = torch.tensor(values, dtype=torch.float64, device=device)
        distributed.all_reduce(total)
        return tuple(total.tolist())


@contextmanager
def joined(device: torch.device) -> Iterator[Processes]:
    """Join the other processes of ``torchrun``, if there are any, and leave them at the end."""
    processes = Processes.of_environment()
    if processes.count == 1:
        yield processes
        return
    here = not distributed.is_initialized()
    if here:
        distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
    try:
        yield processes
    finally:
        if here:
            distributed.destroy_process_group()
