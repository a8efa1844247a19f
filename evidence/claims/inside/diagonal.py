"""Lab of lesson 12: what two heads do together, read from their weights alone."""

import torch
from torch import Tensor

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.inside.lookup import IDS, layers_of, trained, unembedded, untrained
from evidence.interval import interval
from transformer_lesson.models import DecoderOnly

DIAGONAL, COPIED = "diagonal", "copied"
THROUGH, PAST, UNTRAINED = "through the first head", "past the first head", "untrained"


def share_on_diagonal(matrix: Tensor) -> float:
    """Return the share of rows whose largest entry is on the diagonal."""
    return (matrix.argmax(-1) == torch.arange(len(matrix))).float().mean().item()


@torch.no_grad()
def products(model: DecoderOnly, through: bool) -> tuple[Tensor, Tensor]:
    """Return two matrices ``(IDS, IDS)`` of the weights, with no text.

    Returns:
        How well the second head's query of each token fits the key that it makes of what the first
        head writes of each token (or, not ``through`` it, of that token's own row); and the logits
        that the second head alone gives for reading each token.
    """
    first, second = layers_of(model)
    rows = model.embedding(torch.arange(IDS)[:, None]).squeeze(1)
    attention, norm = first.self_attention, first.self_attention_norm
    written = attention.output_projection(attention.value_projection(norm(rows)))
    attention, norm = second.self_attention, second.self_attention_norm
    keys = attention.key_projection(norm(written if through else rows))
    read = attention.output_projection(attention.value_projection(norm(rows)))
    return attention.query_projection(norm(rows)) @ keys.T, unembedded(model, read)


def measure(seed: int, through: bool = True, training: bool = True) -> Numbers:
    """Share of the 64 tokens whose largest entry is that of themselves, in both matrices."""
    fits, logits = products(trained(seed) if training else untrained(seed), through)
    return {DIAGONAL: share_on_diagonal(fits), COPIED: share_on_diagonal(logits)}


def decide(runs: Runs) -> Verdict:
    """True if by 95 % intervals of the mean over 20 runs, in trained models, more than 0.95 of the
    rows have their largest entry on the diagonal through the first head, fewer than 0.1 past it,
    and fewer than 0.1 without training. False if past it or without training it is half or more, or
    through it fewer than half.
    """
    through, past, before = (
        interval(runs.values(name, DIAGONAL)) for name in (THROUGH, PAST, UNTRAINED)
    )
    copied = interval(runs.values(THROUGH, COPIED))
    numbers = (
        f"Through the first head {through:.1%} of the rows have their largest entry on the "
        f"diagonal, past it {past:.1%}, without training {before:.1%} (at random 1.6%). Of the "
        f"tokens that the second head reads it favors {copied:.1%} themselves."
    )
    others = max(past.high, before.high)
    half = max(past.low, before.low) >= 0.5 or through.high < 0.5
    return Verdict.of(numbers, true=through.low > 0.95 and others < 0.1, false=half)


CLAIM = Claim(
    name="inside.diagonal",
    lesson="labs/12_which_way",
    conditions=(
        Condition(THROUGH),
        Condition(PAST, {"through": False}, "control"),
        Condition(UNTRAINED, {"training": False}, "chance"),
    ),
    runs=20,
    metric=DIAGONAL,
    label="share of rows with their largest entry on the diagonal",
)
