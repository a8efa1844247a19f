"""Lesson 12: one row of the encoder's memory is exchanged for that of another noun."""

from itertools import product
from random import Random

import torch
from torch import Tensor

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.decoder import french
from evidence.claims.inside.gender import by_gender
from evidence.claims.inside.translators import ONE_MODEL, shipped, translator
from evidence.interval import Interval, interval
from transformer_lesson.decoding import greedy
from transformer_lesson.models import EncoderDecoder
from transformer_lesson.translation.vocabulary import END, START

NEW, OLD_GENDER, NEW_GENDER = "other noun", "other noun, gender kept", "other noun, its own gender"
BEFORE, AFTER, NONE = "adjective before", "adjective after", "no adjective"
ADJECTIVES = {
    BEFORE: {"small": "petit petite", "big": "grand grande gros grosse"},
    AFTER: {"black": "noir noire", "green": "vert verte", "white": "blanc blanche"},
    NONE: {"": ""},
}
NOUN, PHRASE = "the noun's row", "the rows of its phrase"
WITH_ARTICLE, WITH_ADJECTIVE = "with the article's", "with the adjective's"
SENTENCES = {"shipped": "I see the {}.", "trained anew": "the {} waited on the mat"}
ARTICLE_AT = {"shipped": 2, "trained anew": 0}  # in the source, in pieces or words
CASES = {
    f"{which}, {adjective}": {"which": which, "adjective": adjective}
    for which, adjectives in (("shipped", (BEFORE, AFTER, NONE)), ("trained anew", (AFTER, NONE)))
    for adjective in adjectives
}


def sources(which: str, phrases: list[str]) -> Tensor:
    """Return the ids ``(sentences, tokens)`` of sentences with these nouns, of one length."""
    texts = [SENTENCES[which].format(phrase) for phrase in phrases]
    if which == "trained anew":
        return french.encode(texts)
    return torch.tensor([shipped().source(text) for text in texts])


@torch.no_grad()
def written(
    model: EncoderDecoder, which: str, own: Tensor, other: Tensor, rows: list[int]
) -> list[str]:
    """Return what the model writes where these rows of the memory are those of ``other``."""
    memory = model.encode(other)

    def swap(_: torch.nn.Module, __: object, out: Tensor) -> Tensor:
        changed = out.clone()
        changed[:, rows] = memory[:, rows]
        return changed

    hook = model.encoder.register_forward_hook(swap)
    try:
        start = torch.full((len(own), 1), START)
        found = greedy(model, start, source=own, max_tokens=16, end_id=END, cached=False)
    finally:
        hook.remove()
    decode = french.decode if which == "trained anew" else _decoded
    return [decode(row) for row in found]


def _decoded(row: Tensor) -> str:
    return shipped().vocabulary.decode(row[1:].tolist())


def genders(text: str, forms: str) -> set[int]:
    """Return the genders, 0 masculine, of the first article and of the forms of an adjective."""
    words = text.lower().rstrip(".").split()
    known = {form: place % 2 for place, form in enumerate(forms.split())}
    articles = [("le", "la").index(word) for word in words if word in ("le", "la")]
    return {*articles[:1], *(known[word] for word in words if word in known)}


def measure(seed: int, which: str, adjective: str, rows: str) -> Numbers:
    """How often the other noun is written, and in whose gender: in 48 sentences, or in all anew."""
    model, adjectives, at = translator(seed, which), ADJECTIVES[adjective], ARTICLE_AT[which]
    masculine, feminine = by_gender(which)
    cases = list(product(masculine, feminine, adjectives))
    cases += [(two, one, word) for one, two, word in cases]
    if which == "shipped":
        cases = Random(seed).sample(cases, 48)
    own, other = (
        sources(which, [f"{case[2]} {case[side]}".strip() for case in cases]) for side in (0, 1)
    )
    noun = at + 1 + (adjective != NONE)
    swapped = {NOUN: [noun], WITH_ARTICLE: [at, noun], WITH_ADJECTIVE: [noun - 1, noun]}
    swapped[PHRASE] = list(range(at, noun + 1))
    texts = written(model, which, own, other, swapped[rows])
    counts = dict.fromkeys((NEW, OLD_GENDER, NEW_GENDER), 0)
    for (one, two, word), text in zip(cases, texts, strict=True):
        if (masculine | feminine)[two] in text.rstrip(".").split():
            found = genders(text, adjectives[word])
            counts[NEW] += 1
            counts[OLD_GENDER] += found == {int(one in feminine)}
            counts[NEW_GENDER] += found == {int(two in feminine)}
    return {name: count / len(cases) for name, count in counts.items()}


def kept(runs: Runs, case: str, rows: str = NOUN) -> Interval:
    """Return how often the gender stays, of the texts with the other noun, over the runs."""
    new, old = (runs.values(f"{case}, {rows}", metric) for metric in (NEW, OLD_GENDER))
    return interval([part / max(whole, 1e-9) for whole, part in zip(new, old, strict=True)])


def decide(runs: Runs) -> Verdict:
    """The claim is that with the row of another noun the text is that of a sentence with this noun.
    False if by 95 % intervals over ten runs the other noun is written in more than half of the
    texts, and of these more than half keep the gender of the noun that was there, article and
    adjective, in the shipped translator and in those trained anew, with an adjective and without
    one; true if in all fewer than a tenth keep it; true here, depending on model and adjective, if
    more than half keep it in one of these cases and fewer than half in another. The rows of the
    whole phrase must bring the other noun in its own gender in more than half of the texts.
    """
    words, stays, goes, never = [], [], [], []
    for case in CASES:
        new, old = interval(runs.values(f"{case}, {NOUN}", NEW)), kept(runs, case)
        whole = interval(runs.values(f"{case}, {PHRASE}", NEW_GENDER))
        words.append(f"{case}: {old:.0%} of {new.middle:.0%}, whole phrase {whole.middle:.0%}")
        able = new.low > 0.5 and whole.low > 0.5
        stays.append(able and old.low > 0.5)
        goes.append(able and old.high < 0.5)
        never.append(able and old.high < 0.1)
    numbers = (
        "Texts that keep the old gender, of those with the other noun, and with the rows of the "
        f"whole phrase those with its own gender. {'; '.join(words)}. {ONE_MODEL}"
    )
    return Verdict.of(
        numbers, false=all(stays), true=all(never), true_here=any(stays) and any(goes)
    )


CLAIM = Claim(
    name="inside.memory",
    lesson="12_inside",
    conditions=tuple(
        Condition(
            f"{case}, {rows}", {**settings, "rows": rows}, "lesson" if rows == NOUN else "control"
        )
        for case, settings in CASES.items()
        for rows in (NOUN, WITH_ARTICLE, WITH_ADJECTIVE, PHRASE)
        if settings["adjective"] != NONE or rows in (NOUN, PHRASE)
    ),
    different=((f"shipped, {BEFORE}, {NOUN}", f"shipped, {BEFORE}, {PHRASE}"),),
    metric=OLD_GENDER,
    label="share of texts with the other noun in the old gender",
)
