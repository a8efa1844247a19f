"""Lab 01: does arithmetic with static vectors answer king - man + woman?"""

import random
from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn import functional as F

from evidence.claim import Claim, Condition, Numbers, Role, Runs, Verdict
from evidence.claims.tokens_and_embeddings.text import (
    ROLES,
    SCENES,
    index_of,
    life,
    scene,
    static_vectors,
)
from transformer_lesson import seeded

ALL, USUAL = "arithmetic, any word allowed", "arithmetic, words of the question left out"
NEAREST, GAIN = "no arithmetic", "right by arithmetic, less right without"
GENDERED, NEUTRAL = "he and she", "it for both"
WIDTHS = (8, 12, 24)


def measure(seed: int, text: str, width: int) -> Numbers:
    """Share of the 40 questions answered right, by arithmetic and by the nearest word alone."""
    source = random.Random(seed)
    sentences = [scene(name, source) for name in SCENES for _ in range(1000)]
    sentences += [life(source, text != NEUTRAL) for _ in range(4000)]
    ids = index_of(sentences)
    vectors = static_vectors(sentences, ids, width)
    if text == "random vectors":
        vectors = torch.randn(vectors.shape, generator=seeded(seed)).double()
    if text == "role plus gender":
        _plant(vectors, ids, seed)
    right = {ALL: 0, USUAL: 0, NEAREST: 0}
    for first, minus, plus, answer in _questions():
        target = vectors[ids[first]] - vectors[ids[minus]] + vectors[ids[plus]]
        out = [ids[word] for word in (first, minus, plus)]
        right[ALL] += _nearest(vectors, target, []) == ids[answer]
        right[USUAL] += _nearest(vectors, target, out) == ids[answer]
        right[NEAREST] += _nearest(vectors, vectors[ids[first]], out) == ids[answer]
    shares = {name: count / 40 for name, count in right.items()}
    return {**shares, GAIN: shares[USUAL] - shares[NEAREST]}


def _questions() -> Iterator[tuple[str, str, str, str]]:
    for a, b in ROLES:
        for c, d in ROLES:
            if a != c:
                yield a, c, d, b
                yield b, d, c, a


def _plant(vectors: Tensor, ids: dict[str, int], seed: int) -> None:
    """Make the vector of each person the sum of one for the role and one for the gender."""
    generator = seeded(seed)
    genders = torch.randn(2, vectors.shape[1], generator=generator).double()
    for people in ROLES:
        role = torch.randn(vectors.shape[1], generator=generator).double()
        for person, gender in zip(people, genders, strict=True):
            vectors[ids[person]] = role + gender


def _nearest(vectors: Tensor, target: Tensor, without: list[int]) -> int:
    closeness = F.cosine_similarity(vectors, target[None], dim=-1)
    closeness[without] = -2.0
    return int(closeness.argmax())


def decide(runs: Runs) -> Verdict:
    """True if in all 10 texts nine answers in ten are right with any word allowed, and the
    arithmetic adds to what the nearest word alone gives. True here if so at width 24 and not at
    width 8. False if it adds nothing in half of the texts.
    """
    wide = f"{GENDERED}, width 24"
    works = runs.count(lambda share: share >= 0.9, wide, ALL)
    adds = runs.count(lambda gain: gain > 0, wide, GAIN)
    numbers = (
        f"With he and she {runs.median(wide, ALL):.0%} of the answers are right at width 24, any "
        f"word allowed, and {runs.median(f'{GENDERED}, width 8', ALL):.0%} at 8. The arithmetic "
        f"adds to what the nearest word gives in {adds} of 10 texts."
    )
    if works == adds == 10:
        narrow = runs.count(lambda share: share >= 0.9, f"{GENDERED}, width 8", ALL)
        return Verdict("true" if narrow == 10 else "true here", numbers)
    return Verdict("false" if adds <= 5 else "not decided", numbers)


def _condition(text: str, width: int) -> Condition:
    role: Role = "control" if text == NEUTRAL else "lesson"
    return Condition(f"{text}, width {width}", {"text": text, "width": width}, role)


CLAIM = Claim(
    name="embeddings.analogies",
    lesson="labs/01_counting",
    conditions=(
        *(_condition(text, width) for text in (GENDERED, NEUTRAL) for width in WIDTHS),
        Condition("planted", {"text": "role plus gender", "width": 24}, "ideal"),
        Condition("random vectors", {"text": "random vectors", "width": 24}, "chance"),
    ),
    metric=ALL,
    label="share of 40 questions answered right, any word allowed",
    along="width",
    axis="width of the vectors",
)


def decide_count(runs: Runs) -> Verdict:
    """False if the usual count gives half of the answers or more in at least 5 of 10 texts that do
    not tell the genders apart, at width 24: there is nothing to do arithmetic with. True if it does
    so in none.
    """
    plain = f"{NEUTRAL}, width 24"
    misled = runs.count(lambda share: share >= 0.5, plain, USUAL)
    numbers = (
        f"In a text that says it of everybody {runs.median(plain, USUAL):.0%} count as right where "
        f"the words of the question are left out, and {runs.median(plain, ALL):.0%} where they are "
        f"not. In {misled} of 10 such texts half or more count as right."
    )
    return Verdict("false" if misled >= 5 else "true" if misled == 0 else "not decided", numbers)


CLAIM_COUNT = CLAIM.also(name="embeddings.analogies_count")
