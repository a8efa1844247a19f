"""translation/builtin.py: the corpus that the package ships, and what its splits keep apart."""

import gzip
import hashlib
import re
from collections import Counter
from functools import cache

import pytest

from transformer_lesson.translation import builtin
from transformer_lesson.translation.corpora import Corpus, load_corpus, load_natural

PAGE = (builtin.DATA / "README.md").read_text("utf-8")


@cache
def corpus() -> Corpus:
    return load_corpus("builtin")


def test_it_has_the_pairs_that_its_description_names() -> None:
    held = corpus()
    assert (len(held.train), len(held.validation), len(held.test)) == (40_000, 500, 1_000)
    assert held.description.startswith("40,000 pairs") and held.name == "builtin"


def test_fewer_pairs_are_the_first_of_all_and_the_test_stays() -> None:
    small = load_corpus("builtin", pairs=300)
    assert small.train == corpus().train[:300]
    assert (small.validation, small.test) == (corpus().validation, corpus().test)
    assert small.description.startswith(corpus().description)
    assert "Only the first 300" in small.description


@pytest.mark.parametrize(("name", "most"), [("builtin", 40_000), ("everyday", 95_395)])
def test_pairs_that_do_not_exist_are_refused(name: str, most: int) -> None:
    for pairs in (0, most + 1):
        with pytest.raises(ValueError, match=f"pairs={pairs} must be from 1 to {most}"):
            load_corpus(name, pairs=pairs)


def test_the_text_is_the_frozen_one() -> None:
    digests = re.findall(r"`(\S+\.tsv\.gz)` .* `([0-9a-f]{64})`", PAGE)
    assert {name for name, _ in digests} == {path.name for path in builtin.DATA.glob("*.tsv.gz")}
    for name, digest in digests:
        text = gzip.decompress((builtin.DATA / name).read_bytes())
        assert hashlib.sha256(text).hexdigest() == digest, name


def test_the_page_counts_what_the_test_pairs_show() -> None:
    counted = Counter(name for pair in corpus().test for name in pair.phenomena)
    assert {
        name: int(n) for name, n in re.findall(r"^\| `([a-z-]+)` \| (\d+) ", PAGE, re.M)
    } == counted


def test_the_natural_pairs_are_300_and_well_formed() -> None:
    pairs = load_natural()
    assert len(pairs) == 300
    assert len({pair.english for pair in pairs}) == 300
    for pair in pairs:
        assert pair.english[-1] in ".?!" and pair.french[-1] in ".?!"
        assert pair.english == pair.english.strip() and "  " not in pair.english + pair.french
        assert pair.french[-1] == "." or pair.french[-2] == " ", pair.french
