import pytest
import sacrebleu

from transformer_lesson.translation.evaluation import score

REFERENCES = ["Le chat dort sur le tapis.", "Il a mangé une pomme rouge.", "Nous allons à la mer."]
HYPOTHESES = ["Le chat dort sur un tapis.", "Il a mangé une pomme.", "Nous allons à la mer."]


def test_it_is_sacrebleu_s() -> None:
    found = score(HYPOTHESES, REFERENCES)
    assert found.bleu == pytest.approx(sacrebleu.corpus_bleu(HYPOTHESES, [REFERENCES]).score)
    assert found.chrf == pytest.approx(sacrebleu.corpus_chrf(HYPOTHESES, [REFERENCES]).score)
    assert "tok:13a" in found.signature and "version:" in found.signature
    assert found.length_ratio < 1 and found.brevity_penalty < 1
    assert found.interval > 0
    assert str(found).startswith(f"BLEU {found.bleu:.1f} ± ")


def test_a_perfect_translation_scores_100() -> None:
    found = score(REFERENCES, REFERENCES, resamples=0)
    assert found.bleu == pytest.approx(100)
    assert found.interval == 0


@pytest.mark.parametrize("hypotheses", [[], HYPOTHESES[:2]])
def test_as_many_of_both_are_needed(hypotheses: list[str]) -> None:
    with pytest.raises(ValueError, match=f"{len(hypotheses)} translations and 3 references"):
        score(hypotheses, REFERENCES)
