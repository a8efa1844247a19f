"""translation.alignment: how far attention is from the right alignment (Och & Ney 2003)."""

from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception

Link = tuple[int, int]
Gold = list[list[list[int]]]


@dataclass(frozen=True)
class _Alignment:
    """The alignment error rate; with a flag set, one thing is done wrongly."""

    by_source: bool = False
    padding_chosen: bool = False
    padding_linked: bool = False
    links_swapped: bool = False
    row_before: bool = False
    above_mean: bool = False
    gold_words_only: bool = False
    mean_of_sentences: bool = False
    no_two: bool = False
    jaccard: bool = False
    precision: bool = False
    recall: bool = False
    agreement: bool = False
    least: bool = False

    def __call__(
        self, weights: Tensor, source_lengths: list[int], target_lengths: list[int], gold: Gold
    ) -> float:
        parts = list(zip(weights, source_lengths, target_lengths, gold, strict=True))
        counts = [self._counts(*part) for part in parts]
        if self.mean_of_sentences:
            return sum(self._rate(*count) for count in counts) / len(counts)
        shared, found, right = (sum(column) for column in zip(*counts, strict=True))
        return self._rate(shared, found, right)

    def _counts(
        self, weights: Tensor, sources: int, targets: int, gold: list[list[int]]
    ) -> tuple[int, int, int]:
        right = {(source, target) for source, target in gold}
        found = self._links(weights, sources, targets)
        if self.links_swapped:
            found = {(target, source) for source, target in found}
        if self.gold_words_only:
            known = {target for _, target in right}
            found = {link for link in found if link[1] in known}
        return len(found & right), len(found), len(right)

    def _links(self, weights: Tensor, sources: int, targets: int) -> set[Link]:
        if self.padding_linked:
            targets = len(weights)
        real = weights[:targets] if self.padding_chosen else weights[:targets, :sources]
        real = -real if self.least else real
        if self.row_before:
            real = torch.cat([real[:1], real[:-1]])
        if self.above_mean:
            return {(s, t) for t, s in (real > real.mean(-1, keepdim=True)).nonzero().tolist()}
        if self.by_source:
            return set(enumerate(real.argmax(0).tolist()))
        return {(source, target) for target, source in enumerate(real.argmax(1).tolist())}

    def _rate(self, shared: int, found: int, right: int) -> float:
        if self.precision or self.recall:
            return 1 - shared / (found if self.precision else right)
        if self.jaccard:
            return 1 - shared / (found + right - shared)
        agreement = (1 if self.no_two else 2) * shared / (found + right)
        return agreement if self.agreement else 1 - agreement


def _draw(generator: Generator) -> list[Case]:
    def sentence(sources: int, targets: int, rows: int, columns: int) -> tuple[Tensor, list]:
        """Weights with gold links in them; behind the sentence stands what means nothing."""
        weights = torch.rand(rows, columns, generator=generator)
        links = torch.randint(sources, (targets,), generator=generator).tolist()
        gold = [[source, target] for target, source in enumerate(links)]
        for source, target in gold:
            if torch.rand((), generator=generator) < 0.6:
                weights[target, source] += 1
        if sources < columns:  # the end token draws attention
            weights[:, sources] += 0.8
        # Some target words have no source word, and some have two.
        more = [[(source + 1) % sources, target] for source, target in gold[1::3]]
        return weights / weights.sum(-1, keepdim=True), gold[: max(targets - 2, 1)] + more

    def case(label: str, lengths: list[tuple[int, int]], more: int = 1) -> Case:
        rows = max(targets for _, targets in lengths) + more
        columns = max(sources for sources, _ in lengths) + more
        drawn = [sentence(sources, targets, rows, columns) for sources, targets in lengths]
        return Case(
            label,
            {
                "weights": torch.stack([weights for weights, _ in drawn]),
                "source_lengths": [sources for sources, _ in lengths],
                "target_lengths": [targets for _, targets in lengths],
                "gold": [gold for _, gold in drawn],
            },
        )

    return [
        case("one sentence: three words to four", [(3, 4)], more=0),
        case("one sentence, with an end token", [(4, 5)]),
        case("a short and a long sentence", [(2, 2), (9, 11)]),
        case("six sentences", [(5, 4), (3, 6), (8, 8), (2, 3), (7, 9), (6, 5)]),
        case("eight sentences", [(4 + i % 5, 5 + i % 4) for i in range(8)], more=2),
    ]


ALIGNMENT = Check(
    name="translation.alignment",
    lesson="10_translation",
    title="Alignment error rate",
    answer="alignment_error_rate",
    returns=("error_rate",),
    points=2,
    difficulty=2,
    importance=3,
    minutes=12,
    draw=_draw,
    reference=_Alignment(),
    slips=(
        Misconception(
            "a link for each source word",
            _Alignment(by_source=True),
            "each source word is linked to the target word that looks at it most",
            "Rows are target words: each of them chooses a column.",
        ),
        Misconception(
            "padding chosen",
            _Alignment(padding_chosen=True),
            "a target word may choose the end token or padding, which are no words",
            "Only the first source_lengths[i] columns are words of sentence i.",
        ),
        Misconception(
            "padding linked",
            _Alignment(padding_linked=True),
            "rows behind the end of the sentence are linked too",
            "Only the first target_lengths[i] rows are words of sentence i.",
        ),
        Misconception(
            "links swapped",
            _Alignment(links_swapped=True),
            "links are (target, source), the gold ones (source, target)",
            "Which index of `weights` is the source?",
        ),
        Misconception(
            "row of the word before",
            _Alignment(row_before=True),
            "word i is given the row of word i - 1. Here row i is what the decoder looked at while "
            "it *wrote* word i",
            "Row i belongs to target word i.",
        ),
        Misconception(
            "all above the mean",
            _Alignment(above_mean=True),
            "a word is linked to all words that get more than the mean of its weights",
            "One link for each target word: where it looks most.",
        ),
        Misconception(
            "words without a gold link skipped",
            _Alignment(gold_words_only=True),
            "target words that have no gold link are left out: a wrong link there costs nothing",
            "Every target word makes a link, and all links count.",
        ),
        Misconception(
            "mean of sentences",
            _Alignment(mean_of_sentences=True),
            "the rate of each sentence is computed, then averaged",
            "Add up over the corpus, and divide once.",
        ),
        Misconception(
            "the two forgotten",
            _Alignment(no_two=True),
            "the factor 2 is missing: even a perfect alignment would have an error rate of 0.5",
            "A shared link stands in both sets.",
        ),
        Misconception(
            "shared over united",
            _Alignment(jaccard=True),
            "the shared links are divided by those in either set",
            "Twice the shared ones, divided by the sum of both sizes.",
        ),
        Misconception(
            "precision alone",
            _Alignment(precision=True),
            "this is 1 - precision: links that are missing cost nothing",
            "The sizes of both sets stand in the formula.",
        ),
        Misconception(
            "recall alone",
            _Alignment(recall=True),
            "this is 1 - recall: links that are wrong cost nothing",
            "The sizes of both sets stand in the formula.",
        ),
        Misconception(
            "agreement, not error",
            _Alignment(agreement=True),
            "this is the share that agrees; the error rate is what is missing to 1",
            "A perfect alignment has 0.",
        ),
        Misconception(
            "least attention",
            _Alignment(least=True),
            "each word is linked to where it looks least",
            "argmax.",
        ),
    ),
    hints=(
        "For sentence i cut out the words: `weights[i, :target_lengths[i], :source_lengths[i]]`.",
        "The argmax of each row gives one link (source, target). Make a set of them, and one of "
        "the gold links; `&` is what they share.",
        "1 - 2 * shared / (found + gold), each summed over all sentences first.",
    ),
)
