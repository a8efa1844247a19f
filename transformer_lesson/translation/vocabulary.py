"""Text to ids and back: one byte-pair vocabulary for both languages (Sennrich et al. 2016)."""

import json
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from transformer_lesson.translation.known_words import KnownWords

PADDING, START, END, UNKNOWN = range(4)
_SPECIAL = ["<padding>", "<start>", "<end>", "<unknown>"]
# Texts encoded in one call: the library keeps much more of each than its ids.
_AT_ONCE = 10_000


class Vocabulary:
    """Pieces of words, learned from text; a piece that begins with ``▁`` begins after a space.

    No text gives the ids of padding, start and end: "<end>" is cut like any other text. A program
    puts these ids in itself (``PADDING``, ``START``, ``END``).

    Args:
        tokenizer: from the ``tokenizers`` library; its first four ids are padding, start, end
            and unknown.
        words: the English words of the training text, by which typed text is put right.

    Raises:
        ValueError: its first four pieces are others.
    """

    def __init__(self, tokenizer: Tokenizer, words: KnownWords | None = None) -> None:
        first = [tokenizer.id_to_token(number) for number in range(len(_SPECIAL))]
        if first != _SPECIAL:
            raise ValueError(
                f"the tokenizer begins with {first}; expected {_SPECIAL}. "
                "Use one that Vocabulary.train made."
            )
        tokenizer.encode_special_tokens = True  # by the library's default text may name them
        self._tokenizer = tokenizer
        self.words = words

    @classmethod
    def train(cls, texts: Iterable[str], size: int) -> "Vocabulary":
        """Learn ``size`` pieces from ``texts``: give it the training text alone, both languages.

        Raises:
            ValueError: the text has too many letters for so small a vocabulary, or holds too
                little for so large a one.
        """
        tokenizer = Tokenizer(models.BPE(unk_token=_SPECIAL[UNKNOWN]))
        # Punctuation stands for itself, so that "mat." is made of the pieces of "mat".
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Metaspace(), pre_tokenizers.Punctuation()]
        )
        tokenizer.decoder = decoders.Metaspace()
        trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=_SPECIAL, show_progress=False)
        tokenizer.train_from_iterator(texts, trainer)
        learned = tokenizer.get_vocab_size()
        if learned != size:
            why = "has too many letters for that" if learned > size else "is too short for more"
            raise ValueError(
                f"size={size}, but {learned:,} pieces were found: the text {why}. "
                f"Ask for {learned:,} pieces{'' if learned < size else ' or more'}."
            )
        return cls(tokenizer)

    def __len__(self) -> int:
        return self._tokenizer.get_vocab_size()

    @cached_property
    def alphabet(self) -> frozenset[str]:
        """The characters that have a piece of their own, and the space."""
        bare = (piece.removeprefix("▁") for piece in self.all_pieces())
        return frozenset(piece for piece in bare if len(piece) == 1) | {" "}

    @cached_property
    def longest(self) -> int:
        """The number of characters of the longest piece."""
        return max(map(len, self.all_pieces()))

    def encode(self, text: str) -> list[int]:
        """Return the ids of the pieces of ``text``, without start and end."""
        return self._tokenizer.encode(text).ids

    def encode_all(self, texts: Sequence[str]) -> list[list[int]]:
        """Return what ``encode`` returns for each text; faster than one call for each."""
        encoded: list[list[int]] = []
        for begin in range(0, len(texts), _AT_ONCE):
            some = list(texts[begin : begin + _AT_ONCE])
            encoded += (encoding.ids for encoding in self._tokenizer.encode_batch(some))
        return encoded

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ``ids`` up to the first end; start and padding leave no trace."""
        kept = []
        for number in ids:
            if number == END:
                break
            if number not in (PADDING, START):
                kept.append(int(number))
        return self._tokenizer.decode(kept, skip_special_tokens=False)

    def pieces(self, text: str) -> list[str]:
        """Return the pieces of ``text`` as they are written."""
        return self._tokenizer.encode(text).tokens

    def all_pieces(self) -> list[str]:
        """Return every piece as it is written, in the order of the ids."""
        ids = self._tokenizer.get_vocab()
        return sorted(ids, key=ids.__getitem__)

    def word_of_piece(self, text: str, words: Sequence[str]) -> list[int]:
        """Return for each piece of ``text`` the index of the word that it ends in.

        Args:
            text: the sentence.
            words: its words in order, such that nothing but spaces stands between them.

        Raises:
            ValueError: the words are not those of the text.
        """
        word_of_character: dict[int, int] = {}
        position = 0
        for index, word in enumerate(words):
            start = text.find(word, position)
            if start < 0 or text[position:start].strip():
                raise ValueError(f"word {index}, {word!r}, is not the next one of {text!r}.")
            # The space before a word belongs to it: that before a French "?" is a piece by itself.
            word_of_character.update(dict.fromkeys(range(position, start + len(word)), index))
            position = start + len(word)
        if text[position:].strip():
            raise ValueError(f"{text!r} goes on after its last word with {text[position:]!r}.")
        offsets = self._tokenizer.encode(text).offsets
        return [word_of_character[end - 1] for _, end in offsets]

    def save(self, path: str | Path) -> None:
        """Write the vocabulary as the ``tokenizers`` library does, and its words, if any, in it."""
        content = json.loads(self._tokenizer.to_str())
        if self.words:
            content["words"] = " ".join(self.words.forms.values())
        Path(path).write_text(json.dumps(content, indent=2, ensure_ascii=False), encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> "Vocabulary":
        """Read what ``save`` wrote.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: it holds no vocabulary of this course.
        """
        text = Path(path).read_text(encoding="utf-8")
        try:
            content = json.loads(text)
            words = content.pop("words", "").split()
            tokenizer = Tokenizer.from_str(json.dumps(content))
        except Exception as error:  # the library raises no narrower one
            raise ValueError(f"{path} holds no tokenizer: {error}") from error
        return cls(tokenizer, KnownWords(words) if words else None)
