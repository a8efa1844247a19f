"""Which adjectives go together, and which one English says first."""

from authoring.grammar.draft import Draft
from authoring.grammar.lexicon import Adjective, Noun
from authoring.grammar.listing import listed

# The adjectives on a line describe one quality: a thing has at most one of them.
DIMENSIONS = """
age old young new modern second-hand medieval
colour white black grey brown red blue green yellow pink purple orange blond
nation French English German Italian Spanish Dutch Greek Belgian
material wooden silk woollen
power electric
shape round square
size small big huge
length long short
width wide narrow
weight heavy light
water wet dry
dirt dirty clean
heat hot cold warm
noise quiet noisy peaceful calm talkative silent cheerful grumpy
wealth rich poor
quality good bad excellent delicious rotten
speed fast slow
ease easy difficult simple complicated incomprehensible
interest interesting boring
truth true wrong dubious absurd
mood happy sad cheerful
taste sweet salty bitter
ripeness ripe raw rotten
effort lazy hardworking
giving generous stingy
looks beautiful ugly pretty magnificent
use useful useless reliable broken
danger dangerous peaceful
courage brave shy
"""
DIMENSION = {
    word: line.split()[0] for line in DIMENSIONS.strip().splitlines() for word in line.split()[1:]
}
LAST = frozenset(listed("age colour nation material power shape"))
# "un grand homme" is a great man, "une petite-fille" a granddaughter.
NO_PREFIX = frozenset(listed("père mère fils fille homme"))


def clashes(draft: Draft, adjective: Adjective, noun: Noun | None) -> bool:
    """Whether the adjective clashes with the noun, or with what was already said of it.

    Without a noun, it may clash with what was said of anything in the sentence.
    """
    if noun is not None and adjective.before:
        word = adjective.french["m", False][0]
        if noun.french[0].startswith(word):  # No "grand grand-père".
            return True
        if word in ("grand", "petit") and noun.french[0] in NO_PREFIX:
            return True
        if word == "vieux" and noun.french[0] in ("garçon", "fille"):  # A bachelor.
            return True
    dimension = DIMENSION.get(adjective.english)
    if dimension is None:
        return False
    if noun is None:
        names = draft.lexemes
    else:
        names = [name for kind, name, of in draft.combinations if of == noun.name]
    return any(DIMENSION.get(name.partition("=")[0]) == dimension for name in names)


def first_said(before: Adjective, after: Adjective) -> Adjective:
    """Which of two adjectives English says first: "a funny old man", "an old black dog".

    Args:
        before, after: the two, in the order in which they were drawn; French puts one of them
            before the noun, the other after it.
    """
    if not before.before:
        before, after = after, before
    if DIMENSION.get(before.english) == "age" and DIMENSION.get(after.english) not in LAST:
        return after
    return before
