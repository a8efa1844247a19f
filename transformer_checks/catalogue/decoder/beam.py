"""decoder.beam_search: several beginnings at once, for one sentence."""

from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.decoder.tables import model, renamed
from transformer_checks.checks.cases import Case, LanguageModel, Value
from transformer_checks.checks.exercise import Check, Misconception

# Found by search: every slip shows in one of the cases, and no choice is nearly a tie.
BASES = (21, 110, 110, 33, 2, 10, 614, 221, 168)


@dataclass(frozen=True)
class _Search:
    """Beam search; with a flag set, one thing in it is done wrongly."""

    greedy: bool = False
    stops_at_first: bool = False
    stops_at_width: bool = False
    narrows: bool = False
    width_each: bool = False
    ends_anywhere: bool = False
    grows_on: bool = False
    finished_lost: bool = False
    unfinished_lost: bool = False
    raw_logits: bool = False
    probabilities: bool = False
    no_penalty: bool = False
    multiplied: bool = False
    counts_prompt: bool = False
    plain_length: bool = False
    end_not_counted: bool = False
    chosen_by_sum: bool = False
    sum_returned: bool = False
    drops_prompt: bool = False

    def __call__(
        self,
        model: LanguageModel,
        prompt: Tensor,
        width: int,
        max_tokens: int,
        end_id: int,
        length_penalty: float,
    ) -> tuple[Tensor, float]:
        width = 1 if self.greedy else width
        running: list[tuple[float, list[int]]] = [(0.0, prompt[0].tolist())]
        finished: list[tuple[float, list[int]]] = []
        for length in range(prompt.shape[1] + 1, max_tokens + 1):
            grown = [
                (total + gain, [*text, word])
                for total, text in running
                for word, gain in self._words(model, text, width)
            ]
            grown.sort(reverse=True)
            if self.grows_on:
                running = grown[:width]
                continue
            counted = length if self.counts_prompt else length - prompt.shape[1]
            counted -= self.end_not_counted
            best = grown if self.ends_anywhere else grown[:width]
            ended = [beam for beam in best if beam[1][-1] == end_id]
            finished += [(self._score(t, counted, length_penalty), text) for t, text in ended]
            going = grown[:width] if self.narrows else grown
            running = [beam for beam in going if beam[1][-1] != end_id][:width]
            enough = self.stops_at_width and len(finished) >= width
            if (self.stops_at_first and finished) or enough or not running:
                running = []
                break
        length = max_tokens if self.counts_prompt else max_tokens - prompt.shape[1]
        last = [(self._score(total, length, length_penalty), text) for total, text in running]
        if self.finished_lost and last:
            finished = []
        if not self.unfinished_lost or not finished:
            finished += last
        score, text = max(finished)
        if self.chosen_by_sum or self.sum_returned:
            penalty = ((5 + len(text) - prompt.shape[1]) / 6) ** length_penalty
            score = score / penalty if self.chosen_by_sum else score * penalty
        return torch.tensor(text[prompt.shape[1] if self.drops_prompt else 0 :]), score

    def _words(self, model: LanguageModel, text: list[int], width: int) -> list[tuple[int, float]]:
        """The words that may go on from ``text``, each with what it adds to the sum."""
        words = list(enumerate(self._gains(model, text)))
        if self.width_each:
            return sorted(words, key=lambda word: word[1], reverse=True)[:width]
        return words

    def _gains(self, model: LanguageModel, text: list[int]) -> list[float]:
        logits = model(torch.tensor([text]))[0]
        if self.raw_logits:
            return logits.tolist()
        return (logits.softmax(-1) if self.probabilities else logits.log_softmax(-1)).tolist()

    def _score(self, total: float, length: int, length_penalty: float) -> float:
        penalty = (length if self.plain_length else (5 + length) / 6) ** length_penalty
        if self.no_penalty or self.chosen_by_sum:
            return total
        return total * penalty if self.multiplied else total / penalty


SIZES: tuple[tuple[str, list[int], int, int, float], ...] = (
    ("width 2, no length penalty", [1], 2, 5, 0.0),
    ("width 2, length penalty 1", [1], 2, 6, 1.0),
    ("width 3, length penalty 0.6", [1], 3, 7, 0.6),
    ("a prompt of three tokens", [1, 3, 4], 2, 8, 1.0),
    ("a text that does not end in time", [1], 3, 4, 0.6),
    ("width 4, length penalty 2", [1], 4, 7, 2.0),
    ("width 3: where a text ends, the next best takes its place", [1], 3, 7, 1.0),
    ("width 3: each text needs more than its three best words", [1], 3, 7, 1.0),
    ("width 2: a text that ends outside the beam", [1], 2, 7, 1.0),
)


def case(generator: Generator, base: int, size: tuple[str, list[int], int, int, float]) -> Case:
    """Return the case of ``size`` with the model ``base``."""
    label, prompt, width, max_tokens, length_penalty = size
    names = renamed(generator, 6, special=3)
    inputs: dict[str, Value] = {
        "model": model(base, names, generator, spread=1.5, low=(0, 1)),
        "prompt": names[torch.tensor([prompt])],
        "width": width,
        "max_tokens": max_tokens,
        "end_id": 2,
        "length_penalty": length_penalty,
    }
    return Case(label, inputs)


def _draw(generator: Generator) -> list[Case]:
    return [case(generator, base, size) for base, size in zip(BASES, SIZES, strict=True)]


BEAM_SEARCH = Check(
    name="decoder.beam_search",
    lesson="06_decoder",
    title="Beam search",
    answer="beam_search",
    returns=("tokens", "score"),
    points=3,
    difficulty=4,
    importance=4,
    minutes=25,
    draw=_draw,
    reference=_Search(),
    slips=(
        Misconception(
            "greedy",
            _Search(greedy=True),
            "only one beginning is kept: this is greedy decoding",
            "Of all continuations of all running texts the best `width` go on.",
        ),
        Misconception(
            "stops when the first text ends",
            _Search(stops_at_first=True),
            "the search stops as soon as one text has ended; a better one was still running",
            "A finished text waits. The others run on and compete with it in the end.",
        ),
        Misconception(
            "stops when width texts have ended",
            _Search(stops_at_width=True),
            "the search stops once `width` texts have ended; a better one was still running",
            "Finished texts wait. The others run on and compete with them in the end.",
        ),
        Misconception(
            "the beam narrows",
            _Search(narrows=True),
            "a text that ends leaves its place in the beam empty: fewer than `width` run on",
            "Run on with the best `width` of those that do *not* end.",
        ),
        Misconception(
            "width words of each text",
            _Search(width_each=True),
            "each text goes on with its best `width` words only: if one of them ends, a word that "
            "belongs to the best is missing",
            "Continue every text by every word, then choose.",
        ),
        Misconception(
            "ends outside the beam count",
            _Search(ends_anywhere=True),
            "every text that ends is finished, even if it is not among the best `width`",
            "Look for ends among the best `width` of all continuations.",
        ),
        Misconception(
            "finished texts grow on",
            _Search(grows_on=True),
            "texts that have ended are continued",
            "Take texts that end out of the running ones and keep them aside.",
        ),
        Misconception(
            "finished texts lost",
            _Search(finished_lost=True),
            "a text that ended early is forgotten: only those that run to the end compete",
            "Keep finished texts aside with their scores until the end.",
        ),
        Misconception(
            "unfinished texts lost",
            _Search(unfinished_lost=True),
            "texts that reach max_tokens without an end do not compete",
            "At max_tokens every running text counts as finished.",
        ),
        Misconception(
            "logits summed",
            _Search(raw_logits=True),
            "raw logits are summed: those of different steps have different scales",
            "A text's score is a sum of log-probabilities.",
        ),
        Misconception(
            "probabilities summed",
            _Search(probabilities=True),
            "probabilities are summed, where they should be multiplied",
            "The logarithm of a product is a sum of logarithms.",
        ),
        Misconception(
            "no length penalty",
            _Search(no_penalty=True),
            "scores are not divided by the length penalty",
            "Divide by ((5 + length) / 6) ** length_penalty.",
        ),
        Misconception(
            "chosen before the penalty",
            _Search(chosen_by_sum=True),
            "the best text is chosen by its sum, and divided by the penalty only then",
            "Divide each finished text's sum first; then compare.",
        ),
        Misconception(
            "the sum returned",
            _Search(sum_returned=True),
            "the text is right, the score is its plain sum",
            "Return the score by which it won: the sum divided by the penalty.",
        ),
        Misconception(
            "prompt dropped",
            _Search(drops_prompt=True),
            "the prompt is missing from the result",
            "Return the whole text, the prompt included.",
        ),
        Misconception(
            "end token not counted",
            _Search(end_not_counted=True),
            "the length of a text that ends is one too small",
            "The end token counts as written.",
        ),
        Misconception(
            "length penalty multiplied",
            _Search(multiplied=True),
            "scores are multiplied by the length penalty: long texts are punished twice",
            "Log-probabilities are negative. Which operation brings a long text closer to 0?",
        ),
        Misconception(
            "length counts the prompt",
            _Search(counts_prompt=True),
            "the length in the penalty counts the prompt too",
            "Only written tokens count, the end token among them.",
        ),
        Misconception(
            "divided by a power of the length",
            _Search(plain_length=True),
            "scores are divided by length ** length_penalty",
            "Here the penalty is ((5 + length) / 6) ** length_penalty.",
        ),
    ),
    hints=(
        "Keep two lists of (score, tokens): `running`, at first the prompt with score 0, and "
        "`finished`.",
        "In each step: continue every running text by every word and sort by the sum of "
        "log-probabilities. Those among the first `width` that end are finished, with their sum "
        "divided by the penalty. The first `width` of those that do not end run on.",
        "At max_tokens what still runs is finished as well. Return the best.",
    ),
)
