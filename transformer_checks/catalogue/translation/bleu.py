"""translation.bleu: n-grams counted over the whole test set (Papineni et al. 2002)."""

import math
from collections import Counter
from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception

Sentence = list[int]
Result = tuple[float, Tensor, float]


@dataclass(frozen=True)
class _Bleu:
    """Corpus BLEU without smoothing; with a flag set, one thing is done wrongly."""

    orders: int = 4
    mean_of_sentences: bool = False
    unclipped: bool = False
    clipped_by_corpus: bool = False
    sets: bool = False
    recall: bool = False
    arithmetic: bool = False
    no_brevity: bool = False
    brevity_inverted: bool = False
    brevity_ratio: bool = False
    brevity_both_ways: bool = False
    brevity_of_sentences: bool = False
    short_subtract: bool = False
    zeros_skipped: bool = False
    smoothed: bool = False
    share: bool = False
    percent_precisions: bool = False

    def __call__(self, hypotheses: list[Sentence], references: list[Sentence]) -> Result:
        pairs = list(zip(hypotheses, references, strict=True))
        if self.mean_of_sentences:
            bleu = sum(_Bleu()([h], [r])[0] for h, r in pairs) / len(pairs)
            return bleu, *_Bleu()(hypotheses, references)[1:]
        counts = [self._counts(pairs, order) for order in range(1, 5)]
        precisions = [min(found / max(made, 1), 9.0) for found, made in counts]
        brevity = self._brevity(pairs)
        used = precisions[: self.orders]
        if self.zeros_skipped:
            used = [precision for precision in used if precision] or [0.0]
        if self.smoothed:
            used = [(found + 1) / (max(made, 0) + 1) for found, made in counts]
        mean = math.exp(sum(math.log(p) for p in used) / len(used)) if all(used) else 0.0
        if self.arithmetic:
            mean = sum(used) / len(used)
        bleu = (1 if self.share else 100) * brevity * mean
        return bleu, torch.tensor(precisions) * (100 if self.percent_precisions else 1), brevity

    def _counts(self, pairs: list[tuple[Sentence, Sentence]], order: int) -> tuple[float, float]:
        """Number of n-grams found in the references, and of n-grams made."""
        found = made = 0.0
        for hypothesis, reference in pairs:
            ours, theirs = self._grams(hypothesis, order), self._grams(reference, order)
            if self.clipped_by_corpus:
                theirs = sum((self._grams(r, order) for _, r in pairs), Counter())
            matches = (
                {gram: n for gram, n in ours.items() if gram in theirs}
                if self.unclipped
                else ours & theirs
            )
            found += sum(matches.values())
            length = len(reference if self.recall else hypothesis) - order + 1
            made += length if self.short_subtract else max(length, 0)
            if self.sets:
                made += len(ours) - max(length, 0)
        return found, made

    def _grams(self, sentence: Sentence, order: int) -> Counter[tuple[int, ...]]:
        grams = Counter(tuple(sentence[i : i + order]) for i in range(len(sentence) - order + 1))
        return Counter(set(grams)) if self.sets else grams

    def _brevity(self, pairs: list[tuple[Sentence, Sentence]]) -> float:
        ours = sum(len(hypothesis) for hypothesis, _ in pairs)
        theirs = sum(len(reference) for _, reference in pairs)
        if self.no_brevity:
            return 1.0
        if self.brevity_of_sentences:
            return sum(_penalty(len(h), len(r)) for h, r in pairs) / len(pairs)
        if self.brevity_inverted:
            return _penalty(theirs, ours)
        if self.brevity_ratio:
            return min(1.0, ours / theirs)
        return math.exp(1 - theirs / ours) if self.brevity_both_ways else _penalty(ours, theirs)


def _penalty(ours: int, theirs: int) -> float:
    return 1.0 if ours >= theirs else math.exp(1 - theirs / max(ours, 1e-9))


def _draw(generator: Generator) -> list[Case]:
    def sentence(length: int, words: int) -> Sentence:
        return torch.randint(words, (length,), generator=generator).tolist()

    def like(reference: Sentence, length: int, words: int) -> Sentence:
        """A sentence that begins like the reference, with every seventh word another one."""
        padded = [*reference, *sentence(length, words)][:length]
        return [words + i if i % 7 == 5 else word for i, word in enumerate(padded)]

    def case(label: str, lengths: list[tuple[int, int]], words: int) -> Case:
        references = [sentence(reference, words) for _, reference in lengths]
        pairs = zip(references, lengths, strict=True)
        hypotheses = [like(reference, ours, words) for reference, (ours, _) in pairs]
        return Case(label, {"hypotheses": hypotheses, "references": references})

    perfect = sentence(6, 9)
    first = torch.randperm(9, generator=generator).tolist()[:5]
    repeated = [first[0]] * 3 + first[:5] + [first[0]]
    return [
        Case("a perfect translation", {"hypotheses": [perfect], "references": [perfect]}),
        Case(
            "a word said five times that the reference has once",
            {"hypotheses": [repeated], "references": [[*first, 20, 21, 22, 23]]},
        ),
        case("one sentence, too short", [(8, 11)], 30),
        case("one sentence, too long", [(13, 10)], 30),
        case("three sentences of unequal length", [(9, 9), (6, 12), (15, 11)], 12),
        case("sentences too short for a 4-gram among others", [(2, 2), (12, 12), (1, 3)], 12),
        Case(
            "no 4-gram is found",
            {"hypotheses": [[3, 1, 4, 9, 5, 9]], "references": [[3, 1, 4, 7, 5, 8]]},
        ),
        case("ten sentences of few words", [(7 + i % 5, 9 + i % 3) for i in range(10)], 6),
    ]


BLEU = Check(
    name="translation.bleu",
    lesson="10_translation",
    title="Corpus BLEU",
    answer="corpus_bleu",
    returns=("bleu", "precisions", "brevity_penalty"),
    points=3,
    difficulty=3,
    importance=5,
    minutes=20,
    draw=_draw,
    reference=_Bleu(),
    slips=(
        Misconception(
            "mean of sentence scores",
            _Bleu(mean_of_sentences=True),
            "BLEU is computed for each sentence and averaged: one sentence without a matching "
            "4-gram counts 0",
            "Add up the counts of all sentences, and divide once.",
        ),
        Misconception(
            "not clipped",
            _Bleu(unclipped=True),
            "an n-gram counts as often as the translation says it: *the the the the* would be "
            "perfect",
            "At most as often as the reference has it: the smaller of the two counts.",
        ),
        Misconception(
            "clipped by the corpus",
            _Bleu(clipped_by_corpus=True),
            "n-grams are looked up in all references together, not in the sentence's own",
            "Clip sentence by sentence, then add up.",
        ),
        Misconception(
            "n-grams as sets",
            _Bleu(sets=True),
            "each n-gram counts once, however often it is said",
            "Counts, not sets: `Counter` has an & for them.",
        ),
        Misconception(
            "recall",
            _Bleu(recall=True),
            "the matches are divided by the number of the reference's n-grams: that is recall",
            "Of what was *said*, how much is right?",
        ),
        Misconception(
            "arithmetic mean",
            _Bleu(arithmetic=True),
            "the four precisions are averaged; BLEU takes their geometric mean",
            "The fourth root of their product.",
        ),
        Misconception(
            "only unigrams",
            _Bleu(orders=1),
            "only single words count, in whatever order they stand",
            "n-grams of 1, 2, 3 and 4 words.",
        ),
        Misconception(
            "up to trigrams",
            _Bleu(orders=3),
            "the n-grams end with three words",
            "n-grams of 1, 2, 3 and 4 words.",
        ),
        Misconception(
            "no brevity penalty",
            _Bleu(no_brevity=True),
            "the brevity penalty is missing: saying only what is certain would be best",
            "Precision does not mind what was left out. What does?",
        ),
        Misconception(
            "brevity penalty inverted",
            _Bleu(brevity_inverted=True),
            "translations that are too long are punished, short ones are not",
            "Which of the two does precision punish already?",
        ),
        Misconception(
            "brevity penalty is the ratio",
            _Bleu(brevity_ratio=True),
            "the brevity penalty is the ratio of the lengths",
            "exp(1 - reference / translation), where the translation is shorter.",
        ),
        Misconception(
            "brevity rewards length",
            _Bleu(brevity_both_ways=True),
            "the brevity penalty is above 1 where the translation is longer",
            "At most 1.",
        ),
        Misconception(
            "brevity of each sentence",
            _Bleu(brevity_of_sentences=True),
            "the brevity penalty is averaged over sentences",
            "One for the corpus, from the sums of the lengths: a short sentence may be made up for "
            "by a long one.",
        ),
        Misconception(
            "short sentences subtract",
            _Bleu(short_subtract=True),
            "a sentence of fewer than n words has length - n + 1 < 0 n-grams",
            "A sentence of two words has no 4-gram: 0 of them.",
        ),
        Misconception(
            "zero precisions skipped",
            _Bleu(zeros_skipped=True),
            "a precision of 0 is left out of the mean",
            "Without smoothing, no matching 4-gram means BLEU 0.",
        ),
        Misconception(
            "smoothed",
            _Bleu(smoothed=True),
            "one was added to the counts: that is a smoothed BLEU",
            "Here nothing is added. A corpus is large enough.",
        ),
        Misconception(
            "from 0 to 1",
            _Bleu(share=True),
            "BLEU is a share, from 0 to 1",
            "From 0 to 100.",
        ),
        Misconception(
            "precisions in percent",
            _Bleu(percent_precisions=True),
            "the precisions are in percent",
            "BLEU from 0 to 100, precisions as shares from 0 to 1.",
        ),
    ),
    hints=(
        "For one sentence and one n: a `Counter` of the tuples of n neighbouring words, for both. "
        "`&` of two Counters takes the smaller count.",
        "For each n add up, over all sentences, the matches and the n-grams of the translation; "
        "then divide.",
        "brevity = 1 if the translations are at least as long in sum, else exp(1 - reference / "
        "translation); BLEU = 100 * brevity * (p1 * p2 * p3 * p4) ** 0.25.",
    ),
)
