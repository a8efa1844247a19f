"""translation.beat: a small unknown language, some pairs, and a BLEU to beat."""

from collections.abc import Mapping

import torch
from torch import Generator, Tensor
from torch.nn.utils.rnn import pad_sequence

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check, Rubric
from transformer_checks.catalogue.translation import bleu
from transformer_lesson.translation.small_language import PAIRS, TESTS, small_language

# Which language the test sentences belong to. The translations are made anew from it, here, on the
# side of the judge; nothing that an answer is given leads to them.
_LANGUAGES: dict[tuple[tuple[int, ...], ...], int] = {}


def _draw(generator: Generator) -> list[Case]:
    number, seed = torch.randint(2**31, (2,), generator=generator).tolist()
    sources, targets, tests, _ = small_language(number)
    _LANGUAGES[tuple(map(tuple, tests))] = number
    inputs = {"sources": sources, "targets": targets, "tests": tests, "seed": seed}
    return [Case(f"{PAIRS} pairs of an unknown language, {TESTS} sentences to translate", inputs)]


def _truth(
    sources: list[list[int]], targets: list[list[int]], tests: list[list[int]], seed: int
) -> Tensor:
    """The right translations of ``tests``, from the language itself, which no answer is given."""
    number = _LANGUAGES[tuple(map(tuple, tests))]
    return pad_sequence(
        list(map(torch.tensor, small_language(number).references)), batch_first=True
    )


def _measure(got: Mapping[str, Tensor], expected: Mapping[str, Tensor]) -> float:
    """BLEU of the rows, each up to its first 0; 0 for what are no rows of ids."""
    ours, theirs = got["tokens"], expected["tokens"]
    if ours.dim() != 2 or len(ours) != len(theirs) or ours.is_floating_point():
        return 0.0
    hypotheses, references = (
        [row[: row.index(0)] if 0 in row else row for row in tokens.tolist()]
        for tokens in (ours, theirs)
    )
    if not any(hypotheses):
        return 0.0
    return float(bleu.CHECK.right(hypotheses, references)[0])


CHECK = Check(
    name="translation.beat",
    lesson="10_translation",
    title="Open: beat the given BLEU",
    answer="translate",
    returns=("tokens",),
    draw=_draw,
    rubric=Rubric("BLEU", _measure, ((55.0, 1), (65.0, 2), (75.0, 3)), truth=_truth),
    points=3,
    difficulty=5,
    importance=3,
    minutes=60,
)
