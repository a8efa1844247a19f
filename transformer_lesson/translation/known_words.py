"""The English words that a translator has read: by them slips of typing are put right."""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from string import ascii_lowercase

WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
COMMON = 6000  # words; the rarest ones are in part those of quoted French
STARTS = re.compile(r"(?:^|[.!?:]|\")[\s\"'(-]*$")
BEFORE = 20  # characters, so that a long text is not looked through for each of its words


class KnownWords:
    """English words, the commonest first, each as it is written inside a sentence ("Monday").

    Args:
        forms: the words.
    """

    def __init__(self, forms: Iterable[str]) -> None:
        self.forms = {form.lower(): form for form in forms}
        self.ranks = {word: rank for rank, word in enumerate(self.forms)}
        self.longest = max(map(len, self.ranks), default=0)

    def spelled(self, text: str, recased: bool, kept: Iterable[tuple[int, int]] = ()) -> str:
        """Return ``text`` with each unknown word as the known one that it is a slip away from.

        In a text that was ``recased`` words get the capitals that they are written with. What is
        ``kept``, from a place to another, stays as it is, and so does what may be a name.
        """
        places = {place for span in kept for place in range(*span)}

        def put_right(match: re.Match[str]) -> str:
            word = match[0]
            if match.start() in places:
                return word
            before = text[max(0, match.start() - BEFORE) : match.start()]
            if self.knows(word):
                return self._cased(word) if recased else word
            if word[0].isupper() and not (recased or STARTS.search(before)):
                return word
            meant = self.nearest(word.lower())
            if meant is None or (
                word[0].isupper() and not recased and self._may_be_name(word, meant)
            ):
                return word
            form = self.forms[meant]
            return form[0].upper() + form[1:] if word[0].isupper() else form

        return WORD.sub(put_right, text)

    def _may_be_name(self, word: str, meant: str) -> bool:
        """Whether a capitalised unknown word is more likely a name than a slip of ``meant``.

        A slip has lost its apostrophe, is long, or holds letters as no known word does, and is one
        of a common word: of 4,160 names of 35 languages 2 are taken for one.
        """
        if self.forms[meant] != meant:
            return True
        rank = self.ranks[meant]
        strange = rank < 400 and not _triples(word.lower()) <= self._all_triples
        return not ("'" in meant or strange or (len(word) > 6 and rank < 1500))

    @cached_property
    def _all_triples(self) -> set[str]:
        return {triple for word in self.ranks for triple in _triples(word)}

    def knows(self, word: str) -> bool:
        """Whether the word, or what an 's was added to, is in the list."""
        return word.lower() in self.ranks or word.lower().removesuffix("'s") in self.ranks

    def _cased(self, word: str) -> str:
        base = word.lower().removesuffix("'s")
        form = self.forms.get(word.lower()) or self.forms[base] + word[len(base) :]
        return word if form[0].islower() else form

    def nearest(self, word: str) -> str | None:
        """The likeliest known word with one slip of typing, those that are the surest first.

        A word longer than any known one is not looked for: it would take too long.
        """
        if not 1 < len(word) <= self.longest + 1 or not word.isascii():
            return None
        for near_ones, most in _slips(word):
            found = [near for near in near_ones if self.ranks.get(near, most) < most]
            if found:
                return min(found, key=self.ranks.__getitem__)
        return None


def _triples(word: str) -> set[str]:
    """Return the letters of a word, three at a time, with its begin and its end."""
    return {f"^{word}$"[i : i + 3] for i in range(len(word))}


def _slips(word: str) -> Iterator[tuple[list[str], int]]:
    """Yield what ``word`` may be a slip of, the surest kind first, and how common that must be.

    Another rare word is as likely as a slip where one letter stands for another ("nuns", "runs").
    """
    cut = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    inner = [(a, b) for a, b in cut[1:] if len(b) > 1]
    yield [f"{a}'{b}" for a, b in cut], COMMON
    yield [a + b[1] + b[0] + b[2:] for a, b in cut if len(b) > 1], COMMON
    if len(word) > 3:
        missing = [a + c + b for a, b in cut[1:-1] for c in ascii_lowercase]
        yield [*missing, *(a + b[1:] for a, b in inner)], COMMON
        yield [word + c for c in "etyn"], 500
    if len(word) > 6:
        yield [a + c + b[1:] for a, b in inner for c in ascii_lowercase], 3000
