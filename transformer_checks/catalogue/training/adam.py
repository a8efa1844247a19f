"""training.adam: one step of Adam."""

from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import normal, tidy
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception

Result = tuple[Tensor, Tensor, Tensor]
Betas = tuple[float, float]


@dataclass(frozen=True)
class _Adam:
    """Kingma & Ba 2015, algorithm 1; with a flag set, one thing in it is done wrongly."""

    uncorrected: bool = False
    corrected_by: int = 0
    first_only: bool = False
    eps_inside: bool = False
    no_root: bool = False
    swapped: bool = False
    mixed: bool = False
    uphill: bool = False
    keeps_corrected: bool = False
    not_squared: bool = False
    stale: bool = False

    def __call__(
        self,
        weight: Tensor,
        gradient: Tensor,
        mean: Tensor,
        square: Tensor,
        step: int,
        rate: float,
        beta1: float,
        beta2: float,
        eps: float,
    ) -> Result:
        if self.swapped:
            beta1, beta2 = beta2, beta1
        keep1, keep2 = (1 - beta1, 1 - beta2) if self.mixed else (beta1, beta2)
        new_mean = keep1 * mean + (1 - keep1) * gradient
        power = gradient.abs() if self.not_squared else gradient.square()
        new_square = keep2 * square + (1 - keep2) * power
        used_mean, used_square = (mean, square) if self.stale else (new_mean, new_square)
        first = second = 1.0
        if not self.uncorrected:
            count = step + self.corrected_by
            first, second = 1 - beta1**count, 1 - beta2**count
        if self.first_only:
            second = 1.0
        used_mean, used_square = used_mean / first, used_square / second
        if self.eps_inside:
            divisor = (used_square + eps).sqrt()
        else:
            divisor = (used_square if self.no_root else used_square.sqrt()) + eps
        change = rate * used_mean / divisor
        if self.keeps_corrected:
            new_mean, new_square = used_mean, used_square
        return weight + change if self.uphill else weight - change, new_mean, new_square


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str, shape: tuple[int, ...], step: int, eps: float = 1e-8, betas: Betas = (0.9, 0.98)
    ) -> Case:
        draw = tidy if len(shape) == 1 else normal
        mean, square = normal(generator, *shape), 0.5 + normal(generator, *shape).square()
        if step == 1:
            mean, square = torch.zeros(shape), torch.zeros(shape)
        gradient = draw(generator, *shape)
        inputs = {
            "weight": draw(generator, *shape),
            # No gradient near 0, where the first step would hang on eps.
            "gradient": gradient + 0.2 * gradient.sign() + 0.1 * (gradient == 0),
            "mean": mean,
            "square": square,
            "step": step,
            "rate": 0.1,
            "beta1": betas[0],
            "beta2": betas[1],
            "eps": eps,
        }
        return Case(label, inputs)  # type: ignore[arg-type]

    return [
        case("the first step of three weights", (3,), 1),
        case("the second step", (3,), 2),
        case("step 10, eps as large as 0.5", (4,), 10, 0.5),
        case("step 3, betas 0.5 and 0.75", (2, 3), 3, 1e-8, (0.5, 0.75)),
        case("step 5000 of a matrix", (3, 4), 5000),
    ]


ADAM = Check(
    name="training.adam",
    lesson="07_training",
    title="A step of Adam",
    answer="adam_step",
    returns=("weight", "mean", "square"),
    points=2,
    difficulty=3,
    importance=3,
    minutes=15,
    draw=_draw,
    reference=_Adam(),
    slips=(
        Misconception(
            "no correction",
            _Adam(uncorrected=True),
            "the means are used as they are: in the first steps they still lean towards the zero "
            "that they began with",
            "After one step the mean is (1 - beta1) · gradient. By what must it be divided?",
        ),
        Misconception(
            "only one mean corrected",
            _Adam(first_only=True),
            "the mean is corrected, the mean square is not",
            "Both began at zero.",
        ),
        Misconception(
            "step counted from 0",
            _Adam(corrected_by=-1),
            "the correction uses step - 1: at the first step it divides by zero",
            "Step 1 is the first: 1 - beta1 to the power of 1.",
        ),
        Misconception(
            "one step ahead",
            _Adam(corrected_by=1),
            "the correction uses step + 1",
            "Step 1 is the first: 1 - beta1 to the power of 1.",
        ),
        Misconception(
            "eps under the root",
            _Adam(eps_inside=True),
            "eps stands under the root; in Adam it is added to the root",
            "At eps = 1e-8 nobody sees it, at 0.5 everybody.",
        ),
        Misconception(
            "no root",
            _Adam(no_root=True),
            "the step is divided by the mean square, not by its root",
            "A gradient twice as large should give the same first step. Does it?",
        ),
        Misconception(
            "betas swapped",
            _Adam(swapped=True),
            "beta1 and beta2 are swapped",
            "beta1 belongs to the mean, beta2 to the mean of the squares.",
        ),
        Misconception(
            "beta and 1 - beta swapped",
            _Adam(mixed=True),
            "the new gradient gets beta and the past 1 - beta",
            "With beta1 = 0.9 the past should weigh nine tenths.",
        ),
        Misconception(
            "uphill",
            _Adam(uphill=True),
            "the step goes up the gradient",
            "A loss is something to make small.",
        ),
        Misconception(
            "corrected means kept",
            _Adam(keeps_corrected=True),
            "what is returned for the next step are the corrected means: they would be corrected "
            "again and again",
            "Keep the plain running means; correct a copy.",
        ),
        Misconception(
            "gradient not squared",
            _Adam(not_squared=True),
            "the second mean runs over the size of the gradient, not over its square",
            "A root follows later. Of what?",
        ),
        Misconception(
            "the old means used",
            _Adam(stale=True),
            "the step is taken with the means from before this gradient",
            "First update both means, then use them.",
        ),
    ),
    hints=(
        "Three lines: the new mean, the new mean square, the step. In the first two the past has "
        "the weight beta, the new gradient 1 - beta.",
        "For the step divide the mean by `1 - beta1**step` and the mean square by "
        "`1 - beta2**step`; return them undivided.",
        "`weight - rate * corrected_mean / (corrected_square.sqrt() + eps)`.",
    ),
)
