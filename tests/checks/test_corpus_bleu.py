"""The reference for corpus BLEU, against sacrebleu on the words as they are."""

import math

import pytest
from sacrebleu.metrics import BLEU

from notebook_judge.checks.calls import call
from transformer_checks.catalogue import CHECKS

CHECK = CHECKS["translation.bleu"]


@pytest.mark.parametrize("seed", range(10))
def test_it_is_sacrebleu_without_tokenising_and_smoothing(seed: int) -> None:
    for case in CHECK.cases(seed):
        hypotheses, references = (
            [" ".join(f"word{word}" for word in words) for words in texts]  # type: ignore[union-attr]
            for texts in case.inputs.values()
        )
        theirs = BLEU(tokenize="none", smooth_method="none", effective_order=False).corpus_score(
            hypotheses, [references]
        )
        ours = call(CHECK.right, case, CHECK.returns).values
        assert ours["bleu"].item() == pytest.approx(theirs.score, abs=1e-4), case.label
        assert (100 * ours["precisions"]).tolist() == pytest.approx(theirs.precisions, abs=1e-4)
        assert ours["brevity_penalty"].item() == pytest.approx(theirs.bp)
        assert math.isclose(theirs.sys_len, sum(map(len, case.inputs["hypotheses"])))  # type: ignore[arg-type]
