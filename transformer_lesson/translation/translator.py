"""A trained model with its vocabulary: text in, text out, and a folder to keep both in."""

from collections.abc import Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import torch
from tqdm.auto import tqdm

from transformer_lesson.decoding import beam_search, greedy
from transformer_lesson.models import EncoderDecoder
from transformer_lesson.translation.english import refusal
from transformer_lesson.translation.forms import in_french
from transformer_lesson.translation.normalization import normalized
from transformer_lesson.translation.parallel_text import Pair
from transformer_lesson.translation.stand_ins import (
    ATTEMPTS,
    Draft,
    StandIn,
    with_stand_ins,
    without_quotation,
)
from transformer_lesson.translation.stored import check_fit, load_folder, save_folder
from transformer_lesson.translation.typed import as_read, has_words, nearest, parts
from transformer_lesson.translation.vocabulary import END, PADDING, START, Vocabulary

SHIPPED = Path(__file__).parent / "data" / "model"  # its README.md is the model card
_ROWS = 64  # sentences that are decoded together


class Search(NamedTuple):
    """How a translation is looked for; see ``Translator.translate``."""

    beam_width: int = 1
    length_penalty: float = 0.6
    cached: bool = True
    progress: bool = False


GREEDY = Search()


def joined(drafts: Sequence[Draft]) -> str:
    """Return the translation of a text whose sentences these are."""
    return " ".join(word for draft in drafts for word, _ in draft.words(Draft.bare))


class Translator:
    """An ``EncoderDecoder`` and the vocabulary that it was trained with.

    Raises:
        ValueError: the two do not fit together.
    """

    def __init__(self, model: EncoderDecoder, vocabulary: Vocabulary) -> None:
        check_fit(model, vocabulary)
        self.model = model
        self.vocabulary = vocabulary

    def translate(
        self,
        texts: Sequence[str],
        *,
        beam_width: int = 1,
        length_penalty: float = 0.6,
        cached: bool = True,
        progress: bool = False,
    ) -> list[str]:
        """Translate each text: greedily with a beam of 1, else by beam search.

        Args:
            texts: English text, best a sentence each.
            beam_width: see ``decoding.beam_search``.
            length_penalty: see there.
            cached: whether keys and values of earlier tokens are kept; the text is the same.
            progress: whether to show a bar.

        Returns:
            French text, detokenized, in the order of the texts; an empty text gives one. Each
            sentence is translated alone, one longer than the model reads in parts.
        """
        search = Search(beam_width, length_penalty, cached, progress)
        return [joined(drafts) for drafts in self.drafts(texts, search)]

    def drafts(self, texts: Sequence[str], search: Search = GREEDY) -> list[list[Draft]]:
        """Translate each text as ``translate`` does, and return its sentences as drafts."""
        self.model.eval()
        cut = [self.parts(text) for text in texts]
        written = iter(self._quoting(list(chain(*cut)), search))
        return [list(islice(written, len(parts))) for parts in cut]

    def draft(self, sentence: str) -> Draft:
        """Return the draft of one sentence, which the model must be able to read whole."""
        self.model.eval()
        return self._quoting([sentence], GREEDY)[0]

    def _quoting(self, sentences: list[str], search: Search) -> list[Draft]:
        """Return a draft of each sentence; what it quotes is translated by itself."""
        if not self.vocabulary.words:
            return self._trying(sentences, search)
        split = [without_quotation(self.read(text)) or (text, None) for text in sentences]
        drafts = self._trying([frame for frame, _ in split], search)
        quoting = [i for i, (_, inner) in enumerate(split) if inner]
        inners = self.drafts([split[i][1] or "" for i in quoting], search) if quoting else []
        for i, quoted in zip(quoting, inners, strict=True):
            drafts[i] = drafts[i]._replace(quoted=quoted)
        lost = [i for i in quoting if not drafts[i].holds()]
        for i, draft in zip(lost, self._trying([sentences[i] for i in lost], search), strict=True):
            drafts[i] = draft
        return drafts

    def _trying(self, sentences: list[str], search: Search) -> list[Draft]:
        """Return a draft of each sentence, of the first attempt that keeps all that is copied.

        Where none does it is the plain translation, without stand-ins; where that loses something,
        the one with those stand-ins that were kept, if it loses less; and an attempt that only left
        something out, if it has no more faults.
        """
        # What has no letter and no figure passes through as it is.
        drafts = [Draft(text, [], "" if has_words(text) else text) for text in sentences]
        pending = [i for i, text in enumerate(sentences) if has_words(text)]
        kept: dict[int, tuple[int, frozenset[str]]] = {}
        left: dict[int, Draft] = {}
        for attempt in range(ATTEMPTS if self.vocabulary.words else 0):
            self._attempt(sentences, drafts, {i: (attempt, None) for i in pending}, search)
            for i in pending:
                if len(found := drafts[i].kept()) > len(kept.get(i, (0, ""))[1]):
                    kept[i] = attempt, found
                out = drafts[i].leaving_out()
                if out and (i not in left or out.faults() < left[i].faults()):
                    left[i] = out
            pending = [i for i in pending if not drafts[i].holds()]
        self._attempt(sentences, drafts, {i: (0, frozenset()) for i in pending}, search)
        lossy = [i for i in pending if drafts[i].lost and i in kept]
        some = drafts.copy()
        self._attempt(sentences, some, {i: kept[i] for i in lossy}, search)
        for i in lossy:
            if some[i].all_kept() and len(some[i].lost) < len(drafts[i].lost):
                drafts[i] = some[i]
        for i in pending:
            if i in left and left[i].faults() <= drafts[i].faults():
                drafts[i] = left[i]
        return drafts

    def _attempt(
        self,
        sentences: list[str],
        drafts: list[Draft],
        chosen: dict[int, tuple[int, frozenset[str] | None]],
        search: Search,
    ) -> None:
        """Set drafts of the chosen sentences: each has its attempt, and all stand-ins or some."""
        reads = {i: self.read_with_stand_ins(sentences[i], *how) for i, how in chosen.items()}
        new = [i for i in chosen if reads[i][0] != drafts[i].read or not drafts[i].french]
        texts = dict(zip(new, self._decoded([reads[i][0] for i in new], search), strict=True))
        for i, (_, only) in chosen.items():
            french = texts.get(i, drafts[i].french)
            drafts[i] = Draft(*reads[i], french, typed=self._in_french(sentences[i]))
            if only is not None:
                every = self.read_with_stand_ins(sentences[i])[1]
                drafts[i] = drafts[i].rewritten(every).giving_up(every)

    def _decoded(self, reads: list[str], search: Search) -> list[str]:
        """Return what the model writes for each sentence that it reads."""
        sources = [self.ids(text) for text in reads]
        order = [i for i, row in enumerate(sources) if len(row) > 1]
        order.sort(key=lambda i: len(sources[i]))
        translations = [""] * len(sources)
        shown = {"desc": "translating", "unit": "sentence", "disable": not search.progress}
        with tqdm(total=len(order), **shown) as bar:
            for start in range(0, len(order), _ROWS):
                chosen = order[start : start + _ROWS]
                rows = self._decode([sources[i] for i in chosen], search)
                for index, row in zip(chosen, rows, strict=True):
                    translations[index] = self.vocabulary.decode(row[1:])
                bar.update(len(chosen))
        return translations

    def read(self, text: str) -> str:
        """Return ``text`` as the model reads it, put right by `as_read`."""
        return as_read(text, self.vocabulary.alphabet, self.vocabulary.words)

    def read_with_stand_ins(
        self, text: str, attempt: int = 0, only: frozenset[str] | None = None
    ) -> tuple[str, list[StandIn]]:
        """Return what ``read`` returns, with what the model knows in the place of what is copied.

        An ``attempt`` has stand-ins of its own; with ``only`` they stand for these alone.
        """
        words, read = self.vocabulary.words, self.read(text)
        if not words:
            return read, []
        found = with_stand_ins(read, words, attempt, only)
        return nearest(found[0], self.vocabulary.alphabet), found[1]

    def _in_french(self, text: str) -> str | None:
        """Return what ``read`` returns, with what is copied as French writes it."""
        words = self.vocabulary.words
        return in_french(self.read(text), words) if words else None

    def ids(self, read: str) -> list[int]:
        """Return the ids that the encoder gets of a text that was read: of its pieces, then end."""
        return [*self.vocabulary.encode(read), END]

    def source(self, text: str) -> list[int]:
        """Return the ids that the encoder gets of ``text`` as it is typed."""
        return self.ids(self.read_with_stand_ins(text)[0])

    def parts(self, text: str) -> list[str]:
        """Return the sentences of ``text``, cut further where they are too long for the model."""
        most = self.model.config.max_tokens
        # Longer text needs no reading to be cut, so that the time grows with the text alone.
        longest = most * self.vocabulary.longest
        return parts(text, lambda part: len(part) <= longest and len(self.source(part)) <= most)

    def refusal(self, text: str) -> str | None:
        """Return why ``text`` should not be translated (`english.refusal`); None if it may be.

        ``translate`` does not ask: it gives a translation of all that a test set holds.
        """
        words = self.vocabulary.words
        return refusal(normalized(text), words) if words else None

    def _decode(self, sources: list[list[int]], search: Search) -> list[list[int]]:
        device = self.model.embedding.weight.device
        longest = max(map(len, sources))
        rows = [row + [PADDING] * (longest - len(row)) for row in sources]
        source = torch.tensor(rows, device=device)
        prompt = torch.full((len(rows), 1), START, device=device)
        # French takes a few more words than English; a model beyond this limit will not end.
        limit = min(2 * longest + 10, self.model.config.max_tokens)
        given: dict[str, Any] = {
            "source": source,
            "max_tokens": limit,
            "end_id": END,
            "cached": search.cached,
        }
        if search.beam_width == 1:
            return greedy(self.model, prompt, **given).tolist()
        given |= {"beam_width": search.beam_width, "length_penalty": search.length_penalty}
        return beam_search(self.model, prompt, **given)[0].tolist()

    def save(self, folder: str | Path, *, int8: bool = False) -> None:
        """Write weights, sizes and vocabulary into ``folder``; see ``save_folder``."""
        save_folder(folder, self.model, self.vocabulary, int8=int8)

    @classmethod
    def shipped(cls) -> "Translator":
        """Return the translator that comes with the course, trained on everyday sentences."""
        return cls.load(SHIPPED)

    @classmethod
    def load(cls, folder: str | Path) -> "Translator":
        """Read what ``save`` wrote; it raises what ``load_folder`` does."""
        return cls(*load_folder(folder, EncoderDecoder))


def examples(
    pairs: Sequence[Pair], vocabulary: Vocabulary, max_tokens: int
) -> list[tuple[list[int], list[int]]]:
    """Return (source, target) ids to train on, without pairs longer than ``max_tokens``.

    The source ends with the end token; the target begins with the start token and ends with the
    end token. Pairs with an empty side are left out too.
    """
    sources = vocabulary.encode_all([pair.english for pair in pairs])
    targets = vocabulary.encode_all([pair.french for pair in pairs])
    return [
        ([*source, END], [START, *target, END])
        for source, target in zip(sources, targets, strict=True)
        if source and target and max(len(source) + 1, len(target) + 2) <= max_tokens
    ]
