"""Lesson 06, section 10: what does a row of a cross-attention map look at?"""

import torch

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.decoder.french import (
    ANIMALS,
    COLORS,
    HELD_OUT,
    PLACES,
    PREPOSITIONS,
    encode,
    trained,
    translations,
    untrained,
)
from transformer_lesson.models import EncoderDecoder, recorded_weights

ORIGIN = {french.split()[1]: english for english, french in (ANIMALS | PLACES).items()}
ORIGIN |= {form: english for english, forms in COLORS.items() for form in forms.split()}
ORIGIN |= {french: english for english, french in PREPOSITIONS.items()}
ORIGIN |= {"attendait": "waited", "chantait": "sang", "assis": "sat", "assise": "sat"}
WRITES, READS = "rows that write the word", "rows that read the word"
WORST, BEST = "worst single head", "best single head"
TRAINED, UNTRAINED = "trained", "untrained"


def strongest_at_origin(weights: torch.Tensor, english: str, french: str) -> tuple[float, float]:
    """Say how often the strongest weight is at a word's origin, in its two rows.

    Args:
        weights: ``(target tokens, source tokens)``, read from the start token on.

    Returns:
        The share in the rows at which the word is written, and in those at which it is read.
    """
    source, target = english.split(), french.split()
    looked = [source[index] for index in weights[:, : len(source)].argmax(-1).tolist()]
    known = [place for place, word in enumerate(target) if word in ORIGIN]
    writes = sum(looked[place] == ORIGIN[target[place]] for place in known)
    reads = sum(looked[place + 1] == ORIGIN[target[place]] for place in known)
    return writes / len(known), reads / len(known)


def cross_weights(model: EncoderDecoder, english: str, french: str) -> torch.Tensor:
    """Return the weights ``(layers, heads, target tokens, source tokens)`` of one pair."""
    with torch.no_grad(), recorded_weights(model) as recorded:
        model(encode([english]), encode([f"[start] {french}"]))
    kept = [weights for name, weights in recorded.items() if name.endswith("cross_attention")]
    return torch.cat(kept)


def measure(seed: int, training: bool) -> Numbers:
    """Share of rows whose strongest weight is at the origin, in 50 sentences never seen."""
    model = trained(seed) if training else untrained(seed)
    mean, heads = [], []
    for english in HELD_OUT[5::10][:50]:
        french = translations(english)[seed % len(translations(english))]
        weights = cross_weights(model, english, french)
        mean.append(strongest_at_origin(weights.mean(dim=(0, 1)), english, french))
        each = [strongest_at_origin(one, english, french)[0] for one in weights.flatten(0, 1)]
        heads.append(each)
    writes, reads = torch.tensor(mean).mean(dim=0).tolist()
    single = torch.tensor(heads).mean(dim=0)
    return {WRITES: writes, READS: reads, WORST: single.min().item(), BEST: single.max().item()}


def decide(runs: Runs) -> Verdict:
    """Mean over all heads and layers. True here: in all runs the strongest weight is at the origin
    of the word written in most rows, at that of the word read in fewer than half, and without
    training at neither. False: in all runs more often at that of the word read.
    """
    reads, writes = runs.values(TRAINED, READS), runs.values(TRAINED, WRITES)
    worst, best = runs.values(TRAINED, WORST), runs.values(TRAINED, BEST)
    chance = max(runs.values(UNTRAINED, WRITES))
    numbers = (
        f"The strongest weight is at the origin of the word that is written in {min(writes):.0%} "
        f"to {max(writes):.0%} of the rows (untrained at most {chance:.0%}), and at the origin of "
        f"the word that is read in {min(reads):.0%} to {max(reads):.0%}. Single heads: the best of "
        f"a model {min(best):.0%} to {max(best):.0%}, the worst {min(worst):.0%} to "
        f"{max(worst):.0%}."
    )
    if min(writes) > 0.5 > max(*reads, chance):
        return Verdict("true here", numbers)
    return Verdict("false" if max(writes) < min(reads) else "not decided", numbers)


CLAIM = Claim(
    name="cross.alignment",
    lesson="06_decoder",
    conditions=(
        Condition(TRAINED, {"training": True}),
        Condition(UNTRAINED, {"training": False}, "chance"),
    ),
    runs=15,
    first=200,
    metric=WRITES,
    label="share of rows with the strongest weight at the origin of the word they write",
)
