"""Lesson 11: one edit at a time, added alone to GPT-2's block and taken alone from today's."""

from collections.abc import Iterable

from evidence.claim import Claim, Condition, Numbers, Pair, Role, Runs, Verdict
from evidence.claims.since_2017.gains import LOSS, WARMUP, as_well, listed, lower
from evidence.claims.since_2017.rates import RATES
from evidence.claims.since_2017.sides import SIDES
from evidence.claims.since_2017.text import everyday_text
from evidence.claims.since_2017.trained import loss_on, trained

OLD, NEW = "GPT-2", "today"
LESS, HALF = ", a fifth less work", " + Muon, half the work"
LONGER = ", four times the steps"


def measure(seed: int, side: str, rate: float, work: float = 1.0) -> Numbers:
    """Loss on the test text of a block after ``work`` times the work of its side."""
    whole = work * SIDES[side].get("work", 1.0)
    model = trained(seed, rate=rate, **{**SIDES[side], "work": whole})
    return {LOSS: loss_on(model, everyday_text().test)}


def both(edit: str) -> tuple[Pair, Pair]:
    """Return the two pairs of one edit: added to GPT-2's block, and in that of today."""
    return (f"{OLD} + {edit}", OLD), (NEW, f"{NEW} - {edit}")


_WHOLE = ((NEW, OLD),)
_RMS, _BIASES, _SWIGLU = both("RMS norm"), both("no biases"), both("SwiGLU")
_ROTARY, _GROUPED = both("rotary"), both("grouped heads")
_WINDOWS = (("today, windows of 4 in half", NEW),)
_EXPERTS = ("GPT-2 + experts", OLD), ("today + experts", NEW)
_NORMS = (OLD, "GPT-2, post-norm"), (NEW, "today, post-norm")
_MUON = (OLD + HALF, OLD), (NEW + HALF, NEW)
_START = (OLD, "GPT-2, narrow start"), (NEW, "today, narrow start")
# One part of that start alone; and the two parts, one against the other.
_EMBEDDING, _MATRICES = "GPT-2, narrow embedding", "GPT-2, narrow matrices"
_PARTS = (OLD, _EMBEDDING), (OLD, _MATRICES), (_MATRICES, _EMBEDDING)
_STABLE = ("GPT-2 + stable, decay", OLD), ("today + stable, decay", NEW)
# Of all claims one of whose mean gains is at least the margin, in the order written down before.
_TRIED_LONGER = (
    *_WHOLE, *_NORMS, *_START, *_EXPERTS, *_SWIGLU, *_ROTARY, *_MUON, *_STABLE, *_WINDOWS,
)  # fmt: skip


def _conditions() -> Iterable[Condition]:
    """Each side at the rate that validation text chose for it: another rate is another run."""
    for side in SIDES:
        role: Role = "lesson" if side in (OLD, NEW) else "control"
        yield Condition(side, {"side": side, "rate": RATES[side]}, role)
    for side in (OLD, NEW):
        yield Condition(side + LESS, {"side": side, "rate": RATES[side], "work": 0.8}, "ideal")
    for side in dict.fromkeys(sum(_TRIED_LONGER, ())):
        settings = {"side": side, "rate": RATES[side], "work": 4.0}
        yield Condition(side + LONGER, settings, "longer", runs=2)


decide = lower(*_WHOLE)
CLAIM = Claim(
    name="modern.whole",
    lesson="11_since_2017",
    conditions=tuple(_conditions()),
    metric=LOSS,
    label=f"nats per piece of held-out text ({WARMUP})",
    shown=(OLD, OLD + LESS, NEW, NEW + LESS),
    longer=LONGER,
    sides=SIDES,
)


def _also(name: str, *pairs: Pair, lesson: str = CLAIM.lesson) -> Claim:
    worse = tuple((one, (NEW if NEW in one else OLD) + LESS) for one, _ in pairs)
    shown = tuple(dict.fromkeys(sum(pairs, ())))
    return CLAIM.also(name=f"modern.{name}", lesson=lesson, shown=shown, different=worse)


CLAIM_RMS_NORM, decide_rms_norm = _also("rms_norm", *_RMS), as_well(*_RMS)
CLAIM_BIASES, decide_biases = _also("biases", *_BIASES), as_well(*_BIASES)
CLAIM_SWIGLU, decide_swiglu = _also("swiglu", *_SWIGLU), lower(*_SWIGLU)
CLAIM_ROTARY, decide_rotary = _also("rotary", *_ROTARY), lower(*_ROTARY)
CLAIM_GROUPED, decide_grouped = _also("grouped", *_GROUPED), as_well(*_GROUPED)
_LAB = "labs/11_more_changes"
CLAIM_WINDOWS, decide_windows = _also("windows", *_WINDOWS, lesson=_LAB), as_well(*_WINDOWS)
CLAIM_EXPERTS, decide_experts = _also("experts", *_EXPERTS, lesson=_LAB), lower(*_EXPERTS)
CLAIM_PRE_NORM, decide_pre_norm = _also("pre_norm", *_NORMS), lower(*_NORMS)
CLAIM_MUON, decide_muon = _also("muon", *_MUON, lesson=_LAB), as_well(*_MUON)
CLAIM_START = _also("start", *_START, *_PARTS)


def decide_start(runs: Runs) -> Verdict:
    """Ten seeds decide the weights' start and the batches of each pair of runs; the rate of each
    side is the best on validation text, and all sides do the same number of operations. GPT-2's
    start is four changes at once: in the embedding rows of 0.02 that are not multiplied by
    √d_model, and in the matrices 0.02, with a division by the root of the additions where a part
    adds. By the 95 % interval of the mean gain on held-out text of Xavier's start: true if it lies
    above 0 in both blocks, half true if in one, false if below 0 in both. Beside this, and in
    GPT-2's block only, the embedding has that start alone, and then the matrices do: a part costs
    something by itself where the interval of its pairs lies above 0, and the embedding costs more
    than the matrices where that of the pairs of the two does.
    """
    whole = lower(*_START)(runs)
    return Verdict(whole.word, f"{whole.because} Its parts alone: {listed(runs, _PARTS)}.")


CLAIM_STABLE_DECAY, decide_stable_decay = (
    _also("stable_decay", *_STABLE, lesson=_LAB),
    as_well(*_STABLE),
)
