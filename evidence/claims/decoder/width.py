"""The lab of lesson 06: is a wider beam better?"""

from collections import Counter

import torch

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.decoder.french import (
    END,
    HELD_OUT,
    START,
    decode,
    encode,
    trained,
    translations,
)
from transformer_lesson.decoding import beam_search

WORDS, LENGTH = "words gained", "length at width 32"
EARLY, PENALTY = "after 40 steps", "after 40 steps, length penalty 1"
LATER = "after 60 steps"
SENTENCES = HELD_OUT[::20]


def words_right(english: str, french: str) -> float:
    """Return the F1 of the words, without their order, against the nearest right translation."""
    written = Counter(french.split())
    scores = []
    for way in set(translations(english)):
        right = Counter(way.split())
        scores.append(2 * (written & right).total() / (written.total() + right.total()))
    return max(scores)


def measure(seed: int, steps: int, penalty: float) -> Numbers:
    """Share of right words at widths 1, 4 and 32; and how much of the length is left."""
    model = trained(seed, steps=steps)
    start, source = torch.full((len(SENTENCES), 1), START), encode(SENTENCES)
    longest = sum(max(len(way.split()) for way in translations(e)) for e in SENTENCES)
    numbers: Numbers = {}
    for width in (1, 4, 32):
        rows, scores = beam_search(
            model,
            start,
            source=source,
            beam_width=width,
            max_tokens=14,
            end_id=END,
            length_penalty=penalty,
        )
        texts = [decode(row) for row in rows]
        right = [words_right(e, f) for e, f in zip(SENTENCES, texts, strict=True)]
        numbers[f"words right at width {width}"] = sum(right) / len(right)
        numbers[f"score at width {width}"] = scores.mean().item()
        numbers[f"length at width {width}"] = sum(len(f.split()) for f in texts) / longest
    numbers[WORDS] = numbers["words right at width 32"] - numbers["words right at width 1"]
    return numbers


def decide(runs: Runs) -> Verdict:
    """A change of more than 0.01 in the F1 of words counts. True: better in all runs of all
    conditions. Half true: better in most runs of one condition and worse in most of another. False:
    worse in most runs of one, better in most runs of none.
    """
    names = (EARLY, PENALTY, LATER)
    better = {name: runs.count(lambda gain: gain > 0.01, name, WORDS) for name in names}
    worse = {name: runs.count(lambda gain: gain < -0.01, name, WORDS) for name in names}
    made = len(runs.values(EARLY, WORDS))
    counts = "; ".join(
        f"{name}: better in {better[name]}, worse in {worse[name]} of {made}, length "
        f"{runs.median(name, LENGTH):.2f}"
        for name in names
    )
    numbers = f"Width 32 against greedy. {counts}."
    if max(worse.values()) == 0 and min(better.values()) == made:
        return Verdict("true", numbers)
    if max(better.values()) > made / 2 and max(worse.values()) > made / 2:
        return Verdict("half true", numbers)
    return Verdict("false" if max(worse.values()) > made / 2 else "not decided", numbers)


CLAIM = Claim(
    name="beam.width",
    lesson="labs/06_search",
    conditions=(
        Condition(EARLY, {"steps": 40, "penalty": 0.0}),
        Condition(PENALTY, {"steps": 40, "penalty": 1.0}, "control"),
        Condition(LATER, {"steps": 60, "penalty": 0.0}, "longer"),
    ),
    first=200,
    metric=WORDS,
    label="share of right words at width 32, minus that of greedy",
    along={1: "words right at width 1", 4: "words right at width 4", 32: "words right at width 32"},
    axis="width of the beam",
    height="share of words that are right",
)
