"""decoder.greedy: the most probable token at each step, for a batch, until the end."""

from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.decoder.tables import model, renamed
from transformer_checks.checks.cases import Case, LanguageModel, Value
from transformer_checks.checks.exercise import Check, Misconception

# Found by search: their rows end where the labels say, and no step is nearly a tie.
BASES = (1, 37, 4, 41, 20)


def _reference(
    model: LanguageModel, prompt: Tensor, max_tokens: int, end_id: int, padding_id: int
) -> Tensor:
    texts = []
    for row in prompt:
        text = row.tolist()
        while len(text) < max_tokens and (len(text) == len(row) or text[-1] != end_id):
            text.append(int(model(torch.tensor([text]))[0].argmax()))
        texts.append(text)
    longest = max(map(len, texts))
    return torch.tensor([text + [padding_id] * (longest - len(text)) for text in texts])


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str,
        base: int,
        prompt: list[list[int]],
        max_tokens: int,
        end_id: int = 2,
        padding_id: int = 0,
    ) -> Case:
        names = renamed(generator, 7, special=3)
        low = (padding_id, 1)
        inputs: dict[str, Value] = {
            "model": model(base, names, generator, spread=2.0, low=low),
            "prompt": names[torch.tensor(prompt)],
            "max_tokens": max_tokens,
            "end_id": end_id,
            "padding_id": padding_id,
        }
        return Case(label, inputs)

    return [
        case("one sentence", BASES[0], [[1]], 9),
        case("three sentences that end one after the other", BASES[1], [[1, 3], [1, 4], [1, 5]], 9),
        case("no room to finish", BASES[2], [[1, 3], [1, 4]], 4),
        case("an end token within the prompt", BASES[3], [[4, 2, 3], [1, 5, 6]], 9),
        case("end id 0, padding id 2", BASES[4], [[1, 3], [1, 6], [1, 4]], 9, 0, 2),
        case("no room at all", BASES[0], [[1, 3, 4]], 3),
    ]


@dataclass(frozen=True)
class _Slip:
    """Greedy decoding in a batch, with one thing done wrongly."""

    never_stops: bool = False
    stops_at_first: bool = False
    stops_at_row_0: bool = False
    grows_on: bool = False
    fills_with_end: bool = False
    drops_end: bool = False
    drops_prompt: bool = False
    counts_new: bool = False
    one_short: bool = False
    prompt_may_end: bool = False
    reads_last_only: bool = False
    least: bool = False
    forgets: bool = False
    one_late: bool = False
    fills_up: bool = False

    def __call__(
        self, model: LanguageModel, prompt: Tensor, max_tokens: int, end_id: int, padding_id: int
    ) -> Tensor:
        tokens, given = prompt, prompt.shape[1]
        limit = max_tokens + given * self.counts_new - self.one_short
        finished = torch.zeros(len(prompt), dtype=torch.bool)
        if self.prompt_may_end:
            finished = (prompt == end_id).any(1)
        while tokens.shape[1] < limit and not (finished.all() and not self.never_stops):
            if (self.stops_at_first and finished.any()) or (self.stops_at_row_0 and finished[0]):
                break
            logits = model(tokens[:, -1:] if self.reads_last_only else tokens)
            chosen = (-logits if self.least else logits).argmax(-1)
            if not self.grows_on and not self.never_stops:
                fill = end_id if self.fills_with_end else padding_id
                chosen = torch.where(finished, fill, chosen)
            ended = chosen == end_id
            finished = ended if self.forgets else finished | ended
            if self.drops_end:
                chosen = torch.where(finished, padding_id, chosen)
            tokens = torch.cat([tokens, chosen[:, None]], dim=1)
        room = max_tokens - tokens.shape[1]
        if self.one_late or self.fills_up:
            more = min(room, 1) if self.one_late else room
            tokens = torch.nn.functional.pad(tokens, (0, more), value=padding_id)
        return tokens[:, given:] if self.drops_prompt else tokens


GREEDY = Check(
    name="decoder.greedy",
    lesson="06_decoder",
    title="Greedy generation that stops",
    answer="greedy",
    returns=("tokens",),
    points=2,
    difficulty=3,
    importance=5,
    minutes=15,
    draw=_draw,
    reference=_reference,
    slips=(
        Misconception(
            "never stops",
            _Slip(never_stops=True),
            "it writes on to max_tokens, whatever has ended",
            "A row is finished once it has written end_id. Who keeps track of that?",
        ),
        Misconception(
            "finished rows write on",
            _Slip(grows_on=True),
            "a row that has ended goes on writing until all others have ended",
            "What should stand behind the end of a finished row?",
        ),
        Misconception(
            "stops when the first row ends",
            _Slip(stops_at_first=True),
            "all rows stop as soon as one of them has ended",
            "`any` or `all`?",
        ),
        Misconception(
            "looks at the first row only",
            _Slip(stops_at_row_0=True),
            "the batch stops when its first row ends",
            "Each row ends by itself. Keep one truth value for each.",
        ),
        Misconception(
            "forgets who has finished",
            _Slip(forgets=True),
            "only rows that end in this very step count as finished; earlier ones are forgotten",
            "Once finished, always finished: add to `finished`, do not replace it.",
        ),
        Misconception(
            "stops one step late",
            _Slip(one_late=True),
            "one more column of padding is written after the last row has ended",
            "Look at `finished` again after the step in which the last row ends.",
        ),
        Misconception(
            "filled up to max_tokens",
            _Slip(fills_up=True),
            "the result is filled up with padding to max_tokens",
            "It is as long as its longest text, and no longer.",
        ),
        Misconception(
            "filled with the end token",
            _Slip(fills_with_end=True),
            "finished rows are filled up with end_id",
            "One end token, then padding.",
        ),
        Misconception(
            "end token dropped",
            _Slip(drops_end=True),
            "the end token itself is replaced by padding",
            "The end token belongs to the text. When does a row become finished?",
        ),
        Misconception(
            "prompt dropped",
            _Slip(drops_prompt=True),
            "the prompt is missing from the result",
            "Return the whole text, the prompt included.",
        ),
        Misconception(
            "max_tokens counts new tokens only",
            _Slip(counts_new=True),
            "max_tokens new tokens are written, on top of the prompt",
            "max_tokens is the length of the whole text.",
        ),
        Misconception(
            "one token short",
            _Slip(one_short=True),
            "the text ends one token before max_tokens",
            "A text may have max_tokens tokens.",
        ),
        Misconception(
            "an end token in the prompt counts",
            _Slip(prompt_may_end=True),
            "a row counts as finished because its prompt holds end_id",
            "Only an end token that was *written* ends a row.",
        ),
        Misconception(
            "the model reads the last token only",
            _Slip(reads_last_only=True),
            "the model is given the last token alone, without what came before",
            "This model has no cache: it needs the whole text each time.",
        ),
        Misconception(
            "least probable token",
            _Slip(least=True),
            "the least probable token is taken",
            "Greedy takes the largest logit.",
        ),
    ),
    hints=(
        "Keep a boolean `finished` with one entry for each row, all False at first.",
        "In each step: `model(tokens).argmax(-1)`, then padding_id wherever a row is finished, "
        "then append, then see who wrote end_id.",
        "The loop runs while `tokens.shape[1] < max_tokens and not finished.all()`.",
    ),
)
