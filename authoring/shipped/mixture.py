"""The text that the shipped translator learns from: sources, mixed and drawn anew each pass.

Talk comes from templates (``typed_text.talk``); ``FOLDER/NAME/SPLIT.en.gz`` and ``.fr.gz`` hold the
others, line n of one translating line n of the other.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

import torch
from torch import Tensor, nn

from authoring.shipped.typed_text import HELD_OUT_TALK, Texts, talk, typed
from transformer_lesson.models import EncoderDecoder
from transformer_lesson.training import TokenBatches, TrainingConfig, train, translation
from transformer_lesson.translation.commands import METRICS
from transformer_lesson.translation.corpora import Pair, load_corpus, load_natural
from transformer_lesson.translation.evaluation import score
from transformer_lesson.translation.known_words import KnownWords
from transformer_lesson.translation.text_files import read_pairs
from transformer_lesson.translation.translator import Translator
from transformer_lesson.translation.typed import as_read
from transformer_lesson.translation.vocabulary import END, PADDING, START, UNKNOWN

SOURCES = ("everyday", "captions", "news", "parliament")
WRITTEN = Path(__file__).parent / "data" / "written.tsv.gz"  # for the timed rounds
_LONGEST = {"news": 220, "parliament": 90}  # characters of an English text; 200 elsewhere
_WORD = re.compile(r"[^\W\d_]{2,}(?:'[^\W\d_]+)*|\b[aAI]\b(?:'[^\W\d_]+)*")
_BEGINS = re.compile(r"(?:^|[.!?:-])[ \"'(]*$")
_TALK = 12_000  # sentences of talk, many alike
_RARE = 150  # everyday sentences that a rare word stands in, at most
_DRAWN, _BATCHES = 12_000, 200  # pairs of a pass, and how many of their batches it takes
_SETTINGS: dict[str, Any] = {"schedule": "cosine", "save_every": 500, "precision": "fastest"}
_JOINED = 45  # characters of a text that is joined to another, at most


@dataclass(frozen=True)
class Round:
    """How long, and on which text, the model goes on.

    Attributes:
        settings: of the training.
        early: shares of the sources in the draws.
        late: those after ``passes``. The text of the course comes late: it has one translation of a
            sentence, as its tests have, where the rest of the everyday text has several.
        passes: how many have the early shares.
        new: share of the trained weights in their average with those of the everyday rounds, chosen
            on validation text.
    """

    settings: TrainingConfig
    early: dict[str, float]
    late: dict[str, float]
    passes: int
    new: float


def _round(
    early: dict[str, float],
    late: dict[str, float] | None = None,
    *,
    passes: int,
    new: float = 1.0,
    **settings: Any,
) -> Round:
    return Round(TrainingConfig(**_SETTINGS, **settings), early, late or {}, passes, new)


ROUNDS = (
    _round(
        {"everyday": 0.52, "captions": 0.26, "news": 0.13, "parliament": 0.09},
        {"course": 0.7, "captions": 0.16, "news": 0.09, "parliament": 0.05},
        passes=15,
        new=0.75,
        steps=4500,
        learning_rate=0.0005,
        warmup_steps=100,
        evaluate_every=750,
        seed=0,
    ),
    _round(
        {"everyday": 0.45, "course": 0.15, "captions": 0.24, "news": 0.08, "parliament": 0.08},
        {"course": 0.66, "captions": 0.22, "news": 0.06, "parliament": 0.06},
        passes=18,
        new=0.85,
        steps=6500,
        learning_rate=0.0003,
        warmup_steps=200,
        evaluate_every=1500,
        seed=6,
    ),
)


def read(folder: Path, name: str, split: str) -> list[Pair]:
    """Return the pairs of a split of a source."""
    return read_pairs((folder / name / f"{split}.en.gz", folder / name / f"{split}.fr.gz"))


def training_text(folder: Path, **longest: int) -> dict[str, list[Texts]]:
    """Return the pairs of each source, without what validation and tests of any source hold.

    *Like talk* are everyday sentences again, those that share a rare word with the talk.

    Args:
        folder: of the sources.
        **longest: characters of an English text at most, where not the usual ones.
    """
    longest = _LONGEST | longest
    everyday = load_corpus("everyday")
    held: list[Sequence[Pair]] = [
        read(folder, name, split) for name in SOURCES for split in ("valid", "test")
    ]
    held += [everyday.validation, everyday.test, load_natural(), read_pairs(HELD_OUT_TALK)]
    taken = {_bare(pair.english) for pairs in held for pair in pairs}
    found: dict[str, Iterable[Pair]] = {name: read(folder, name, "train") for name in SOURCES}
    found |= {"course": everyday.train, "everyday": [*found["everyday"], *everyday.train]}
    found["written"] = read_pairs(WRITTEN)
    texts = {
        name: list(dict.fromkeys(_texts(pairs, longest.get(name, 200), taken)))
        for name, pairs in found.items()
    }
    random = Random(0)
    # A phrase that is drawn often stands there as often.
    said = (Pair(*talk(random)) for _ in range(_TALK))
    texts["talk"] = list(_texts(said, 200, taken))
    return texts | {"like talk": _like(texts["talk"], texts["everyday"])}


def _like(talk: Iterable[Texts], texts: Sequence[Texts]) -> list[Texts]:
    """Return those of the texts that have a word of the talk that is rare in them."""
    words = [set(re.findall(r"[a-z]+", english.lower())) for english, _ in texts]
    counts = Counter(chain(*words))
    said = chain(*(re.findall(r"[a-z]+", english.lower()) for english, _ in talk))
    rare = {word for word in said if counts[word] <= _RARE}
    return [pair for pair, found in zip(texts, words, strict=True) if found & rare]


def known_words(texts: dict[str, list[Texts]]) -> KnownWords:
    """Return the English words that the text has twice, the commonest first, as it writes them.

    The capitals are those inside the sentences of everyday text and captions. A name that French
    text has alike is left out unless it is common: the model copies a stand-in more surely.
    """
    words: Counter[str] = Counter()
    forms: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    alike: Counter[str] = Counter()
    for name, pairs in texts.items():
        plain = name in ("everyday", "captions")
        for english, french in pairs if name not in ("course", "like talk") else ():
            known = set(re.findall(r"\w+", french))
            for match in _WORD.finditer(english.replace("\u2019", "'")):
                words[match[0].lower()] += 1
                if not _BEGINS.search(english[: match.start()]):
                    forms[plain][match[0]] += 1
                alike[match[0]] += plain and match[0] in known
    found = (_form(word, forms, alike) for word, count in words.most_common() if count > 1)
    return KnownWords(form for form in found if form)


def _form(word: str, forms: dict[bool, Counter[str]], alike: Counter[str]) -> str | None:
    if word == "i" or word.startswith("i'"):
        return "I" + word[1:]
    here, elsewhere = forms[True], forms[False]
    large = max(word.capitalize(), word.upper(), key=here.__getitem__)
    if not here[word] and not here[large]:
        return word if elsewhere[word] > elsewhere[word.capitalize()] else None
    if here[word] >= here[large]:
        return word
    is_name = 2 * alike[large] >= here[large] and not elsewhere[word]
    return large if here[large] >= (10 if is_name else 2) else None


def _texts(pairs: Iterable[Pair], longest: int, taken: set[str]) -> Iterator[Texts]:
    for pair in pairs:
        if len(pair.english) <= longest and _bare(pair.english) not in taken:
            yield pair.english, pair.french


def _bare(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


class Mixture:
    """Batches by number, as ``training.train`` asks for them; each pass draws and types anew.

    Args:
        texts: what `training_text` returns.
        translator: whose vocabulary cuts them.
        batch_tokens: see ``TokenBatches``.
        part: its shares, and its seed, which decides every draw with the number of the pass.
    """

    def __init__(
        self, texts: dict[str, list[Texts]], translator: Translator, batch_tokens: int, part: Round
    ) -> None:
        self._texts, self._part = texts, part
        self._short = [pair for pair in texts["everyday"] if len(pair[0]) <= _JOINED]
        self._translator, self._batch_tokens = translator, batch_tokens
        self._pass = lru_cache(maxsize=1)(self.drawn)

    def __call__(self, number: int) -> Tensor | tuple[Tensor, ...]:
        """Return batch ``number``: ids of sources and targets, each ``(rows, tokens)``."""
        turn, within = divmod(number, _BATCHES)
        return self._pass(turn)(within)

    def drawn(self, turn: int) -> TokenBatches:
        """Return the batches of a pass."""
        return TokenBatches(self.pairs(turn), self._batch_tokens, padding_id=PADDING, seed=turn)

    def pairs(self, turn: int) -> list[tuple[list[int], list[int]]]:
        """Return the ids of each source and target of a pass."""
        random = Random(f"{self._part.settings.seed} {turn}")
        shares = self._part.early if turn < self._part.passes else self._part.late
        names = random.choices(list(shares), list(shares.values()), k=_DRAWN)
        drawn = [typed(random.choice(self._texts[name]), self._short, random) for name in names]
        return _examples(self._translator, drawn)


def _examples(translator: Translator, texts: Sequence[Texts]) -> list[tuple[list[int], list[int]]]:
    """Return ids as ``translator.examples`` does, of what can be spelled in fewer than 100."""
    vocabulary = translator.vocabulary
    read = [
        french if french.islower() else as_read(french, vocabulary.alphabet) for _, french in texts
    ]
    targets = vocabulary.encode_all(read)
    # Without stand-ins: the target has the name itself.
    sources = [translator.ids(as_read(english, vocabulary.alphabet)) for english, _ in texts]
    return [
        (source, [START, *target, END])
        for source, target in zip(sources, targets, strict=True)
        if len(source) > 1
        and target
        and UNKNOWN not in target
        and max(len(source), len(target)) < 100
    ]


def train_on(
    data: Path, start: Translator, everyday: Translator, folder: Path, part: Round
) -> Translator:
    """Go on from ``start`` with a round of the mixture, and average it with ``everyday``.

    A run that was stopped goes on from its checkpoint.

    Args:
        data: the folder of the four sources.
        start: whose weights are trained.
        everyday: of the last round on everyday sentences, which it translates best.
        folder: of the checkpoint, the log and the trained model.
        part: how long, and on which text.
    """
    model = EncoderDecoder(replace(start.model.config, dropout=0.1))
    model.load_state_dict(start.model.state_dict())
    translator = Translator(model, start.vocabulary)
    held_out = {name: read(data, name, "valid")[:100] for name in ("everyday", "captions", "news")}

    def evaluate(_: nn.Module) -> dict[str, float]:
        found = {}
        for name, pairs in held_out.items():
            texts = translator.translate([pair.english for pair in pairs])
            found[name] = score(texts, [pair.french for pair in pairs], resamples=0).bleu
        return found

    history = train(
        model,
        translation(padding_id=PADDING, label_smoothing=0.1),
        Mixture(training_text(data), translator, 1024, part),
        part.settings,
        evaluate=evaluate,
        folder=folder,
    )
    old, new = everyday.model.state_dict(), model.state_dict()
    model.load_state_dict({name: torch.lerp(old[name], new[name], part.new) for name in new})
    translator.save(folder)
    spent = {"steps": history.steps, "seconds": history.seconds}
    metrics = spent | {"tokens_per_second": history.tokens_per_second}
    (folder / METRICS).write_text(json.dumps(metrics) + "\n", encoding="utf-8")
    return translator
