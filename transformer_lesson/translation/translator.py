"""A trained model with its vocabulary: text in, text out, and a folder to keep both in."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from tqdm.auto import tqdm

from transformer_lesson.config import ModelConfig
from transformer_lesson.decoding import beam_search, greedy
from transformer_lesson.files import replacing
from transformer_lesson.models import EncoderDecoder
from transformer_lesson.translation.parallel_text import Pair
from transformer_lesson.translation.quantized import dequantize_weights, quantize_weights
from transformer_lesson.translation.typed import as_read, parts
from transformer_lesson.translation.vocabulary import END, PADDING, START, Vocabulary
from transformer_lesson.weights import put_weights

SHIPPED = Path(__file__).parent / "data" / "model"  # its README.md is the model card
MODEL, CONFIG, VOCABULARY = "model.safetensors", "config.json", "vocabulary.json"
_ROWS = 64  # sentences that are decoded together


class Translator:
    """An ``EncoderDecoder`` and the vocabulary that it was trained with.

    Raises:
        ValueError: the two do not fit together.
    """

    def __init__(self, model: EncoderDecoder, vocabulary: Vocabulary) -> None:
        if model.config.vocab_size != len(vocabulary):
            raise ValueError(
                f"the model has vocab_size={model.config.vocab_size} and the vocabulary "
                f"{len(vocabulary)} pieces; take the one that the model was trained with."
            )
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
            French text, detokenised, in the order of the texts; an empty text gives one. Each
            sentence is translated alone, one longer than the model reads in parts.
        """
        self.model.eval()
        cut = [self.parts(text) for text in texts]
        sources = [self.source(part) for parts in cut for part in parts]
        order = sorted(range(len(sources)), key=lambda i: len(sources[i]))
        translations = [""] * len(sources)
        shown = {"desc": "translating", "unit": "sentence", "disable": not progress}
        with tqdm(total=len(sources), **shown) as bar:
            for start in range(0, len(order), _ROWS):
                chosen = [i for i in order[start : start + _ROWS] if len(sources[i]) > 1]
                batch = [sources[i] for i in chosen]
                rows = self._decode(batch, beam_width, length_penalty, cached)
                for index, row in zip(chosen, rows, strict=True):
                    translations[index] = self.vocabulary.decode(row[1:])
                bar.update(len(order[start : start + _ROWS]))
        following = iter(translations)
        return [" ".join(islice(following, len(parts))) for parts in cut]

    def source(self, text: str) -> list[int]:
        """Return the ids that the encoder reads: of ``text``, put right by `as_read`, then end."""
        return [*self.vocabulary.encode(as_read(text, self.vocabulary.alphabet)), END]

    def parts(self, text: str) -> list[str]:
        """Return the sentences of ``text``, cut further where they are too long for the model."""
        most = self.model.config.max_tokens
        return parts(text, lambda part: len(self.source(part)) <= most)

    def _decode(
        self, sources: list[list[int]], beam_width: int, length_penalty: float, cached: bool
    ) -> list[list[int]]:
        if not sources:
            return []
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
            "cached": cached,
        }
        if beam_width == 1:
            return greedy(self.model, prompt, **given).tolist()
        beams: dict[str, Any] = {"beam_width": beam_width, "length_penalty": length_penalty}
        return beam_search(self.model, prompt, **given, **beams)[0].tolist()

    def save(self, folder: str | Path, *, int8: bool = False) -> None:
        """Write weights, sizes and vocabulary into ``folder``, which is made if there is none.

        ``int8`` rounds matrices to 8 bits, a quarter of the bytes (``quantized``).
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        with replacing(folder / CONFIG) as new:
            new.write_text(json.dumps(asdict(self.model.config), indent=1), encoding="utf-8")
        with replacing(folder / VOCABULARY) as new:
            self.vocabulary.save(new)
        with replacing(folder / MODEL) as new:
            weights = {k: v.contiguous() for k, v in self.model.state_dict().items()}
            save_file(quantize_weights(weights) if int8 else weights, new)

    @classmethod
    def shipped(cls) -> "Translator":
        """Return the translator that comes with the course, trained on everyday sentences."""
        return cls.load(SHIPPED)

    @classmethod
    def load(cls, folder: str | Path) -> "Translator":
        """Read what ``save`` wrote.

        Raises:
            FileNotFoundError: the folder lacks one of the three files.
            ValueError: a file is damaged, or they do not fit together.
        """
        folder = Path(folder)
        for name in (MODEL, CONFIG, VOCABULARY):
            if not (folder / name).exists():
                raise FileNotFoundError(
                    f"{folder} holds no {name}; expected a folder that training has written."
                )
        try:
            settings = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
            if "normalization" in settings:  # its name in version 0.1.0
                settings["norm_type"] = settings.pop("normalization")
            config = ModelConfig(**settings)
            weights = dequantize_weights(load_file(folder / MODEL))
        except (TypeError, ValueError, SafetensorError) as error:
            raise ValueError(f"{folder} holds a damaged model: {error}") from error
        model = EncoderDecoder(config)
        put_weights(model, weights, f"the model of {folder / CONFIG}")
        return cls(model.eval(), Vocabulary.load(folder / VOCABULARY))


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
