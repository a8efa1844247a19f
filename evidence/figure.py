"""The stored spread of a claim as a figure, for its lesson and for the page of all claims."""

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from evidence.claim import Claim, Runs
from evidence.claims import claims
from evidence.results import load_to_show
from transformer_lesson.figures import show


def spread(name: str) -> None:
    """Show every stored run of a claim, as ``drawn`` draws them.

    Args:
        name: of the claim, such as ``"attention.saturation"``.

    Raises:
        KeyError: no claim has that name.
    """
    if name not in claims():
        raise KeyError(f"there is no claim {name!r}. Claims: {', '.join(claims())}.")
    claim = claims()[name]
    runs = load_to_show(claim)
    if not runs.conditions:
        print(f"No runs of {name} are stored here: `python -m evidence {name}` makes them.")
        return
    show(drawn(claim, runs), alt=alternative(claim, runs))


def drawn(claim: Claim, runs: Runs) -> Figure:
    """Draw every run as a dot, a row for each condition.

    Chance and a case built to meet the criterion are dashed lines at their medians.
    """
    shown = [c for c in claim.conditions if c.name in runs.conditions]
    rows = [c for c in shown if c.role not in ("ideal", "chance")]
    figure, axes = plt.subplots(figsize=(7, 0.9 + 0.4 * len(rows)), layout="constrained")
    for place, condition in enumerate(rows):
        values = runs.values(condition.name, claim.metric)
        axes.plot(values, [place] * len(values), "o", color="black", alpha=0.35)
        axes.plot([runs.median(condition.name, claim.metric)], [place], "|", color="black", ms=18)
    lines = {
        condition.name: runs.median(condition.name, claim.metric)
        for condition in shown
        if condition.role in ("ideal", "chance")
    }
    for value in lines.values():
        axes.axvline(value, linestyle="--", color="0.4")
    axes.set_yticks(range(len(rows)), [condition.name for condition in rows])
    if claim.logarithmic:
        _log_scale(axes)
    axes.set(xlabel=claim.label, ylim=(len(rows) - 0.5, -0.6))
    for name, value in lines.items():  # when the axis has its limits
        _name_line(axes, value, name)
    return figure


def _log_scale(axes: Axes) -> None:
    """Make the axis logarithmic; over less than two decades with plain numbers at 1, 2 and 5."""
    axes.set_xscale("log")
    low, high = axes.get_xlim()
    if high / low < 100:
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter(NullFormatter())


def _name_line(axes: Axes, value: float, name: str) -> None:
    """Write a name above its line, within the frame: beside the line where that is near an edge."""
    place = (axes.transData + axes.transAxes.inverted()).transform((value, 0))[0]
    side = "left" if place < 0.25 else "right" if place > 0.75 else "center"
    axes.text(value, 1.0, name, transform=axes.get_xaxis_transform(), ha=side, va="bottom")


def alternative(claim: Claim, runs: Runs) -> str:
    """Return the figure in words: the median and the range of each condition."""
    parts = []
    for name in runs.conditions:
        values = runs.values(name, claim.metric)
        middle = runs.median(name, claim.metric)
        parts.append(f"{name} {middle:.3g}, from {min(values):.3g} to {max(values):.3g}")
    return f"{claim.label}, {len(values)} runs each: {'; '.join(parts)}."
