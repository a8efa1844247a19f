"""A sentence that the reader types, translated in the browser."""

import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import traitlets
from ipywidgets import Widget  # type: ignore[import-untyped]
from matplotlib.figure import Figure

from transformer_lesson.models import EncoderDecoder
from transformer_lesson.translation.translator import CONFIG, MODEL, VOCABULARY, Translator
from transformer_lesson.translation.vocabulary import Vocabulary
from transformer_lesson.widgets.static_figure import blank
from transformer_lesson.widgets.view import HERE, View, script, style

# What the worker runs: it knows nothing of the page.
ENGINE = "".join(
    (HERE / f"sentence_{name}.js").read_text(encoding="utf-8")
    for name in ("tokens", "model", "search", "worker")
)
# The kinds of parts that it computes.
KINDS = {
    "norm": "pre",
    "norm_type": "layer",
    "eps": 1e-5,
    "positions": "sinusoidal",
    "activation": "relu",
    "bias": True,
    "qk_norm": False,
    "parallel": False,
    "num_kv_heads": None,
    "num_encoder_layers": None,
    "source_vocab_size": None,
}
LONGEST_TEXT = 60  # characters in the picture
EXAMPLES = (
    "The cat sat on the mat.",
    "The dog sat on the mat.",
    "I don't know what you are talking about.",
    "Where is the station?",
    "She gave him the book.",
    "He gave her the book.",
    "They are eating an apple.",
    "It is raining today.",
    "I have never been to Paris.",
    "Can you help me?",
    "The girl is reading a letter.",
    "We went to school together.",
    "My brother lives in London.",
    "How much does this cost?",
    "I would like a glass of water.",
    "The bank is closed on Sunday.",
    "He sat down on the bank of the river.",
    "I saw the man with the telescope.",
    "Tom is taller than Mary.",
    "The children are playing in the garden.",
)


class Files(Widget):
    """The three files of a translator on their way to the browser.

    They travel as a widget of their own because Jupyter's server limits the rate of all messages
    but those that make one, and because a widget that is closed leaves nothing in the notebook.
    """

    config = traitlets.Unicode().tag(sync=True)
    vocabulary = traitlets.Unicode().tag(sync=True)
    weights = traitlets.Bytes().tag(sync=True)

    def __init__(self, translator: Translator) -> None:
        with TemporaryDirectory() as folder:
            translator.save(folder)
            config, vocabulary, weights = (
                (Path(folder) / name).read_bytes() for name in (CONFIG, VOCABULARY, MODEL)
            )
        super().__init__(config=config.decode(), vocabulary=vocabulary.decode(), weights=weights)


class SentenceExplorer(View):
    """A text field, and what a model makes of the sentence in it.

    It shows the pieces of the sentence, which of them the model has never or hardly seen, the
    attention of every layer and head, the most probable next pieces, of which any can be appended,
    the greedy translation step by step, and the best texts of a beam search. A sentence can be kept
    beside the next one. All of it is computed in the browser, by a worker; in a notebook the kernel
    sends it the weights in float32 when the field gets the focus, in a page it reads a folder.

    Args:
        translator: what translates: a ``Translator``, or an ``EncoderDecoder``, trained or not,
            with pre-norm, layer norm, sinusoidal positions and ReLU.
        vocabulary: of the model; a ``Translator`` has its own.
        examples: sentences that are translated now, greedily, and shown where no script runs.
        folder: where a page finds the files that ``Translator.save(int8=True)`` writes, as a
            relative address.

    Attributes:
        text: the sentence in the field.

    Raises:
        TypeError: the model is of another class, or there is no vocabulary for it.
        ValueError: the model has parts that the browser does not compute, it does not fit the
            vocabulary, or an example is longer than it reads.
    """

    kind = "sentence-explorer"
    _esm = f"const ENGINE = {json.dumps(ENGINE)};\n" + script(
        "attention_view.js",
        "map_grid.js",
        "player.js",
        "sentence_weights.js",
        "sentence_maps.js",
        "sentence_result.js",
        "sentence.js",
    )
    _css = style(kind, "map_grid.css", "player.css", "sentence.css")

    examples = traitlets.List(traitlets.List(traitlets.Unicode()), read_only=True).tag(sync=True)
    folder = traitlets.Unicode(read_only=True).tag(sync=True)
    num_layers = traitlets.Int(read_only=True).tag(sync=True)
    num_weights = traitlets.Int(read_only=True).tag(sync=True)
    most_pieces = traitlets.Int(read_only=True).tag(sync=True)
    text = traitlets.Unicode("").tag(sync=True)

    def __init__(
        self,
        translator: Translator | EncoderDecoder,
        vocabulary: Vocabulary | None = None,
        *,
        examples: Sequence[str] = EXAMPLES,
        folder: str = "model",
    ) -> None:
        self._translator = _checked(translator, vocabulary)
        self._files: dict[str, Files] = {}  # those on their way
        model = self._translator.model
        training = model.training
        translations = self._translator.translate(examples)
        model.train(training)
        self.set_trait(
            "examples", [list(pair) for pair in zip(examples, translations, strict=True)]
        )
        self.set_trait("folder", folder)
        self.set_trait("num_layers", model.config.num_layers)
        self.set_trait("num_weights", sum(weight.numel() for weight in model.parameters()))
        self.set_trait("most_pieces", model.config.max_tokens - 1)  # the end is one more
        super().__init__(text=examples[0] if examples else "")
        self.on_msg(self._hear)

    def _hear(self, _: Any, message: dict[str, str], __: Any) -> None:
        if "arrived" in message:
            self._files.pop(message["arrived"]).close()
        else:
            files = Files(self._translator)
            self._files[files.model_id] = files
            self.send({"files": files.model_id})

    def _alt_text(self) -> str:
        begin = (
            "Your own sentence in a live model: its pieces, attention, next-piece probabilities "
            "and translation. Sentences translated beforehand:"
        )
        return "\n".join([begin, *(f"{english} → {french}" for english, french in self.examples)])

    def _static_figure(self) -> Figure:
        figure = blank(8.4, 1 + 0.26 * len(self.examples))
        figure.suptitle("Sentences translated beforehand")
        axes = figure.subplots()
        axes.set_axis_off()
        axes.set(xlim=(0, 2), ylim=(len(self.examples), -1))
        for row, texts in enumerate(self.examples):
            for column, text in enumerate(texts):
                axes.text(column, row, _cut(text), parse_math=False)  # It may hold dollar signs.
        return figure


def _cut(text: str) -> str:
    return f"{text[: LONGEST_TEXT - 1]}…" if len(text) > LONGEST_TEXT else text


def _checked(translator: Translator | EncoderDecoder, vocabulary: Vocabulary | None) -> Translator:
    """Return the translator, made of a model and its vocabulary where these were given."""
    if not isinstance(translator, Translator):
        if not isinstance(translator, EncoderDecoder):
            raise TypeError(
                f"the model is a {type(translator).__name__}; "
                "pass a Translator, or an EncoderDecoder and its vocabulary."
            )
        if not isinstance(vocabulary, Vocabulary):
            raise TypeError(
                f"the vocabulary is a {type(vocabulary).__name__}; "
                "pass the Vocabulary that the model was made for."
            )
        translator = Translator(translator, vocabulary)
    config = translator.model.config
    others = [
        f"{name}={kind!r}" for name in KINDS if (kind := getattr(config, name)) != KINDS[name]
    ]
    if others:
        computed = ", ".join(f"{name}={kind!r}" for name, kind in KINDS.items())
        raise ValueError(
            f"the model has {', '.join(others)}, which this view does not compute in the browser; "
            f"it needs {computed}."
        )
    return translator
