"""What an exercise is made of: a check is a value, and everything that runs it reads it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from transformer_lesson import seeded

Value = Tensor | int | float | bool | None


@dataclass(frozen=True)
class Case:
    """One call of the answer.

    Attributes:
        label: what is special about it, in words that a learner reads.
        inputs: arguments by name, in the order in which the answer takes them.
        gradients: whether the gradients of the first result with respect to every
            floating-point input are compared too.
    """

    label: str
    inputs: Mapping[str, Value]
    gradients: bool = False


@dataclass(frozen=True)
class Outcome:
    """What came back from one call: plain arrays, or the reason why there are none.

    Attributes:
        values: what was returned, by name, and ``"gradient of …"`` where a case asks for it.
        error: one line that says what the answer raised, and where; empty if nothing. After a
            time-out, where it was.
        unanswered: the answer is still the empty stub.
        timed_out: the answer gave nothing within the time limit.
        changed: names of the inputs that the answer wrote into.
        shortcuts: forbidden operations that the answer called.
    """

    values: dict[str, Tensor] = field(default_factory=dict)
    error: str = ""
    unanswered: bool = False
    timed_out: bool = False
    changed: tuple[str, ...] = ()
    shortcuts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Misconception:
    """A wrong version that people really write.

    Attributes:
        name: a short handle, such as ``"softmax over the queries"``: what a teacher counts.
        answer: the wrong version, called as an answer is.
        slip: one sentence that names the mistake.
        lead: one sentence that leads on, without giving the answer away.
    """

    name: str
    answer: Callable[..., Any]
    slip: str
    lead: str


@dataclass(frozen=True)
class Check:
    """An exercise as the course sees it.

    Attributes:
        name: ``"topic.exercise"``, unique in the course.
        lesson: the notebook that holds it, ``"02_self_attention"``.
        title: what a report calls it.
        answer: the name of the function that the learner writes.
        returns: the names of what that function returns.
        points: what it is worth.
        difficulty: 1 (a line) to 5 (an evening).
        importance: 1 (good to know) to 5 (everything later needs it).
        minutes: what a learner should expect to spend.
        draw: makes the cases from a generator, the smallest first.
        reference: a right answer, independent of the package; it is given float64.
        misconceptions: the wrong versions, each told apart by at least one case.
        hints: from a nudge to nearly the answer.
        forbidden: operations that would answer the exercise instead of the learner.
        rtol: relative tolerance; inputs are float32, so rounding is far below it.
        atol: absolute tolerance.
    """

    name: str
    lesson: str
    title: str
    answer: str
    returns: tuple[str, ...]
    points: int
    difficulty: int
    importance: int
    minutes: int
    draw: Callable[[torch.Generator], list[Case]]
    reference: Callable[..., Any]
    misconceptions: tuple[Misconception, ...]
    hints: tuple[str, ...]
    forbidden: frozenset[str] = frozenset()
    rtol: float = 1e-3
    atol: float = 1e-5

    def cases(self, seed: int) -> list[Case]:
        """Draw the cases that belong to ``seed``."""
        return self.draw(seeded(seed))
