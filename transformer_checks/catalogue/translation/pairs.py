"""translation.pairs: what the encoder reads, what the decoder reads, and what it is to say."""

from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception

Result = tuple[Tensor, Tensor, Tensor]
Rows = list[list[int]]


@dataclass(frozen=True)
class _Pairs:
    """Three padded tensors; with a flag set, one thing is done wrongly."""

    source_without_end: bool = False
    source_with_start: bool = False
    sides_swapped: bool = False
    not_shifted: bool = False
    shifted_twice: bool = False
    end_read: bool = False
    end_read_in_short: bool = False
    no_start: bool = False
    starts_with_end: bool = False
    starts_with_padding: bool = False
    start_asked: bool = False
    end_not_asked: bool = False
    start_and_end_swapped: bool = False
    padding_first: bool = False
    padding_zero: bool = False
    one_width: bool = False

    def __call__(
        self, sources: Rows, targets: Rows, start_id: int, end_id: int, padding_id: int
    ) -> Result:
        if self.start_and_end_swapped:
            start_id, end_id = end_id, start_id
        padding_id = 0 if self.padding_zero else padding_id
        if self.sides_swapped:
            sources, targets = targets, sources
        first = [start_id] if self.source_with_start else []
        last = [] if self.source_without_end else [end_id]
        read = [[*first, *words, *last] for words in sources]
        inputs = [self._input(words, start_id, end_id, padding_id) for words in targets]
        asked = [self._asked(words, start_id, end_id, padding_id) for words in targets]
        if self.end_read_in_short:
            longest = max(map(len, inputs))
            inputs = [[*row, end_id][:longest] for row in inputs]
        widths = [max(map(len, rows)) for rows in (read, inputs, asked)]
        if self.one_width:
            widths = [max(widths)] * 3
        parts = zip((read, inputs, asked), widths, strict=True)
        one, two, three = (self._padded(rows, width, padding_id) for rows, width in parts)
        return one, two, three

    def _input(self, words: list[int], start_id: int, end_id: int, padding_id: int) -> list[int]:
        if self.no_start:
            return words
        if self.end_read or self.start_asked:
            return [start_id, *words, end_id]
        first = padding_id if self.starts_with_padding else start_id
        return [end_id if self.starts_with_end else first, *words]

    def _asked(self, words: list[int], start_id: int, end_id: int, padding_id: int) -> list[int]:
        if self.not_shifted:
            return [start_id, *words]
        if self.shifted_twice:
            return [*words[1:], end_id, padding_id]
        if self.start_asked:
            return [start_id, *words, end_id]
        if self.end_not_asked:
            return [*words, padding_id]
        return [*words, end_id, padding_id] if self.end_read else [*words, end_id]

    def _padded(self, rows: Rows, width: int, padding_id: int) -> Tensor:
        if self.padding_first:
            return torch.tensor([[padding_id] * (width - len(row)) + row for row in rows])
        return torch.tensor([row + [padding_id] * (width - len(row)) for row in rows])


def _draw(generator: Generator) -> list[Case]:
    def words(lengths: tuple[int, ...]) -> Rows:
        # No word twice in a sentence: what stands next to it differs from it.
        return [(5 + torch.randperm(20, generator=generator)[:n]).tolist() for n in lengths]

    def case(
        label: str,
        source: tuple[int, ...],
        target: tuple[int, ...],
        start_id: int = 1,
        end_id: int = 2,
        padding_id: int = 0,
    ) -> Case:
        inputs = {"sources": words(source), "targets": words(target)}
        ids = {"start_id": start_id, "end_id": end_id, "padding_id": padding_id}
        return Case(label, {**inputs, **ids})

    return [
        case("one pair: two words and three", (2,), (3,)),
        case("two pairs", (3, 2), (2, 4)),
        case("padding id 3, start id 0, end id 1", (1, 5, 2), (3, 1, 2), 0, 1, 3),
        case("four pairs, the longest source with the shortest target", (6, 2, 3, 4), (1, 5, 3, 4)),
    ]


PAIRS = Check(
    name="translation.pairs",
    lesson="10_translation",
    title="What the decoder reads",
    answer="make_batch",
    returns=("source", "inputs", "targets"),
    points=2,
    difficulty=2,
    importance=5,
    minutes=10,
    draw=_draw,
    reference=_Pairs(),
    slips=(
        Misconception(
            "not shifted",
            _Pairs(not_shifted=True),
            "inputs and targets are the same: the decoder is asked for the token that it reads",
            "What should it say when it has read the start token alone?",
        ),
        Misconception(
            "shifted twice",
            _Pairs(shifted_twice=True),
            "the targets are one further than they should be: the first word is never asked for",
            "Below the start token stands the first word.",
        ),
        Misconception(
            "end token read",
            _Pairs(end_read=True),
            "the decoder reads the end token, and is asked for padding behind it",
            "When it has said the end token, nothing more is read.",
        ),
        Misconception(
            "end token read in short rows",
            _Pairs(end_read_in_short=True),
            "in rows shorter than the longest the decoder reads the end token: the last column was "
            "cut off a tensor that was padded already",
            "Each row ends in another column. Leave the end token out before you pad.",
        ),
        Misconception(
            "no start token",
            _Pairs(no_start=True),
            "the inputs have no start token: nothing says the first word",
            "What does the decoder read when nothing is written yet?",
        ),
        Misconception(
            "starts with the end token",
            _Pairs(starts_with_end=True),
            "the inputs begin with the end token. Some models are trained so; this one's start "
            "token would then be one that training never saw",
            "Which id will decoding begin with?",
        ),
        Misconception(
            "starts with padding",
            _Pairs(starts_with_padding=True),
            "the inputs begin with padding, which is masked",
            "The start token has an id of its own.",
        ),
        Misconception(
            "start token asked for",
            _Pairs(start_asked=True),
            "both hold the whole sentence with start and end: the decoder is asked for the start "
            "token, and each target is the token that it reads",
            "Inputs begin with the start token, targets end with the end token. Neither has both.",
        ),
        Misconception(
            "end token not asked for",
            _Pairs(end_not_asked=True),
            "the end token is never a target: such a model never learns to stop",
            "What should it say after the last word?",
        ),
        Misconception(
            "start and end swapped",
            _Pairs(start_and_end_swapped=True),
            "start and end token are swapped",
            "Look at the order of the arguments.",
        ),
        Misconception(
            "source without end",
            _Pairs(source_without_end=True),
            "the source has no end token: here the encoder reads where the sentence ends",
            "Words, then the end token.",
        ),
        Misconception(
            "source with start",
            _Pairs(source_with_start=True),
            "the source begins with a start token; only what is *written* needs a beginning",
            "Words, then the end token.",
        ),
        Misconception(
            "languages swapped",
            _Pairs(sides_swapped=True),
            "the encoder reads the targets, and the decoder is to say the sources",
            "From the source to the target.",
        ),
        Misconception(
            "padding on the left",
            _Pairs(padding_first=True),
            "the padding stands before the sentence",
            "Every row begins in column 0.",
        ),
        Misconception(
            "padding is always 0",
            _Pairs(padding_zero=True),
            "rows are filled up with 0, whatever padding_id says",
            "Use the argument.",
        ),
        Misconception(
            "one width for both languages",
            _Pairs(one_width=True),
            "source and target are padded to the same width",
            "Attention between them needs no square: each side is as wide as its longest row.",
        ),
    ),
    hints=(
        "Write the three rows below each other for *the cat* → *le chat*: what the encoder reads, "
        "what the decoder reads, what it is to say.",
        "`[*words, end_id]`, `[start_id, *words]` and `[*words, end_id]`, for each sentence.",
        "Pad last: each of the three to its own longest row.",
    ),
)
