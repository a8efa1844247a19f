"""translation.greedy: a batch of translations, each with a limit of its own."""

from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.decoder.tables import model, renamed
from transformer_checks.checks.cases import Case, LanguageModel, Value
from transformer_checks.checks.exercise import Check, Misconception

PADDING, START, END = 0, 1, 2
Result = tuple[Tensor, Tensor]

# Found by search: their rows end where the labels say, and no step is nearly a tie.
BASES = (390, 390, 390, 398, 391)


def _reference(
    model: LanguageModel, prompts: Tensor, limits: list[int], end_id: int, padding_id: int
) -> Result:
    texts, finished = [], []
    for prompt, limit in zip(prompts, limits, strict=True):
        text: list[int] = []
        while len(text) < limit and end_id not in text:
            read = torch.cat([prompt, torch.tensor(text, dtype=prompt.dtype)])
            text.append(int(model(read[None])[0].argmax()))
        finished.append(end_id in text)
        texts.append(text[:-1] if finished[-1] else text)
    longest = max(map(len, texts))
    rows = [text + [padding_id] * (longest - len(text)) for text in texts]
    return torch.tensor(rows), torch.tensor(finished)


@dataclass(frozen=True)
class _Slip:
    """Greedy translation in a batch, with one thing done wrongly."""

    never_stops: bool = False
    grows_on: bool = False
    stops_at_first: bool = False
    forgets: bool = False
    end_kept: bool = False
    prompt_kept: bool = False
    fills_with_end: bool = False
    fills_up: bool = False
    widest_limit: bool = False
    tightest_limit: bool = False
    limit_counts_prompt: bool = False
    one_more: bool = False
    cut_is_finished: bool = False
    unfinished: bool = False
    starts_without: bool = False
    reads_own_alone: bool = False
    least: bool = False

    def __call__(
        self, model: LanguageModel, prompts: Tensor, limits: list[int], end_id: int, padding_id: int
    ) -> Result:
        limit = torch.tensor(limits) + self.one_more
        limit = limit - prompts.shape[1] * self.limit_counts_prompt
        limit = limit.max().expand(len(limit)) if self.widest_limit else limit
        limit = limit.min().expand(len(limit)) if self.tightest_limit else limit
        prompts = prompts[:, :-1] if self.starts_without else prompts
        tokens, ended = prompts, torch.zeros(len(prompts), dtype=torch.bool)
        for step in range(int(limit.max())):
            stopped = (ended & (not self.grows_on)) | (step >= limit)
            if (stopped.all() and not self.never_stops) or (self.stops_at_first and ended.any()):
                break
            tokens, wrote = self._step(model, tokens, prompts, stopped, end_id, padding_id)
            ended = wrote if self.forgets else ended | wrote
        return self._result(tokens, prompts, ended, max(limits), end_id, padding_id)

    def _step(
        self,
        model: LanguageModel,
        tokens: Tensor,
        prompts: Tensor,
        stopped: Tensor,
        end_id: int,
        padding_id: int,
    ) -> tuple[Tensor, Tensor]:
        own = self.reads_own_alone and tokens.shape[1] > prompts.shape[1]
        logits = model(tokens[:, prompts.shape[1] :] if own else tokens)
        chosen = (-logits if self.least else logits).argmax(-1)
        chosen = torch.where(stopped, padding_id, chosen)
        return torch.cat([tokens, chosen[:, None]], dim=1), (chosen == end_id) & ~stopped

    def _result(
        self,
        tokens: Tensor,
        prompts: Tensor,
        ended: Tensor,
        most: int,
        end_id: int,
        padding_id: int,
    ) -> Result:
        written = tokens[:, prompts.shape[1] :]
        drop = not (self.end_kept or self.fills_with_end)
        if drop:
            written = torch.where(written == end_id, padding_id, written)
        width = most if self.fills_up else int((written != padding_id).sum(1).max())
        written = written[:, : max(width, 1) if self.fills_up else width]
        missing = most - written.shape[1] if self.fills_up else 0
        written = torch.nn.functional.pad(written, (0, missing), value=padding_id)
        if self.fills_with_end:
            written = torch.where(written == padding_id, end_id, written)
        if self.prompt_kept:
            written = torch.cat([prompts, written], dim=1)
        if self.cut_is_finished:
            ended = torch.ones_like(ended)
        return written, ~ended if self.unfinished else ended


LABELS: tuple[tuple[str, list[int], list[int]], ...] = (
    ("one sentence", [3], [8]),
    ("three sentences that end one after the other", [3, 4, 5], [9, 9, 9]),
    ("each with a limit of its own", [3, 4, 5, 6], [2, 8, 4, 7]),
    ("none ends in time", [3, 4], [2, 3]),
    ("four sentences, limits that differ", [6, 5, 4, 3], [8, 3, 6, 7]),
)


def case(generator: Generator, base: int, label: tuple[str, list[int], list[int]]) -> Case:
    """Return the case of ``label`` with the model ``base``."""
    words, sources, limits = label
    names = renamed(generator, 8, special=3)
    inputs: dict[str, Value] = {
        "model": model(base, names, generator, spread=2.0, low=(PADDING, START)),
        "prompts": names[torch.tensor([[source, START] for source in sources])],
        "limits": list(limits),
        "end_id": END,
        "padding_id": PADDING,
    }
    return Case(words, inputs)


def _draw(generator: Generator) -> list[Case]:
    return [case(generator, base, label) for base, label in zip(BASES, LABELS, strict=True)]


GREEDY = Check(
    name="translation.greedy",
    lesson="10_translation",
    title="Greedy translations that stop",
    answer="translate_greedily",
    returns=("tokens", "finished"),
    points=2,
    difficulty=3,
    importance=5,
    minutes=15,
    draw=_draw,
    reference=_reference,
    slips=(
        Misconception(
            "never stops",
            _Slip(never_stops=True, grows_on=True),
            "each row writes on to its limit, whatever has ended",
            "A row stops when it has written end_id.",
        ),
        Misconception(
            "stops when the first row ends",
            _Slip(stops_at_first=True),
            "all rows stop as soon as one of them has ended",
            "`any` or `all`?",
        ),
        Misconception(
            "forgets who has ended",
            _Slip(forgets=True),
            "only rows that end in the last step count as ended; those before write on",
            "Once ended, always ended: add to it, do not replace it.",
        ),
        Misconception(
            "end token kept",
            _Slip(end_kept=True),
            "the end token stands in the translation",
            "It says that the text is over, and is no word of it. Write padding in its place.",
        ),
        Misconception(
            "prompt kept",
            _Slip(prompt_kept=True),
            "the prompt stands before the translation",
            "Return only what was written.",
        ),
        Misconception(
            "filled with the end token",
            _Slip(fills_with_end=True),
            "behind the translation stand end tokens",
            "Fill up with padding_id.",
        ),
        Misconception(
            "filled up to the limit",
            _Slip(fills_up=True),
            "the result is filled up to the largest limit",
            "It is as wide as its longest translation.",
        ),
        Misconception(
            "largest limit for all",
            _Slip(widest_limit=True),
            "the largest limit holds for all rows: a model that does not end babbles on in the "
            "short ones",
            "limits[i] belongs to row i.",
        ),
        Misconception(
            "smallest limit for all",
            _Slip(tightest_limit=True),
            "the smallest limit holds for all rows: long sentences are cut off",
            "limits[i] belongs to row i. A row at its limit waits for the others.",
        ),
        Misconception(
            "limit counts the prompt",
            _Slip(limit_counts_prompt=True),
            "the prompt is counted against the limit",
            "limits[i] tokens may be *written*.",
        ),
        Misconception(
            "one token beyond the limit",
            _Slip(one_more=True),
            "a row may write one token more than its limit",
            "The end token, if there is one, is among the limits[i] tokens.",
        ),
        Misconception(
            "cut off counts as finished",
            _Slip(cut_is_finished=True),
            "rows that were cut off at their limit count as finished",
            "finished says that the model itself wrote the end.",
        ),
        Misconception(
            "finished inverted",
            _Slip(unfinished=True),
            "finished is inverted",
            "True: this row wrote its end token.",
        ),
        Misconception(
            "start token left out",
            _Slip(starts_without=True),
            "the model does not read the start token: its first word is one that training never "
            "asked for at that place",
            "Give it the whole prompt.",
        ),
        Misconception(
            "reads its own words alone",
            _Slip(reads_own_alone=True),
            "after the first word the model reads only what it has written",
            "What is to be translated stands in the prompt.",
        ),
        Misconception(
            "least probable token",
            _Slip(least=True),
            "the least probable token is taken",
            "Greedy takes the largest logit.",
        ),
    ),
    hints=(
        "Two reasons to stop, for each row: it has ended, or step >= limits[row]. Keep `ended`, "
        "one truth value for each row.",
        "In each step: `model(tokens).argmax(-1)`, padding where a row has stopped, append; then "
        "`ended |= chosen == end_id`. The loop is over when all rows have stopped.",
        "Last: cut off the prompt, replace end tokens by padding, and keep as many columns as the "
        "longest translation has words.",
    ),
)
