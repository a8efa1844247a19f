"""The machine that the course builds, as one drawing: what stands, what comes, what is new."""

from dataclasses import asdict
from pathlib import PurePosixPath
from typing import Any

import traitlets
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from transformer_lesson.palette import COLORS
from transformer_lesson.widgets.machine_parts import KINDS, LESSONS, SUBJECT, Scene, scene
from transformer_lesson.widgets.static_figure import DRAWING_COLORS, blank
from transformer_lesson.widgets.view import View, script, style

# What a lesson's drawing can turn into: a name for the reader, one sentence, and the scene.
TODAY = scene(
    "decoder", placed=False, instead={"heads": "grouped", "norm": "rms", "feed-forward": "gated"}
)
WHOLE = (
    "the whole",
    "Encoder and decoder, as in Vaswani et al. 2017, but for the norms: here they stand before "
    "each part, and one more ends each stack, as in most models since.",
    scene(),
)
VARIANTS = {
    "05": [
        ("norm before", "Each part reads a normed copy; the stream itself is not normed.", scene()),
        ("norm after", "As in 2017: each sum is normed on the stream.", scene(norm="post")),
    ],
    "08": [
        WHOLE,
        ("BERT keeps", "The encoder: each piece sees all others.", scene("encoder")),
        ("GPT keeps", "The decoder, without a source: each looks back.", scene("decoder")),
    ],
    "11": [
        ("2017", "Encoder and decoder; each sum is normed on the stream.", scene(norm="post")),
        ("GPT-2", "The decoder alone, and norms before the parts.", scene("decoder")),
        ("today", "Grouped heads, RMS norms, gates; no table of positions.", TODAY),
    ],
}


def state_of(kind: str, lesson: str) -> str:
    """Say whether a part is "lit", "built" or "later" in the drawing of a lesson."""
    lit = SUBJECT.get(lesson) or {name for name, known in KINDS.items() if known.lesson == lesson}
    if kind in lit:
        return "lit"
    return "built" if KINDS[kind].lesson < lesson else "later"


class Machine(View):
    """The Transformer, with the parts of one lesson lit and those built before filled.

    Each part says what it is, and leads to the lesson that builds it. Where a lesson changes the
    machine, buttons turn the drawing into the other form.

    Args:
        lesson: "01" to "12".
        folder: where the lessons lie, as seen from the page; "../" in a lab.

    Raises:
        ValueError: there is no such lesson.
    """

    kind = "machine-explorer"
    colors = DRAWING_COLORS
    _esm = script("machine_drawing.js", "machine.js")
    _css = style(kind, "machine_drawing.css", "machine.css")

    lesson = traitlets.Unicode(read_only=True).tag(sync=True)
    folder = traitlets.Unicode(read_only=True).tag(sync=True)
    lessons = traitlets.Dict(LESSONS, read_only=True).tag(sync=True)
    kinds = traitlets.Dict({kind: known._asdict() for kind, known in KINDS.items()}).tag(sync=True)
    variants = traitlets.List(traitlets.List(), read_only=True).tag(sync=True)
    states = traitlets.Dict(read_only=True).tag(sync=True)
    variant = traitlets.Int(0).tag(sync=True)

    def __init__(self, lesson: str, folder: str = "") -> None:
        if lesson not in LESSONS:
            raise ValueError(f"lesson={lesson!r}; choose one of {', '.join(LESSONS)}.")
        shown = VARIANTS.get(lesson, [WHOLE])
        self.set_trait("lesson", lesson)
        self.set_trait("folder", str(PurePosixPath(folder)) + "/" if folder else "")
        self.set_trait("variants", [[name, says, asdict(drawn)] for name, says, drawn in shown])
        self.set_trait("states", {kind: state_of(kind, lesson) for kind in KINDS})
        super().__init__()

    def _alt_text(self) -> str:
        by_state: dict[str, list[str]] = {"lit": [], "built": [], "later": []}
        for kind in dict.fromkeys(
            part["kind"] for *_, drawn in self.variants for part in drawn["parts"]
        ):
            by_state[self.states[kind]].append(name_of(kind))
        title = LESSONS[self.lesson][1]
        lines = [
            f"The Transformer. Lesson {self.lesson}, {title}: {', '.join(by_state['lit'])}.",
            f"Built before: {', '.join(by_state['built']) or 'nothing'}.",
            f"Still to come: {', '.join(by_state['later']) or 'nothing'}.",
        ]
        return "\n".join(lines + [f"{name}: {says}" for name, says, _ in self.variants[1:]])

    def _static_figure(self) -> Figure:
        # Of three forms the whole is seen in the other two.
        shown = VARIANTS.get(self.lesson, [WHOLE])[-2:]
        figure = blank(4, 4.9) if len(shown) == 1 else blank(3.4 * len(shown), 4.3)
        grid = figure.subplots(1, len(shown), squeeze=False)
        for axes, (name, _, drawn) in zip(grid.flat, shown, strict=True):
            draw(axes, drawn, self.states)
            if len(shown) > 1:
                axes.set_title(name, fontsize=10)
        return figure


def name_of(kind: str) -> str:
    """Return what a kind of part is called, in one line."""
    return KINDS[kind].label.replace("-\n", "-").replace("\n", " ")


def draw(axes: Any, drawn: Scene, states: dict[str, str]) -> None:
    """Draw a scene with matplotlib, as ``machine.js`` draws it in a page."""
    axes.set(xlim=(0, drawn.width), ylim=(drawn.height, 0), aspect="equal")
    axes.set_axis_off()
    for flow in drawn.flows:
        xs, ys = zip(*flow.points, strict=True)
        color = COLORS["guide"] if flow.kept else COLORS["faint-border"]
        axes.plot(xs, ys, color=color, linewidth=1, zorder=2)
        mark = {"arrow": ".", "sum": "+", "": ""}[flow.ends]
        axes.plot(xs[-1], ys[-1], marker=mark or "None", color=color, markersize=7, zorder=5)
    for part in drawn.parts:
        _draw_part(axes, part.kind, part.box, states[part.kind] if part.kept else "left out")


def _draw_part(axes: Any, kind: str, box: tuple[float, float, float, float], state: str) -> None:
    left, top, width, height = box
    lit = state == "lit"
    edge = COLORS["blue"] if lit else COLORS["faint-border" if state == "left out" else "guide"]
    fill = {"lit": COLORS["light-blue"], "built": COLORS["shade"]}.get(state, "white")
    if kind == "stream":
        middle = left + width / 2
        axes.plot([middle] * 2, [top, top + height], color=edge, linewidth=3, zorder=1.5)
        return
    frame = kind in ("encoder", "decoder")
    inset = 3 if kind in ("norm", "rms") else 0
    patch = FancyBboxPatch(
        (left, top + inset), width, height - 2 * inset,
        boxstyle="round,pad=0,rounding_size=4", edgecolor=edge, facecolor="none" if frame else fill,
        linewidth=2 if lit else 1, linestyle="--" if state in ("later", "left out") else "-",
        zorder=1 if frame else 3,
    )  # fmt: skip
    axes.add_patch(patch)
    if state != "left out":
        y = top + 12 if frame else top + height / 2
        weight = "bold" if lit else "normal"
        axes.text(left + width / 2, y, KINDS[kind].label, ha="center", va="center", fontsize=7,
                  weight=weight, color="black", linespacing=0.9, zorder=6)  # fmt: skip
