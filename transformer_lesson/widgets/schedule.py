"""The learning rate of every step, with sliders for its schedule."""

from typing import Any, cast, get_args

import traitlets
from matplotlib.figure import Figure

from transformer_lesson.palette import COLORS
from transformer_lesson.training import TrainingConfig, learning_rate
from transformer_lesson.training.config import Schedule
from transformer_lesson.widgets.static_figure import blank
from transformer_lesson.widgets.view import View, checked_choice, checked_size, script, style

SCHEDULES = get_args(Schedule)
STEPS = (2, 1_000_000)
RATES = (1e-7, 10.0)
WIDTHS = (8, 4096)
MOST_DRAWN = 500


class ScheduleExplorer(View):
    """The schedules of ``training.learning_rate``, computed in the browser.

    Sliders change the number of steps, the warm-up, the decay and the highest rate. In the paper's
    schedule the width of the model may give the highest rate, ``(d_model * warmup_steps) ** -0.5``
    (Vaswani et al. 2017, equation 3). One step is marked, and its rate and what the schedule does
    there are put into words: the step under the mouse, or else the one chosen with a click or the
    slider.

    Args:
        steps: number of steps of the run, 2 to 1,000,000.
        learning_rate: the highest rate, 1e-7 to 10.
        warmup_steps: number of steps in which the rate rises; at least 1 for the paper's schedule,
            fewer than ``steps`` for the cosine and the stable schedule.
        schedule: "constant", "paper", "cosine" or "stable".
        d_model: the width that gives the highest rate of the paper's schedule, 8 to 4096; None if
            ``learning_rate`` gives it.
        decay_steps: number of steps at the end in which the stable schedule falls; None: a fifth.

    Attributes:
        steps, learning_rate, warmup_steps, schedule, d_model, decay_steps: as above. After a
            change, a value that is no longer possible moves to the nearest that is.
        step: the marked step, counted from 1.

    Raises:
        TypeError: a number of steps or the width is not a whole number.
        ValueError: an argument is out of range, or two contradict each other.
        traitlets.TraitError: an attribute is set to a value out of range.
    """

    kind = "schedule-explorer"
    _esm = script("chart.js", "schedule.js", SCHEDULES=SCHEDULES)
    _css = style(kind, "chart.css", "schedule.css")

    steps = traitlets.Int().tag(sync=True)
    learning_rate = traitlets.Float().tag(sync=True)
    warmup_steps = traitlets.Int().tag(sync=True)
    schedule = traitlets.Enum(SCHEDULES).tag(sync=True)
    d_model = traitlets.Int(None, allow_none=True).tag(sync=True)
    decay_steps = traitlets.Int().tag(sync=True)
    step = traitlets.Int().tag(sync=True)

    def __init__(
        self,
        steps: int = 4_000,
        learning_rate: float = 1e-3,
        warmup_steps: int = 400,
        schedule: str = "paper",
        *,
        d_model: int | None = None,
        decay_steps: int | None = None,
    ) -> None:
        checked_size("steps", steps, *STEPS)
        if decay_steps is None:
            decay_steps = max(1, steps // 5)
        checked_size("decay_steps", decay_steps, 1, STEPS[1])
        TrainingConfig(
            steps=steps,
            learning_rate=learning_rate,
            warmup_steps=warmup_steps,
            schedule=cast(Schedule, schedule),  # TrainingConfig checks it.
            decay_steps=decay_steps if schedule == "stable" else 0,
        )
        checked_size("warmup_steps", warmup_steps, 0, STEPS[1])
        if not RATES[0] <= learning_rate <= RATES[1]:
            raise ValueError(
                f"learning_rate={learning_rate} is out of range; pass {RATES[0]:g} to {RATES[1]:g}."
            )
        if d_model is not None:
            checked_size("d_model", d_model, *WIDTHS)
        super().__init__(
            steps=steps,
            learning_rate=float(learning_rate),
            warmup_steps=warmup_steps,
            schedule=schedule,
            d_model=d_model,
            decay_steps=decay_steps,
            step=min(max(1, 2 * warmup_steps), steps),
        )

    def config(self) -> TrainingConfig:
        """Return a configuration with which ``train`` follows the schedule shown."""
        return TrainingConfig(
            steps=self.steps,
            learning_rate=self.peak(),
            warmup_steps=self.warmup_steps,
            schedule=cast(Schedule, self.schedule),
            decay_steps=self.decay_steps if self.schedule == "stable" else 0,
        )

    def peak(self) -> float:
        """Return the highest rate of the schedule shown."""
        if self.schedule == "paper" and self.d_model is not None:
            return float((self.d_model * self.warmup_steps) ** -0.5)
        return self.learning_rate

    def _alt_text(self) -> str:
        config, peak = self.config(), self.peak()
        top = min(max(1, self.warmup_steps), self.steps)
        marks = sorted({1, top, self.step, self.steps})
        rates = "; ".join(f"step {step:,} {learning_rate(step, config):.3g}" for step in marks)
        width = ""
        if self.schedule == "paper" and self.d_model is not None:
            width = f" = 1/√(d_model {self.d_model} · {self.warmup_steps:,})"
        falls = f" and {config.decay_steps:,} fall" if config.decay_steps else ""
        return (
            f"Learning rate, schedule {self.schedule}: {self.steps:,} steps, of which "
            f"{self.warmup_steps:,} warm up{falls}, highest rate {peak:.3g}{width}.\n{rates}."
        )

    def _static_figure(self) -> Figure:
        config = self.config()
        figure = blank(7, 3.4)
        axes = figure.add_subplot(title=self._finding())
        axes.set(xlabel="step", ylabel="learning rate")
        every = range(1, self.steps + 1, max(1, self.steps // MOST_DRAWN))
        corners = (self.warmup_steps, self.steps - config.decay_steps, self.steps)
        drawn = sorted({*every, *(min(max(1, corner), self.steps) for corner in corners)})
        axes.plot(drawn, [learning_rate(step, config) for step in drawn], color=COLORS["blue"])
        axes.plot(self.step, learning_rate(self.step, config), "o", color="black")
        axes.set_ylim(bottom=0)
        return figure

    def _finding(self) -> str:
        """Return what the schedule shows, the title of the picture: where the rate is highest."""
        top = f"step {min(max(1, self.warmup_steps), self.steps):,}"
        stays = self.schedule in ("constant", "stable")
        return f"From {top} on the rate stays high" if stays else f"The rate peaks at {top}"

    @traitlets.observe("schedule", "steps", "warmup_steps", "decay_steps")
    def _keep_within(self, _: object) -> None:
        lowest = 1 if self.schedule == "paper" else 0
        highest = self.steps - 1 if self.schedule in ("cosine", "stable") else STEPS[1]
        self.warmup_steps = min(max(self.warmup_steps, lowest), max(highest, lowest))
        if self.schedule == "stable":
            self.decay_steps = min(self.decay_steps, self.steps - self.warmup_steps)
        self.step = min(max(self.step, 1), max(self.steps, 1))

    @traitlets.validate("steps", "learning_rate", "warmup_steps", "decay_steps", "d_model", "step")
    def _exists(self, proposal: dict[str, Any]) -> float | None:
        bounds = {
            "steps": STEPS,
            "learning_rate": RATES,
            "warmup_steps": (0, STEPS[1]),
            "decay_steps": (1, STEPS[1]),
            "d_model": WIDTHS,
            "step": (1, self.steps),
        }
        return checked_choice(proposal, *bounds[proposal["trait"].name])
