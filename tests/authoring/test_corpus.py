"""authoring/corpus.py: what the package ships is what the grammar draws.

A sample is compared here. ``python -m authoring.corpus --check`` compares everything.
"""

import gzip
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from authoring import corpus
from authoring.grammar.splits import draw_splits, sentences
from transformer_lesson.translation import builtin
from transformer_lesson.translation.corpora import Pair, load_corpus, load_more

MARKED_LATER = {"unseen", "rare-word"}


def test_the_first_training_pairs_are_what_the_grammar_draws() -> None:
    drawn = draw_splits(corpus.SEED, train=1_000, validation=1, test=1)["train"]
    held = load_corpus("builtin", pairs=1_000).train
    assert [(p.english, p.french) for p in held] == [(p.english, p.french) for p in drawn]


@pytest.mark.parametrize("split", ["validation", "test"])
@pytest.mark.parametrize("unseen", [True, False])
def test_pairs_that_are_kept_from_training_are_what_the_grammar_draws(
    split: str, unseen: bool
) -> None:
    held = {
        pair.english: pair
        for pair in getattr(load_corpus("builtin"), split)
        if ("unseen" in pair.phenomena) == unseen
    }
    found = 0
    for sentence in islice(sentences(corpus.SEED, split, unseen), 100):
        if pair := held.get(sentence.english_text):
            found += 1
            assert pair.french == sentence.french_text
            assert pair.alignment == sentence.alignment
            assert pair.phenomena - MARKED_LATER == sentence.phenomena
    assert found > 80  # the others hold an unknown lexeme, or stand in training


def test_the_first_further_pairs_are_what_the_grammar_draws() -> None:
    drawn = [
        Pair(sentence.english_text, sentence.french_text)
        for sentence in islice(sentences(corpus.SEED_OF_MORE, "train", False), 500)
        if len(sentence.english) <= corpus.LONGEST
    ]
    assert load_more()[: len(drawn)] == drawn


def test_an_annotated_pair_is_read_as_it_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = [
        Pair("A cat.", "Un chat.", ((0, 0), (1, 1), (2, 2)), frozenset(("long", "unseen"))),
        Pair("Yes.", "Oui.", ((0, 0),), frozenset()),
    ]
    text = "".join("\t".join(corpus.annotated(pair)) + "\n" for pair in pairs)
    (tmp_path / "test.tsv.gz").write_bytes(gzip.compress(text.encode()))
    monkeypatch.setattr(builtin, "DATA", tmp_path)
    assert builtin._annotated("test") == pairs


def test_it_writes_what_has_changed_and_a_check_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def files() -> Iterator[tuple[str, str]]:
        yield "train.tsv", "Yes.\tOui.\n"

    monkeypatch.setattr(corpus, "DATA", tmp_path)
    monkeypatch.setattr(corpus, "files", files)
    assert corpus.main(["--check"]) == 1 and not list(tmp_path.iterdir())
    assert "train.tsv.gz: not what this command makes" in capsys.readouterr().out
    assert corpus.main([]) == 0
    written = (tmp_path / "train.tsv.gz").read_bytes()
    assert gzip.decompress(written).decode() == "Yes.\tOui.\n"
    assert corpus.main(["--check"]) == 0 and corpus.main([]) == 0
    assert (tmp_path / "train.tsv.gz").read_bytes() == written
