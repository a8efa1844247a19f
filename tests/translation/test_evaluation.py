import random
import statistics
from typing import Any

import pytest
import sacrebleu

from transformer_lesson.translation.evaluation import compare, score

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


def test_the_interval_holds_95_of_100_test_sets_that_are_drawn_again() -> None:
    generator = random.Random(0)
    references = [f"{sentence} {number}" for number in range(8) for sentence in REFERENCES]
    hypotheses = [r if generator.random() < 0.6 else r.replace("a", "o") for r in references]
    found, scores = score(hypotheses, references), []
    for _ in range(400):
        drawn = generator.choices(range(len(references)), k=len(references))
        systems = [hypotheses[place] for place in drawn], [[references[place] for place in drawn]]
        scores.append(sacrebleu.corpus_bleu(*systems).score)
    cuts = statistics.quantiles(scores, n=40)
    assert found.interval == pytest.approx((cuts[-1] - cuts[0]) / 2, rel=0.25)


def test_a_perfect_translation_scores_100() -> None:
    found = score(REFERENCES, REFERENCES, resamples=0)
    assert found.bleu == pytest.approx(100)
    assert found.interval == 0


def test_better_translations_are_told_from_luck() -> None:
    references = [f"{sentence} {number}" for number in range(20) for sentence in REFERENCES]
    worse = [reference.replace("chat", "chien") for reference in references]
    found = compare(worse, references, references)
    assert found.bleu == pytest.approx(100 - score(worse, references, resamples=0).bleu)
    assert found.bleu > 0 and found.chrf > 0
    assert found.bleu_p == pytest.approx(1 / 1001) and found.chrf_p == pytest.approx(1 / 1001)
    assert "bs:1000" in found.signature and str(found).startswith(f"BLEU +{found.bleu:.1f} (p = ")


def test_equal_systems_do_not_differ() -> None:
    found = compare(HYPOTHESES, HYPOTHESES, REFERENCES, resamples=50)
    assert (found.bleu, found.chrf) == (0, 0)
    assert found.bleu_p == 1 and found.chrf_p == 1


def test_what_two_systems_gain_by_luck_is_said_to_be_luck() -> None:
    one = [*HYPOTHESES[:2] * 10, *REFERENCES[:2] * 10]
    other = [*REFERENCES[:2] * 10, *HYPOTHESES[:2] * 10]
    assert compare(one, other, REFERENCES[:2] * 20).bleu_p > 0.2


@pytest.mark.parametrize("few", [[], HYPOTHESES[:2]])
def test_every_system_needs_all_sentences(few: list[str]) -> None:
    for systems in ((few,), (few, HYPOTHESES), (HYPOTHESES, few)):
        ask: Any = score if len(systems) == 1 else compare
        with pytest.raises(ValueError, match=f"{len(few)} translations and 3 references"):
            ask(*systems, REFERENCES)
