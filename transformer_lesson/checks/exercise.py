"""What an exercise is made of: a check is a value, and everything that runs it reads it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from transformer_lesson import seeded


@dataclass(frozen=True)
class LanguageModel:
    """A next-token model that is a table, for exercises in decoding: called like a trained one.

    Attributes:
        table: logits ``(vocab, vocab, vocab)``: by the last token but one, the last, and the next.
    """

    table: Tensor

    def __call__(self, tokens: Tensor) -> Tensor:
        """Return the logits ``(batch, vocab)`` of what follows ``tokens (batch, tokens)``.

        Raises:
            ValueError: the tokens have another shape, or there are none.
        """
        if tokens.dim() != 2 or tokens.shape[1] == 0:
            raise ValueError(
                f"the model was given tokens of shape {tuple(tokens.shape)}; "
                "expected (batch, tokens), with at least one token"
            )
        return self.table[tokens[:, max(tokens.shape[1] - 2, 0)], tokens[:, -1]]


Value = Tensor | LanguageModel | int | float | bool | str | list | None


@dataclass(frozen=True)
class Build:
    """How an ``nn.Module`` is made before it is called.

    Attributes:
        config: what its constructor takes, by name.
        weights: what its parameters hold, by name: all of them, and no others.
        training: whether it is called in training mode.
    """

    config: Mapping[str, Value]
    weights: Mapping[str, Tensor]
    training: bool = False


@dataclass(frozen=True, eq=False)  # a case equals itself alone
class Case:
    """One call of the answer.

    Attributes:
        label: what is special about it, in words that a learner reads.
        inputs: arguments by name, in the order in which the answer takes them.
        gradients: whether the gradients of the first result with respect to every
            floating-point input, and to every parameter of a module, are compared too.
        build: where the answer is a class, how to make the module that is called.
        most_numbers: how many numbers the call may hold at once, beside its inputs; None: any.
    """

    label: str
    inputs: Mapping[str, Value]
    gradients: bool = False
    build: Build | None = None
    most_numbers: int | None = None


@dataclass(frozen=True)
class Outcome:
    """What came back from one call: plain arrays, or the reason why there are none.

    Attributes:
        values: what was returned, by name, and ``"gradient of …"`` where a case asks for it.
        error: one line that says what the answer raised, and where; empty if nothing. After a
            time-out, where it was.
        unanswered: the answer is still the empty stub, or returned nothing.
        unsteady: called once more with the same inputs, the answer gave another result.
        timed_out: the answer gave nothing within the time limit.
        changed: names of the inputs that the answer wrote into.
        shortcuts: forbidden operations that the answer called.
        too_much: what the answer held beyond the limit of its case, in words; empty if nothing.
    """

    values: dict[str, Tensor] = field(default_factory=dict)
    error: str = ""
    unanswered: bool = False
    unsteady: bool = False
    timed_out: bool = False
    changed: tuple[str, ...] = ()
    shortcuts: tuple[str, ...] = ()
    too_much: str = ""


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
class Rubric:
    """Points for how good a result is, where no single one is right.

    Attributes:
        unit: what is measured, such as ``"BLEU"``; more of it is better.
        measure: ``measure(values, expected)`` from what the answer and the reference returned, by
            name. It must bear whatever shapes and numbers an answer returns.
        levels: (least, points), the lowest first; the last one gives all points of the check.
    """

    unit: str
    measure: Callable[[Mapping[str, Tensor], Mapping[str, Tensor]], float]
    levels: tuple[tuple[float, int], ...]

    def points(self, measured: float) -> int:
        """Return the points for what was measured."""
        return max((points for least, points in self.levels if measured >= least), default=0)

    def next(self, measured: float) -> str:
        """Say what the next level needs; empty at the last."""
        missing = [(least, points) for least, points in self.levels if measured < least]
        return f"{self.unit} {missing[0][0]:g} gives {missing[0][1]}." if missing else ""


@dataclass(frozen=True)
class Check:
    """An exercise as the course sees it.

    Attributes:
        name: ``"topic.exercise"``, unique in the course.
        lesson: the notebook that holds it, ``"02_self_attention"``.
        title: what a report calls it.
        answer: the name of the function or ``nn.Module`` that the learner writes.
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
        allowed: modules of the course's package that the answer may build on, such as
            ``"attention"``.
        rubric: for an open exercise: points by what is measured, instead of one right result.
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
    allowed: tuple[str, ...] = ()
    rubric: Rubric | None = None
    rtol: float = 1e-3
    atol: float = 1e-5

    def cases(self, seed: int) -> list[Case]:
        """Draw the cases that belong to ``seed``: each time the same objects."""
        return list(_drawn(self.draw, seed))


@lru_cache(maxsize=128)
def _drawn(draw: Callable[[torch.Generator], list[Case]], seed: int) -> tuple[Case, ...]:
    return tuple(draw(seeded(seed)))
