"""What a run leaves behind besides the weights."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from transformer_lesson.training.precision import Precision

if TYPE_CHECKING:
    import pandas as pd


@dataclass
class History:
    """One entry a step, in order.

    Attributes:
        losses: loss per token, as the objective counts them (nats for cross-entropy).
        tokens: number of tokens that the loss was taken over.
        learning_rates: size of the step.
        gradient_norms: of all weights together, before clipping.
        evaluations: (number of steps taken, what ``evaluate`` returned).
        precision: of the products in the forward and backward pass.
        seconds: time of all steps together, without evaluations and checkpoints.
        interrupted: whether Ctrl-C ended the run before its last step.
    """

    losses: list[float] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    learning_rates: list[float] = field(default_factory=list)
    gradient_norms: list[float] = field(default_factory=list)
    evaluations: list[tuple[int, dict[str, float]]] = field(default_factory=list)
    precision: Precision | None = None
    seconds: float = 0.0
    interrupted: bool = False

    @property
    def steps(self) -> int:
        """Number of steps taken."""
        return len(self.losses)

    @property
    def tokens_per_second(self) -> float:
        """Tokens of the loss in a second of training."""
        return sum(self.tokens) / self.seconds if self.seconds else 0.0

    def table(self) -> "pd.DataFrame":
        """Return the evaluations as a pandas table, a row for each, by steps taken."""
        import pandas as pd

        rows = [{"step": step, **values} for step, values in self.evaluations]
        return pd.DataFrame(rows, columns=None if rows else ["step"]).set_index("step")

    def write_csv(self, path: str | Path) -> None:
        """Write a row for each step: its number, loss, tokens, rate, gradient norm, evaluation.

        Evaluations stand in columns of their own, empty where there was none; one that was made
        before the first step has a row for step 0.
        """
        import pandas as pd

        steps = {
            "loss": self.losses,
            "tokens": pd.array(self.tokens, "Int64"),
            "learning_rate": self.learning_rates,
            "gradient_norm": self.gradient_norms,
        }
        rows = pd.DataFrame(steps, index=range(1, self.steps + 1))
        rows = pd.concat([rows, self.table()], axis=1).sort_index().rename_axis("step")
        rows.to_csv(path, encoding="utf-8", lineterminator="\n")

    def to_plain(self) -> dict[str, Any]:
        """Return a dictionary of plain values, from which ``History(**plain)`` is made again."""
        return asdict(self)
