"""translation.beat: a small unknown language, some pairs, and a BLEU to beat."""

from collections.abc import Mapping
from random import Random

import torch
from torch import Generator, Tensor
from torch.nn.utils.rnn import pad_sequence

from transformer_checks.catalogue.translation import bleu
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Rubric, Slip

PAIRS, TESTS = 800, 100

# Which language the test sentences belong to. The translations are made anew from it, here, on the
# side of the judge; nothing that an answer is given leads to them.
_LANGUAGES: dict[tuple[tuple[int, ...], ...], int] = {}


class _Language:
    """Words under random names, and a grammar like that of English and French.

    Adjectives after the noun (two of them before it), articles and adjectives that agree with it,
    a negation in two parts around the verb, pronouns before the verb, verbs of two words.
    """

    def __init__(self, number: int) -> None:
        self.random = Random(number)
        english, french = (self.random.sample(range(1, 80), 79) for _ in range(2))

        def word() -> int:
            return english.pop()

        def forms(count: int) -> list[int]:
            return [french.pop() for _ in range(count)]

        self.articles = [(word(), forms(2)) for _ in range(3)]
        self.nouns = [(word(), forms(1), self.random.randrange(2)) for _ in range(12)]
        self.adjectives = [(word(), forms(2), number < 2) for number in range(8)]
        self.verbs = [(word(), forms(2 if number < 2 else 1)) for number in range(8)]
        self.pronouns = [(word(), forms(1)) for _ in range(4)]
        self.negation = (word(), forms(2))

    def sentence(self) -> tuple[list[int], list[int]]:
        """A sentence and its translation."""
        subject, translated = self._noun_phrase()
        verb, verbs = self.random.choice(self.verbs)
        before = after = list[int]()
        said = [verb]
        if self.random.random() < 0.3:
            said = [self.negation[0], verb]
            before, after = self.negation[1][:1], self.negation[1][1:]
        if self.random.random() < 0.3:
            pronoun, pronouns = self.random.choice(self.pronouns)
            return [*subject, *said, pronoun], [*translated, *before, *pronouns, *verbs, *after]
        thing, things = self._noun_phrase()
        return [*subject, *said, *thing], [*translated, *before, *verbs, *after, *things]

    def _noun_phrase(self) -> tuple[list[int], list[int]]:
        article, articles = self.random.choice(self.articles)
        noun, nouns, gender = self.random.choice(self.nouns)
        if self.random.random() < 0.5:
            return [article, noun], [articles[gender], *nouns]
        adjective, adjectives, first = self.random.choice(self.adjectives)
        words = [adjectives[gender], *nouns] if first else [*nouns, adjectives[gender]]
        return [article, adjective, noun], [articles[gender], *words]


def pairs_of(number: int) -> list[tuple[list[int], list[int]]]:
    """Return ``PAIRS + TESTS`` pairs of a language, all sources different."""
    language, pairs = _Language(number), dict[tuple[int, ...], list[int]]()
    while len(pairs) < PAIRS + TESTS:
        source, target = language.sentence()
        pairs.setdefault(tuple(source), target)
    return [(list(source), target) for source, target in pairs.items()]


def _draw(generator: Generator) -> list[Case]:
    number, seed = torch.randint(2**31, (2,), generator=generator).tolist()
    pairs = pairs_of(number)
    tests = [source for source, _ in pairs[PAIRS:]]
    _LANGUAGES[tuple(map(tuple, tests))] = number
    inputs = {
        "sources": [source for source, _ in pairs[:PAIRS]],
        "targets": [target for _, target in pairs[:PAIRS]],
        "tests": tests,
        "seed": seed,
    }
    return [Case(f"{PAIRS} pairs of an unknown language, {TESTS} sentences to translate", inputs)]


def _truth(
    sources: list[list[int]], targets: list[list[int]], tests: list[list[int]], seed: int
) -> Tensor:
    """The right translations of ``tests``, from the language itself, which no answer is given."""
    number = _LANGUAGES[tuple(map(tuple, tests))]
    rows = [torch.tensor(target) for _, target in pairs_of(number)[PAIRS:]]
    return pad_sequence(rows, batch_first=True)


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

# fmt: off
CHECK = Check(
    name="translation.beat", lesson="10_translation", title="Open: beat the given BLEU",
    answer="translate", returns=("tokens",), draw=_draw,
    rubric=Rubric("BLEU", _measure, ((40.0, 1), (48.0, 2), (56.0, 3)), truth=_truth),
    points=3, difficulty=5, importance=3, minutes=60,
    slips=(
        Slip("the given system", {_TOP: f"{_GIVEN}\n\n{_TOP}"},
             "this is the given system, unchanged",
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
             "every sentence gets the first training target",
             "What of the source is used?"),
        Slip("nearest training sentence", {_TOP: f"{_NEAREST}{_PADDED}{_TOP}"},
             "each sentence gets the translation of the training sentence that shares most words "
             "with it: none of them is among the training sentences",
             "Parts of it are. Can a translation be put together?"),
        Slip("a row is missing", {_TOP: f"{_GIVEN}[:-1]\n\n{_TOP}"},
             "there are fewer rows than sentences",
             "One row for each sentence of `tests`, in their order."),
    ),
    hints=(
        "Look at where the given system is wrong: print some pairs from training beside what it "
        "makes of their sources. Its words are often right, their order is not.",
        "Pairs of words and triples can be counted as words are: two neighbouring source words "
        "with two or three neighbouring target words. A sentence is then cut into known pieces, "
        "and among all cuts the best is found by dynamic programming, from left to right.",
        "Let long pieces count for more than their parts, and trust a pair less that you have seen "
        "only once: score = (2 * shared - 1) / (count of the one + count of the other), multiplied "
        "by the piece's length to a power between 1 and 2.",
    ),
)
