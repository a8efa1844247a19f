"""A sentence that the reader types, translated in the browser."""

import base64
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
import traitlets
from ipywidgets import Widget  # type: ignore[import-untyped]
from matplotlib.figure import Figure
from safetensors import safe_open

from transformer_lesson.config import ModelConfig
from transformer_lesson.models import EncoderOnly
from transformer_lesson.translation import writer
from transformer_lesson.translation.doubt import Calibration
from transformer_lesson.translation.forms import TABLE
from transformer_lesson.translation.stored import CONFIG, MODEL
from transformer_lesson.translation.translator import SHIPPED, Translator
from transformer_lesson.translation.vocabulary import Vocabulary
from transformer_lesson.translation.writer import Writer
from transformer_lesson.widgets.machine_parts import KINDS, LESSONS, Keeps, Norm, Scene, scene
from transformer_lesson.widgets.sentence_models import (
    AHEAD,
    ModelFiles,
    Typable,
    TypedModel,
    typed_model,
)
from transformer_lesson.widgets.sentence_printed import printed
from transformer_lesson.widgets.static_figure import DRAWING_COLORS
from transformer_lesson.widgets.view import HERE, View, script, style

# What the worker runs: it knows nothing of the page.
SCRIPTS = ("typed", "forms", "words", "english", "tokens", "kinds", "model", "search", "worker")
ENGINE = "".join(
    [f"const FORMS = {json.dumps(TABLE)};\n"]
    + [(HERE / f"sentence_{name}.js").read_text(encoding="utf-8") for name in SCRIPTS]
)
MOST_IN_PAGE = 500_000  # weights, of a byte each, that a page may hold itself
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
    """The three files of a model on their way to the browser.

    They travel as a widget of their own because Jupyter's server limits the rate of all messages
    but those that make one, and because a widget that is closed leaves nothing in the notebook.
    """

    config = traitlets.Unicode().tag(sync=True)
    vocabulary = traitlets.Unicode().tag(sync=True)
    weights = traitlets.Bytes().tag(sync=True)

    def __init__(self, files: ModelFiles) -> None:
        super().__init__(**files._asdict())


class SentenceExplorer(View):
    """A text field, and the machine of the course at work on the text in it.

    The sentence goes in, the memory fills, and the words come out one by one, to play or to step
    through. It shows attention as lines between words or as the map of a head, and the most
    probable next pieces at a temperature, of which any can be taken instead. A translator's view
    sets the greedy translation beside the best of a beam search; a language model goes on with the
    text by some pieces; an encoder alone fills its masks. A text can be kept beside the next one.

    All of it is computed in the browser, by a worker. In a notebook the kernel sends it the weights
    in float32, as they are when the field gets the focus. Without a kernel there are those of a
    small model as it was shown, rounded to 8 bits, and those of the two that come with the course,
    which a page reads from a folder and JupyterLab from its server.

    Args:
        model: trained or not: a ``Translator``, a ``Writer``, an ``EncoderDecoder``, a
            ``DecoderOnly`` or an ``EncoderOnly``, whose outputs are read with its embedding; no
            parallel layers.
        vocabulary: of the model; a ``Translator`` and a ``Writer`` have their own. Either a
            ``Vocabulary``, whose start and end are put around the text, or the list of the model's
            words. Then the text is cut at its spaces and read as it is typed; where the list has
            "[start]" and "[end]", a decoder begins and ends with them.
        examples: texts that are answered now, greedily, and shown where no script runs; by default
            English sentences for a translator with a ``Vocabulary``, and else none.
        folder: where a page finds the files of a shipped model, as a relative address; by default
            in a folder of the model's name beside the page.

    Attributes:
        text: the text in the field.

    Raises:
        TypeError: the model is of another class, or there is no vocabulary for it.
        ValueError: the model has parallel layers or two vocabularies, it does not fit the
            vocabulary, or it cannot read an example.
    """

    kind = "sentence-explorer"
    colors = DRAWING_COLORS
    _esm = f"const ENGINE = {json.dumps(ENGINE)};\n" + script(
        "attention_view.js",
        "map_grid.js",
        "sentence_weights.js",
        "sentence_maps.js",
        "sentence_pieces.js",
        "sentence_lines.js",
        "sentence_next.js",
        "sentence_walk.js",
        "machine_drawing.js",
        "sentence_bands.js",
        "sentence_trace.js",
        "sentence_inside.js",
        "sentence_change.js",
        "sentence_stage.js",
        "sentence.js",
        KINDS={kind: known._asdict() for kind, known in KINDS.items()},
        LESSONS=LESSONS,
    )
    _css = style(kind, "map_grid.css", "machine_drawing.css", "sentence.css")

    examples = traitlets.List(traitlets.List(traitlets.Unicode()), read_only=True).tag(sync=True)
    files = traitlets.Dict(read_only=True).tag(sync=True)
    folder = traitlets.Unicode(read_only=True).tag(sync=True)
    translates = traitlets.Bool(read_only=True).tag(sync=True)
    keeps = traitlets.Unicode(read_only=True).tag(sync=True)
    scene = traitlets.Dict(read_only=True).tag(sync=True)
    sizes = traitlets.Dict(read_only=True).tag(sync=True)
    marks = traitlets.Dict(read_only=True).tag(sync=True)
    doubt = traitlets.Dict(default_value=None, allow_none=True, read_only=True).tag(sync=True)
    num_weights = traitlets.Int(read_only=True).tag(sync=True)
    num_pieces = traitlets.Int(read_only=True).tag(sync=True)
    most_pieces = traitlets.Int(read_only=True).tag(sync=True)
    text = traitlets.Unicode("").tag(sync=True)

    def __init__(
        self,
        model: Translator | Writer | Typable,
        vocabulary: Vocabulary | Sequence[str] | None = None,
        *,
        examples: Sequence[str] | None = None,
        folder: str = "",
    ) -> None:
        self._typed = typed = typed_model(model, vocabulary)
        self._files: dict[str, Files] = {}  # those on their way
        if examples is None:
            both = typed.translates and isinstance(typed.vocabulary, Vocabulary)
            examples = EXAMPLES if both else ()
        config = typed.model.config
        self.set_trait("examples", [[text, typed.answer(text)] for text in examples])
        if shipped := _shipped(typed):
            self.set_trait("folder", folder or shipped.name)
        if shipped == SHIPPED:
            self.set_trait("doubt", asdict(Calibration.load(SHIPPED)))
        self.set_trait("translates", typed.translates)
        self.set_trait("marks", {**typed.marks._asdict(), "ahead": AHEAD})
        self.set_trait("keeps", keeps := _kept(typed))
        self._scene = _scene(keeps, config)
        self.set_trait("scene", asdict(self._scene))
        self.set_trait("sizes", _sizes(config))
        self.set_trait("num_weights", sum(weight.numel() for weight in typed.model.parameters()))
        self.set_trait("num_pieces", config.vocab_size)
        self.set_trait("most_pieces", config.max_tokens - 1)  # the start or the end is one more
        if self.num_weights <= MOST_IN_PAGE:
            files = typed.files(int8=True)
            weights = base64.b64encode(files.weights).decode()
            self.set_trait("files", {**files._asdict(), "weights": weights})
        super().__init__(text=examples[0] if examples else "")
        self.on_msg(self._hear)

    def _hear(self, _: Any, message: dict[str, str], __: Any) -> None:
        if "arrived" in message:
            self._files.pop(message["arrived"]).close()
        else:
            files = Files(self._typed.files())
            self._files[files.model_id] = files
            self.send({"files": files.model_id, "asked": message["asks"]})

    def _alt_text(self) -> str:
        if self.translates:
            begin = (
                "Your own sentence in a live model: its pieces, attention, next-piece "
                "probabilities and translation. Sentences translated beforehand:"
            )
        else:
            begin = (
                "Your own text in a live model: its pieces, attention and next-piece "
                "probabilities. Texts that it went on with beforehand:"
            )
        return "\n".join([begin, *(f"{text} → {answer}" for text, answer in self.examples)])

    def _static_figure(self) -> Figure:
        return printed(self._typed, self._scene, [tuple(pair) for pair in self.examples])


def _kept(typed: TypedModel) -> Keeps:
    """Say which half of the machine a model has."""
    if typed.translates:
        return "both"
    return "encoder" if isinstance(typed.model, EncoderOnly) else "decoder"


def _sizes(config: ModelConfig) -> dict[str, int]:
    """Return the sizes in the shapes of the parts, by name."""
    return {
        "d_model": config.d_model,
        "heads": config.num_heads,
        "kv_heads": config.key_heads,
        "d_head": config.head_width,
        "vocab_size": config.vocab_size,
        "encoder": config.num_encoder_layers or config.num_layers,
        "decoder": config.num_layers,
    }


def _scene(keeps: Keeps, config: ModelConfig) -> Scene:
    """Return the drawing of a model; positions that act within attention have no part in it."""
    heads = "heads" if config.key_heads == config.num_heads else "grouped"
    norm: Norm = "post" if config.norm == "post" else "pre"
    placed = config.positions in ("sinusoidal", "learned")
    return scene(keeps, norm, placed, {"heads": heads})


def _shipped(typed: TypedModel) -> Path | None:
    """Return the folder of the model that comes with the course, if it is that, untrained since."""
    folder = SHIPPED if typed.translates else writer.SHIPPED
    config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    if isinstance(typed.model, EncoderOnly) or typed.model.config != ModelConfig(**config):
        return None
    name = "decoder.final_norm.weight"
    with safe_open(folder / MODEL, framework="pt") as weights:
        known = weights.get_tensor(name)
    return folder if torch.equal(typed.model.state_dict()[name].cpu(), known) else None
