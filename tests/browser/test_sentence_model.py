"""The translator in the browser gives PyTorch's numbers."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
import torch
from playwright.sync_api import BrowserContext

from tests.widgets.small_translator import small_translator
from transformer_lesson.decoding import beam_search, greedy
from transformer_lesson.models import recorded_weights
from transformer_lesson.translation.translator import CONFIG, MODEL, VOCABULARY, Translator
from transformer_lesson.translation.vocabulary import END, START
from transformer_lesson.widgets.sentence import ENGINE

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
ANSWER = """async ({ files, texts, width }) => {
  const bytes = Uint8Array.from(atob(files.weights), (character) => character.charCodeAt(0));
  const posted = [];
  const answers = new Answers((message) => posted.push(message));
  answers.load({ ...files, weights: bytes.buffer });
  for (const [number, text] of texts.entries()) {
    await answers.ask({ number, text, given: [], width });
  }
  const list = (map) => ({ ...map, numbers: [...map.numbers] });
  return posted.map(({ answer, texts }) => {
    if (!answer) return texts;
    const { encoder, decoder, cross } = answer.maps;
    const maps = { encoder: list(encoder), decoder: list(decoder), cross: list(cross) };
    return { ...answer, maps };
  });
}"""
ENCODE = """({ vocabulary, texts }) => {
  const tokenizer = new Tokenizer(vocabulary);
  return texts.map((text) => tokenizer.encode(text).map(({ id }) => id));
}"""


def files_of(folder: Path) -> dict[str, Any]:
    """Return the three files of a translator as a page takes them."""
    return {
        "config": json.loads((folder / CONFIG).read_text("utf-8")),
        "vocabulary": json.loads((folder / VOCABULARY).read_text("utf-8")),
        "weights": base64.b64encode((folder / MODEL).read_bytes()).decode(),
    }


def check_answer(translator: Translator, text: str, answer: dict[str, Any]) -> None:
    """Compare ids, every map and the probabilities of every step with PyTorch's."""
    model = translator.model
    source = torch.tensor([translator.source(text)])
    prompt = torch.full((1, 1), START)
    room = min(2 * source.shape[1] + 10, model.config.max_tokens)
    ids = greedy(model, prompt, source=source, max_tokens=room, end_id=END)
    assert answer["ids"] == ids[0, 1:].tolist()
    assert answer["text"] == translator.vocabulary.decode(ids[0].tolist())
    with torch.no_grad(), recorded_weights(model) as weights:
        probabilities = model(source, ids[:, :-1])[0].softmax(-1)
    for step, best in enumerate(answer["steps"]):
        expected = probabilities[step].topk(len(best)).values
        torch.testing.assert_close(_of(best), expected, atol=1e-3, rtol=0)
        torch.testing.assert_close(
            _of(best), probabilities[step][[b["id"] for b in best]], atol=1e-3, rtol=0
        )
    for name, kind in (
        ("encoder", "encoder.layers.{}.self_attention"),
        ("decoder", "decoder.layers.{}.self_attention"),
        ("cross", "decoder.layers.{}.cross_attention"),
    ):
        layers = [weights[kind.format(i)][0] for i in range(model.config.num_layers)]
        shown = torch.tensor(answer["maps"][name]["numbers"]) / 65535
        shown = shown.view(answer["maps"][name]["shape"])
        torch.testing.assert_close(shown, torch.stack(layers), atol=1e-3, rtol=0)


def _of(best: list[dict[str, float]]) -> torch.Tensor:
    return torch.tensor([one["probability"] for one in best])


@pytest.mark.parametrize(
    ("values", "int8"),
    [({}, True), ({"tie_embeddings": True}, False), ({"initialization": "gpt2"}, True)],
    ids=str,
)
def test_it_gives_the_numbers_of_pytorch(
    context: BrowserContext, tmp_path: Path, values: dict[str, Any], int8: bool
) -> None:
    small_translator(**values).save(tmp_path, int8=int8)
    translator = Translator.load(tmp_path)
    page = context.new_page()
    page.add_script_tag(content=ENGINE)
    posted = page.evaluate(ANSWER, {"files": files_of(tmp_path), "texts": TEXTS, "width": 4})
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


@pytest.mark.parametrize(("values", "ends"), [({}, True), ({"tie_embeddings": True}, False)])
def test_its_vectors_hold_texts_that_end_and_texts_that_do_not(
    values: dict[str, Any], ends: bool
) -> None:
    translator = small_translator(**values)
    source = torch.tensor([translator.source(TEXTS[0])])
    prompt = torch.full((1, 1), START)
    ids = greedy(translator.model, prompt, source=source, max_tokens=30, end_id=END)
    assert (END in ids[0].tolist()) == ends


def test_pieces_are_those_of_the_library(context: BrowserContext, tmp_path: Path) -> None:
    translator = small_translator()
    translator.save(tmp_path)
    page = context.new_page()
    page.add_script_tag(content=ENGINE)
    vocabulary = files_of(tmp_path)["vocabulary"]
    texts = [*NASTY, *TEXTS]
    found = page.evaluate(ENCODE, {"vocabulary": vocabulary, "texts": texts})
    assert dict(zip(texts, found, strict=True)) == {
        text: translator.vocabulary.encode(text) for text in texts
    }
