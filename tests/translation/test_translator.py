import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.fixtures import Capture
from tests.translation.toy import CORPUS, ENGLISH, FRENCH, PAIRS, RECIPE
from transformer_lesson.decoding import beam_search, greedy
from transformer_lesson.translation.corpora import Pair
from transformer_lesson.translation.recipe import learn_vocabulary, train_translator
from transformer_lesson.translation.translator import Translator, examples
from transformer_lesson.translation.vocabulary import END, START


@pytest.fixture(scope="module")
def translator() -> Translator:
    return train_translator(CORPUS, RECIPE, progress=False)[0]


def test_order_empty_texts_and_beams(translator: Translator) -> None:
    texts = [*reversed(ENGLISH), "", "a cat"]
    assert translator.translate(texts) == [*reversed(FRENCH), "", "un chat"]
    assert translator.translate(texts, beam_width=3) == [*reversed(FRENCH), "", "un chat"]
    assert translator.translate([]) == []


@pytest.mark.parametrize("beam_width", [1, 2])
def test_a_batch_translates_as_one_sentence_does(translator: Translator, beam_width: int) -> None:
    torch.manual_seed(0)
    model = translator.model
    for text in ENGLISH:
        source = torch.tensor([translator.source(text)])
        prompt = torch.tensor([[START]])
        told: Any = {"source": source, "max_tokens": 20, "end_id": END}
        if beam_width == 1:
            tokens = greedy(model, prompt, **told)
        else:
            tokens, _ = beam_search(model, prompt, beam_width=beam_width, **told)
        alone = translator.vocabulary.decode(tokens[0].tolist())
        assert translator.translate([text], beam_width=beam_width) == [alone]


def test_saved_and_loaded_it_translates_the_same(translator: Translator, tmp_path: Path) -> None:
    translator.save(tmp_path / "model")
    names = {path.name for path in (tmp_path / "model").iterdir()}
    assert names == {"model.safetensors", "config.json", "vocabulary.json"}
    assert Translator.load(tmp_path / "model").translate(ENGLISH) == FRENCH


def test_a_folder_of_an_earlier_version_is_read(translator: Translator, tmp_path: Path) -> None:
    translator.save(tmp_path)
    config = (tmp_path / "config.json").read_text()
    (tmp_path / "config.json").write_text(config.replace("norm_type", "normalization"))
    assert Translator.load(tmp_path).translate(ENGLISH) == FRENCH


def test_damaged_folders_are_named(translator: Translator, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"holds no model\.safetensors"):
        Translator.load(tmp_path)
    translator.save(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(config | {"d_ff": 64}))
    with pytest.raises(ValueError, match=r"not the weights of the model of .*config\.json"):
        Translator.load(tmp_path)
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(ValueError, match="damaged model"):
        Translator.load(tmp_path)
    translator.save(tmp_path)
    data = (tmp_path / "model.safetensors").read_bytes()
    (tmp_path / "model.safetensors").write_bytes(data[: len(data) // 2])
    with pytest.raises(ValueError, match="damaged model"):
        Translator.load(tmp_path)


def test_a_vocabulary_of_another_model_is_refused(translator: Translator) -> None:
    with pytest.raises(ValueError, match="vocab_size=60 and the vocabulary 50"):
        Translator(translator.model, learn_vocabulary(CORPUS, 50))


def test_a_text_beyond_the_model_is_translated_in_parts(translator: Translator) -> None:
    long = " ".join(["a dog"] * 20)
    parts = translator.parts(long)
    assert len(parts) > 1 and " ".join(parts) == long
    whole = " ".join(translator.translate(parts))
    assert translator.translate(["a cat", long]) == ["un chat", whole]


def test_examples_end_and_start_and_leave_out_what_is_too_long(translator: Translator) -> None:
    vocabulary = translator.vocabulary
    found = examples([*PAIRS, Pair("a " * 40, "un"), Pair("", "un")], vocabulary, 20)
    assert len(found) == len(PAIRS)
    source, target = found[0]
    assert source == [*vocabulary.encode("a cat"), END]
    assert target == [START, *vocabulary.encode("un chat"), END]


def test_training_goes_on_where_it_stopped(tmp_path: Path) -> None:
    first, _ = train_translator(CORPUS, RECIPE, folder=tmp_path, progress=False)
    again, history = train_translator(CORPUS, RECIPE, folder=tmp_path, progress=False)
    assert history.steps == RECIPE.steps
    assert [step for step, _ in history.evaluations] == [0, 75, 150]
    assert history.evaluations[-1][1]["bleu"] == pytest.approx(100)
    for one, two in zip(first.model.parameters(), again.model.parameters(), strict=True):
        assert one.equal(two)


def test_a_start_of_other_sizes_or_beside_a_vocabulary_is_refused(translator: Translator) -> None:
    with pytest.raises(ValueError, match=r"recipe.sized_as\(start\)"):
        train_translator(CORPUS, replace(RECIPE, d_ff=16), start=translator)
    with pytest.raises(ValueError, match="leave vocabulary out"):
        train_translator(CORPUS, RECIPE, start=translator, vocabulary=translator.vocabulary)


def test_watched_sentences_are_shown(capsys: Capture) -> None:
    train_translator(CORPUS, RECIPE, watched=PAIRS[:1])
    assert capsys.readouterr().out.count("un chat") >= 1


def test_padding_and_what_is_left_out_are_shown(capsys: Capture) -> None:
    long = Pair("a cat " * 40, "un chat " * 40)
    train_translator(replace(CORPUS, train=[*CORPUS.train, long]), replace(RECIPE, steps=12))
    shown = capsys.readouterr().out
    assert "% of their ids are padding" in shown and "1 pairs left out" in shown
    train_translator(CORPUS, replace(RECIPE, steps=12), progress=False)
    assert not capsys.readouterr().out
