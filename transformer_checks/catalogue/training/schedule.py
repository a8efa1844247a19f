"""training.schedule: the learning rate of the paper, step by step (Vaswani et al. 2017, eq. 3)."""

import torch
from torch import Generator

from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    def between(low: int, high: int) -> int:
        return int(torch.randint(low, high, (), generator=generator))

    def case(label: str, step: int, warmup_steps: int, d_model: int) -> Case:
        inputs = {"step": step, "warmup_steps": warmup_steps, "d_model": d_model}
        return Case(label, inputs)

    warmup = between(50, 90)
    return [
        case("the first step", 1, 4, 16),
        case("half way up", 2, 4, 16),
        case("one step before the highest", 3, 4, 16),
        case("the highest", 4, 4, 16),
        case("one step after the highest", 5, 4, 16),
        case("four times as many steps as the warm-up", 16, 4, 64),
        case("within the warm-up", between(10, 40), warmup, 8 * between(9, 20)),
        case("after the warm-up", between(200, 900), warmup, 8 * between(9, 20)),
        case("the paper's own, at its first step", 1, 4000, 512),
        case("after a warm-up of one step", between(5, 50), 1, 48),
        case("the first step, with a warm-up of one step", 1, 1, 48),
    ]


CHECK = Check(
    name="training.schedule", lesson="07_training", title="The warm-up schedule",
    answer="learning_rate", returns=("rate",), draw=_draw,
    points=1, difficulty=2, importance=3, minutes=8, atol=1e-9,
    slips=(
        Slip("counts from 0", {"    return": "    step -= 1\n    return"},
             "the steps were counted from 0: the first one divides by zero, or teaches nothing",
             "Step 1 is the first. Put it into the formula as it is."),
        Slip("one step ahead", {"    return": "    step += 1\n    return"},
             "it is one step ahead: step counts from 1 already",
             "Put `step` into the formula as it is."),
        Slip("powers before fractions",
             {"d_model**-0.5": "d_model**-1 / 2", "step**-0.5": "step**-1 / 2",
              "warmup_steps**-1.5": "warmup_steps**-3 / 2"},
             "`**` binds before `/`: `x**-1 / 2` is half of 1/x, not 1/√x",
             "Write the exponent as a decimal, or in brackets."),
        Slip("max for min", {"min(": "max("},
             "the larger of the two was taken: it begins high and rises without end",
             "Draw both curves. Which one is lower before the warm-up ends?"),
        Slip("no warm-up", {"min(step**-0.5, step * warmup_steps**-1.5)": "step**-0.5"},
             "there is no warm-up: it begins at its highest",
             "Up to warmup_steps it rises in a straight line."),
        Slip("stays high", {"min(step**-0.5": "min(warmup_steps**-0.5"},
             "after the warm-up it stays where it is",
             "Which power of the step belongs into the second half?"),
        Slip("falls as 1/step", {"min(step**-0.5": "min(warmup_steps**0.5 / step"},
             "after the warm-up it falls as 1/step, not as 1/√step",
             "At four times the warm-up it should be at half its height."),
        Slip("a jump at the top", {"warmup_steps**-1.5": "warmup_steps**-1.0"},
             "the straight line has the slope 1/warmup_steps: the two halves do not meet at "
             "warmup_steps",
             "At step = warmup_steps both halves must be equal. Which power makes them so?"),
        Slip("the power -1/2 of the warm-up", {"warmup_steps**-1.5": "warmup_steps**-0.5"},
             "the straight line has the slope warmup_steps**-0.5: it never lies below the falling "
             "half for long",
             "At step = warmup_steps both halves must be equal. Which power makes them so?"),
        Slip("constant before the top", {"step * warmup_steps**-1.5": "warmup_steps**-0.5"},
             "up to warmup_steps the rate is constant: it should rise",
             "Up to warmup_steps it rises in a straight line."),
    ),
)
