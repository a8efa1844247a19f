from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer_lesson.translation.vocabulary import END, PADDING, START, UNKNOWN, Vocabulary

TEXTS = [
    "The cat sat on the mat.",
    "L'homme n'a pas mangé la pomme.",
    "Est-ce qu'il est là ?",
    "Aujourd'hui, c'est dimanche !",
]
VOCABULARY = Vocabulary.train(TEXTS * 5, 90)


@pytest.mark.parametrize("text", TEXTS)
def test_text_comes_back(text: str) -> None:
    assert VOCABULARY.decode(VOCABULARY.encode(text)) == text
    assert VOCABULARY.encode_all([text]) == [VOCABULARY.encode(text)]
    assert "".join(VOCABULARY.pieces(text)).replace("▁", " ").strip() == text


@given(st.lists(st.sampled_from([word for text in TEXTS for word in text.split()])))
def test_any_words_come_back(words: list[str]) -> None:
    assert VOCABULARY.decode(VOCABULARY.encode(" ".join(words))) == " ".join(words)


def test_decoding_ends_at_the_end() -> None:
    ids = VOCABULARY.encode("The cat")
    assert VOCABULARY.decode([START, *ids, END, *ids, PADDING]) == "The cat"
    assert VOCABULARY.decode([END]) == ""


@pytest.mark.parametrize("name", ["<padding>", "<start>", "<end>", "<unknown>"])
def test_what_is_typed_is_never_a_control_token(name: str, tmp_path: Path) -> None:
    VOCABULARY.save(tmp_path / "v.json")
    learned = Vocabulary.train([*TEXTS, f"a {name}b {name}"] * 5, 92)
    for vocabulary in (VOCABULARY, Vocabulary.load(tmp_path / "v.json"), learned):
        ids = vocabulary.encode(f"the cat{name} {name} sat")
        assert not {PADDING, START, END} & set(ids)
        assert vocabulary.encode_all([f"the cat{name} {name} sat"]) == [ids]
    assert learned.decode(learned.encode(f"a {name}")) == f"a {name}"


def test_unknown_letters_are_unknown() -> None:
    assert UNKNOWN in VOCABULARY.encode("Ж")
    assert UNKNOWN not in VOCABULARY.encode("mange")


def test_pieces_belong_to_words() -> None:
    text, words = "L'homme n'a pas", ["L'", "homme", "n'", "a", "pas"]
    found = VOCABULARY.word_of_piece(text, words)
    pieces = VOCABULARY.pieces(text)
    spelled = ["".join(p for p, i in zip(pieces, found, strict=True) if i == k) for k in range(5)]
    assert [word.replace("▁", "") for word in spelled] == words


def test_a_space_that_is_a_piece_belongs_to_the_word_after_it() -> None:
    """French sets a space before ``?``, and no word begins with it."""
    text = "Oui ?"
    assert VOCABULARY.pieces(text)[-2:] == ["▁", "?"]
    assert VOCABULARY.word_of_piece(text, ["Oui", "?"])[-2:] == [1, 1]


@pytest.mark.parametrize(
    ("words", "message"),
    [(["The", "dog"], "word 1, 'dog'"), (["cat"], "word 0, 'cat'"), (["The"], "goes on")],
)
def test_words_of_another_text_are_refused(words: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        VOCABULARY.word_of_piece("The cat", words)


def test_the_same_text_gives_the_same_vocabulary_and_a_file_keeps_it(tmp_path: Path) -> None:
    for name, vocabulary in (("a", VOCABULARY), ("b", Vocabulary.train(TEXTS * 5, 90))):
        vocabulary.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    again = Vocabulary.load(tmp_path / "a")
    assert len(again) == len(VOCABULARY)
    assert again.encode(TEXTS[1]) == VOCABULARY.encode(TEXTS[1])


@pytest.mark.parametrize(("size", "message"), [(10, "too many letters"), (5000, "too short")])
def test_an_impossible_size_is_refused(size: int, message: str) -> None:
    with pytest.raises(ValueError, match=rf"size={size}.*{message}"):
        Vocabulary.train(TEXTS, size)


def test_another_file_is_no_vocabulary(tmp_path: Path) -> None:
    path = tmp_path / "v.json"
    with pytest.raises(FileNotFoundError):
        Vocabulary.load(path)
    path.write_text("{}")
    with pytest.raises(ValueError, match=r"v\.json holds no tokenizer"):
        Vocabulary.load(path)
