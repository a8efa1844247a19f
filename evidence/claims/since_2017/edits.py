"""Lesson 11: one edit at a time, added alone to GPT-2's block and taken alone from today's."""

from collections.abc import Callable, Iterable
from statistics import median

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.since_2017.rates import RATES
from evidence.claims.since_2017.sides import SIDES
from evidence.claims.since_2017.text import everyday_text
from evidence.claims.since_2017.trained import loss_on, trained

LOSS = "loss"
OLD, NEW = "GPT-2", "today"
LESS, HALF = ", a fifth less work", ", half the work"
MUON, TODAY_MUON = "GPT-2 + Muon", "today + Muon"
Pair = tuple[str, str]  # a side with the edit and one without


def measure(seed: int, side: str, work: float = 1.0) -> Numbers:
    """Loss on the test text of a block trained at the rate that validation text chose for it."""
    model = trained(seed, rate=RATES[side], work=work, **SIDES[side])
    return {LOSS: loss_on(model, everyday_text().test)}


def gains(runs: Runs, pair: Pair) -> list[float]:
    """Return by how many nats the edit lowers the loss in each pair of runs."""
    return [without - with_it for with_it, without in runs.pairs(*pair, LOSS)]


def said(runs: Runs, pairs: Iterable[Pair]) -> str:
    """Return the median gain of each pair of sides, and how many runs gain."""
    parts = []
    for with_it, without in pairs:
        gained = gains(runs, (with_it, without))
        ahead = sum(gain > 0 for gain in gained)
        parts.append(f"{median(gained):+.3f} ({with_it} against {without}; {ahead} of 10 ahead)")
    return "Nats gained: " + ", ".join(parts)


def lower(*pairs: Pair) -> Callable[[Runs], Verdict]:
    """Return what decides whether an edit lowers the loss in each of two blocks."""

    def decide(runs: Runs) -> Verdict:
        """Ten seeds decide the weights' start and the batches of each pair of runs; the rate of
        each side is the best on validation text, and all sides do the same number of operations.
        True if the loss on held-out text is lower in at least nine of ten pairs in both
        comparisons, half true if in one of the two, false if in at most five pairs in both.
        """
        ahead = [sum(gain > 0 for gain in gains(runs, pair)) for pair in pairs]
        holds = {"true": min(ahead) >= 9, "half_true": max(ahead) >= 9, "false": max(ahead) <= 5}
        return Verdict.of(f"{said(runs, pairs)}.", **holds)

    return decide


def as_well(*pairs: Pair) -> Callable[[Runs], Verdict]:
    """Return what decides whether an edit costs less than a fifth less work does."""

    def decide(runs: Runs) -> Verdict:
        """Ten seeds decide the weights' start and the batches of each pair of runs; the rate of
        each side is the best on validation text, and all sides do the same number of operations.
        True if in at least nine of ten pairs it costs less than a fifth less work does (the median,
        in the same block), in both comparisons; half true if in one of the two, false if in at most
        five pairs in both.
        """
        limits = {block: median(gains(runs, (block, block + LESS))) for block in (OLD, NEW)}
        cheap = [
            sum(gain > -limits[NEW if NEW in pair[0] else OLD] for gain in gains(runs, pair))
            for pair in pairs
        ]
        because = f"{said(runs, pairs)}; a fifth less work costs " + ", ".join(
            f"{limit:.3f} ({block})" for block, limit in limits.items()
        )
        holds = {"true": min(cheap) >= 9, "half_true": max(cheap) >= 9, "false": max(cheap) <= 5}
        return Verdict.of(f"{because}.", **holds)

    return decide


def both(edit: str) -> tuple[Pair, Pair]:
    """Return the two pairs of one edit: added to GPT-2's block, and in that of today."""
    return (f"{OLD} + {edit}", OLD), (NEW, f"{NEW} - {edit}")


def _conditions() -> Iterable[Condition]:
    for side in SIDES:
        yield Condition(side, {"side": side}, "lesson" if side in (OLD, NEW) else "control")
    for side in (OLD, NEW):
        yield Condition(side + LESS, {"side": side, "work": 0.8}, "ideal")
    for side in (MUON, TODAY_MUON):
        yield Condition(side + HALF, {"side": side, "work": 0.5})


decide = lower((NEW, OLD))
CLAIM = Claim(
    name="modern.whole",
    lesson="11_since_2017",
    conditions=tuple(_conditions()),
    metric=LOSS,
    label="nats per piece of held-out text",
    shown=(OLD, OLD + LESS, NEW, NEW + LESS),
)


def _also(name: str, *pairs: Pair) -> Claim:
    return CLAIM.also(name=f"modern.{name}", shown=tuple(dict.fromkeys(sum(pairs, ()))))


_NORMS = (OLD, "GPT-2, post-norm"), (NEW, "today, post-norm")
CLAIM_PRE_NORM, decide_pre_norm = _also("pre_norm", *_NORMS), lower(*_NORMS)
_RMS = both("RMS norm")
CLAIM_RMS_NORM, decide_rms_norm = _also("rms_norm", *_RMS), as_well(*_RMS)
_BIASES = both("no biases")
CLAIM_BIASES, decide_biases = _also("biases", *_BIASES), as_well(*_BIASES)
_SWIGLU = both("SwiGLU")
CLAIM_SWIGLU, decide_swiglu = _also("swiglu", *_SWIGLU), lower(*_SWIGLU)
_ROTARY = both("rotary")
CLAIM_ROTARY, decide_rotary = _also("rotary", *_ROTARY), lower(*_ROTARY)
_GROUPED = both("grouped heads")
CLAIM_GROUPED, decide_grouped = _also("grouped", *_GROUPED), as_well(*_GROUPED)
_WINDOWS = (("today, windows of 4 in half", NEW),)
CLAIM_WINDOWS, decide_windows = _also("windows", *_WINDOWS), as_well(*_WINDOWS)
_EXPERTS = ("GPT-2 + experts", OLD), ("today + experts", NEW)
CLAIM_EXPERTS, decide_experts = _also("experts", *_EXPERTS), lower(*_EXPERTS)
_MUON = (MUON + HALF, OLD), (TODAY_MUON + HALF, NEW)
CLAIM_MUON, decide_muon = _also("muon", *_MUON), lower(*_MUON)
_START = (OLD, "GPT-2, narrow start"), (NEW, "today, narrow start")
CLAIM_START, decide_start = _also("start", *_START), lower(*_START)
_STABLE = ("GPT-2 + stable, decay", OLD), ("today + stable, decay", NEW)
CLAIM_STABLE_DECAY, decide_stable_decay = _also("stable_decay", *_STABLE), as_well(*_STABLE)
