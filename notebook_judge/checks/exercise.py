"""What an exercise is made of: a check is a value, and everything that runs it reads it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial

import torch
from torch import Tensor

from notebook_judge.checks.card import Card
from notebook_judge.checks.cases import Case
from notebook_judge.checks.modes import neutral
from notebook_judge.checks.solutions import Answer, Solution, solution_of


@dataclass(frozen=True)
class Slip:
    """A mistake that people really make, as an edit of the solution.

    Attributes:
        name: a short handle, such as ``"softmax over the queries"``: what a teacher counts.
        edits: what a learner types instead, by the text of the solution that it replaces.
        says: one sentence that names the mistake.
        lead: one sentence that leads on, without giving the answer away.
    """

    name: str
    edits: Mapping[str, str]
    says: str
    lead: str


@dataclass(frozen=True)
class Repair:
    """One of the mistakes in code that is handed out to be mended.

    Attributes:
        holds: what is true once it is mended, in a few words.
        edits: how to mend it in the text of the handed-out code.
    """

    holds: str
    edits: Mapping[str, str]


@dataclass(frozen=True)
class Rubric:
    """Points for how good a result is, where no single one is right.

    Attributes:
        unit: what is measured, such as ``"BLEU"``; more of it is better.
        measure: ``measure(values, expected)`` from what the answer and the reference returned, by
            name. It must bear whatever shapes and numbers an answer returns.
        levels: (least, points), the lowest first; the last one gives all points of the check.
        truth: called like the answer, returns what its results are measured against.
    """

    unit: str
    measure: Callable[[Mapping[str, Tensor], Mapping[str, Tensor]], float]
    levels: tuple[tuple[float, int], ...]
    truth: Answer

    def points(self, measured: float) -> int:
        """Return the points for what was measured."""
        return max((points for least, points in self.levels if measured >= least), default=0)

    def next(self, measured: float) -> str:
        """Say what the next level needs; empty at the last."""
        missing = [(least, points) for least, points in self.levels if measured < least]
        return f"{self.unit} {missing[0][0]:g} gives {missing[0][1]}." if missing else ""


@dataclass(frozen=True, kw_only=True)
class Check(Card):
    """An exercise as the course sees it: its card, and what it takes to judge an answer.

    Attributes:
        returns: the names of what the answer returns.
        difficulty: 1 (a line) to 5 (an evening).
        draw: makes the cases from a generator, the smallest first.
        slips: the mistakes to name, each told apart by at least one case; the catalogue reads them
            from the file ``.toml`` beside the exercise.
        forbidden: operations that would answer the exercise instead of the learner.
        allowed: modules of the course's package that the answer may build on, such as
            ``"attention"``.
        rubric: for an open exercise: points by what is measured, instead of one right result.
        broken: edits of the solution that put handed-out code with mistakes in its place.
        repairs: how each of these mistakes is mended.
        solution: the text that slips edit, where it is not the answer of ``solutions/`` itself.
        rtol: relative tolerance; float32 rounds far below it, half precision above it.
        atol: absolute tolerance.
    """

    returns: tuple[str, ...]
    difficulty: int
    draw: Callable[[torch.Generator], list[Case]]
    slips: tuple[Slip, ...] = ()
    forbidden: frozenset[str] = frozenset()
    allowed: tuple[str, ...] = ()
    rubric: Rubric | None = None
    broken: Mapping[str, str] = field(default_factory=dict)
    repairs: tuple[Repair, ...] = ()
    solution: Solution | None = None
    rtol: float = 1e-4
    atol: float = 1e-5

    @property
    def text(self) -> Solution:
        """The right answer as text."""
        return self.solution or solution_of(self.name, self.lesson, self.answer)

    @property
    def right(self) -> Answer:
        """The reference, which is given float64: the solution, or the truth of a rubric."""
        return self.rubric.truth if self.rubric else self.text.run()

    def wrong(self, slip: Slip) -> Answer:
        """The answer of somebody who made this mistake."""
        return self.text.edited(slip.edits).run()

    @cached_property
    def known_slips(self) -> tuple[Slip, ...]:
        """The slips that can be run: the author's gate reports the others, and no learner does."""
        return tuple(slip for slip in self.slips if _runs(partial(self.wrong, slip)))

    @cached_property
    def known_repairs(self) -> tuple[Repair, ...]:
        """The repairs, if all of them can be made."""
        fit = all(_runs(partial(self.mended, (one,))) for one in self.repairs)
        return self.repairs if fit else ()

    def mended(self, repairs: Sequence[Repair]) -> Answer:
        """The handed-out code with some of its mistakes mended."""
        text = self.text.edited(self.broken)
        for repair in repairs:
            text = text.edited(repair.edits)
        return text.run()

    def cases(self, seed: int) -> list[Case]:
        """Draw the cases that belong to ``seed``: each time the same objects."""
        return list(_drawn(self.draw, seed))


def _runs(version: Callable[[], Answer]) -> bool:
    try:
        version()
    except Exception:
        return False
    return True


@lru_cache(maxsize=128)
@neutral()
def _drawn(draw: Callable[[torch.Generator], list[Case]], seed: int) -> tuple[Case, ...]:
    return tuple(draw(torch.Generator().manual_seed(seed)))
