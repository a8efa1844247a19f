"""translation/corpora.py, text_files.py, wmt14.py: one's own text, and text from the internet."""

import errno
import gzip
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.fixtures import Patch
from transformer_lesson.translation import wmt14
from transformer_lesson.translation.corpora import Pair, load_corpus

ENGLISH = [f"The cat sat on mat {i}." for i in range(40)]
FRENCH = [f"Le chat était assis sur le tapis {i}." for i in range(40)]


def write(path: Path, lines: list[str]) -> Path:
    text = "".join(line + "\n" for line in lines).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


def test_a_corpus_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="pairs=0"):
        wmt14.load_wmt14(pairs=0)
    known = "'builtin', 'everyday', 'files', 'wmt14'"
    with pytest.raises(ValueError, match=f"no corpus 'wmt15'; there are {known}"):
        load_corpus("wmt15")


@pytest.mark.parametrize("end", ["", ".gz"])
def test_two_files_that_are_line_aligned(tmp_path: Path, end: str) -> None:
    source, target = write(tmp_path / f"a.en{end}", ENGLISH), write(tmp_path / f"a.fr{end}", FRENCH)
    made = load_corpus("files", source=source, target=target)
    assert (len(made.train), len(made.validation), len(made.test)) == (33, 4, 3)
    pairs = {*made.train, *made.validation, *made.test}
    assert pairs == {Pair(english, french) for english, french in zip(ENGLISH, FRENCH, strict=True)}
    assert made == load_corpus("files", source=str(source), target=str(target))


def test_the_split_does_not_depend_on_the_order_of_the_lines(tmp_path: Path) -> None:
    one = load_corpus("files", source=write(tmp_path / "a.tsv", _rows(ENGLISH, FRENCH)))
    turned = load_corpus(
        "files", source=write(tmp_path / "b.tsv", _rows(ENGLISH[::-1], FRENCH[::-1]))
    )
    assert set(one.test) == set(turned.test) and set(one.validation) == set(turned.validation)


def _rows(english: list[str], french: list[str]) -> list[str]:
    return [f"{left}\t{right}\tCC-BY 2.0" for left, right in zip(english, french, strict=True)]


def test_an_english_sentence_with_two_translations_stays_in_one_split(tmp_path: Path) -> None:
    twice = write(tmp_path / "a.tsv", _rows(ENGLISH * 2, FRENCH + ["Autre : " + f for f in FRENCH]))
    made = load_corpus("files", source=twice)
    splits = [{p.english for p in split} for split in (made.train, made.validation, made.test)]
    assert not (splits[0] & splits[1] or splits[0] & splits[2] or splits[1] & splits[2])


def test_given_splits_are_kept_and_taken_out_of_training(tmp_path: Path) -> None:
    source = write(tmp_path / "a.tsv", _rows(ENGLISH, FRENCH))
    test = (write(tmp_path / "t.en", ENGLISH[:3]), write(tmp_path / "t.fr", FRENCH[:3]))
    validation = write(tmp_path / "v.tsv", _rows(["Yes."], ["Oui."]))
    made = load_corpus("files", source=source, validation=validation, test=test)
    assert [p.english for p in made.test] == ENGLISH[:3]
    assert made.validation == [Pair("Yes.", "Oui.")]
    assert len(made.train) == 37
    assert "3 training pairs left out whose English is in validation or test" in made.description


def test_empty_lines_are_left_out_and_told(tmp_path: Path) -> None:
    english = ["", *ENGLISH[1:5], " ", *ENGLISH[6:]]
    made = load_corpus(
        "files", source=write(tmp_path / "a.en", english), target=write(tmp_path / "a.fr", FRENCH)
    )
    assert len(made.train) + len(made.validation) + len(made.test) == 38
    assert "2 pairs" in made.description and "(lines 1, 6)" in made.description


HALF = gzip.compress("".join(ENGLISH).encode())[:40]


@pytest.mark.parametrize(
    ("files", "error", "words"),
    [
        ({"a.en": b"a\n" * 40, "a.fr": b"a\n" * 39}, ValueError,
         r"a\.en has 40 lines and .*a\.fr has 39"),
        ({"a.en": b"One\nsummer\n", "a.fr": "Un\nété\n".encode("latin1")}, ValueError,
         r"a\.fr, line 2: not UTF-8 \(byte 0xe9\)"),
        ({"a.tsv": None}, FileNotFoundError, r"a\.tsv: there is no such file"),
        ({"half.tsv.gz": HALF}, ValueError, r"half\.tsv\.gz is not a whole gzip file"),
        ({"a.tsv": b"Yes.\tOui.\nNo.\n"}, ValueError, r"a\.tsv, line 2: there is no tab"),
        ({"a.tsv": b"\t\n"}, ValueError, "there is no pair in it"),
        ({"a.tsv": b"1276\tYes.\t17\tOui.\n1277\tNo.\t19\tNon.\n"}, ValueError,
         r"a\.tsv: English should come first, .* number, as 1276\. .*: cut -f2,4"),
        ({"a.en": b"1\n2\n", "a.fr": b"Yes.\nNo.\n"}, ValueError, "begin with a number, as 1"),
        ({"a.tsv": b"Yes.\tOui.\nN\0o.\tNon.\n"}, ValueError,
         r"a\.tsv, line 2: a NUL byte, .*: tr -d"),
        ({"a.tsv": "Yes.\tOui.\n".encode("utf-16")}, ValueError,
         r"a\.tsv: this is UTF-16; .* iconv"),
        ({"a.tsv": "Yes.\tOui.\n".encode("utf-16-be")}, ValueError, r"a\.tsv: this is UTF-16"),
    ],
)  # fmt: skip
def test_files_that_cannot_be_read_are_named(
    files: dict[str, bytes | None], error: type[Exception], words: str, tmp_path: Path
) -> None:
    for name, data in files.items():
        if data is not None:
            (tmp_path / name).write_bytes(data)
    paths = dict(zip(("source", "target"), (tmp_path / name for name in files), strict=False))
    with pytest.raises(error, match=words):
        load_corpus("files", **paths)


def test_a_mark_at_the_beginning_and_windows_line_ends(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_bytes(b"\xef\xbb\xbfYes.\tOui.\r\nNo.\tNon.\r\nWell.\tBien.\r\n")
    made = load_corpus("files", source=tmp_path / "a.tsv")
    pairs = (("Yes.", "Oui."), ("No.", "Non."), ("Well.", "Bien."))
    assert {*made.train, *made.validation, *made.test} == {Pair(*pair) for pair in pairs}


# WMT14. What `datasets` would stream is played by files in the same layout.


class Stream:
    """The rows of a file, as `datasets` streams them."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        with self.path.open(encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)

    def shuffle(self, seed: int, buffer_size: int) -> "Stream":
        assert buffer_size > 1_000
        return self


def rows(path: Path, pairs: list[tuple[str, str]]) -> None:
    text = "".join(json.dumps({"translation": {"en": e, "fr": f}}) + "\n" for e, f in pairs)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: Patch) -> Path:
    """A folder in place of the hub, and a cache of its own."""
    folder = tmp_path / "hub"
    folder.mkdir()
    odd = [
        ("one two three", "un"),
        ("word " * 60, "mot " * 60),
        ("", "rien"),
        ("Twice.", "Deux."),
        ("Twice.", "Deux fois."),
    ]
    rows(folder / "train.jsonl", [*odd, *zip(ENGLISH, FRENCH, strict=True)])
    rows(folder / "validation.jsonl", [("Valid\nation.", "Validation.")])
    rows(folder / "test.jsonl", [("A test.", "Un test.")])
    fake = ModuleType("datasets")

    def load_dataset(name: str, config: str, *, split: str, streaming: bool) -> Stream:
        assert config == "fr-en" and streaming
        return Stream(Path(name) / f"{split}.jsonl")

    fake.load_dataset = load_dataset  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "datasets", fake)
    monkeypatch.setenv("TRANSFORMER_LESSON_CACHE", str(tmp_path / "cache"))
    return folder


def test_wmt14_takes_what_keeps_within_the_limits(hub: Path) -> None:
    made = load_corpus("wmt14", pairs=11, dataset=str(hub))
    assert [p.english for p in made.train] == ["Twice.", *ENGLISH[:10]]
    assert made.validation == [Pair("Valid ation.", "Validation.")] and len(made.test) == 1


def test_wmt14_is_kept(hub: Path, tmp_path: Path) -> None:
    made = load_corpus("wmt14", pairs=5, dataset=str(hub))
    for file in hub.iterdir():
        file.unlink()
    assert load_corpus("wmt14", pairs=5, dataset=str(hub)) == made
    (kept,) = (tmp_path / "cache").iterdir()
    # Another name on the hub is another corpus.
    assert re.fullmatch(r"wmt14-5-50-2\.0-0-[0-9a-f]{8}", kept.name)
    with pytest.raises(ConnectionError):
        load_corpus("wmt14", pairs=5, dataset=f"{hub}/other")


def test_wmt14_with_fewer_pairs_than_asked_for_says_so(hub: Path) -> None:
    with pytest.warns(UserWarning, match="only 41 of 1,000 training pairs fit"):
        load_corpus("wmt14", pairs=1_000, dataset=str(hub))


def test_wmt14_without_a_network_says_how_to_go_on(hub: Path, tmp_path: Path) -> None:
    (hub / "test.jsonl").unlink()
    with pytest.raises(ConnectionError, match=r"Is there a network\?.*load_corpus\(\"builtin\"\)"):
        load_corpus("wmt14", pairs=5, dataset=str(hub))
    assert not (tmp_path / "cache").exists()


def test_wmt14_without_the_package_says_what_to_install(hub: Path, monkeypatch: Patch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(ImportError, match="pip install datasets"):
        load_corpus("wmt14", pairs=5, dataset=str(hub))


def test_wmt14_on_a_full_disk_is_loaded_and_not_kept(
    hub: Path, tmp_path: Path, monkeypatch: Patch
) -> None:
    whole = Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        if path.name == "test.en.gz":
            whole(path, data[:3])
            raise OSError(errno.ENOSPC, "No space left on device")
        return whole(path, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.warns(UserWarning, match="the disk is full"):
        made = load_corpus("wmt14", pairs=5, dataset=str(hub))
    assert len(made.train) == 5
    assert not list((tmp_path / "cache").iterdir())


def test_wmt14_that_is_interrupted_leaves_nothing(
    hub: Path, tmp_path: Path, monkeypatch: Patch
) -> None:
    def stop(path: Path, data: bytes) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "write_bytes", stop)
    with pytest.raises(KeyboardInterrupt):
        load_corpus("wmt14", pairs=5, dataset=str(hub))
    assert not list((tmp_path / "cache").iterdir())


def test_wmt14_where_nothing_can_be_written(hub: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    with pytest.warns(UserWarning, match="could not be kept"):
        assert len(load_corpus("wmt14", pairs=5, dataset=str(hub)).train) == 5


def test_the_package_needs_datasets_for_wmt14_alone() -> None:
    import subprocess

    code = (
        "import sys; from transformer_lesson.translation.corpora import load_corpus; "
        "load_corpus('builtin', pairs=50); "
        "assert 'datasets' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_wmt14_through_the_real_package(tmp_path: Path, monkeypatch: Patch) -> None:
    pytest.importorskip("datasets", reason="datasets is not installed")
    folder = tmp_path / "wmt14"
    (folder / "fr-en").mkdir(parents=True)
    for split in ("train", "validation", "test"):
        rows(folder / "fr-en" / f"{split}.jsonl", list(zip(ENGLISH, FRENCH, strict=True)))
    files = "".join(
        f"      - split: {s}\n        path: fr-en/{s}.jsonl\n"
        for s in ("train", "validation", "test")
    )
    (folder / "README.md").write_text(
        f"---\nconfigs:\n  - config_name: fr-en\n    data_files:\n{files}---\n"
    )
    monkeypatch.setenv("TRANSFORMER_LESSON_CACHE", str(tmp_path / "cache"))
    made = load_corpus("wmt14", pairs=10, dataset=str(folder))
    assert len(made.train) == 10 and len(made.test) == 40
    assert set(made.train) <= {Pair(e, f) for e, f in zip(ENGLISH, FRENCH, strict=True)}
