"""Generation step by step, while the cache fills up."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import traitlets
from matplotlib.figure import Figure

from transformer_lesson.palette import COLORS
from transformer_lesson.widgets.attention_maps import token_label
from transformer_lesson.widgets.static_figure import blank
from transformer_lesson.widgets.view import View, checked_choice, checked_size, script, style

MOST_STEPS = 256
MOST_TOKENS = 512
MOST_CANDIDATES = 12
TOLERANCE = 1e-3


@dataclass(frozen=True)
class GenerationStep:
    """One forward pass of a model that generates, from the tokens so far to the next one.

    Attributes:
        tokens: the tokens so far.
        candidates: the most probable next tokens, each with its probability.
        computed: the number of tokens whose keys were computed in this step.
        cached: the number of tokens whose keys were read from the cache.
    """

    tokens: list[str]
    candidates: list[tuple[str, float]]
    computed: int
    cached: int


class GenerationExplorer(View):
    """The steps of a generation, to step through or to play.

    Each step shows the tokens so far, the most probable next tokens, which rows of keys were
    computed and which came from the cache, and how many rows were computed in all so far, beside
    the number without a cache.

    Args:
        steps: 1 to 256 steps; the tokens of each begin with those of the step before. In each step
            ``computed + cached`` is the number of tokens, and there are 1 to 12 candidates.
        num_layers: number of layers of the model; the totals are multiplied by it.

    Attributes:
        step: the index of the step shown.

    Raises:
        TypeError: a step is not a ``GenerationStep``, or holds values of a wrong type.
        ValueError: a step does not follow from the one before, or its numbers do not agree.
        traitlets.TraitError: an attribute is set to a step that does not exist.

    Example:
        >>> GenerationExplorer([
        ...     GenerationStep(["The", "cat"], [("sat", 0.6), ("ran", 0.3)], computed=2, cached=0),
        ...     GenerationStep(["The", "cat", "sat"], [("on", 0.9)], computed=1, cached=2),
        ... ])  # doctest: +SKIP
    """

    kind = "generation-explorer"
    _esm = script("player.js", "generation.js")
    _css = style(kind, "player.css", "generation.css")

    tokens = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)
    steps = traitlets.List(traitlets.Dict(), read_only=True).tag(sync=True)
    num_layers = traitlets.Int(read_only=True).tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)

    def __init__(self, steps: Sequence[GenerationStep], num_layers: int = 1) -> None:
        _check(steps)
        self.set_trait("tokens", [token_label(token) for token in steps[-1].tokens])
        self.set_trait("steps", [_for_browser(step) for step in steps])
        self.set_trait("num_layers", checked_size("num_layers", num_layers, 1, 1000))
        super().__init__()

    def rows(self) -> tuple[int, int]:
        """Return how many rows of keys were computed so far, with the cache and without one."""
        shown = self.steps[: self.step + 1]
        computed = sum(step["computed"] for step in shown)
        return self.num_layers * computed, self.num_layers * sum(s["length"] for s in shown)

    def _alt_text(self) -> str:
        step = self.steps[self.step]
        computed, full = self.rows()
        candidates = ", ".join(f"{token} {probability:.4f}" for token, probability in self._best())
        return (
            f"Generation, step {self.step + 1} of {len(self.steps)}: "
            f"{' '.join(self.tokens[: step['length']])}\n"
            f"Most probable next tokens: {candidates}.\n"
            f"Rows of keys computed in this step {step['computed']}, read from the cache "
            f"{step['cached']}.\n"
            f"Rows computed up to here {computed}, without a cache {full}."
        )

    def _static_figure(self) -> Figure:
        step = self.steps[self.step]
        figure = blank(8.4, 3.2)
        token, probability = self._best()[0]
        figure.suptitle(
            f"“{token}” leads with {probability:.2f}; "
            f"{step['cached']} of {step['length']} rows come from the cache"
        )
        left, right = figure.subplots(1, 2)
        tokens, probabilities = zip(*self._best(), strict=True)
        left.barh(range(len(tokens)), probabilities)
        left.set_yticks(range(len(tokens)), tokens)
        left.invert_yaxis()
        left.set(title="Most probable next tokens", xlabel="probability", xlim=(0, 1))
        right.barh(
            ["rows of\nthis step"], step["cached"], color=COLORS["blue"], label="from the cache"
        )
        right.barh(
            ["rows of\nthis step"],
            step["computed"],
            left=step["cached"],
            color=COLORS["light-orange"],
            edgecolor=COLORS["orange"],
            hatch="//",
            label="computed now",
        )
        right.set(title="Rows of keys", xlabel="tokens", xlim=(0, len(self.tokens)), ylim=(-1, 1.6))
        right.legend(loc="upper center", ncols=2)
        return figure

    def _best(self) -> list[tuple[str, float]]:
        candidates: list[tuple[str, float]] = self.steps[self.step]["candidates"]
        return candidates

    @traitlets.validate("step")
    def _exists(self, proposal: dict[str, Any]) -> int | None:
        return checked_choice(proposal, 0, len(self.steps) - 1)


def _for_browser(step: GenerationStep) -> dict[str, Any]:
    """Return what the browser needs of a step; the tokens are sent once, for all steps."""
    best = sorted(step.candidates, key=lambda candidate: -candidate[1])
    return {
        "length": len(step.tokens),
        "candidates": [(token_label(token), float(probability)) for token, probability in best],
        "computed": int(step.computed),
        "cached": int(step.cached),
    }


def _check(steps: Sequence[GenerationStep]) -> None:
    if isinstance(steps, GenerationStep) or not isinstance(steps, Sequence):
        raise TypeError(f"steps is a {type(steps).__name__}; pass a list of GenerationStep.")
    if not 1 <= len(steps) <= MOST_STEPS:
        raise ValueError(
            f"there are {len(steps)} steps; this view shows 1 to {MOST_STEPS}. "
            f"Pass a part, such as steps[:{MOST_STEPS}]."
        )
    for index, step in enumerate(steps):
        if not isinstance(step, GenerationStep):
            raise TypeError(f"steps[{index}] is a {type(step).__name__}; pass a GenerationStep.")
        _check_tokens(index, step, steps[index - 1].tokens if index else [])
        check_candidates(f"steps[{index}].candidates", step.candidates)
        rows = [
            checked_size(f"steps[{index}].{name}", getattr(step, name), 0, len(step.tokens))
            for name in ("computed", "cached")
        ]
        if sum(rows) != len(step.tokens):
            raise ValueError(
                f"steps[{index}] computed {rows[0]} rows and read {rows[1]} from the cache for "
                f"{len(step.tokens)} tokens; there is one row for each token. Without a cache, "
                "computed is the number of tokens and cached is 0."
            )


def _check_tokens(index: int, step: GenerationStep, before: list[str]) -> None:
    tokens = step.tokens
    if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
        raise TypeError(f"steps[{index}].tokens is {tokens!r:.80}; pass a list of strings.")
    if not len(before) < len(tokens) <= MOST_TOKENS:
        raise ValueError(
            f"steps[{index}] has {len(tokens)} tokens and the step before {len(before)}; every "
            f"step has more tokens than the one before, and at most {MOST_TOKENS}."
        )
    if tokens[: len(before)] != before:
        raise ValueError(
            f"the tokens of steps[{index}] do not begin with those of steps[{index - 1}]; pass the "
            "steps of one sentence, in order."
        )


def check_candidates(name: str, candidates: list[tuple[str, float]], least: int = 1) -> None:
    """Check a list of tokens with their probabilities at one position.

    Raises:
        TypeError: ``candidates`` is not a list of (token, probability).
        ValueError: there are too few or too many, or the numbers are not probabilities.
    """
    if not isinstance(candidates, list) or not all(
        isinstance(pair, tuple | list) and len(pair) == 2 and isinstance(pair[0], str)
        for pair in candidates
    ):
        raise TypeError(f"{name} is {candidates!r:.80}; pass a list of (token, probability).")
    if not least <= len(candidates) <= MOST_CANDIDATES:
        raise ValueError(
            f"{name} has {len(candidates)} tokens; pass the {least} to {MOST_CANDIDATES} most "
            "probable."
        )
    for token, probability in candidates:
        if not (math.isfinite(probability) and 0 <= probability <= 1 + TOLERANCE):
            raise ValueError(
                f"{name} gives {token!r} the probability {probability}; probabilities are from 0 "
                "to 1. Pass them after the softmax."
            )
    total = sum(probability for _, probability in candidates)
    if total > 1 + TOLERANCE:
        raise ValueError(
            f"{name} sums to {total:.4f}; probabilities of different next tokens sum to at most 1. "
            "Take the softmax over the vocabulary."
        )
