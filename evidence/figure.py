"""The stored runs of a claim as a figure, for its lesson and for the page of all claims.

Where something varies, it is the axis: a line for each condition, its runs a band. Conditions
without an order are rows of dots. Blue is the lesson's subject, orange what it is compared with,
grey what is only context; ``palette.py`` has the colors.
"""

from dataclasses import dataclass
from itertools import groupby
from statistics import median
from textwrap import fill

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from evidence.claim import Claim, Condition, Role, Runs
from evidence.claims import claims
from evidence.results import load_to_show
from transformer_lesson.figures import show
from transformer_lesson.palette import FIGURES

COLORS: dict[Role, str] = {
    "lesson": FIGURES["blue"],
    "longer": FIGURES["blue"],
    "control": FIGURES["orange"],
    "ideal": FIGURES["grey"],
    "chance": FIGURES["grey"],
}
STYLES = [("-", "o"), ("--", "s"), ("-.", "^"), (":", "D"), ("-", "v"), ("--", "P")]
SMALL = 9  # points, of all words but the title
FEW = 12  # places that are marked one by one
DECADE = 8  # an axis whose last place is at least so many times the first is logarithmic


@dataclass(frozen=True)
class Line:
    """One condition along the axis: the numbers of all runs at each place."""

    name: str
    role: Role
    points: dict[float, list[float]]

    @property
    def medians(self) -> list[float]:
        """The median of the runs at each place."""
        return [median(values) for values in self.points.values()]


def spread(name: str) -> None:
    """Show the stored runs of a claim, as ``drawn`` draws them.

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
    """Draw the runs along what varies, or else a row of dots for each condition."""
    figure = _curve(claim, runs) if lines(claim, runs) else _strip(claim, runs)
    figure.suptitle(claim.title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    for axes in figure.axes:
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=SMALL)
    return figure


def lines(claim: Claim, runs: Runs) -> list[Line]:
    """Return the lines of a claim whose figure has an axis for what varies; none of another."""
    if isinstance(claim.along, str):
        return _by_setting(claim, runs, claim.along) if claim.along else []
    places = [(place, key) for place, key in claim.along.items() if not isinstance(place, str)]
    return [
        Line(c.name, c.role, {place: runs.values(c.name, key) for place, key in places})
        for c in _shown(claim, runs)
        if places
    ]


def _shown(claim: Claim, runs: Runs) -> list[Condition]:
    names = claim.shown or [c.name for c in claim.conditions]
    return [c for c in claim.conditions if c.name in names and c.name in runs.conditions]


def _by_setting(claim: Claim, runs: Runs, setting: str) -> list[Line]:
    """Join the conditions that differ in one setting alone; chance and the ideal run level."""
    shown = _shown(claim, runs)
    level = [c for c in shown if c.role in ("ideal", "chance")]
    moved = [c for c in shown if setting in c.settings and c not in level]
    places = sorted({float(c.settings[setting]) for c in moved})
    rest = {c.name: str({**c.settings, setting: None}) for c in moved}
    order = list(dict.fromkeys(rest.values()))
    moved.sort(key=lambda c: (order.index(rest[c.name]), c.settings[setting]))
    joined = []
    for _, group in groupby(moved, key=lambda c: rest[c.name]):
        parts = list(group)
        points = {float(c.settings[setting]): runs.values(c.name, claim.metric) for c in parts}
        role = min(parts, key=shown.index).role
        joined.append(Line(_shared([c.name for c in parts]), role, points))
    for c in level:
        values = runs.values(c.name, claim.metric)
        joined.append(Line(c.name, c.role, dict.fromkeys((places[0], places[-1]), values)))
    return joined


def _shared(names: list[str]) -> str:
    """What the names of several conditions have in common; nothing where the axis says it all."""
    first, *others = (name.split(", ") for name in names)
    return ", ".join(part for part in first if all(part in other for other in others))


def _curve(claim: Claim, runs: Runs) -> Figure:
    figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
    found = lines(claim, runs)
    places = sorted({place for line in found for place in line.points})
    few = len(places) <= FEW
    seen: dict[str, int] = {}
    for line in found:
        color = COLORS[line.role]
        level = line.role in ("ideal", "chance") and isinstance(claim.along, str)
        style, marker = ("--", "") if level else STYLES[seen.get(color, 0) % len(STYLES)]
        seen[color] = seen.get(color, 0) + 1
        own, levels = list(line.points), list(line.points.values())
        low, high = [min(values) for values in levels], [max(values) for values in levels]
        if len(own) == 1:
            axes.vlines(own, low, high, color=color, alpha=0.4)
        elif not level:
            axes.fill_between(own, low, high, color=color, alpha=0.15, linewidth=0)
        axes.plot(own, line.medians, style, color=color, marker=marker if few else "", ms=5)
    axes.set_xlabel(claim.axis, fontsize=SMALL)
    axes.set_title(claim.height or claim.label, loc="left", fontsize=SMALL)
    if places[-1] >= DECADE * places[0]:
        axes.set_xscale("log")
    axes.xaxis.set_minor_locator(NullLocator())
    if few:
        axes.set_xticks(places, [f"{place:,g}" for place in places])
    if claim.logarithmic:
        _log_scale(axes, "y")
    _name_lines(figure, axes, found)
    return figure


def _name_lines(figure: Figure, axes: Axes, found: list[Line]) -> None:
    """Name each line where it ends, a place alone below its runs; names that meet move apart."""
    figure.draw_without_rendering()
    into = axes.transData + axes.transAxes.inverted()
    last = [min(*o.points.values()) if len(o.points) == 1 else o.medians[-1] for o in found]
    ends = [(into.transform((list(o.points)[-1], y)), o) for o, y in zip(found, last, strict=True)]
    ends.sort(key=lambda end: end[0][1])
    highest: dict[float, float] = {}
    for (x, y), line in ends:
        words = fill(line.name, 26)
        half = 0.032 * (words.count("\n") + 1)
        y = max(y - half * (len(line.points) == 1), highest.get(round(x, 2), -1.0) + half)
        highest[round(x, 2)] = y + half
        axes.text(
            x + 0.02, y, words, transform=axes.transAxes, color=COLORS[line.role],
            fontsize=SMALL, va="center", linespacing=1.0,
        )  # fmt: skip


def _strip(claim: Claim, runs: Runs) -> Figure:
    """Draw every run as a dot; chance and a case built to meet the criterion are dashed lines."""
    shown = _shown(claim, runs)
    level = [c.name for c in shown if c.role in ("ideal", "chance")]
    rows = [(c.name, c.name, claim.metric, c.role) for c in shown if c.name not in level]
    if not isinstance(claim.along, str):  # what one condition measured
        rows = [(str(word), *rows[0][:1], key, "lesson") for word, key in claim.along.items()]
    figure, axes = plt.subplots(figsize=(7, 1.2 + 0.36 * len(rows)), layout="constrained")
    for place, (_, name, key, role) in enumerate(rows):
        values = runs.values(name, key)
        axes.plot(values, [place] * len(values), "o", color=COLORS[role], alpha=0.35)
        axes.plot([median(values)], [place], "|", color=COLORS[role], ms=18, mew=2)
    axes.set_yticks(range(len(rows)), [fill(words, 36) for words, *_ in rows])
    if claim.logarithmic:
        _log_scale(axes, "x")
    axes.set_xlabel(claim.height or claim.label, fontsize=SMALL)
    axes.set_ylim(len(rows) - 0.5, -0.6)
    lines_at = {name: runs.median(name, rows[0][2]) for name in level}
    for value in lines_at.values():
        axes.axvline(value, linestyle="--", color=FIGURES["grey"])
    for name, value in lines_at.items():  # when the axis has its limits
        _name_line(axes, value, name)
    return figure


def _log_scale(axes: Axes, which: str) -> None:
    """Make an axis logarithmic, with numbers as Python prints them, not with small exponents.

    Less than two decades have numbers at 1, 2 and 5.
    """
    axes.set(**{f"{which}scale": "log"})
    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    low, high = axis.get_view_interval()
    if high / low < 100:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_minor_formatter(NullFormatter())


def _name_line(axes: Axes, value: float, name: str) -> None:
    """Write a name above its line, within the frame: beside the line where that is near an edge."""
    place = (axes.transData + axes.transAxes.inverted()).transform((value, 0))[0]
    side = "left" if place < 0.25 else "right" if place > 0.75 else "center"
    axes.text(
        value, 1.0, name, transform=axes.get_xaxis_transform(), ha=side, va="bottom",
        color=FIGURES["grey"], fontsize=SMALL,
    )  # fmt: skip


def alternative(claim: Claim, runs: Runs) -> str:
    """Return the figure in words: its finding, then the median of each condition, with the range.

    Where the figure has lines, the medians at their places.
    """
    parts = []
    for line in lines(claim, runs):
        points = zip(line.points, line.medians, strict=True)
        parts.append(f"{line.name} " + ", ".join(f"{y:.3g} at {x:,g}" for x, y in points))
    for condition in _shown(claim, runs) if not parts else []:
        values = runs.values(condition.name, claim.metric)
        parts.append(
            f"{condition.name} {median(values):.3g}, from {min(values):.3g} to {max(values):.3g}"
        )
    count = len(runs.values(runs.conditions[0], claim.metric))
    along = f", along {claim.axis}" if claim.axis else ""
    label = claim.height or claim.label
    return f"{claim.title}. {label}{along}, {count} runs each: {'; '.join(parts)}."
