"""Every criterion tells its sides apart, and what it compares differs in one thing."""

import pytest

from evidence.claim import Claim, Condition, Runs, Verdict
from evidence.claims import claims
from evidence.claims.since_2017.gains import MARGIN, as_well, gain, lower
from evidence.claims.since_2017.rates import RATES
from evidence.claims.since_2017.sides import SIDES
from evidence.exchange import differing, exchanged, told_apart, watched
from evidence.results import load

# They hold each condition against a bar of its own, and compare none with another.
EACH = (
    "beam.width",
    "bert.writing",
    "cache.cost",
    "cache.text_shows_slips",
    "embeddings.analogies_count",
    "encoder.collapse_alone",
    "positions.relative_longer",
    "positions.rotary_longer",
    "tokens.stems",
    "training.silent_bugs",
)
# Where two conditions differ in more than one setting, why one cannot change alone.
TOGETHER = {
    "bert.corruption": "shares of one whole",
    "modern.experts": "at the same work, each expert is half as wide",
    "modern.muon": "the claim is of Muon with half the work",
    "modern.start": "the claim is of GPT-2's start as a whole",
    "modern.swiglu": "at the same parameters three matrices are narrower than two",
    "modern.whole": "the claim is of all edits together",
    "modern.windows": "the claim is of windows in every second layer",
    "positions.loud_words": "a control: both louder, so that neither is",
}
# Runs of sides each of which has the rate that suits it, by one rule.
TUNED = ("modern.whole.json",)
MEASURED = [claim for claim in claims().values() if not load(claim).missing(claim)]
ALL = pytest.mark.parametrize("claim", MEASURED, ids=lambda claim: claim.name)


@ALL
def test_a_verdict_is_another_with_its_sides_exchanged(claim: Claim) -> None:
    word = claim.decide(load(claim).runs(claim)).word
    if word != "not decided":
        assert told_apart(claim) or claim.name in EACH


@ALL
def test_one_name_is_one_change(claim: Claim) -> None:
    for pair in watched(claim).paired:
        changes = differing(claim, pair)
        if claim.file in TUNED:
            changes = [change for change in changes if not change.startswith("rate: ")]
        assert changes, f"{pair} are the same"
        assert len(changes) == 1 or claim.name in TOGETHER, f"{pair} differ in {changes}"


def test_no_exception_is_left_over() -> None:
    assert {*EACH, *TOGETHER} <= claims().keys()
    assert not any(told_apart(claims()[name]) for name in EACH)


def test_a_criterion_that_cannot_tell_its_sides_is_found() -> None:
    """The margin that once called GELU as good as SwiGLU: what a fifth of the work costs."""
    whole = claims()["modern.whole"]
    runs, pair = load(whole).runs(whole), ("GPT-2 + SwiGLU", "GPT-2")
    wide = gain(runs, ("GPT-2", "GPT-2, a fifth less work")).middle
    assert -gain(runs, pair[::-1]).low < wide, "by that margin both directions passed"
    assert as_well(pair)(runs).word == "true"
    assert as_well(pair[::-1])(runs).word == "false"
    assert lower(pair)(runs).word == "true"
    assert lower(pair[::-1])(runs).word == "false"


def test_an_exchange_gives_each_the_others_runs() -> None:
    claim = claims()["modern.swiglu"]
    assert claim.decide(load(claim).runs(claim)).word == "true"
    assert exchanged(claim, list(watched(claim).paired)) == "false"


def test_what_differs_is_read_from_the_settings() -> None:
    claim = Claim(
        name="a.b",
        lesson="00",
        conditions=(Condition("one", {"side": "x", "n": 1}), Condition("two", {"n": 2})),
        metric="m",
        label="m",
        sides={"x": {"muon": True}},
        decide=lambda runs: Verdict("true", ""),
    )
    found = differing(claim, ("one", "two"))
    assert sorted(found) == ["muon: True | as usual", "n: 1 | 2"]
    assert differing(claim, ("one", "one")) == []


def test_the_margin_is_smaller_than_the_smallest_gain() -> None:
    whole = claims()["modern.whole"]
    runs = load(whole).runs(whole)
    gaining = [claims()[f"modern.{name}"] for name in ("experts", "rotary", "swiglu")]
    gains = [gain(runs, pair).middle for claim in gaining for pair in watched(claim).paired]
    assert min(gains) / 2 >= MARGIN - 5e-4
    assert Runs({}).conditions == []


def test_every_rate_has_a_side_and_every_side_a_rate() -> None:
    assert RATES.keys() == SIDES.keys()
