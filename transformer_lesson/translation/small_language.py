"""Small languages for the open exercise of lesson 10: words under random names, and a grammar.

The grammar is like that of English and French: adjectives after the noun (two of them before it),
articles and adjectives that agree with it, a negation in two parts around the verb, pronouns before
the verb, verbs of two words, and things of other things (*the key of the old door*). What is to be
translated is longer than what there is to learn from, but made of the same parts.
"""

from random import Random
from typing import NamedTuple

PAIRS, TESTS = 800, 100

Words = list[int]


class SmallLanguage(NamedTuple):
    """Pairs to learn from, and sentences to translate; words are numbers from 1.

    Attributes:
        sources: ``PAIRS`` sentences.
        targets: their translations.
        tests: ``TESTS`` longer sentences, none of them among the sources.
        references: their translations.
    """

    sources: list[Words]
    targets: list[Words]
    tests: list[Words]
    references: list[Words]


def small_language(number: int) -> SmallLanguage:
    """Return the language of a number: the same each time.

    Args:
        number: 0 or more; each gives other words, and other sentences.
    """
    grammar, pairs = _Grammar(number), dict[tuple[int, ...], Words]()
    while len(pairs) < PAIRS + TESTS:
        source, target = grammar.sentence(long=len(pairs) >= PAIRS)
        pairs.setdefault(tuple(source), target)
    sources, targets = [list(source) for source in pairs], list(pairs.values())
    return SmallLanguage(sources[:PAIRS], targets[:PAIRS], sources[PAIRS:], targets[PAIRS:])


class _Grammar:
    """The words of one language, and how sentences are made of them."""

    def __init__(self, number: int) -> None:
        self.random = Random(number)
        english, french = (self.random.sample(range(1, 80), 79) for _ in range(2))

        def word() -> int:
            return english.pop()

        def forms(count: int) -> Words:
            return [french.pop() for _ in range(count)]

        self.articles = [(word(), forms(2)) for _ in range(3)]
        self.nouns = [(word(), forms(1), self.random.randrange(2)) for _ in range(12)]
        self.adjectives = [(word(), forms(2), number < 2) for number in range(8)]
        self.verbs = [(word(), forms(2 if number < 2 else 1)) for number in range(8)]
        self.pronouns = [(word(), forms(1)) for _ in range(4)]
        self.negation = (word(), forms(2))
        self.of = (word(), forms(1))

    def sentence(self, long: bool) -> tuple[Words, Words]:
        """A sentence and its translation."""
        subject, translated = self._chain(long)
        verb, verbs = self.random.choice(self.verbs)
        before = after = Words()
        said = [verb]
        if self.random.random() < 0.3:
            said = [self.negation[0], verb]
            before, after = self.negation[1][:1], self.negation[1][1:]
        if self.random.random() < 0.3:
            pronoun, pronouns = self.random.choice(self.pronouns)
            return [*subject, *said, pronoun], [*translated, *before, *pronouns, *verbs, *after]
        thing, things = self._chain(long)
        return [*subject, *said, *thing], [*translated, *before, *verbs, *after, *things]

    def _chain(self, long: bool) -> tuple[Words, Words]:
        """A thing, one time in four of another thing; in a long sentence of two or three more."""
        more = self.random.randint(2, 3) if long else int(self.random.random() < 0.25)
        words, translated = self._noun_phrase()
        for _ in range(more):
            thing, things = self._noun_phrase()
            words, translated = [*words, self.of[0], *thing], [*translated, *self.of[1], *things]
        return words, translated

    def _noun_phrase(self) -> tuple[Words, Words]:
        article, articles = self.random.choice(self.articles)
        noun, nouns, gender = self.random.choice(self.nouns)
        if self.random.random() < 0.5:
            return [article, noun], [articles[gender], *nouns]
        adjective, adjectives, first = self.random.choice(self.adjectives)
        words = [adjectives[gender], *nouns] if first else [*nouns, adjectives[gender]]
        return [article, adjective, noun], [articles[gender], *words]
