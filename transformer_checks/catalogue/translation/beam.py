"""translation.beam: which text wins, and when the search may stop."""

from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.decoder.tables import model, renamed
from transformer_checks.checks.cases import Case, LanguageModel, Value
from transformer_checks.checks.exercise import Check, Misconception

PADDING, START, END = 0, 1, 2
Beam = tuple[float, list[int]]
Result = tuple[Tensor, float, int]

# Found by search: every slip shows in one of the cases, and no choice is nearly a tie.
BASES = (129, 95, 130, 137, 0, 149, 31)


def step(
    model: LanguageModel, running: list[Beam], width: int, end_id: int
) -> tuple[list[Beam], list[Beam]]:
    """Continue every text by every token; return those that ended and those that run on."""
    grown = [
        (total + gain, [*text, word])
        for total, text in running
        for word, gain in enumerate(model(torch.tensor([text]))[0].log_softmax(-1).tolist())
    ]
    grown.sort(reverse=True)
    ended = [beam for beam in grown[:width] if beam[1][-1] == end_id]
    return ended, [beam for beam in grown if beam[1][-1] != end_id][:width]


@dataclass(frozen=True)
class _Search:
    """The loop around ``step``; with a flag set, one thing in it is done wrongly."""

    stops_at_first: bool = False
    stops_at_width: bool = False
    never_stops: bool = False
    bound_now: bool = False
    bound_without: bool = False
    bound_next: bool = False
    unpenalised: bool = False
    multiplied: bool = False
    plain_length: bool = False
    without_five: bool = False
    counts_prompt: bool = False
    end_not_counted: bool = False
    finished_lost: bool = False
    unfinished_lost: bool = False
    chosen_by_sum: bool = False
    sum_returned: bool = False
    last_wins: bool = False
    prompt_kept: bool = False

    def __call__(
        self,
        model: LanguageModel,
        prompt: list[int],
        width: int,
        limit: int,
        end_id: int,
        alpha: float,
    ) -> Result:
        running: list[Beam] = [(0.0, list(prompt))]
        finished: list[tuple[float, float, list[int]]] = []
        steps = 0
        while steps < limit and running:
            steps += 1
            ended, running = step(model, running, width, end_id)
            counted = steps - self.end_not_counted
            finished += [(self._score(b, counted, prompt, alpha), *b) for b in ended]
            if self._enough(finished, running, width, steps, limit, alpha, prompt):
                break
        if steps == limit and not (self.unfinished_lost and finished):
            if self.finished_lost:
                finished = []
            finished += [(self._score(b, limit, prompt, alpha), *b) for b in running]
        return self._winner(finished, len(prompt), steps)

    def _winner(
        self, finished: list[tuple[float, float, list[int]]], given: int, steps: int
    ) -> Result:
        score, total, text = max(finished, key=lambda beam: beam[self.chosen_by_sum])
        if self.last_wins:
            score, total, text = finished[-1]
        shown = total if self.sum_returned else score
        return torch.tensor(text if self.prompt_kept else text[given:]), shown, steps

    def _penalty(self, length: int, prompt: list[int], alpha: float) -> float:
        length += len(prompt) * self.counts_prompt
        if self.plain_length:
            return max(length, 1) ** alpha
        return (length + 5 * (not self.without_five)) ** alpha / 6**alpha

    def _score(self, beam: Beam, length: int, prompt: list[int], alpha: float) -> float:
        if self.unpenalised:
            return beam[0]
        penalty = self._penalty(length, prompt, alpha)
        return beam[0] * penalty if self.multiplied else beam[0] / penalty

    def _enough(
        self,
        finished: list[tuple[float, float, list[int]]],
        running: list[Beam],
        width: int,
        steps: int,
        limit: int,
        alpha: float,
        prompt: list[int],
    ) -> bool:
        if not finished or not running or self.never_stops:
            return False
        if self.stops_at_first or self.stops_at_width:
            return self.stops_at_first or len(finished) >= width
        length = steps if self.bound_now else steps + 1 if self.bound_next else limit
        best = max(score for score, *_ in finished)
        if self.bound_without:
            return best >= running[0][0]
        hope = self._score(running[0], 1 if self.multiplied else length, prompt, alpha)
        return best >= hope


Size = tuple[str, list[int], int, int, float]
SIZES: tuple[Size, ...] = (
    ("width 2, alpha 0: no penalty", [4, 1], 2, 6, 0.0),
    ("width 2, alpha 1", [4, 1], 2, 7, 1.0),
    ("width 3, alpha 0.6", [5, 1], 3, 8, 0.6),
    ("a longer prompt", [3, 6, 4, 1], 2, 8, 1.0),
    ("a text that does not end within the limit", [4, 1], 3, 3, 0.6),
    ("width 3, alpha 2", [6, 1], 3, 8, 2.0),
    ("a long way to the limit", [3, 1], 2, 16, 0.6),
)


def case(generator: Generator, base: int, size: Size) -> Case:
    """Return the case of ``size`` with the model ``base``."""
    label, prompt, width, limit, alpha = size
    names = renamed(generator, 7, special=3)
    inputs: dict[str, Value] = {
        "model": model(base, names, generator, spread=1.5, low=(PADDING, START)),
        "prompt": names[torch.tensor(prompt)].tolist(),
        "width": width,
        "limit": limit,
        "end_id": END,
        "alpha": alpha,
    }
    return Case(label, inputs)


def _draw(generator: Generator) -> list[Case]:
    return [case(generator, base, size) for base, size in zip(BASES, SIZES, strict=True)]


BEAM = Check(
    name="translation.beam",
    lesson="10_translation",
    title="Which text wins, and when to stop",
    answer="search",
    returns=("tokens", "score", "steps"),
    points=3,
    difficulty=4,
    importance=4,
    minutes=25,
    draw=_draw,
    reference=_Search(),
    slips=(
        Misconception(
            "stops at the first end",
            _Search(stops_at_first=True),
            "the search stops as soon as one text has ended; a better one may still be running",
            "How good could the best running text still become?",
        ),
        Misconception(
            "stops at width ends",
            _Search(stops_at_width=True),
            "the search stops once `width` texts have ended, whatever is still running",
            "How good could the best running text still become?",
        ),
        Misconception(
            "never stops early",
            _Search(never_stops=True),
            "the search always runs to the limit: the text is right, the steps are wasted",
            "A sum of log-probabilities only falls. When is the race decided?",
        ),
        Misconception(
            "hope at this length",
            _Search(bound_now=True),
            "the best running text is judged as if it ended now. With a penalty it may still gain "
            "by growing: popular libraries stop so, and miss texts",
            "Which length would flatter its sum most?",
        ),
        Misconception(
            "hope at the next length",
            _Search(bound_next=True),
            "the best running text is judged as if it ended with the next token",
            "Which length, up to the limit, would flatter its sum most?",
        ),
        Misconception(
            "hope without a penalty",
            _Search(bound_without=True),
            "the finished score is compared with a running *sum*, which no length has softened",
            "Compare like with like: divide the sum by the penalty of its most favourable length.",
        ),
        Misconception(
            "no length penalty",
            _Search(unpenalised=True),
            "sums are compared as they are: short texts win, since every token costs",
            "Divide by ((5 + length) / 6) ** alpha.",
        ),
        Misconception(
            "penalty multiplied",
            _Search(multiplied=True),
            "sums are multiplied by the penalty: long texts are punished twice",
            "Log-probabilities are negative. Which operation brings a long text closer to 0?",
        ),
        Misconception(
            "power of the length",
            _Search(plain_length=True),
            "sums are divided by length ** alpha",
            "Here the penalty is ((5 + length) / 6) ** alpha.",
        ),
        Misconception(
            "without the five",
            _Search(without_five=True),
            "sums are divided by (length / 6) ** alpha",
            "Here the penalty is ((5 + length) / 6) ** alpha.",
        ),
        Misconception(
            "length counts the prompt",
            _Search(counts_prompt=True),
            "the length counts the prompt too",
            "Only written tokens count, the end token among them.",
        ),
        Misconception(
            "end token not counted",
            _Search(end_not_counted=True),
            "the length of a text that ends is one too small",
            "The end token counts as written.",
        ),
        Misconception(
            "finished texts lost",
            _Search(finished_lost=True),
            "at the limit those that ended before are forgotten",
            "Finished texts stay in the race to the end.",
        ),
        Misconception(
            "unfinished texts lost",
            _Search(unfinished_lost=True),
            "texts that reach the limit without an end do not compete",
            "At the limit every running text counts as finished.",
        ),
        Misconception(
            "last one to finish wins",
            _Search(last_wins=True),
            "the text that finished last is returned",
            "The one with the best score.",
        ),
        Misconception(
            "chosen by the sum",
            _Search(chosen_by_sum=True),
            "the winner is chosen by its sum, and divided by the penalty only then",
            "Divide each finished text's sum first; then compare.",
        ),
        Misconception(
            "the sum returned",
            _Search(sum_returned=True),
            "the text is right, the score is its plain sum",
            "Return the score by which it won.",
        ),
        Misconception(
            "prompt kept",
            _Search(prompt_kept=True),
            "the prompt stands before the text",
            "Return what was written, the end token included.",
        ),
    ),
    hints=(
        "Loop: one `step`, then score what ended with the number of steps as its length, and keep "
        "the best.",
        "A running sum can only fall, and the largest penalty is that of the limit. So "
        "running[0]'s sum, divided by ((5 + limit) / 6) ** alpha, is the best that can still come.",
        "Stop after the step in which the best finished score is at least that. If the limit is "
        "reached instead, what still runs competes, with the length limit.",
    ),
)
