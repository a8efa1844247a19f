"""The lab of lesson 06: does a wider beam find the most probable text more often?"""

import torch

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from transformer_lesson import seeded

GAIN, WORDS, MOST, END, START = "gain", 4, 6, 0, 3
COMPETE, FIRST = "finished texts compete", "stops at the first that ends"
SHARP, RARE = "stops at the first, sharper models", "stops at the first, the end is rare"
Table = list[list[list[float]]]
Text = tuple[float, tuple[int, ...]]


def toy_model(generator: torch.Generator, scale: float, end: float) -> Table:
    """Log-probabilities of four words after any two; ``end`` is added to the end's logit."""
    logits = scale * torch.randn(WORDS, WORDS, WORDS, generator=generator)
    logits[..., END] += end
    table: Table = logits.log_softmax(-1).tolist()
    return table


def grow(model: Table, running: list[Text]) -> list[Text]:
    """Continue every text by every word; the best come first."""
    grown = [
        (total + gain, (*text, word))
        for total, text in running
        for word, gain in enumerate(model[text[-2]][text[-1]])
    ]
    return sorted(grown, reverse=True)


def search(model: Table, width: int, first: bool) -> tuple[int, ...]:
    """Beam search; with ``first`` it stops when the first text has ended."""
    running: list[Text] = [(0.0, (START, START))]
    finished: list[Text] = []
    for _ in range(MOST):
        grown = grow(model, running)
        finished += [beam for beam in grown[:width] if beam[1][-1] == END]
        running = [beam for beam in grown if beam[1][-1] != END][:width]
        if first and finished:
            return max(finished)[1]
    return max(finished + running)[1]


def measure(seed: int, first: bool, scale: float = 1.5, end: float = 0.0) -> Numbers:
    """Share of 60 random models of which the most probable text is found, by width."""
    generator = seeded(seed)
    models = [toy_model(generator, scale, end) for _ in range(60)]
    best = [search(model, WORDS**MOST, first=False) for model in models]  # all texts
    numbers: Numbers = {}
    for width in (1, 2, 3, 8, 64):
        found = [
            search(model, width, first) == text for model, text in zip(models, best, strict=True)
        ]
        numbers[f"width {width}"] = sum(found) / len(found)
    numbers[GAIN] = numbers["width 64"] - numbers["width 2"]
    return numbers


def decide(runs: Runs) -> Verdict:
    """At least 15 of 20 runs on one side (a sign test at 5 %). True: width 64 finds it more often
    than width 2, however the search stops. True here: more often where finished texts compete, and
    less often where the search stops at the first text that ends.
    """
    parts = []
    for name in (COMPETE, FIRST, RARE):
        shares = [f"{runs.median(name, f'width {width}'):.0%}" for width in (2, 64)]
        parts.append(f"{name}: {' and '.join(shares)}")
    numbers = f"Best text found at widths 2 and 64, medians. {'; '.join(parts)}."
    better = runs.count(lambda gain: gain > 0, COMPETE, GAIN)
    worse = runs.count(lambda gain: gain < 0, FIRST, GAIN)
    better_first = runs.count(lambda gain: gain > 0, FIRST, GAIN)
    if better >= 15 and better_first >= 15:
        return Verdict("true", numbers)
    return Verdict("true here" if better >= 15 and worse >= 15 else "not decided", numbers)


CLAIM = Claim(
    name="beam.stopping",
    lesson="labs/06_search",
    conditions=(
        Condition(FIRST, {"first": True}),
        Condition(COMPETE, {"first": False}, "control"),
        Condition(RARE, {"first": True, "end": -3.0}, "control"),
        Condition(SHARP, {"first": True, "scale": 3.0}, "control"),
    ),
    runs=20,
    first=200,
    metric=GAIN,
    label="share of models whose best text is found: width 64 minus width 2",
    along={1: "width 1", 2: "width 2", 3: "width 3", 8: "width 8", 64: "width 64"},
    axis="width of the beam",
    height="share of models whose best text is found",
)
