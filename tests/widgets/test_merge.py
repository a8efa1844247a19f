"""A text in pieces, merge by merge."""

import pytest
import traitlets
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from transformer_lesson.widgets import MergeExplorer
from transformer_lesson.widgets.merge import readable

TOKENIZER = Tokenizer(models.BPE())
TOKENIZER.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
TOKENIZER.train_from_iterator(
    ["the cat sat on the mat"] * 2 + ["that hat, I've 12 cats"],
    trainers.BpeTrainer(
        vocab_size=280, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    ),
)
TEXTS = ("the cat sat on the mat", "That's 1,234  été 猫\n the end", "aaa", "")


@pytest.mark.parametrize("text", TEXTS)
def test_all_merges_give_the_tokenizers_pieces_and_none_the_bytes(text: str) -> None:
    view = MergeExplorer(TOKENIZER, text)
    assert view.pieces(view.merges_made) == TOKENIZER.encode(text).tokens
    assert len(view.pieces(0)) == len(text.encode())


def test_spaces_can_be_seen_and_part_of_a_sign_is_numbers() -> None:
    view = MergeExplorer(TOKENIZER, " é")
    assert [readable(piece) for piece in view.pieces(0)] == ["␣", "c3", "a9"]


def test_what_the_page_could_not_cut_is_refused() -> None:
    other = Tokenizer(models.BPE())
    with pytest.raises(ValueError, match=r"no cuts; pass BPE after .*ByteLevel"):
        MergeExplorer(other, "the cat")
    other.pre_tokenizer = TOKENIZER.pre_tokenizer
    other.train_from_iterator(["the cat"], trainers.BpeTrainer(show_progress=False))
    with pytest.raises(ValueError, match="no token for 250 of the 256 bytes; train it"):
        MergeExplorer(other, "the cat")
    with pytest.raises(traitlets.TraitError, match="out of range; choose 0 to"):
        MergeExplorer(TOKENIZER, "the cat").merges_made = 1000
