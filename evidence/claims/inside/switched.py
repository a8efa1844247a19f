"""Lesson 12: a translator with one head switched off, and with a whole kind of attention."""

from random import Random
from statistics import mean

from evidence.claim import Claim, Condition, Numbers, Role, Runs, Verdict
from evidence.claims.inside.translators import (
    KINDS,
    ONE_MODEL,
    Head,
    heads,
    kind_of,
    loss,
    means,
    read,
    switched_off,
)
from evidence.interval import interval

COST, ZEROED, TYPICAL = "cost", "cost with zeros", "cost of a typical head"
NAMES = dict(zip(KINDS, ("encoder's self", "decoder's self", "cross"), strict=True))
ONE, RANDOM = "costliest head", "as many at random"
SETS = 5


def condition(which: str, off: str) -> str:
    """Return the name of a condition."""
    return f"{which}, {off}"


def measure(seed: int, which: str, off: str) -> Numbers:
    """By how many nats the loss rises where heads give their mean, or zeros, instead.

    ``off`` is a kind of attention, ``"random"`` for as many heads of all kinds, with the mean of
    five sets, or ``"one"`` for the head of all whose absence costs most on the same sentences.
    """
    of = read(seed, which)
    whole, usual, each = loss(of), means(of), heads(of.model)

    def costs(chosen: list[list[Head]], zeros: bool) -> list[float]:
        found = []
        for some in chosen:
            with switched_off(of.model, some, None if zeros else usual):
                found.append(loss(of) - whole)
        return found

    if off == "one":
        with_mean = costs([[head] for head in each], zeros=False)
        with_zeros = costs([[head] for head in each], zeros=True)
        typical = sorted(with_mean)[len(each) // 2]
        return {COST: max(with_mean), ZEROED: max(with_zeros), TYPICAL: typical, "loss": whole}
    if off == "random":
        drawing = Random(seed)
        chosen = [drawing.sample(each, len(each) // len(KINDS)) for _ in range(SETS)]
    else:
        chosen = [[head for head in each if kind_of(head[0]) == off]]
    usually, zeroed = (mean(costs(chosen, zeros)) for zeros in (False, True))
    return {COST: usually, ZEROED: zeroed, "loss": whole}


def decide(runs: Runs) -> Verdict:
    """The claim is that a translator has a head that it cannot do without. A head is missed if its
    absence costs more than 0.1 nats, a tenth more perplexity, by the 95 % interval of the mean over
    ten runs. False if in the shipped translator and in those trained anew the costliest of all is
    not missed, with its mean and with zeros in its place, while a whole kind is; true here,
    depending on the model, if it is missed in one of the two and not in the other; true if in both.
    """
    found = {
        which: [interval(runs.values(condition(which, ONE), m)) for m in (COST, ZEROED)]
        for which in ("shipped", "trained anew")
    }
    kind = interval(runs.values(condition("shipped", NAMES[KINDS[2]]), COST))
    numbers = "; ".join(
        f"{which}: the costliest head costs {one:.3f} nats with its mean in its place and "
        f"{zeros:.3f} with zeros"
        for which, (one, zeros) in found.items()
    )
    numbers = (
        f"{numbers[0].upper()}{numbers[1:]}. All cross-attention costs {kind:.1f}. {ONE_MODEL}"
    )
    missed = {which: any(i.low > 0.1 for i in both) for which, both in found.items()}
    spared = {which: all(i.high < 0.1 for i in both) for which, both in found.items()}
    return Verdict.of(
        numbers,
        false=all(spared.values()) and kind.low > 0.1,
        true=all(missed.values()),
        true_here=any(missed.values()) and any(spared.values()),
    )


def decide_kinds(runs: Runs) -> Verdict:
    """A kind of attention is needed if its heads, replaced by their means, cost more than 0.1 nats
    and more than as many heads drawn from all kinds, by 95 % intervals of the mean over ten runs,
    run by run. True if in the shipped translator and in those trained anew each kind is needed;
    true here if each is in one of the two; false if in both some kind costs less than 0.1 nats.
    """
    words, needed, spared = [], [], []
    for which in ("shipped", "trained anew"):
        rest = condition(which, RANDOM)
        pairs = [runs.pairs(condition(which, kind), rest, COST) for kind in NAMES.values()]
        costs = [interval([one for one, _ in pair]) for pair in pairs]
        more = [interval([one - other for one, other in pair]) for pair in pairs]
        needed += [min(c.low for c in costs) > 0.1 and min(m.low for m in more) > 0]
        spared += [min(c.high for c in costs) < 0.1]
        told = ", ".join(f"{k} {c.middle:.2f}" for k, c in zip(NAMES.values(), costs, strict=True))
        at_random = interval(runs.values(rest, COST)).middle
        words.append(f"{which}: {told}, as many at random {at_random:.2f} nats")
    numbers = (
        f"What each kind costs when it is off. {words[0].capitalize()}; {words[1]}. {ONE_MODEL}"
    )
    return Verdict.of(numbers, true=all(needed), true_here=any(needed), false=all(spared))


ROLES: dict[str, Role] = {"one": "lesson", "random": "chance"}
CLAIM = Claim(
    name="inside.one_head",
    lesson="12_inside",
    conditions=tuple(
        Condition(condition(which, name), {"which": which, "off": off}, ROLES.get(off, "control"))
        for which in ("shipped", "trained anew")
        for off, name in (("one", ONE), *NAMES.items(), ("random", RANDOM))
    ),
    metric=COST,
    label="nats by which the loss rises",
)
CLAIM_KINDS = CLAIM.also(name="inside.kinds")
