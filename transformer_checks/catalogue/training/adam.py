"""training.adam: one step of Adam (Kingma & Ba 2015, algorithm 1)."""

from dataclasses import replace

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import normal, tidy, uneven
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Slip

Betas = tuple[float, float]


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str, shape: tuple[int, ...], step: int, eps: float = 1e-8,
        betas: Betas = (0.9, 0.98), rate: float = 0.1,
    ) -> Case:
        draw = tidy if len(shape) == 1 else normal
        mean, square = normal(generator, *shape), 0.5 + normal(generator, *shape).square()
        if step == 1:
            mean, square = torch.zeros(shape), torch.zeros(shape)
        gradient = draw(generator, *shape)
        inputs = {
            "weight": draw(generator, *shape),
            # No gradient near 0, where the first step would hang on eps.
            "gradient": gradient + 0.2 * gradient.sign() + 0.1 * (gradient == 0), "mean": mean,
            "square": square, "step": step, "rate": rate, "beta1": betas[0], "beta2": betas[1],
            "eps": eps,
        }
        return Case(label, inputs)  # type: ignore[arg-type]

    def of_many_sizes() -> Case:
        drawn = case("18 rows of many sizes, eps 0.25, rate 2", (18, 20), 7, 0.25, (0.85, 0.95),
                     2.0)

        def rows() -> Tensor:
            return uneven(generator, 18, 20)

        # What was is large where the gradient is not, or a small one would not show.
        mean, square = rows().flip(0), rows().flip(0).abs()
        sizes = {"weight": rows(), "gradient": rows(), "mean": mean, "square": square}
        return replace(drawn, inputs={**drawn.inputs, **sizes})

    return [
        case("the first step of three weights", (3,), 1),
        case("the second step", (3,), 2),
        case("step 10, eps as large as 2", (4,), 10, 2.0),
        case("step 3, betas 0.5 and 0.75", (2, 3), 3, 1e-8, (0.5, 0.75)),
        case("step 5000 of a matrix, beta2 0.9999", (3, 4), 5000, betas=(0.9, 0.9999)),
        case("step 2 of a single row", (1, 4), 2),
        case("step 4, rate 0.02", (3,), 4, rate=0.02),
        case("betas of 0: nothing is kept of the past, eps 0", (3,), 3, 0.0, (0.0, 0.0)),
        case("a rate of 0", (3,), 3, rate=0.0), of_many_sizes(),
    ]


CHECK = Check(
    name="training.adam", lesson="07_training", title="A step of Adam",
    answer="adam_step", returns=("weight", "mean", "square"), draw=_draw,
    points=2, difficulty=3, importance=3, minutes=15,
    slips=(
        Slip("no correction", {" / (1 - beta1**step)": "", " / (1 - beta2**step)": ""},
             "the means are used as they are: in the first steps they still lean towards the zero "
             "that they began with",
             "After one step the mean is (1 - beta1) · gradient. By what must it be divided?"),
        Slip("only one mean corrected", {" / (1 - beta2**step)": ""},
             "the mean is corrected, the mean square is not", "Both began at zero."),
        Slip("only the mean square corrected", {" / (1 - beta1**step)": ""},
             "the mean square is corrected, the mean is not", "Both began at zero."),
        Slip("eps added before the correction",
             {"(corrected_square.sqrt() + eps)":
                  "((square.sqrt() + eps) / (1 - beta2**step) ** 0.5)"},
             "`eps` is added to the root of the mean square before that is corrected, and is "
             "corrected with it",
             "First correct, then take the root, then add eps."),
        Slip("one step ahead", {"**step": "**(step + 1)"}, "the correction uses step + 1",
             "Step 1 is the first: 1 - beta1 to the power of 1."),
        Slip("eps under the root",
             {"(corrected_square.sqrt() + eps)": "(corrected_square + eps).sqrt()"},
             "`eps` stands under the root; in Adam it is added to the root",
             "At eps = 1e-8 nobody sees it, at 2 everybody."),
        Slip("no root", {"corrected_square.sqrt()": "corrected_square"},
             "the step is divided by the mean square, not by its root",
             "A gradient twice as large should give the same first step. Does it?"),
        Slip("betas swapped", {"    mean =": "    beta1, beta2 = beta2, beta1\n    mean ="},
             "beta1 and beta2 are swapped",
             "beta1 belongs to the mean, beta2 to the mean of the squares."),
        Slip("beta and 1 - beta swapped", {
                 "beta1 * mean + (1 - beta1) *": "(1 - beta1) * mean + beta1 *",
                 "beta2 * square + (1 - beta2) *": "(1 - beta2) * square + beta2 *",
             },
             "the new gradient gets beta and the past 1 - beta",
             "With beta1 = 0.9 the past should weigh nine tenths."),
        Slip("uphill", {"weight - rate": "weight + rate"}, "the step goes up the gradient",
             "A loss is something to make small."),
        Slip("corrected means kept", {", mean, square": ", corrected_mean, corrected_square"},
             "what is returned for the next step are the corrected means: they would be corrected "
             "again and again",
             "Keep the plain running means; correct a copy."),
        Slip("eps as a floor",
             {"(corrected_square.sqrt() + eps)": "corrected_square.sqrt().clamp(min=eps)"},
             "the root is kept from falling below eps; in Adam eps is added to it",
             "A sum, not the larger of the two."),
    ),
)
