"""Lesson 12: *noir* or *noire*? What decides it, and through which attention."""

from collections.abc import Callable, Mapping
from itertools import product
from random import Random
from statistics import mean
from typing import NamedTuple

import torch
from torch import Tensor

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.decoder import french
from evidence.claims.inside.translators import (
    ONE_MODEL,
    Hook,
    attentions,
    hooked,
    kind_of,
    shipped,
    translator,
)
from evidence.interval import Interval, interval
from transformer_lesson.models import EncoderDecoder
from transformer_lesson.translation.vocabulary import START

MASCULINE = {"cat": "chat", "dog": "chien", "book": "livre", "garden": "jardin", "bed": "lit"}
MASCULINE |= {"train": "train", "boat": "bateau", "horse": "cheval", "bag": "sac", "wall": "mur"}
FEMININE = {"house": "maison", "car": "voiture", "door": "porte", "table": "table", "key": "clé"}
FEMININE |= {"street": "rue", "letter": "lettre", "window": "fenêtre", "chair": "chaise"}
FEMININE["shirt"] = "chemise"
ADJECTIVES = {"black": "noir noire", "small": "petit petite", "big": "grand grande"}
ADJECTIVES |= {"green": "vert verte", "white": "blanc blanche"}
PAIRS = 24
SELF, CROSS, OWN = "decoder.self_attention", "decoder.cross_attention", "the last token itself"
FACTORS = {"text": ("article written", "noun written", "source"), "patch": (SELF, CROSS, OWN)}
ARTICLE, NOUN, SOURCE = FACTORS["text"]
WHOLE = "all together"
OTHER, SAME = "of the other gender", "of the same gender"


class Side(NamedTuple):
    """What a translator reads, and has written, before an adjective.

    Attributes:
        source: ids ``(1, tokens)`` that the encoder reads.
        article, noun, verb: ids that it has written after the start token.
    """

    source: Tensor
    article: list[int]
    noun: list[int]
    verb: list[int]


class Pair(NamedTuple):
    """Two sides, with the ids that tell the forms of an adjective apart, the masculine first."""

    sides: tuple[Side, Side]
    forms: tuple[int, int]


def by_gender(which: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the masculine and the feminine nouns, in English, with their French."""
    if which == "shipped":
        return MASCULINE, FEMININE
    found: dict[str, dict[str, str]] = {"le": {}, "la": {}}
    for english, way in french.ANIMALS.items():
        article, noun = way.split()
        found[article][english] = noun
    return found["le"], found["la"]


def noun_pairs(seed: int, which: str, genders: str) -> list[tuple[str, str, str]]:
    """Return two nouns and an adjective, in English: 24 of the shipped translator's, all anew."""
    masculine, feminine = by_gender(which)
    both = {OTHER: [(masculine, feminine)], SAME: [(masculine, masculine), (feminine, feminine)]}
    adjectives = ADJECTIVES if which == "shipped" else french.COLORS
    every = [
        (one, two, adjective)
        for first, second in both[genders]
        for one, two, adjective in product(first, second, adjectives)
        if one != two
    ]
    return every if which == "trained anew" else Random(seed).sample(every, PAIRS)


def pair(which: str, one: str, two: str, adjective: str) -> Pair:
    """Return two nouns with an adjective as a translator reads and writes them."""
    if which == "trained anew":
        words = [(noun, *french.ANIMALS[noun].split()) for noun in (one, two)]
        sides = [
            Side(
                french.encode([f"the {adjective} {english} waited on the mat"]),
                [french.IDS[article]],
                [french.IDS[noun]],
                [],
            )
            for english, article, noun in words
        ]
        forms = [french.IDS[form] for form in french.COLORS[adjective].split()]
    else:
        encode = shipped().vocabulary.encode
        sides = [
            Side(
                torch.tensor([shipped().source(f"The {noun} is {adjective}.")]),
                encode("Le" if noun in MASCULINE else "La"),
                encode((MASCULINE | FEMININE)[noun]),
                encode("est"),
            )
            for noun in (one, two)
        ]
        forms = [encode(form)[0] for form in ADJECTIVES[adjective].split()]
    return Pair((sides[0], sides[1]), (forms[0], forms[1]))


def written(article: Side, noun: Side) -> Tensor:
    """Return the ids before the adjective, of the article of one side and the noun of one."""
    return torch.tensor([[START, *article.article, *noun.noun, *noun.verb]])


@torch.no_grad()
def lead(model: EncoderDecoder, source: Side, text: Tensor, forms: tuple[int, int]) -> float:
    """Return by how many nats the masculine form leads the feminine after ``text``."""
    logits = model(source.source, text)[0, -1]
    return (logits[forms[0]] - logits[forms[1]]).item()


def patched(model: EncoderDecoder, of: Pair, sides: Mapping[str, Side]) -> float:
    """Return the lead where each kind of the decoder's attention gives what it does on a side.

    That is for the last token alone; all else is of the side of ``OWN``.
    """
    names = [name for name in attentions(model) if kind_of(name) in sides]
    given: dict[str, Tensor] = {}

    def note(name: str) -> Hook:
        return lambda _, inputs: given.__setitem__(name, inputs[0][:, -1])

    def give(name: str) -> Hook:
        return lambda _, inputs: torch.cat((inputs[0][:, :-1], given[name][:, None]), 1)

    for kind in (SELF, CROSS):
        side = sides[kind]
        with hooked(model, {name: note(name) for name in names if kind_of(name) == kind}):
            lead(model, side, written(side, side), of.forms)
    with hooked(model, {name: give(name) for name in names}):
        return lead(model, sides[OWN], written(sides[OWN], sides[OWN]), of.forms)


def moved(lead_with: Callable[[tuple[int, ...]], float], factors: tuple[str, ...]) -> Numbers:
    """Return by how many nats each factor moves the lead, with the others on either side."""
    places = list(product((0, 1), repeat=len(factors)))
    leads = {sides: lead_with(sides) for sides in places}
    found = {
        factor: abs(mean((-1) ** sides[n] * value for sides, value in leads.items())) * 2
        for n, factor in enumerate(factors)
    }
    return found | {WHOLE: abs(leads[places[0]] - leads[places[-1]])}


def measure(seed: int, which: str, exchange: str, genders: str = OTHER) -> Numbers:
    """Mean nats by which each factor moves the lead of one form of an adjective over the other.

    ``exchange="text"``: the article and the noun that were written, and the source, are those of
    one noun or another. ``"patch"``: what the decoder's self-attentions and its cross-attentions
    give at the last token is that of one sentence or another.
    """
    model, factors, found = translator(seed, which), FACTORS[exchange], []
    for nouns in noun_pairs(seed, which, genders):
        of = pair(which, *nouns)

        def with_sides(places: tuple[int, ...], of: Pair = of) -> float:
            sides = dict(zip(factors, (of.sides[place] for place in places), strict=True))
            if exchange == "patch":
                return patched(model, of, sides)
            return lead(model, sides[SOURCE], written(sides[ARTICLE], sides[NOUN]), of.forms)

        found.append(moved(with_sides, factors))
    numbers = {key: mean(one[key] for one in found) for key in found[0]}
    return numbers | {f"share of {factor}": numbers[factor] / numbers[WHOLE] for factor in factors}


def share(runs: Runs, condition: str, factor: str) -> Interval:
    """Return a factor's share of what all together move, with its interval over the runs."""
    return interval(runs.values(condition, f"share of {factor}"))


def decide(runs: Runs) -> Verdict:
    """A share is that of the lead between the two forms which a factor moves alone, on average over
    the others. The claim is that an adjective takes its gender from the noun. False if in the
    shipped translator and in those trained anew the article that was written moves at least three
    times as much as the noun that was written and as the noun of the source, by 95 % intervals over
    ten runs, run by run; true if in both noun and source together move more than the article; true
    here, depending on the model, if the first holds of one of the two.
    """
    words, by_article, by_noun = [], [], []
    for which in ("shipped", "trained anew"):
        name = f"{which}, {OTHER}"
        shares = ", ".join(f"{f} {share(runs, name, f):.0%}" for f in FACTORS["text"])
        words.append(f"{which}: {shares} of {runs.median(name, WHOLE):.1f} nats")
        articles, nouns, sources = (runs.values(name, f) for f in FACTORS["text"])
        others = [max(both) for both in zip(nouns, sources, strict=True)]
        by_article.append(_lower(articles, others, 3))
        together = [a + b for a, b in zip(nouns, sources, strict=True)]
        by_noun.append(_lower(together, articles, 1))
    numbers = f"What moves the choice of the form. {words[0].capitalize()}; {words[1]}. {ONE_MODEL}"
    return Verdict.of(numbers, false=all(by_article), true=all(by_noun), true_here=any(by_article))


def _lower(one: list[float], other: list[float], times: float) -> bool:
    """Whether ``one`` is above ``times`` the ``other``, by the interval of what is more."""
    return interval([a - times * b for a, b in zip(one, other, strict=True)]).low > 0


def decide_patch(runs: Runs) -> Verdict:
    """What attentions give at the last token, before the adjective, is that of a sentence with a
    noun of the other gender. The claim is that the gender comes through the cross-attention. False
    if in the shipped translator and in those trained anew the decoder's self-attention moves the
    lead of one form over the other at least three times as much, by 95 % intervals over ten runs,
    run by run; true if in both the cross-attention moves it more; true here, depending on the
    model, if the first holds of one of the two.
    """
    words, by_self, by_cross = [], [], []
    for which in ("shipped", "trained anew"):
        name = f"{which}, {OTHER}"
        selves, crossings = runs.values(name, SELF), runs.values(name, CROSS)
        words.append(
            f"{which}: the decoder's self-attention {share(runs, name, SELF):.0%}, cross-attention "
            f"{share(runs, name, CROSS):.0%}, the last token itself {share(runs, name, OWN):.0%} "
            f"of {runs.median(name, WHOLE):.1f} nats"
        )
        by_self.append(_lower(selves, crossings, 3))
        by_cross.append(_lower(crossings, selves, 1))
    numbers = f"What moves the choice of the form. {words[0].capitalize()}; {words[1]}. {ONE_MODEL}"
    return Verdict.of(numbers, false=all(by_self), true=all(by_cross), true_here=any(by_self))


def _conditions(exchange: str) -> tuple[Condition, ...]:
    return tuple(
        Condition(
            f"{which}, {genders}",
            {"which": which, "exchange": exchange, "genders": genders},
            "lesson" if genders == OTHER else "control",
        )
        for which in ("shipped", "trained anew")
        for genders in (OTHER, SAME)
    )


KNOWN_TO_DIFFER = ((f"shipped, {OTHER}", f"shipped, {SAME}"),)
CLAIM = Claim(
    name="inside.article",
    lesson="labs/12_which_way",
    conditions=_conditions("text"),
    different=KNOWN_TO_DIFFER,
    metric=f"share of {ARTICLE}",
    label="share of the lead between the forms that the article moves",
    along={factor: f"share of {factor}" for factor in FACTORS["text"]},
    height="share of the lead between the two forms that it moves",
    shown=(f"shipped, {OTHER}",),
)
CLAIM_PATCH = Claim(
    name="inside.gender",
    lesson="labs/12_which_way",
    conditions=_conditions("patch"),
    different=KNOWN_TO_DIFFER,
    metric=f"share of {CROSS}",
    label="share of the lead between the forms that cross-attention moves",
    along={
        "the decoder's self-attention": f"share of {SELF}",
        "cross-attention": f"share of {CROSS}",
        OWN: f"share of {OWN}",
    },
    height="share of the lead between the two forms that it moves",
    shown=(f"shipped, {OTHER}",),
)
