"""How much: the effect that each claim is about, and one figure of all."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from evidence.claim import Claim, Runs, Word
from evidence.exchange import watched
from evidence.interval import Interval, interval
from transformer_lesson.palette import FIGURES

Unit = Literal["nats", "share", "times", "level"]
AXES = {
    "share": "difference of shares",
    "nats": "nats lower (to the right) or higher",
    "times": "times as much",
}
COLORS: dict[Word, str] = {"true": "blue", "false": "orange"}


@dataclass(frozen=True)
class Effect:
    """By how much the first side of a claim differs from the second, with a 95 % interval.

    Attributes:
        claim: which.
        word: its verdict.
        sides: the two conditions, or one alone where nothing is compared.
        unit: of the number: nats by which the first side's loss is lower, a difference of shares,
            a factor, or the level of one side.
        size: the mean over the runs, of a factor the geometric one.
    """

    claim: Claim
    word: Word
    sides: Sequence[str]
    unit: Unit
    size: Interval

    def __str__(self) -> str:
        if self.unit == "level":
            return f"{_shown(self.size, '.3g')} ({self.sides[0]})"
        form = {"nats": "+.3f", "share": "+.2f", "times": ".3g"}[self.unit]
        after = {"nats": " nats lower", "share": "", "times": " times"}[self.unit]
        return f"{_shown(self.size, form)}{after} ({self.sides[0]}, against {self.sides[1]})"


def _shown(size: Interval, form: str) -> str:
    return f"{size.middle:{form}} [{size.low:{form}}, {size.high:{form}}]"


def effect(claim: Claim, runs: Runs) -> Effect:
    """Return the effect of a claim: of the pair that decides, or of its first two sides."""
    word, sides = claim.decide(runs).word, _sides(claim)
    first = runs.values(sides[0], claim.metric)
    if len(sides) == 1:
        return Effect(claim, word, sides, "level", interval(first))
    pairs = runs.pairs(sides[0], sides[1], claim.metric)
    if "nats" in claim.label:
        return Effect(claim, word, sides, "nats", interval([b - a for a, b in pairs]))
    if claim.logarithmic or claim.timed or max(max(pair) for pair in pairs) > 1:
        if min(min(pair) for pair in pairs) > 0:
            size = interval([math.log(a / b) for a, b in pairs]).map(math.exp)
            return Effect(claim, word, sides, "times", size)
        return Effect(claim, word, sides[:1], "level", interval(first))
    return Effect(claim, word, sides, "share", interval([a - b for a, b in pairs]))


def _sides(claim: Claim) -> Sequence[str]:
    """Return the sides that its words name, or those paired first, or the first and a control."""
    if claim.effect:
        return claim.effect
    if paired := watched(claim).paired:
        return next(iter(paired))
    first, *others = claim.conditions
    by_role = [c.name for role in ("control", "chance") for c in others if c.role == role]
    return [first.name, *by_role[:1]]


def drawn_together(effects: list[Effect]) -> Figure:
    """Draw all effects that compare two sides, a panel for each unit."""
    panels = {unit: [e for e in effects if e.unit == unit] for unit in AXES}
    sizes = [len(rows) for rows in panels.values()]
    figure, all_axes = plt.subplots(
        len(panels), figsize=(8, 0.22 * sum(sizes) + 2), height_ratios=sizes, layout="constrained"
    )
    for axes, (unit, rows) in zip(all_axes, panels.items(), strict=True):
        for place, one in enumerate(rows):
            color = FIGURES[COLORS.get(one.word, "grey")]
            axes.plot([one.size.low, one.size.high], [place] * 2, color=color)
            axes.plot([one.size.middle], [place], "o", color=color, markersize=4)
        axes.axvline(1 if unit == "times" else 0, linestyle="--", color=FIGURES["grey"])
        axes.set_yticks(range(len(rows)), [f"{e.claim.name} ({e.word})" for e in rows], fontsize=8)
        axes.set(xlabel=AXES[unit], ylim=(len(rows) - 0.5, -0.5))
        axes.spines[["top", "right"]].set_visible(False)
        if unit == "times":
            axes.set_xscale("log")
    title = "Blue: true, orange: false, grey: it depends, or nothing is decided"
    figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    return figure
