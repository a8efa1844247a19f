"""The lab of lesson 06: how probable a text is when the logits are divided by a temperature."""

import torch

from evidence.claims.decoder.french import (
    APART,
    HELD_OUT,
    VERBS,
    encode,
    trained,
    translations,
    untrained,
)

SLEPT = [english for english in HELD_OUT if "slept" in english][::6]


@torch.no_grad()
def probabilities(seed: int, temperature: float, apart: bool, training: bool) -> torch.Tensor:
    """Return ``(sentences, 4)``: the probability of each translation of *slept*, dormait first.

    Temperature acts as in sampling: on the logits of every word.
    """
    model = trained(seed, apart=apart) if training else untrained(seed)
    rows = []
    for english in SLEPT:
        ways = list(dict.fromkeys(translations(english, APART if apart else VERBS)))
        target = encode([f"[start] {way} [end]" for way in ways])
        logits = model(encode([english] * 4), target[:, :-1]) / temperature
        chosen = logits.log_softmax(-1).gather(-1, target[:, 1:, None]).squeeze(-1)
        # dormait is a word shorter than était endormi: what follows the end is not drawn.
        rows.append(chosen.masked_fill(target[:, 1:] == 0, 0.0).sum(-1).exp())
    return torch.stack(rows)
