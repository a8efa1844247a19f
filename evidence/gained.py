"""What the changes of lesson 11 gain in the stored runs, as the lesson and its lab show it."""

from statistics import median

import matplotlib.pyplot as plt

from evidence.claim import Pair
from evidence.claims import claims
from evidence.claims.since_2017.edits import both
from evidence.claims.since_2017.gains import LOSS
from evidence.results import load_to_show
from transformer_lesson.figures import show
from transformer_lesson.palette import FIGURES

# The edits that lead from GPT-2's block to today's, and changes of today's; for each, what gains
# over what. An edit is added alone to the one block and taken alone from the other.
BLOCK: dict[str, tuple[Pair, ...]] = {
    "norms first": (("GPT-2", "GPT-2, post-norm"), ("today", "today, post-norm"))
}
for _edit in ("RMS norm", "no biases", "SwiGLU", "rotary", "grouped heads", "query-key norm"):
    BLOCK[_edit] = both(_edit)
CHANGES: dict[str, tuple[Pair, ...]] = {"windows": (("today, windows of 4 in half", "today"),)}
for _change in ("experts", "Muon", "Muon, half the work", "stable, decay"):
    CHANGES[_change] = tuple((f"{side} + {_change}", side) for side in ("GPT-2", "today"))


def gained(with_it: str, without: str) -> list[float]:
    """Return by how many nats the loss with it is lower than without, in each pair of runs."""
    runs = load_to_show(claims()["modern.whole"])
    return [other - own for own, other in runs.pairs(with_it, without, LOSS)]


def draw_gains(changes: dict[str, tuple[Pair, ...]], title: str) -> None:
    """Draw the runs of each change as dots, right of zero where the loss is lower."""
    figure, axes = plt.subplots(figsize=(7, 0.42 * len(changes) + 1.2), layout="constrained")
    names = sorted(changes, key=lambda name: median(gained(*changes[name][0])))
    for row, name in enumerate(names):
        for pair in changes[name]:
            new, gains = "today" in pair[0], gained(*pair)
            color, height = FIGURES["blue" if new else "orange"], row + (-0.15 if new else 0.15)
            axes.plot(gains, [height] * len(gains), "o", color=color, alpha=0.35, markersize=4)
            axes.plot(median(gains), height, "|", color=color, markersize=12, markeredgewidth=2)
    axes.axvline(0, color=FIGURES["grey"], linestyle="--")
    axes.set(yticks=range(len(names)), yticklabels=names, xlabel="nats gained per piece")
    for height, words, color in (
        (0.12, "in today's block", "blue"),
        (0.02, "in GPT-2's", "orange"),
    ):
        axes.text(1, height, words, color=FIGURES[color], ha="right", transform=axes.transAxes)
    axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    show(figure, alt=f"{title}. Ten runs of each edit in both blocks, in nats gained per piece.")
