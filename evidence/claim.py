"""A claim as a value: what is said, how one run measures it, and what the verdict rests on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any, Literal, cast

Word = Literal["true", "false", "half true", "true here", "not decided"]
WORDS: tuple[Word, ...] = ("true", "false", "half true", "true here", "not decided")
# What a condition is for: the claim itself, the suspected cause taken away or brought alone, a case
# built to meet the criterion, and chance.
Role = Literal["lesson", "control", "longer", "ideal", "chance"]
Numbers = dict[str, float]
Pair = tuple[str, str]  # the names of two conditions


@dataclass(frozen=True)
class Condition:
    """One way to run the measurement.

    Attributes:
        name: what the table and the figure call it.
        settings: arguments of ``measure``, beside the seed.
        role: what it is for.
        runs: how many seeds, where those are the first few of the claim's: shown beside a verdict,
            which they cannot decide.
    """

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    role: Role = "lesson"
    runs: int | None = None


@dataclass(frozen=True)
class Verdict:
    """What the runs decide.

    Attributes:
        word: one of ``WORDS``.
        because: one sentence with the numbers that decided.
    """

    word: Word
    because: str

    @classmethod
    def of(cls, because: str, **holds: bool) -> "Verdict":
        """Return the first word that holds, such as ``true_here``, or else "not decided"."""
        first = next((name for name, does in holds.items() if does), "not_decided")
        return cls(cast(Word, first.replace("_", " ")), because)


class Runs:
    """The runs of one claim, by condition.

    Attributes:
        numbers: for each condition the numbers of each run.
    """

    def __init__(self, numbers: Mapping[str, Sequence[Numbers]]) -> None:
        self.numbers = numbers

    @property
    def conditions(self) -> list[str]:
        """The names of the conditions that were run."""
        return list(self.numbers)

    def values(self, condition: str, metric: str) -> list[float]:
        """Return one number of each run, in the order of the seeds."""
        return [run[metric] for run in self.numbers[condition]]

    def pairs(self, one: str, other: str, metric: str) -> list[tuple[float, float]]:
        """Return one number of two conditions, side by side for each seed."""
        return list(zip(self.values(one, metric), self.values(other, metric), strict=True))

    def median(self, condition: str, metric: str) -> float:
        """Return the median over the runs."""
        return median(self.values(condition, metric))

    def count(self, holds: Callable[[float], bool], condition: str, metric: str) -> int:
        """Return in how many runs a number meets the criterion."""
        return sum(map(holds, self.values(condition, metric)))


def _of_its_module(*_: Any, **__: Any) -> Any:
    raise TypeError("a claim takes this function from its module: read it through claims().")


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A statement that people repeat, and what it takes to believe it.

    Its module calls it ``CLAIM`` and defines ``measure`` and ``decide``, which ``claims`` adds; of
    several, ``CLAIM_WIDTH`` is decided by ``decide_width``, or by ``decide`` if there is none.

    Attributes:
        name: ``"topic.claim"``, unique; the results are stored under it.
        lesson: the notebook that tells it: ``"02_self_attention"``, or ``"labs/05_depth"``.
        conditions: how it is run; the first is the lesson's own.
        metric: the number that table and figure show.
        label: what that number is, with its unit.
        logarithmic: whether the figure's axis is, for numbers of very different sizes.
        along: what varies along the figure's axis: a setting that numbers the conditions, or at
            each place the name of a run's number. Words for places make rows of dots.
        axis: what the places count, with its unit.
        shown: the conditions that the figure shows, where that is not all.
        height: what lines or dots show, where that is not ``label``.
        measure: ``measure(seed, **settings)`` makes one run and returns plain numbers by name.
        decide: applies the criterion.
        runs: how many seeds.
        first: the first of them. Seeds that nobody had seen decide where a criterion was changed.
        sides: what the names stand for that are conditions' setting ``side``.
        different: pairs of conditions known to differ, for a criterion that sides are alike.
        timed: whether its numbers are times, which a busy or another machine changes.
        longer: what ends the name of a condition that trains a side longer, such as ", 4 times".
        runs_of: the claim by whose runs this one is decided too, where it has none of its own.
        criterion: what makes it true, in words, written before the numbers: the text of ``decide``.
        says: the claim, one sentence. This word and those that follow stand in ``words.toml``.
        title: what its figure shows: the finding, at most 70 characters.
        source: who says it, and where.
        looked_up: whether section, figure or equation were read again in a public text.
        effect: the conditions between which its effect is told, where not the first that decide.
        revised: what was changed after numbers had been seen, and what was seen; empty if nothing.
    """

    name: str
    lesson: str
    conditions: tuple[Condition, ...]
    metric: str
    label: str
    measure: Callable[..., Numbers] = _of_its_module
    decide: Callable[[Runs], Verdict] = _of_its_module
    runs: int = 10
    first: int = 0
    logarithmic: bool = False
    along: str | Mapping[int, str] | Mapping[str, str] = ""
    axis: str = ""
    shown: tuple[str, ...] = ()
    height: str = ""
    sides: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    different: tuple[Pair, ...] = ()
    timed: bool = False
    longer: str = ""
    runs_of: str = ""
    criterion: str = ""
    says: str = ""
    title: str = ""
    source: str = ""
    looked_up: bool = False
    effect: Sequence[str] = ()
    revised: str = ""

    @property
    def seeds(self) -> range:
        """The seeds of its runs."""
        return range(self.first, self.first + self.runs)

    def seeds_of(self, condition: Condition) -> range:
        """Return the seeds of one condition."""
        return self.seeds[: condition.runs]

    @property
    def made(self) -> int:
        """How many runs it takes, of all conditions."""
        return sum(len(self.seeds_of(condition)) for condition in self.conditions)

    @property
    def file(self) -> str:
        """The file of its runs, in the folder of results."""
        return f"{self.runs_of or self.name}.json"

    def also(self, **differs: Any) -> "Claim":
        """Return another claim that the same runs decide; ``differs`` are its own attributes."""
        return replace(self, runs_of=self.name, **differs)
