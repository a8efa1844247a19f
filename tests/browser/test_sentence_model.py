"""The models in the browser give PyTorch's numbers."""

import base64
import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import torch
from playwright.sync_api import BrowserContext

from tests.widgets.small_models import SIZES, WORDS, small_translator, small_typed
from transformer_lesson import seeded
from transformer_lesson.config import ModelConfig
from transformer_lesson.decoding import beam_search, greedy
from transformer_lesson.models import EncoderOnly, recorded_weights
from transformer_lesson.translation.doubt import Calibration, translate_in_doubt
from transformer_lesson.translation.stand_ins import STANDING, Draft
from transformer_lesson.translation.translator import SHIPPED, Translator
from transformer_lesson.translation.vocabulary import END, START
from transformer_lesson.translation.writer import Writer
from transformer_lesson.widgets.sentence import ENGINE
from transformer_lesson.widgets.sentence_models import AHEAD, TypedModel, typed_model

from .pages import script

TEXTS = [
    "The cat sat on the mat.",
    "A dog, the cat and the mat?",
    "Zebra 日本 ok",
    "the",
    "a<end>b <padding> c",
]
NASTY = [
    *("", " ", "  The  cat ", "▁x", "a<end>b <start> c", "l'été… 日本 «ok»\t€x$+~", "\n", "<unk"),
    *("don't", "\U0001d4b3 e\u0301 \u00a0\u202f!", "tHE CAT", "(cat)(mat)…?!", "-_-'`", "1,000.5"),
]
ANSWER = script("answers")
ENCODE = script("encode")


def files_of(typed: TypedModel, int8: bool = False) -> dict[str, Any]:
    """Return the files of a model as the worker takes them, with weights in base64."""
    files = typed.files(int8=int8)
    return {
        "config": json.loads(files.config),
        "vocabulary": json.loads(files.vocabulary),
        "weights": base64.b64encode(files.weights).decode(),
        "marks": {**typed.marks._asdict(), "ahead": AHEAD},
        "doubt": asdict(Calibration.load(SHIPPED)),
    }


def asked(
    context: BrowserContext,
    typed: TypedModel,
    texts: list[str],
    width: int,
    int8: bool = False,
    **more: Any,
) -> list[Any]:
    """Return what the worker posts about the texts; ``more`` is that of ``answers.js``."""
    page = context.new_page()
    page.add_script_tag(content=ENGINE)
    files = files_of(typed, int8)
    posted: list[Any] = page.evaluate(
        ANSWER, {"files": files, "texts": texts, "width": width, **more}
    )
    return posted


def check_answer(translator: Translator, text: str, answer: dict[str, Any]) -> None:
    """Compare ids, every map and the probabilities of every step with PyTorch's."""
    model = translator.model
    draft = translator.draft(text)
    source = torch.tensor([translator.ids(draft.read)])
    prompt = torch.full((1, 1), START)
    room = min(2 * source.shape[1] + 10, model.config.max_tokens)
    ids = greedy(model, prompt, source=source, max_tokens=room, end_id=END)
    assert answer["ids"] == ids[0, 1:].tolist()
    assert draft.french == translator.vocabulary.decode(ids[0].tolist())
    assert answer["text"] == " ".join(word for word, _ in draft.words(Draft.bare))
    with torch.no_grad(), recorded_weights(model) as weights:
        probabilities = model(source, ids[:, :-1])[0].softmax(-1)
    check_steps(answer, probabilities)
    chances = probabilities.gather(1, ids[0, 1:, None])[:, 0]
    told = torch.tensor([step["chance"] for step in answer["steps"]])
    torch.testing.assert_close(told, chances, atol=1e-3, rtol=0)
    for name, kind in (
        ("encoder", r"encoder\..*self_attention"),
        ("decoder", r"decoder\..*self_attention"),
        ("cross", r"decoder\..*cross_attention"),
    ):
        check_maps(answer, name, [weights[part] for part in weights if re.fullmatch(kind, part)])


def check_steps(answer: dict[str, Any], probabilities: torch.Tensor) -> None:
    """Compare the most probable pieces of each step with ``probabilities (steps, pieces)``."""
    assert len(answer["steps"]) == len(probabilities)
    for step, best in enumerate(one["best"] for one in answer["steps"]):
        shown = torch.tensor(answer["steps"][step]["logits"]).softmax(-1)
        torch.testing.assert_close(shown, probabilities[step], atol=1e-3, rtol=0)
        expected = probabilities[step].topk(len(best)).values
        torch.testing.assert_close(_of(best), expected, atol=1e-3, rtol=0)
        torch.testing.assert_close(
            _of(best), probabilities[step][[b["id"] for b in best]], atol=1e-3, rtol=0
        )


def check_maps(answer: dict[str, Any], name: str, layers: list[torch.Tensor]) -> None:
    """Compare maps with the weights ``(1, heads, queries, keys)`` of each layer."""
    shown = torch.tensor(answer["maps"][name]["numbers"]) / 65535
    shown = shown.view(answer["maps"][name]["shape"])
    torch.testing.assert_close(shown, torch.cat(layers), atol=1e-3, rtol=0)


def _of(best: list[dict[str, float]]) -> torch.Tensor:
    return torch.tensor([one["probability"] for one in best])


OTHER_KINDS: list[dict[str, Any]] = [
    {"norm": "post", "positions": "relative", "activation": "gelu", "num_encoder_layers": 1},
    {"norm_type": "rms", "positions": "rotary", "activation": "swiglu", "bias": False},
    {"num_kv_heads": 1, "qk_norm": True, "positions": "alibi", "initialization": "gpt2"},
    {"positions": "learned", "activation": "gelu_tanh", "num_heads": 6, "num_kv_heads": 2},
    {"positions": "none", "num_heads": 1, "num_layers": 1, "eps": 0.1},
    {"positions": "rotary", "rope_factor": 3.0, "rope_scaling": "ntk", "activation": "geglu"},
]


@pytest.mark.parametrize(
    ("values", "int8"),
    [({}, True), ({"tie_embeddings": True}, False), *((kinds, True) for kinds in OTHER_KINDS)],
    ids=str,
)
def test_it_gives_the_numbers_of_pytorch(
    context: BrowserContext, tmp_path: Path, values: dict[str, Any], int8: bool
) -> None:
    small_translator(**values).save(tmp_path, int8=int8)
    translator = Translator.load(tmp_path)
    posted = asked(context, typed_model(translator, None), TEXTS, 4, int8)
    assert len(posted) == 2 * len(TEXTS)
    for text, answer, found in zip(TEXTS, posted[::2], posted[1::2], strict=True):
        check_answer(translator, text, answer)
        source = torch.tensor([translator.source(text)])
        best, score = beam_search(
            translator.model,
            torch.full((1, 1), START),
            source=source,
            beam_width=4,
            max_tokens=min(2 * source.shape[1] + 10, 40),
            end_id=END,
        )
        texts = found["texts"]
        assert texts[0]["text"] == translator.vocabulary.decode(best[0].tolist())
        assert texts[0]["score"] == pytest.approx(score.item(), abs=1e-3)
        assert [t["score"] for t in texts] == sorted((t["score"] for t in texts), reverse=True)


TYPED = [
    "My grandmother bakes bread every Sunday.",
    "Could you tell me where the nearest pharmacy is?",
    "IT IS RAINING AGAIN",
    "We left at 7:45 and arrived around noon.",
    "a man in a red jacket is riding a bike down the hill",
    "Nobody knew why the lights went out.",
    "I'd rather stay home, read a book and drink tea.",
    "Prices rose by 3.5 % last year.",
    "Dr. Okafor moved to Marseille in 2019, her sister Emmeline to Tauranga.",
    "She said: “Don't wait for me!”",
    "“I dont beleive it,” Priya answered at 5 pm.",
    "Amara's dog ate 45,000 biscuits and 3712 shoes.",
    "Noor paid $9.99 for 2.5 kilos of fish on May 14th at 2:30 p.m.",
    "The price went from 4.15 to 4.95 euros.",
    "My uncle Giovanni lives in Naples.",
    "Room 304 costs $2.5k from 2 to 15 August in Norway.",
    "The train was late, so we drove an old Peugeot 205 to 21 Baker Street.",
    "Could I have another CLEAN glass and a sharp knife?",
    "i forgott to buy bread agian",
    "“The crowd moved again,” said our freind.",
]


def test_the_shipped_model_gives_the_numbers_of_pytorch(context: BrowserContext) -> None:
    """Pieces, probabilities, doubt and every map, of sentences that no training text holds."""
    translator = Translator.shipped()
    posted = asked(context, typed_model(translator, None), TYPED, 2, int8=True)
    assert [texts["missing"] for texts in posted[1::2]].count([]) < len(TYPED) - 1
    for text, answer, texts in zip(TYPED, posted[::2], posted[1::2], strict=True):
        check_answer(translator, text, answer)
        _, words, missing = translate_in_doubt(translator, Calibration.load(SHIPPED), text)
        assert [*answer["lost"], *texts["missing"]] == missing
        found = [(word["text"], word["share"]) for word in answer["words"]]
        assert [text for text, share in found if share is not None] == [text for text, _ in words]
        for one in (*texts["texts"], answer):
            invented = {name for name in STANDING if re.search(rf"\b{name}\b", one["text"])}
            assert not {name for name in invented if name not in text} or answer["lost"]
        shares = [share for _, share in found if share is not None]
        assert shares == pytest.approx([share for _, share in words], abs=2e-3)


@pytest.mark.parametrize(("values", "ends"), [({}, True), ({"tie_embeddings": True}, False)])
def test_its_vectors_hold_texts_that_end_and_texts_that_do_not(
    values: dict[str, Any], ends: bool
) -> None:
    translator = small_translator(**values)
    source = torch.tensor([translator.source(TEXTS[0])])
    prompt = torch.full((1, 1), START)
    ids = greedy(translator.model, prompt, source=source, max_tokens=30, end_id=END)
    assert (END in ids[0].tolist()) == ends


def test_pieces_are_those_of_the_library(context: BrowserContext) -> None:
    translator = small_translator()
    page = context.new_page()
    page.add_script_tag(content=ENGINE)
    vocabulary = files_of(typed_model(translator, None))["vocabulary"]
    texts = [*NASTY, *TEXTS]
    found = page.evaluate(ENCODE, {"vocabulary": vocabulary, "texts": texts})
    assert dict(zip(texts, found, strict=True)) == {
        text: translator.vocabulary.encode(text) for text in texts
    }


@pytest.mark.parametrize("padding_id", [None, 0])
@pytest.mark.parametrize("words", [False, True])
def test_a_language_model_gives_the_numbers_of_pytorch(
    context: BrowserContext, words: bool, padding_id: int | None
) -> None:
    """The text of words begins with padding: places are counted after it if the model knows it."""
    typed = small_typed(words=words, padding_id=padding_id)
    texts = ["[pad] [pad] the cat sat", "the"] if words else ["The cat sat on", "Zebra 日本 ok"]
    posted = asked(context, typed, texts, 0)
    assert len(posted) == len(texts)
    for text, answer in zip(texts, posted, strict=True):
        ids = ([] if words else [START]) + typed.vocabulary.encode(text)
        begun, ids = len(ids) - 1, ids[:1] + answer["ids"]
        assert answer["begun"] == begun
        assert answer["text"] == typed.answer(text)
        with torch.no_grad(), recorded_weights(typed.model) as weights:
            probabilities = typed.model(torch.tensor([ids[:-1]]))[0].softmax(-1)
        check_steps(answer, probabilities)
        assert [one["best"][0]["id"] for one in answer["steps"][begun:]] == answer["ids"][begun:]
        check_maps(answer, "decoder", list(weights.values()))


def test_the_shipped_writer_goes_on_as_in_pytorch(context: BrowserContext) -> None:
    typed = typed_model(Writer.shipped(), None)
    texts = ["She was looking for", "i don't think", "The old", "Tom"]
    for text, answer in zip(texts, asked(context, typed, texts, 0), strict=True):
        assert answer["text"] == typed.answer(text)
        assert answer["text"].lower().startswith(text.lower())


def test_a_translator_of_words_gives_the_numbers_of_pytorch(context: BrowserContext) -> None:
    typed = small_typed(words=True, translates=True)
    texts = ["the cat sat", "[pad] dog on [pad] the mat"]
    for text, answer in zip(texts, asked(context, typed, texts, 4)[::2], strict=True):
        source = torch.tensor([typed.vocabulary.encode(text)])
        target = torch.tensor([[1, *answer["ids"]]])
        assert answer["text"] == typed.answer(text)
        with torch.no_grad():
            check_steps(answer, typed.model(source, target[:, :-1])[0].softmax(-1))


@pytest.mark.parametrize("text", ["the [mask] sat on the [mask]", "the cat [pad]"])
def test_an_encoder_gives_the_numbers_of_pytorch(context: BrowserContext, text: str) -> None:
    words = ["[pad]", "[mask]", *WORDS[3:]]
    model = EncoderOnly(ModelConfig(len(words), **SIZES), generator=seeded(1))
    typed = typed_model(model, words)
    [answer] = asked(context, typed, [text], 0)
    ids = torch.tensor([typed.vocabulary.encode(text)])
    assert answer["text"] == typed.answer(text)
    assert answer["asked"] == ([1, 5] if "[mask]" in text else [0, 1, 2])
    with torch.no_grad(), recorded_weights(model) as weights:
        check_steps(answer, (model(ids)[0] @ model.embedding.weight.T).softmax(-1))
    check_maps(answer, "encoder", list(weights.values()))


def test_a_word_that_the_list_lacks_is_not_read(context: BrowserContext) -> None:
    [answer] = asked(context, small_typed(words=True), ["the zebra sat"], 0)
    assert "steps" not in answer
    assert [piece["id"] is None for piece in answer["pieces"]] == [False, True, False]
    assert "zebra" not in WORDS
