"""Lesson 12: what the output layer reads in the stream of a translator's decoder, part by part."""

import torch
from torch import Tensor
from torch.nn import functional as F

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.inside.translators import ONE_MODEL, PAD, Read, read
from evidence.interval import interval

PARTS = ("self-attention", "cross-attention", "feed-forward")
CROSS, REST, TRAP = (
    "rise at cross-attentions",
    "rise at all other parts",
    "agreement before the last part",
)
SHIPPED, ANOTHER, UNTRAINED = "shipped", "shipped, another sentence's source", "shipped, untrained"
ANEW, ANEW_ANOTHER = "trained anew", "trained anew, another sentence's source"


def places(layers: int) -> list[str]:
    """Return the names of the places at which the stream is read."""
    return ["embedding", *(f"{part} {n}" for n in range(1, layers + 1) for part in PARTS)]


@torch.no_grad()
def stream(of: Read) -> list[Tensor]:
    """Return the decoder's stream ``(sentences, tokens, d_model)`` before and after each part."""
    decoder, found = of.model.decoder, list[Tensor]()
    names = ("self_attention_norm", "cross_attention_norm", "feed_forward_norm")
    norms = [getattr(layer, name) for layer in decoder.layers for name in names]
    hooks = [
        norm.register_forward_pre_hook(lambda _, inputs: found.append(inputs[0]))
        for norm in (*norms, decoder.final_norm)
    ]
    try:
        of.model(of.source, of.target[:, :-1])
    finally:
        for hook in hooks:
            hook.remove()
    return found


def measure(seed: int, which: str, another: bool = False) -> Numbers:
    """Share of next pieces that the lens reads right, and as the model ends, at each place."""
    of = read(seed, which)
    if another:
        of = of._replace(source=of.source.roll(1, 0))
    output = of.model.embedding.weight if of.model.output is None else of.model.output.weight
    asked = of.target[:, 1:]
    real = asked != PAD
    with torch.no_grad():
        found = [F.linear(of.model.decoder.final_norm(x), output).argmax(-1) for x in stream(of)]
    names = places(len(of.model.decoder.layers))
    right = [(pieces == asked)[real].float().mean().item() for pieces in found]
    agree = [(pieces == found[-1])[real].float().mean().item() for pieces in found]
    rises = {n: b - a for n, a, b in zip(names[1:], right[:-1], right[1:], strict=True)}
    numbers = {f"right after {n}": share for n, share in zip(names, right, strict=True)}
    numbers |= {f"agrees after {n}": share for n, share in zip(names, agree, strict=True)}
    crossing = sum(rise for name, rise in rises.items() if name.startswith(PARTS[1]))
    return numbers | {CROSS: crossing, REST: sum(rises.values()) - crossing, TRAP: agree[-2]}


def decide(runs: Runs) -> Verdict:
    """The rise is that of the share of next pieces that the lens reads right, over the decoder.
    True if by 95 % intervals of the mean over ten runs, run by run, the cross-attentions, a third
    of the parts, bring more of it than all other parts together, in the shipped translator and in
    those trained anew, and with another sentence's source they bring less than a third of what they
    bring with their own; true here if in one of the two; false if in both they bring less.
    """
    words, steps, fewer = [], [], []
    for name, control in ((SHIPPED, ANOTHER), (ANEW, ANEW_ANOTHER)):
        cross, other = (interval(runs.values(name, m)) for m in (CROSS, REST))
        both = zip(runs.values(name, CROSS), runs.values(name, REST), strict=True)
        more = interval([one - rest for one, rest in both])
        without = interval([b - a / 3 for a, b in runs.pairs(name, control, CROSS)])
        steps.append(more.low > 0 and without.high < 0)
        fewer.append(more.high < 0)
        words.append(
            f"{name}: cross-attentions bring {cross:.2f}, all other parts {other:.2f}; with "
            f"another sentence's source cross-attentions bring {runs.median(control, CROSS):.2f}"
        )
    numbers = (
        f"Share of right next pieces. {words[0].capitalize()}. {words[1].capitalize()}. {ONE_MODEL}"
    )
    return Verdict.of(numbers, true=all(steps), true_here=any(steps), false=all(fewer))


def decide_agreement(runs: Runs) -> Verdict:
    """The claim is that a lens which agrees more and more with the model's last piece shows it
    making up its mind. False if in models that were not trained, of whose pieces fewer than 0.02
    are right, the agreement before the last part is above 0.3, and at the embedding below 0.1, by
    95 % intervals of the mean over ten runs; true if before the last part it is below 0.1.
    """
    first, last = f"agrees after {places(3)[0]}", f"right after {places(3)[-1]}"
    begins, ends = (interval(runs.values(UNTRAINED, metric)) for metric in (first, TRAP))
    right = max(runs.values(UNTRAINED, last))
    numbers = (
        f"In models that were not trained the lens agrees with their own last piece in "
        f"{begins:.0%} of the places at the embedding and in {ends:.0%} before the last part; at "
        f"most {right:.1%} of those pieces are right. In the shipped one it agrees in "
        f"{interval(runs.values(SHIPPED, TRAP)):.0%}. {ONE_MODEL}"
    )
    climbs = ends.low > 0.3 and begins.high < 0.1 and right < 0.02
    return Verdict.of(numbers, false=climbs, true=ends.high < 0.1)


CLAIM = Claim(
    name="inside.lens",
    lesson="12_inside",
    conditions=(
        Condition(SHIPPED, {"which": "shipped"}),
        Condition(ANOTHER, {"which": "shipped", "another": True}, "control"),
        Condition(UNTRAINED, {"which": "untrained"}, "chance"),
        Condition(ANEW, {"which": "trained anew"}),
        Condition(ANEW_ANOTHER, {"which": "trained anew", "another": True}, "control"),
    ),
    metric=CROSS,
    label="rise of the share of right next pieces at cross-attentions",
    along={name: f"right after {name}" for name in places(3)},
    height="share of next pieces that the lens reads right",
    shown=(SHIPPED,),
)
CLAIM_AGREEMENT = CLAIM.also(
    name="inside.agreement",
    metric=TRAP,
    label="share that agree with the model's own last piece before the last part",
    along="",
    height="",
    shown=(SHIPPED, ANOTHER, UNTRAINED),
)
