"""The view of a reader's own sentence, without a browser."""

import base64
import json
import re
from typing import Any

import pytest
import torch
from safetensors.torch import load

from tests.widgets.small_models import WORDS, small_translator, small_typed
from transformer_lesson import seeded
from transformer_lesson.bert import Bert
from transformer_lesson.config import ModelConfig
from transformer_lesson.models import EncoderDecoder, EncoderOnly
from transformer_lesson.translation.translator import Translator
from transformer_lesson.translation.writer import Writer
from transformer_lesson.widgets import SentenceExplorer, sentence
from transformer_lesson.widgets.sentence_models import WordList

EXAMPLES = ["The cat sat on the mat.", "A dog costs $2 or $3."]


def test_examples_are_translated_and_said_in_words() -> None:
    translator = small_translator()
    view = SentenceExplorer(translator, examples=EXAMPLES)
    translations = translator.translate(EXAMPLES)
    assert view.examples == [list(p) for p in zip(EXAMPLES, translations, strict=True)]
    assert view.text == EXAMPLES[0]
    bundle = view._repr_mimebundle_()[0]
    assert bundle["text/plain"].splitlines()[1] == f"{EXAMPLES[0]} → {translations[0]}"
    # A page holds the engine and the weights of a small model.
    assert len(bundle["text/html"]) < 400_000
    assert view.most_pieces == 39


def test_a_model_and_its_vocabulary_do_as_well_and_keep_their_mode() -> None:
    translator = small_translator()
    translator.model.train()
    view = SentenceExplorer(translator.model, translator.vocabulary, examples=EXAMPLES[:1])
    assert translator.model.training
    assert view.num_weights == sum(p.numel() for p in translator.model.parameters())


def test_the_kernel_sends_the_files_of_the_model_as_it_is() -> None:
    translator = small_translator()
    view = SentenceExplorer(translator, examples=[])
    sent: list[dict[str, str]] = []
    view.send = lambda content, buffers=None: sent.append(content)
    with torch.no_grad():
        translator.model.embedding.weight.add_(1.0)  # trained after the view was made
    view._hear(view, {"asks": "one view"}, [])
    assert sent[0]["asked"] == "one view"
    files = view._files[sent[0]["files"]]
    assert json.loads(files.config)["vocab_size"] == len(translator.vocabulary)
    assert json.loads(files.vocabulary)["model"]["type"] == "BPE"
    weights = load(files.weights)
    assert torch.equal(weights["embedding.weight"], translator.model.embedding.weight)
    view._hear(view, {"arrived": files.model_id}, [])
    assert files.comm is None  # closed: nothing of it is saved with the notebook
    assert not view._files


def test_kinds_that_the_view_does_not_know_are_named() -> None:
    model = EncoderDecoder(ModelConfig(2, d_model=8, num_heads=2, source_vocab_size=3))
    with pytest.raises(ValueError, match="the model has source_vocab_size=3, which this view"):
        SentenceExplorer(model, ["[start]", "[end]"])


def test_the_drawing_is_that_of_the_model() -> None:
    model = EncoderDecoder(
        ModelConfig(2, d_model=8, num_heads=2, norm="post", num_kv_heads=1, positions="alibi")
    )
    view = SentenceExplorer(model, ["[start]", "[end]"])
    parts = [part["kind"] for part in view.scene["parts"] if part["kept"]]
    assert "grouped" in parts and not {"heads", "positions"} & set(parts)
    assert view.scene != SentenceExplorer(small_translator()).scene
    assert parts.index("attention") < parts.index("norm")


def test_a_model_needs_its_vocabulary() -> None:
    translator = small_translator()
    with pytest.raises(TypeError, match="the vocabulary is of type NoneType"):
        SentenceExplorer(translator.model)
    with pytest.raises(ValueError, match=r"vocab_size=80 and the vocabulary 2 pieces"):
        SentenceExplorer(translator.model, ["[start]", "[end]"])
    with pytest.raises(ValueError, match="the word 'cat' stands twice"):
        SentenceExplorer(translator.model, ["the", "cat", "cat"])
    others: list[Any] = [translator.model.encoder, Bert(ModelConfig(80))]
    for other, kind in zip(others, ("Stack", "Bert"), strict=True):
        with pytest.raises(TypeError, match=f"the model is of type {kind}; pass a Translator"):
            SentenceExplorer(other, translator.vocabulary)


def test_a_decoder_of_words_needs_their_start_and_end() -> None:
    words = ["the", "cat"]
    model = EncoderDecoder(ModelConfig(2, d_model=8, num_heads=2))
    with pytest.raises(ValueError, match=re.escape("no '[start]' or no '[end]'")):
        SentenceExplorer(model, words)


def test_the_writer_is_known_as_shipped_until_it_is_trained_on() -> None:
    shipped = Writer.shipped()
    assert SentenceExplorer(shipped).folder == "writer"
    with torch.no_grad():
        next(shipped.model.decoder.final_norm.parameters()).add_(1)
    assert SentenceExplorer(shipped).folder == ""


def test_a_language_model_goes_on_with_its_examples() -> None:
    typed = small_typed(words=True)
    view = SentenceExplorer(typed.model, ["[pad]", *WORDS[3:]], examples=["the cat"])
    [[text, answer]] = view.examples
    assert answer.startswith(f"{text} ")
    ids = torch.tensor([typed.vocabulary.encode(answer)])
    with torch.no_grad():
        assert ids[0, 2] == typed.model(ids[:, :2])[0, -1].argmax()
    assert view.marks == {
        **{"padding": 0, "start": None, "end": None, "source_end": None, "mask": None},
        "ahead": 16,
    }
    assert view.keeps == "decoder"
    assert SentenceExplorer(typed.model, ["[pad]", *WORDS[3:]]).text == ""


def test_an_encoder_fills_its_masks() -> None:
    words = ["[pad]", "[mask]", "the", "cat", "sat"]
    model = EncoderOnly(ModelConfig(5, d_model=8, num_heads=2), generator=seeded(0))
    view = SentenceExplorer(model, words, examples=["the [mask] sat"])
    with torch.no_grad():
        best = (model(torch.tensor([[2, 1, 4]])) @ model.embedding.weight.T)[0, 1].argmax()
    filled = WordList(words).decode([2, int(best), 4])
    assert view.examples == [["the [mask] sat", filled]]
    assert (view.keeps, view.marks["mask"]) == ("encoder", 1)


def test_a_page_holds_a_small_model_and_no_large_one(monkeypatch: pytest.MonkeyPatch) -> None:
    translator = small_translator()
    view = SentenceExplorer(translator, examples=[])
    stored = load(base64.b64decode(view.files["weights"]))
    assert stored["embedding.weight"].dtype is torch.int8
    assert view.folder == ""  # what lies there is another model
    monkeypatch.setattr(sentence, "MOST_IN_PAGE", 1000)
    assert SentenceExplorer(translator, examples=[]).files == {}


def test_an_example_may_be_too_long(tmp_path: Any) -> None:
    small_translator().save(tmp_path)
    with pytest.raises(ValueError, match="the model reads at most 40"):
        SentenceExplorer(Translator.load(tmp_path), examples=["the cat " * 40])
