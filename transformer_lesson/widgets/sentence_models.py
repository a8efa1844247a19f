"""A model that answers to typed text: what it reads and writes, and its files for a browser."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import torch
from safetensors.torch import save

from transformer_lesson.bert import Bert
from transformer_lesson.decoding import greedy
from transformer_lesson.models import DecoderOnly, EncoderDecoder, EncoderOnly
from transformer_lesson.translation.normalization import normalized
from transformer_lesson.translation.quantized import quantize_weights
from transformer_lesson.translation.stand_ins import Draft
from transformer_lesson.translation.stored import VOCABULARY
from transformer_lesson.translation.translator import Translator
from transformer_lesson.translation.typed import as_read
from transformer_lesson.translation.vocabulary import END, PADDING, START, Vocabulary
from transformer_lesson.translation.writer import Writer

# What the browser computes, and the drawing shows; of other fields it computes all kinds.
KINDS: dict[str, tuple[Any, ...]] = {
    "parallel": (False,),
    "norm": ("pre", "post"),
    "rope_scaling": ("interpolation", "ntk"),
    **dict.fromkeys(("source_vocab_size", "d_head", "window", "num_experts"), (None,)),
    **dict.fromkeys(("attention_softcap", "logit_softcap"), (None,)),
}
EMPTY, FIRST, LAST, MASK = "[pad]", "[start]", "[end]", "[mask]"  # in a list of words
AHEAD = 16  # pieces that a language model appends to a text


class WordList:
    """The words of a model as its vocabulary: a text is cut at its spaces.

    Raises:
        ValueError: a word stands there twice.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._ids = {word: number for number, word in enumerate(words)}
        if len(self._ids) != len(words):
            twice = next(word for number, word in enumerate(words) if self._ids[word] != number)
            raise ValueError(f"the word {twice!r} stands twice in the list; give it one id.")
        self._words = list(words)

    def __len__(self) -> int:
        return len(self._words)

    def all_pieces(self) -> list[str]:
        """Return the words in the order of their ids."""
        return self._words

    def find(self, word: str) -> int | None:
        """Return the id of a word, or None."""
        return self._ids.get(word)

    def encode(self, text: str) -> list[int]:
        """Return the ids of the words of ``text``.

        Raises:
            ValueError: the list lacks a word.
        """
        for word in text.split():
            if word not in self._ids:
                raise ValueError(f"{word!r} is not among the {len(self)} words of the model.")
        return [self._ids[word] for word in text.split()]

    def decode(self, ids: Iterable[int]) -> str:
        """Return the words of ``ids`` without ``[pad]``, ``[start]`` and ``[end]``."""
        words = [self._words[number] for number in ids]
        return " ".join(word for word in words if word not in (EMPTY, FIRST, LAST))

    def save(self, path: str | Path) -> None:
        """Write the list as the ``tokenizers`` library writes one."""
        content = {"model": {"type": "WordLevel", "vocab": self._ids}}
        Path(path).write_text(json.dumps(content), encoding="utf-8")


class Marks(NamedTuple):
    """The ids that no reader types.

    Attributes:
        padding: which stands for nothing; None: there is none.
        start: what the decoder reads first; None: it begins with the first piece of the text.
        end: after which a text is finished; None: it goes on.
        source_end: what follows the source of a translation; None: nothing.
        mask: what an encoder fills; None: it is asked about every place.
    """

    padding: int | None
    start: int | None
    end: int | None
    source_end: int | None
    mask: int | None = None


class ModelFiles(NamedTuple):
    """What ``Translator.save`` writes, in memory: the configuration, vocabulary and weights."""

    config: str
    vocabulary: str
    weights: bytes


Typable = EncoderDecoder | DecoderOnly | EncoderOnly


class TypedModel:
    """A model and its vocabulary; see ``SentenceExplorer`` for arguments and errors."""

    def __init__(
        self, model: Typable, vocabulary: Vocabulary | WordList, start: int = START
    ) -> None:
        self.model, self.vocabulary = model, vocabulary
        self.translates = isinstance(model, EncoderDecoder)
        if isinstance(vocabulary, Vocabulary):
            self.marks = Marks(PADDING, start, END, END)
        else:
            self.marks = Marks(
                padding=vocabulary.find(EMPTY),
                start=vocabulary.find(FIRST),
                end=vocabulary.find(LAST),
                source_end=None,
                mask=vocabulary.find(MASK),
            )
        _check_kinds(model)
        _check_size(model, vocabulary)
        if self.translates and None in (self.marks.start, self.marks.end):
            raise ValueError(
                f"the list of words has no {FIRST!r} or no {LAST!r}; the decoder of an "
                "EncoderDecoder begins with the one and ends with the other."
            )

    def encode(self, text: str) -> list[int]:
        """Return the ids of ``text``, as a translator or a writer reads it."""
        if not isinstance(self.vocabulary, Vocabulary):
            return self.vocabulary.encode(normalized(text))
        if isinstance(self.model, EncoderDecoder):
            return Translator(self.model, self.vocabulary).source(text)[:-1]
        return self.vocabulary.encode(as_read(text, self.vocabulary.alphabet))

    def answer(self, text: str) -> str:
        """Return the greedy translation of ``text``, or ``text`` as the model goes on with it.

        Of what is not English it is the reason why there is no translation.

        Raises:
            ValueError: the model has too few positions for the text, or lacks a word of it.
        """
        model, marks, text = self.model, self.marks, normalized(text)
        typed, most = self.encode(text), model.config.max_tokens
        if not typed:
            return ""
        if len(typed) > most - 1:
            raise ValueError(
                f"{text[:40]!r} has {len(typed) + 1} pieces, its end included; the model reads at "
                f"most {most}. Shorten it."
            )
        if isinstance(model, EncoderOnly):
            return self.vocabulary.decode(self._filled(model, typed))
        device, training = model.embedding.weight.device, model.training
        if isinstance(model, EncoderDecoder) and isinstance(self.vocabulary, Vocabulary):
            translator = Translator(model, self.vocabulary)
            if refused := translator.refusal(text):
                return refused
            words = translator.draft(text).words(Draft.bare)
            model.train(training)
            return " ".join(word for word, _ in words)
        start = [] if marks.start is None else [marks.start]
        source_end = [] if marks.source_end is None else [marks.source_end]
        read = [*typed, *source_end] if self.translates else None
        prompt = start if self.translates else [*start, *typed]
        room = len(prompt) + AHEAD if read is None else 2 * len(read) + 10
        try:
            ids = greedy(
                model.eval(),
                torch.tensor([prompt], device=device),
                source=None if read is None else torch.tensor([read], device=device),
                max_tokens=min(room, most),
                end_id=marks.end,
            )
        finally:
            model.train(training)
        return self.vocabulary.decode(ids[0, len(start) :].tolist())

    @torch.no_grad()
    def _filled(self, model: EncoderOnly, typed: list[int]) -> list[int]:
        """Return the ids with the most probable piece in each masked place."""
        ids = torch.tensor([typed], device=model.embedding.weight.device)
        training = model.training
        best = (model.eval()(ids) @ model.embedding.weight.T).argmax(-1)[0].tolist()
        model.train(training)
        mask = self.marks.mask
        return [fits if id_ == mask else id_ for id_, fits in zip(typed, best, strict=True)]

    def files(self, *, int8: bool = False) -> ModelFiles:
        """Return the model as it is now: in float32, or with matrices rounded to 8 bits."""
        weights = {k: v.float().contiguous() for k, v in self.model.state_dict().items()}
        with TemporaryDirectory() as folder:
            self.vocabulary.save(Path(folder) / VOCABULARY)
            vocabulary = (Path(folder) / VOCABULARY).read_text(encoding="utf-8")
        config = json.dumps(asdict(self.model.config))
        return ModelFiles(config, vocabulary, save(quantize_weights(weights) if int8 else weights))


def typed_model(
    model: Translator | Writer | Typable, vocabulary: Vocabulary | Sequence[str] | None
) -> TypedModel:
    """Return a model and its vocabulary; a ``Translator`` is both, and so is a ``Writer``.

    Raises:
        TypeError: the model is of another class, or there is no vocabulary for it.
        ValueError: they are of kinds that the browser does not compute, or do not fit together.
    """
    if isinstance(model, Translator):
        return TypedModel(model.model, model.vocabulary)
    if isinstance(model, Writer):  # to which the end of a text is the start of the next
        return TypedModel(model.model, model.vocabulary, start=END)
    if not isinstance(model, Typable) or isinstance(model, Bert):
        raise TypeError(
            f"the model is of type {type(model).__name__}; pass a Translator, a Writer, or "
            "an EncoderDecoder, DecoderOnly or EncoderOnly and its vocabulary."
        )
    if isinstance(vocabulary, Vocabulary):
        return TypedModel(model, vocabulary)
    if not isinstance(vocabulary, list | tuple) or not all(isinstance(w, str) for w in vocabulary):
        raise TypeError(
            f"the vocabulary is of type {type(vocabulary).__name__}; pass the Vocabulary that the "
            "model was made for, or the list of its words, in the order of their ids."
        )
    return TypedModel(model, WordList(vocabulary))


def _check_kinds(model: Typable) -> None:
    for name, computed in KINDS.items():
        if (kind := getattr(model.config, name)) not in computed:
            needed = " or ".join(f"{name}={each!r}" for each in computed)
            raise ValueError(
                f"the model has {name}={kind!r}, which this view neither draws nor computes; "
                f"it needs {needed}."
            )


def _check_size(model: Typable, vocabulary: Vocabulary | WordList) -> None:
    if model.config.vocab_size != len(vocabulary):
        raise ValueError(
            f"the model has vocab_size={model.config.vocab_size} and the vocabulary "
            f"{len(vocabulary)} pieces; take the one that the model was trained with."
        )
