"""What an exercise says of itself: enough to list it and to give its hints. It needs no PyTorch."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Card:
    """What a learner reads of an exercise.

    Attributes:
        name: ``"topic.exercise"``, unique in the course.
        lesson: the notebook that holds it, ``"02_self_attention"``.
        title: what a report calls it.
        answer: the name of the function or ``nn.Module`` that the learner writes.
        points: what it is worth.
        importance: 1 (good to know) to 5 (everything later needs it: the core way).
        minutes: what a learner should expect to spend.
        hints: from a nudge to nearly the answer; the catalogue reads them from ``hints.md``.
    """

    name: str
    lesson: str
    title: str
    answer: str
    points: int
    importance: int
    minutes: int
    hints: tuple[str, ...] = ()

    @property
    def core(self) -> bool:
        """Whether it is on the core way through the course."""
        return self.importance == 5

    @property
    def cell_id(self) -> str:
        """What nbgrader calls the cell of the answer; that of the check adds ``-check``."""
        return cell_id(self.name)


def cell_id(name: str) -> str:
    """What nbgrader calls the cell of an exercise's answer."""
    return name.replace(".", "-").replace("_", "-")
