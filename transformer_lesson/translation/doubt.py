"""How sure a translator is of each word: a share that was calibrated on held-out text.

The probability of a word is the product of those of its pieces. It says too little by itself: the
share says how many words of such a probability were right, that is, stood in what a person wrote.
What was left out has no word that could be doubted. So each word of the source is left out in turn:
where the same translation is then more probable, nothing in it stands for this word.
"""

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from transformer_lesson.translation.forms import TABLE, copied, figures
from transformer_lesson.translation.known_words import KnownWords
from transformer_lesson.translation.stand_ins import Draft, Word, without_marks
from transformer_lesson.translation.translator import Search, Translator
from transformer_lesson.translation.typed import has_words
from transformer_lesson.translation.vocabulary import END, PADDING, START

FILE = "doubt.json"
# A word of a lower share is named. Of the battery's 596 right translations 11 % then have one, of
# 44 wrong ones 52 %; with 0.5 it would be 27 % and 73 % (``authoring.shipped.missing``).
DOUBTED = 0.4
# A word is missing if the log-probability of the translation rises by more than this without it, so
# that it is a fifth more probable. Of the same right ones 1.0 % have such a word, of the wrong ones
# 36 %. Of 65 words that a reader misses in 380 sentences 35 are named; words that are there, in 3.
GAIN = 0.2
_LIGHT = 100  # the commonest words, such as "the", often have no word of their own in French
_LIGHT_TOO = frozenset(TABLE["light"]["english"].split())
_ROWS = 32  # sentences of a forward pass


@dataclass(frozen=True)
class Calibration:
    """Shares of right words at rising probabilities; between them the share is interpolated."""

    probabilities: tuple[float, ...]
    shares: tuple[float, ...]

    def share(self, probability: float) -> float:
        """Return the share of words of this probability that are right, from 0 to 1."""
        return float(np.interp(probability, self.probabilities, self.shares))

    @classmethod
    def load(cls, folder: Path) -> "Calibration":
        """Read the one beside the model in ``folder``; ``authoring.shipped.translator`` fits it.

        Raises:
            ValueError: there is none: the doubt of this model was not measured.
        """
        if not (folder / FILE).exists():
            raise ValueError(f"{folder} holds no {FILE}: the doubt of this model was not measured.")
        found = json.loads((folder / FILE).read_text(encoding="utf-8"))
        return cls(**{name: tuple(values) for name, values in found.items()})


def word_probabilities(
    translator: Translator, texts: Sequence[str], translations: Sequence[str]
) -> list[list[Word]]:
    """Return the words of each of the ``translations``, cut at spaces, with their probabilities.

    ``texts`` are sentences as the model read them (`Draft`).
    """
    found: list[list[Word]] = []
    for start in range(0, len(texts), _ROWS):
        rows = slice(start, start + _ROWS)
        found += _of_batch(translator, texts[rows], translations[rows])
    return found


def _of_batch(
    translator: Translator, texts: Sequence[str], written: Sequence[str]
) -> list[list[Word]]:
    vocabulary, most = translator.vocabulary, translator.model.config.max_tokens - 1
    sources = [translator.ids(text) for text in texts]
    targets = [[START, *ids[:most]] for ids in vocabulary.encode_all(written)]
    chosen = _log_probabilities(translator, sources, targets).tolist()
    return [_words(vocabulary.pieces(text), row) for text, row in zip(written, chosen, strict=True)]


def _log_probabilities(
    translator: Translator, sources: Sequence[list[int]], targets: Sequence[list[int]]
) -> Tensor:
    """Return that of each token of the targets after the first, ``(targets, tokens - 1)``."""
    source, target = (
        pad_sequence([torch.tensor(row) for row in rows], True, PADDING).to(
            translator.model.embedding.weight.device
        )
        for rows in (sources, targets)
    )
    with torch.no_grad():
        scores = translator.model(source, target[:, :-1]).log_softmax(-1)
    return scores.gather(-1, target[:, 1:, None])[..., 0]


def _words(pieces: Sequence[str], log_probabilities: Sequence[float]) -> list[Word]:
    """Join the pieces to words; a word begins with "▁", which may be a piece of its own."""
    words: list[tuple[str, float]] = []
    for piece, value in zip(pieces, log_probabilities, strict=False):
        if words and not (piece.startswith("▁") and words[-1][0] != "▁"):
            words[-1] = words[-1][0] + piece, words[-1][1] + value
        else:
            words.append((piece, value))
    return [(text.removeprefix("▁"), float(np.exp(value))) for text, value in words]


def translate_in_doubt(
    translator: Translator, calibration: Calibration, text: str, **search: Any
) -> tuple[str, list[Word], list[str]]:
    """Return the translation of ``text``, its words with their shares, and what is missing.

    The words are those with letters; missing is what could not be kept, and what nothing in the
    translation stands for, both as they were typed. The calibration is the translator's own,
    measured; ``search`` is as in ``Translator.translate``.
    """
    (drafts,) = translator.drafts([text], Search(**search))
    (words,) = _words_of(translator, [drafts])
    shares = [(word, calibration.share(p)) for word, p in words if re.search(r"\w", word)]
    missing = not_kept(translator, text, drafts)
    for draft, part in zip(drafts, translator.parts(text), strict=True):
        read, typed = translator.read(part).split(), part.split()
        as_typed = {
            without_marks(a).lower(): without_marks(b) for a, b in zip(read, typed, strict=False)
        }
        named = (word.lower() for one in _flat([draft]) for word in overlooked(translator, one))
        missing += [as_typed[word] for word in named if word in as_typed]
    return " ".join(word for word, _ in words), shares, missing


def not_kept(translator: Translator, text: str, drafts: Sequence[Draft]) -> list[str]:
    """Return what the drafts of a text could not keep, figures as they were typed."""
    known, lost = translator.vocabulary.words, [w for draft in drafts for w in draft.not_kept()]
    if not known:
        return lost
    read = translator.read(text)
    typed = {re.sub(r"\s", "", one): one for one in re.findall(r"[0-9]+(?:\s[0-9]{3})*", read)}
    for begin, end, _, french in copied(read, known):
        typed |= dict.fromkeys(figures(french or read[begin:end]), read[begin:end])
    return list(dict.fromkeys(typed.get(word, word) for word in lost))


def overlooked(translator: Translator, draft: Draft) -> list[str]:
    """Return the words that a sentence was read with and nothing in its translation stands for.

    Words that stand in for others are left out, and so are very common ones.
    """
    known, vocabulary = translator.vocabulary.words, translator.vocabulary
    words = draft.read.split()
    standing = {word for one in draft.stand_ins for word in one.known.split()}
    asked = [
        i for i, word in enumerate(words) if known and has_own(without_marks(word), known, standing)
    ]
    if not asked:
        return []
    # Punctuation stays: it belongs to the words around.
    spoken = [bool(re.search(r"\w", p)) or p == "▁" for p in vocabulary.pieces(draft.read)]
    of_word = vocabulary.word_of_piece(draft.read, words)
    pieces, end = vocabulary.encode(draft.read), [END]
    rows = list(zip(pieces, of_word, spoken, strict=True))
    sources = [[p for p, word, says in rows if word != i or not says] + end for i in asked]
    most = translator.model.config.max_tokens + 1
    target = [START, *vocabulary.encode(draft.french), END][:most]
    every = [pieces + end, *sources]
    whole, *without = _log_probabilities(translator, every, [target] * len(every)).sum(-1).tolist()
    gains = [value - whole for value in without]
    return [without_marks(words[i]) for i, gain in zip(asked, gains, strict=True) if gain > GAIN]


def has_own(word: str, known: KnownWords, standing: Collection[str] = ()) -> bool:
    """Whether a translation should have a word of its own for this one, not ``standing`` in."""
    low = word.lower()
    light = known.ranks.get(low, _LIGHT) < _LIGHT or low in _LIGHT_TOO
    return word.isalpha() and not light and word not in standing


def translated_words(
    translator: Translator, texts: Sequence[str], **search: Any
) -> list[list[Word]]:
    """Translate each text; return the words that it gets, with their probabilities."""
    return _words_of(translator, translator.drafts(texts, Search(**search)))


def _flat(drafts: Sequence[Draft]) -> list[Draft]:
    """Return drafts, and those of what they quote, that a model has read."""
    every = (one for draft in drafts for one in (draft, *draft.quoted))
    return [draft for draft in every if has_words(draft.read)]


def _words_of(translator: Translator, drafts: Sequence[Sequence[Draft]]) -> list[list[Word]]:
    flat = [draft for some in drafts for draft in _flat(some)]
    found = word_probabilities(translator, [d.read for d in flat], [d.french for d in flat])
    known = {id(draft): words for draft, words in zip(flat, found, strict=True)}

    def written(draft: Draft) -> list[Word]:
        return known.get(id(draft)) or draft.bare()

    return [[word for draft in some for word in draft.words(written)] for some in drafts]


def describe(words: Sequence[Word], missing: Sequence[str] = ()) -> str:
    """Return in a line how many words are right by their shares, and which are not or missing."""
    if not words:
        return "  no words"
    sure = sum(share for _, share in words)
    doubted = ", ".join(f"{word} ({share:.0%})" for word, share in words if share < DOUBTED)
    line = f"  about {sure:.0f} of {len(words)} words as a person would write them"
    line += f"; in doubt: {doubted}" if doubted else ""
    return line + (f"; nothing seems to be there for: {', '.join(missing)}" if missing else "")
