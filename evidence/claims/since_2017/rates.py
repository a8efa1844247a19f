"""``python -m evidence.claims.since_2017.rates``: choose the learning rate of each side.

One rule for all: the rate with the lowest loss on validation text, mean of two seeds that decide
nothing else. From 0.016 it is doubled or halved for as long as that helps.
"""

import tomllib
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import mean

import torch

from evidence.claims.since_2017.sides import SIDES
from evidence.claims.since_2017.text import everyday_text
from evidence.claims.since_2017.trained import loss_on, trained

FILE = Path(__file__).with_name("rates.toml")
SEEDS, FIRST = (900, 901), 0.016
RATES: dict[str, float] = tomllib.loads(FILE.read_text("utf-8")) if FILE.exists() else {}


def best(side: str) -> float:
    """Return the rate of one side."""
    torch.set_num_threads(1)
    losses: dict[float, float] = {}

    def loss(rate: float) -> float:
        if rate not in losses:
            models = (trained(seed, rate=rate, **SIDES[side]) for seed in SEEDS)
            losses[rate] = mean(loss_on(model, everyday_text().validation) for model in models)
        return losses[rate]

    rate = FIRST
    while (next_rate := min((rate / 2, rate, rate * 2), key=loss)) != rate:
        rate = next_rate
    print(f"{side}: {', '.join(f'{r:g} {losses[r]:.3f}' for r in sorted(losses))}", flush=True)
    return rate


def main() -> None:
    """Write the rates of the sides that have none yet."""
    missing = [side for side in SIDES if side not in RATES]
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        for side, rate in zip(missing, pool.map(best, missing), strict=True):
            RATES[side] = rate
            text = "".join(f'"{name}" = {value:g}\n' for name, value in RATES.items())
            FILE.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
