"""Lab 06, section 9: does the text show that a cache is wrong?"""

import torch

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.decoder.french import (
    END,
    HELD_OUT,
    PAD,
    START,
    decode,
    encode,
    share_right,
    trained,
)
from transformer_lesson.attention import causal_mask, padding_mask
from transformer_lesson.cache import KeyValueCache
from transformer_lesson.models import EncoderDecoder

RIGHT, MOVED = "sentences right", "largest change of a logit"
CORRECT, NO_MASK = "no slip", "no causal mask, the whole text read again"
ZERO, EARLY, FIRST = "each word at place 0", "each word one place early", "mask at the first key"
SLIPS = (NO_MASK, ZERO, EARLY, FIRST)
ALL_RIGHT = 0.99  # share of right sentences above which nobody looks for a fault


@torch.no_grad()
def write(
    model: EncoderDecoder, source: torch.Tensor, slip: str
) -> tuple[torch.Tensor, torch.Tensor]:
    """Write 13 words; return them with the start token and the logits that chose each."""
    memory, memory_mask = model.encode(source), padding_mask(source, PAD)
    tokens, chosen_by = torch.full((len(source), 1), START), []
    cache = None if slip == NO_MASK else KeyValueCache(model.config.num_layers)
    for length in range(13):
        place = {ZERO: 0, EARLY: max(length - 1, 0)}.get(slip, length)
        mask = None if slip == NO_MASK else causal_mask(1, length + 1)
        if slip == FIRST:
            mask = torch.arange(length + 1)[None] == 0
        new, start = (tokens, 0) if slip == NO_MASK else (tokens[:, -1:], place)
        x = model.embedding(new, start=start)
        x = model.decoder(x, memory, mask, memory_mask, cache=cache)
        chosen_by.append(x[:, -1] @ model.embedding.weight.T)
        tokens = torch.cat([tokens, chosen_by[-1].argmax(-1, keepdim=True)], dim=1)
    return tokens, torch.stack(chosen_by, dim=1)


def measure(seed: int, slip: str) -> Numbers:
    """Share of right sentences, and how far the logits are from those of one full pass."""
    model, source = trained(seed), encode(HELD_OUT)
    tokens, logits = write(model, source, slip)
    with torch.no_grad():
        change = (model(source, tokens[:, :-1]) - logits).abs().amax(-1)
    before_the_end = (tokens[:, :-1] == END).cumsum(dim=-1) == 0
    return {
        RIGHT: share_right([decode(row) for row in tokens], HELD_OUT),
        MOVED: change[before_the_end].max().item(),
    }


def decide(runs: Runs) -> Verdict:
    """A slip hides in a run if more than 99 % of the sentences are right. True: no slip hides in
    any run. False: one hides in every run.
    """
    hidden = {slip: runs.count(lambda share: share > ALL_RIGHT, slip, RIGHT) for slip in SLIPS}
    moved = min(min(runs.values(slip, MOVED)) for slip in SLIPS)
    exact = max(runs.values(CORRECT, MOVED))
    made = len(runs.values(CORRECT, MOVED))
    counts = ", ".join(f"{slip}: {count} of {made}" for slip, count in hidden.items())
    numbers = (
        f"Runs in which over 99 % of the sentences are right all the same: {counts}. Logits move "
        f"by at least {moved:.2g} with a slip and by at most {exact:.0e} without."
    )
    return Verdict.of(numbers, true=not any(hidden.values()), false=max(hidden.values()) == made)


CLAIM = Claim(
    name="cache.text_shows_slips",
    lesson="labs/06_search",
    conditions=(
        Condition(CORRECT, {"slip": CORRECT}, "ideal"),
        Condition(NO_MASK, {"slip": NO_MASK}),
        Condition(ZERO, {"slip": ZERO}),
        Condition(EARLY, {"slip": EARLY}),
        Condition(FIRST, {"slip": FIRST}),
    ),
    metric=RIGHT,
    label="share of unseen sentences that are right",
)
