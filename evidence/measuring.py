"""Make the runs of claims, on several cores; each is stored as soon as it is made."""

import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

import torch
from rich.console import Console
from rich.progress import Progress

from evidence.claim import Claim, Numbers
from evidence.claims import claims
from evidence.results import FOLDER, load, save


def measure_all(
    chosen: Sequence[Claim], jobs: int, console: Console, folder: Path = FOLDER, shift: int = 0
) -> set[str]:
    """Make the missing runs and store each as it comes; return the claims in which one failed.

    Args:
        chosen: the claims.
        jobs: runs at once.
        console: for the progress, and what failed.
        folder: where the runs are stored.
        shift: added to the seed of each run, to measure anew with others.
    """
    stored = {claim.name: load(claim, folder) for claim in chosen}
    tasks = [
        (claim, condition, seed)
        for claim in chosen
        for condition, seed in stored[claim.name].missing(claim)
    ]
    failed: set[str] = set()
    with (
        Progress(console=console, transient=True) as progress,
        ProcessPoolExecutor(jobs, get_context("spawn"), _one_thread) as pool,
    ):
        bar = progress.add_task("measuring", total=len(tasks))
        waiting = {pool.submit(one_run, c.name, k.name, s + shift): (c, k, s) for c, k, s in tasks}
        try:
            for task in as_completed(waiting):
                claim, condition, seed = waiting[task]
                progress.update(bar, advance=1, description=claim.name)
                if error := task.exception():
                    failed.add(claim.name)
                    console.print(f"{claim.name}, {condition.name}, seed {seed}: {error!r}")
                    continue
                stored[claim.name].add(condition, seed, *task.result())
                save(claim, stored[claim.name], folder)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return failed


def one_run(name: str, condition: str, seed: int) -> tuple[Numbers, float]:
    """Make one run; return its numbers and the seconds of processor time that it took."""
    claim = claims()[name]
    (settings,) = (c.settings for c in claim.conditions if c.name == condition)
    start = time.process_time()
    numbers = claim.measure(seed, **settings)
    plain = {key: float(f"{value:.6g}") for key, value in numbers.items()}
    return plain, time.process_time() - start


def _one_thread() -> None:
    torch.set_num_threads(1)  # the processes share the cores
