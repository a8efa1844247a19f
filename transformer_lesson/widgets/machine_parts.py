"""The Transformer as data: its parts, what flows between them, and which lesson builds each.

``scene`` gives every part a place, in pixels; ``machine.js`` and matplotlib draw the same scene.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

Keeps = Literal["both", "encoder", "decoder"]
Norm = Literal["pre", "post"]


class Kind(NamedTuple):
    """What all parts of a kind have in common.

    Attributes:
        label: what stands in the drawing, in one line or two.
        lesson: the one that builds it.
        section: of that lesson, the heading under which it does.
        shape: of what it passes on.
        says: one sentence: what it does.
    """

    label: str
    lesson: str
    section: str
    shape: str
    says: str


_READ = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
LESSONS: dict[str, list[str]] = _READ["lessons"]  # the notebook of each, and its title
KINDS = {name: Kind(**kind) for name, kind in _READ["kinds"].items()}
# What a lesson is about, where that is not what it builds.
SUBJECT: dict[str, set[str]] = {number: set(names) for number, names in _READ["subjects"].items()}


@dataclass
class Part:
    """A part in its place: ``box`` is left, top, width and height."""

    half: str
    kind: str
    box: tuple[float, float, float, float]
    kept: bool = True


@dataclass
class Flow:
    """A line through ``points``; ``ends`` is "arrow", "sum" where it is added, or ""."""

    points: list[tuple[float, float]]
    ends: str = "arrow"
    kept: bool = True


@dataclass
class Scene:
    """A drawing: its size, parts in the order of the flow, and lines."""

    width: float
    height: float
    parts: list[Part] = field(default_factory=list)
    flows: list[Flow] = field(default_factory=list)


# Measured from the outer edge of a half: the stream, and the column of boxes beside it.
WIDTH, STREAM, LEFT, COLUMN = 360, 22, 48, 122
BOX, SMALL, GAP = 30, 24, 10


class _Half:
    """One of the two stacks, from the words at the bottom upwards."""

    def __init__(
        self, scene: Scene, name: str, kept: bool, placed: bool, instead: Mapping[str, str]
    ) -> None:
        self.scene, self.name, self.kept, self.placed = scene, name, kept, placed
        self.instead = instead
        self.mirrored = name == "decoder"
        self.top = scene.height - 3.0

    def x(self, left: float, width: float = 0) -> float:
        return WIDTH - left - width if self.mirrored else left

    def part(
        self, kind: str, top: float, left: float = LEFT, width: float = COLUMN, height: float = BOX
    ) -> None:
        box = (self.x(left, width), top, width, height)
        self.scene.parts.append(Part(self.name, self.instead.get(kind, kind), box, self.kept))

    def flow(self, *points: tuple[float, float], ends: str = "arrow") -> None:
        placed = [(self.x(x), y) for x, y in points]
        self.scene.flows.append(Flow(placed, ends, self.kept))

    def up(self, height: float) -> float:
        self.top -= height
        return self.top

    def enter(self) -> None:
        """Words, their embedding, where the stream begins, and their positions."""
        middle = LEFT + COLUMN / 2
        words = "written so far" if self.mirrored else "words"
        self.part(words, self.up(SMALL), height=SMALL)
        below = self.top
        self.part("embedding", self.up(GAP + SMALL), height=SMALL)
        self.flow((middle, below), (middle, self.top + SMALL))
        self.begin = self.top + SMALL / 2
        self.flow((LEFT, self.begin), (STREAM, self.begin), ends="")
        kept, self.kept = self.kept, self.kept and self.placed
        self.part("positions", self.up(GAP + SMALL), height=SMALL)
        self.flow((LEFT, self.top + SMALL / 2), (STREAM, self.top + SMALL / 2), ends="sum")
        self.kept = kept
        self.up(GAP)

    def sublayer(self, kind: str, norm: Norm) -> None:
        """Reads the stream, works, and adds to the stream; the norm stands before or after."""
        bottom = self.top
        pre = norm == "pre"
        middle = LEFT + COLUMN / 2
        if pre:
            self.part("norm", self.up(SMALL), LEFT + 30, COLUMN - 60, SMALL)
            self.flow((STREAM, bottom - SMALL / 2), (LEFT + 30, bottom - SMALL / 2))
            self.flow((middle, self.top + 3), (middle, self.top - 1), ends="")
        else:
            self.flow((STREAM, bottom - 4), (middle, bottom - 4), (middle, bottom - 11))
            self.up(11)
        self.up(BOX)
        if kind == "feed-forward":
            self.part(kind, self.top)
        else:
            self.part(kind, self.top, LEFT, COLUMN - 58)
            self.part("heads", self.top, LEFT + COLUMN - 56, 56)
        added = self.top - 5
        self.flow((middle, self.top), (middle, added), (STREAM, added), ends="sum")
        self.up(GAP)
        if not pre:
            self.part("norm", self.up(SMALL) - 1, STREAM - 21, 42, SMALL)

    def stack(self, kinds: list[str], norm: Norm, without: str = "") -> None:
        frame = len(self.scene.parts)
        bottom = self.top
        kept = self.kept
        for kind in kinds:
            self.kept = kept and kind not in without
            self.sublayer(kind, norm)
        self.kept = kept
        self.up(SMALL)
        self.part(self.name, self.top, 1, LEFT + COLUMN + 2, bottom - self.top + 2)
        # The frame is read before what it holds.
        self.scene.parts.insert(frame, self.scene.parts.pop())

    def finish(self, kind: str, norm: Norm, top: float) -> None:
        """The stream ends in a last norm, where norms come first, and in ``kind`` above it."""
        self.up(GAP / 2)
        if norm == "pre":
            self.part("norm", self.up(SMALL), STREAM - 21, 42, SMALL)
        self.part("stream", top + BOX / 2, STREAM - 12, 24, self.begin - top - BOX / 2)
        self.flow((STREAM, top + BOX / 2), (LEFT, top + BOX / 2))
        self.part(kind, top)


def scene(
    keeps: Keeps = "both",
    norm: Norm = "pre",
    placed: bool = True,
    instead: Mapping[str, str] | None = None,
) -> Scene:
    """Return the drawing of a machine.

    Args:
        keeps: which half a model has; what it leaves out is in the scene and not ``kept``.
        norm: stands before each part, or after its result was added.
        placed: whether positions are added to the stream.
        instead: kinds of parts by the kinds that they replace, such as "grouped" by "heads".
    """
    drawn = Scene(WIDTH, 430)
    encoder = _Half(drawn, "encoder", keeps != "decoder", placed, instead or {})
    encoder.enter()
    encoder.stack(["attention", "feed-forward"], norm)
    memory = encoder.top - 46
    encoder.finish("probabilities" if keeps == "encoder" else "memory", norm, memory)
    decoder = _Half(drawn, "decoder", keeps != "encoder", placed, instead or {})
    decoder.enter()
    without = "" if keeps == "both" else "cross"
    decoder.stack(["masked", "cross", "feed-forward"], norm, without)
    crossing = next(part for part in drawn.parts if part.kind == "cross")
    decoder.finish("probabilities", norm, 42)
    decoder.part("written", 4, height=SMALL)
    middle = LEFT + COLUMN / 2
    decoder.flow((middle, 42), (middle, 28))
    _connect(drawn, crossing, memory, keeps)
    return drawn


def _connect(drawn: Scene, crossing: Part, memory: float, keeps: Keeps) -> None:
    """Draw the way from the memory to the decoder, and the loss beside the probabilities."""
    start, middle = memory + BOX / 2, WIDTH / 2
    enters = crossing.box[1] + BOX / 2
    # The heads stand between the memory and the attention that reads it.
    points = [
        (LEFT + COLUMN, start),
        (middle, start),
        (middle, enters),
        (WIDTH - LEFT - COLUMN, enters),
    ]
    drawn.flows.append(Flow(points, "arrow", keeps == "both"))
    drawn.parts.append(Part("decoder", "loss", (LEFT, 42, COLUMN, BOX), keeps != "encoder"))
    drawn.flows.append(
        Flow([(WIDTH - LEFT - COLUMN, 57), (LEFT + COLUMN, 57)], "arrow", keeps != "encoder")
    )
