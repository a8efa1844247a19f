"""translation.beat: a small unknown language, some pairs, and a BLEU to beat."""

from collections.abc import Mapping

import torch
from torch import Generator, Tensor
from torch.nn.utils.rnn import pad_sequence

from transformer_checks.catalogue.translation import bleu
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Rubric, Slip
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
    return pad_sequence(list(map(torch.tensor, small_language(number).references)),
                        batch_first=True)


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


_TOP = "    def pieces("
_GIVEN = "    return word_by_word(sources, targets, tests, seed)"
_PADDED = """\
    longest = max(map(len, rows))
    return [row + [0] * (longest - len(row)) for row in rows]

"""
_NEAREST = """\
    known, rows = [set(source) for source in sources], []
    for here in map(set, tests):
        shared = [len(here & there) / len(here | there) for there in known]
        rows.append(targets[shared.index(max(shared))])
"""

CHECK = Check(
    name="translation.beat", lesson="10_translation", title="Open: beat the given BLEU",
    answer="translate", returns=("tokens",), draw=_draw,
    rubric=Rubric("BLEU", _measure, ((55.0, 1), (65.0, 2), (75.0, 3)), truth=_truth),
    points=3, difficulty=5, importance=3, minutes=60,
    slips=(
        Slip("the given system", {_TOP: f"{_GIVEN}\n\n{_TOP}"},
             "these are the translations of the given system, word for word",
             "It knows words. What does it not know: order, agreement, words that come in pairs?"),
        Slip("padding on the left",
             {"row + [0] * (longest - len(row))": "[0] * (longest - len(row)) + row",
              _TOP: f"{_GIVEN}\n\n{_TOP}"},
             "the padding stands before the translation, and nothing after the first 0 counts",
             "Every row begins in column 0."),
        Slip("copied", {_TOP: f"    rows = tests\n{_PADDED}{_TOP}"},
             "the sentences come back as they are",
             "The two languages share no ids: learn from the pairs."),
        Slip("one translation for all", {_TOP: f"    return targets[:1] * len(tests)\n\n{_TOP}"},
             "every sentence gets the first training target", "What of the source is used?"),
        Slip("nearest training sentence", {_TOP: f"{_NEAREST}{_PADDED}{_TOP}"},
             "each sentence gets the translation of the training sentence that shares most words "
             "with it: none of them is among the training sentences",
             "Parts of it are. Can a translation be put together?"),
        Slip("a row is missing", {_TOP: f"{_GIVEN}[:-1]\n\n{_TOP}"},
             "there are fewer rows than sentences",
             "One row for each sentence of `tests`, in their order."),
    ),
)
