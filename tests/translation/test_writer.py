"""A writer goes on from a beginning, and is kept in a folder as a translator is."""

from pathlib import Path

import pytest

from tests.translation.toy import ENGLISH
from transformer_lesson import seeded
from transformer_lesson.config import ModelConfig
from transformer_lesson.models import DecoderOnly
from transformer_lesson.translation.stored import load_folder, save_folder
from transformer_lesson.translation.vocabulary import Vocabulary
from transformer_lesson.translation.writer import Writer

CONFIG = ModelConfig(40, d_model=16, num_heads=2, num_layers=1, d_ff=16, max_tokens=12)
TEXTS = [text.capitalize() for text in ENGLISH]


@pytest.fixture(scope="module")
def writer() -> Writer:
    return Writer(DecoderOnly(CONFIG, generator=seeded(0)), Vocabulary.train(TEXTS, 40))


def test_texts_begin_as_they_are_told_and_repeat_with_the_seed(writer: Writer) -> None:
    texts = writer.write("A big", texts=4, generator=seeded(1))
    assert len(set(texts)) == 4 and all(text.startswith("A big") for text in texts)
    assert texts == writer.write("a big", texts=4, generator=seeded(1))  # typed without a capital
    assert texts != writer.write("A big", texts=4, generator=seeded(2))
    assert len(writer.write()) == 1


def test_a_beginning_without_room_is_refused(writer: Writer) -> None:
    with pytest.raises(ValueError, match=r"max_tokens=12 counts the prompt"):
        writer.write("A big dog sleeps here. " * 5)


def test_in_eight_bits_it_is_read_as_a_writer(writer: Writer, tmp_path: Path) -> None:
    save_folder(tmp_path, writer.model, writer.vocabulary, int8=True)
    again = Writer(*load_folder(tmp_path, DecoderOnly))
    for name, weight in writer.model.state_dict().items():
        assert (again.model.state_dict()[name] - weight).abs().max() <= weight.abs().max() / 250
    assert again.vocabulary.encode("A cat") == writer.vocabulary.encode("A cat")
    with pytest.raises(ValueError, match="vocab_size=40 and the vocabulary 30 pieces"):
        Writer(again.model, Vocabulary.train(TEXTS, 30))
