"""How good translations are, and which of two are better: BLEU and chrF from sacrebleu."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from transformer_lesson.translation.normalization import normalized
from transformer_lesson.validation import arguments


@dataclass(frozen=True)
class Score:
    """What sacrebleu reports on a test set (Post 2018).

    Attributes:
        bleu: corpus BLEU, 0 to 100 (Papineni et al. 2002).
        interval: half the width of the 95 % bootstrap interval of the BLEU (Koehn 2004).
        chrf: chrF2, 0 to 100 (Popović 2015).
        brevity_penalty: the factor by which BLEU is lowered for short translations; 1 if it is not.
        length_ratio: words of the translations over words of the references.
        signature: what anyone needs to know to compute the same BLEU.
    """

    bleu: float
    interval: float
    chrf: float
    brevity_penalty: float
    length_ratio: float
    signature: str

    def __str__(self) -> str:
        return (
            f"BLEU {self.bleu:.1f} ± {self.interval:.1f}, chrF {self.chrf:.1f}, "
            f"length ratio {self.length_ratio:.2f} ({self.signature})"
        )


def score(hypotheses: Sequence[str], references: Sequence[str], *, resamples: int = 1000) -> Score:
    """Score translations as detokenized text, normalized, one reference for each.

    Args:
        hypotheses: the translations.
        references: what a person wrote, in the same order.
        resamples: number of test sets that are drawn with replacement for the interval; with
            fewer than two the interval is 0.

    Raises:
        ValueError: there are none, or more of one than of the other.
    """
    from sacrebleu.metrics import BLEU, CHRF

    _check_lengths(hypotheses, references)
    hypotheses, references = map(_normalized, (hypotheses, references))
    metric = BLEU()
    bleu = metric.corpus_score(hypotheses, [references], n_bootstrap=resamples)
    return Score(
        bleu=bleu.score,
        interval=max(bleu._ci, 0.0),
        chrf=CHRF().corpus_score(hypotheses, [references]).score,
        brevity_penalty=bleu.bp,
        length_ratio=bleu.ratio,
        signature=str(metric.get_signature()),
    )


@dataclass(frozen=True)
class Comparison:
    """How the translations of two systems differ, tested on the same sentences.

    Attributes:
        bleu: corpus BLEU of the second system minus that of the first.
        bleu_p: probability of so large a difference if neither is better (paired bootstrap,
            Koehn 2004): how often, over sets of sentences drawn with replacement, the difference
            exceeds its mean by more than ``bleu``, in one direction. 1 where there is none.
        chrf: the same for chrF2.
        chrf_p: its probability.
        signature: what anyone needs to know to compute the same.
    """

    bleu: float
    bleu_p: float
    chrf: float
    chrf_p: float
    signature: str

    def __str__(self) -> str:
        return (
            f"BLEU {self.bleu:+.1f} (p = {self.bleu_p:.3f}), "
            f"chrF {self.chrf:+.1f} (p = {self.chrf_p:.3f}) ({self.signature})"
        )


def compare(
    baseline: Sequence[str],
    hypotheses: Sequence[str],
    references: Sequence[str],
    *,
    resamples: int = 1000,
) -> Comparison:
    """Test whether ``hypotheses`` score better or worse than ``baseline`` by more than chance.

    Both systems are scored on the same sentences, drawn with replacement, so that what makes a
    sentence hard for both does not count as noise (sacrebleu's paired bootstrap). Sets are drawn
    ``resamples`` times; the smallest p is ``1 / (resamples + 1)``.

    Raises:
        ValueError: there are none, or not equally many of all three; resamples is below 1.
    """
    from sacrebleu.metrics import BLEU, CHRF
    from sacrebleu.significance import PairedTest

    arguments.check_sizes(resamples=resamples)
    _check_lengths(baseline, references)
    _check_lengths(hypotheses, references)
    baseline, hypotheses, references = map(_normalized, (baseline, hypotheses, references))
    systems = [("baseline", baseline), ("system", hypotheses)]
    signatures, scores = PairedTest(
        systems, {"BLEU": BLEU(), "chrF": CHRF()}, [references], "bs", resamples
    )()
    _, *names = scores
    differences = [_difference(*scores[name]) for name in names]
    return Comparison(*differences[0], *differences[1], signature=str(signatures[names[0]]))


def _normalized(texts: Sequence[str]) -> Sequence[str]:
    return [normalized(text) for text in texts]


def _difference(baseline: Any, system: Any) -> tuple[float, float]:
    """Return the difference of two results and its p, which sacrebleu calls small for equals."""
    difference = system.score - baseline.score
    return difference, system.p_value if difference else 1.0


def _check_lengths(hypotheses: Sequence[str], references: Sequence[str]) -> None:
    if len(hypotheses) != len(references) or not hypotheses:
        raise ValueError(
            f"{len(hypotheses)} translations and {len(references)} references; "
            "expected equally many of both, and at least one."
        )
