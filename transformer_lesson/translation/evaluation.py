"""How good translations are: BLEU and chrF from sacrebleu, with an interval and the signature."""

from collections.abc import Sequence
from dataclasses import dataclass


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
    """Score translations as detokenised text, one reference for each.

    Args:
        hypotheses: the translations.
        references: what a person wrote, in the same order.
        resamples: number of test sets that are drawn with replacement for the interval; with
            fewer than two the interval is 0.

    Raises:
        ValueError: there are none, or more of one than of the other.
    """
    from sacrebleu.metrics import BLEU, CHRF

    if len(hypotheses) != len(references) or not hypotheses:
        raise ValueError(
            f"{len(hypotheses)} translations and {len(references)} references; "
            "expected equally many of both, and at least one."
        )
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
