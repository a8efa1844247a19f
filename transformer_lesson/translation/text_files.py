"""Parallel text from files: two line-aligned files, or one with tabs; ``.gz`` too."""

import codecs
import gzip
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from transformer_lesson.translation.normalization import normalized
from transformer_lesson.translation.parallel_text import Corpus, Pair

File = str | Path
Files = File | Sequence[File]
SHOWN = 5
HELD_OUT = 1_000  # English sentences of a split without files, but at most a tenth of all


def load_files(
    *,
    source: File,
    target: File | None = None,
    validation: Files | None = None,
    test: Files | None = None,
) -> Corpus:
    """Load a corpus from files in UTF-8, one sentence a line.

    Pairs with an empty side are left out, and so are training pairs whose English sentence stands
    in validation or test; the description says how many. Without ``validation`` or ``test`` files,
    English sentences are set apart for them by their checksum: the same ones each time, no English
    sentence in two splits.

    Args:
        source: English lines; or, without ``target``, lines ``English<tab>French`` (further columns
            are ignored).
        target: the French lines.
        validation: as ``source``, or the two files.
        test: likewise.

    Raises:
        FileNotFoundError: a file is not there.
        ValueError: the files have different numbers of lines, a line is not UTF-8, holds a NUL byte
            or lacks its tab, the first column is of numbers, or nothing is left.
    """
    notes: list[str] = []
    train = read_pairs(source if target is None else (source, target), notes)
    splits: dict[str, list[Pair]] = {}
    for name, given in (("validation", validation), ("test", test)):
        if given is not None:
            splits[name] = read_pairs(given, notes)
    taken = {pair.english for pairs in splits.values() for pair in pairs}
    kept = [pair for pair in train if pair.english not in taken]
    dropped, train = len(train) - len(kept), kept
    for name in ("validation", "test"):
        if name not in splits:
            train, splits[name] = _set_apart(train, name)
            notes.append(f"{name}: {len(splits[name]):,} pairs set apart by checksum")
    if dropped:
        notes.append(f"{dropped:,} training pairs left out whose English is in validation or test")
    validated, tested = ({p.english for p in splits[name]} for name in ("validation", "test"))
    if shared := validated & tested:
        notes.append(f"{len(shared):,} English sentences are in both validation and test")
    if not train:
        raise ValueError(f"{source}: no pair is left to train on")
    description = "; ".join([f"{len(train):,} training pairs from {source}", *notes])
    return Corpus("files", train, splits["validation"], splits["test"], description)


def read_pairs(files: Files, notes: list[str] | None = None) -> list[Pair]:
    """Return the pairs of two line-aligned files, or of one with tabs; raise as `load_files`.

    ``notes`` takes a remark on lines that are left out.
    """
    if isinstance(files, str | Path):
        rows, name = _tabbed(Path(files)), str(files)
    else:
        source, target = files
        rows, name = _aligned(Path(source), Path(target)), f"{source} and {target}"
    pairs, empty = [], []
    for number, (english, french) in enumerate(rows, 1):
        if english and french:
            pairs.append(Pair(english, french))
        else:
            empty.append(number)
    if empty and notes is not None:
        shown = ", ".join(map(str, empty[:SHOWN])) + (", …" if len(empty) > SHOWN else "")
        notes.append(f"{len(empty):,} pairs of {name} left out for an empty side (lines {shown})")
    if not pairs:
        raise ValueError(f"{name}: there is no pair in it")
    numbers = [pair.english for pair in pairs if pair.english.isdecimal()]
    if 2 * len(numbers) > len(pairs):
        raise ValueError(
            f"{name}: English should come first, but most lines begin with a number, as "
            f"{numbers[0]}. Of Tatoeba's columns (id, text, id, text) keep two: cut -f2,4"
        )
    return pairs


def _aligned(source: Path, target: Path) -> Iterable[tuple[str, str]]:
    english, french = read_lines(source), read_lines(target)
    if len(english) != len(french):
        raise ValueError(
            f"{source} has {len(english):,} lines and {target} has {len(french):,}: line n of "
            "one must translate line n of the other"
        )
    return zip(english, french, strict=True)


def _tabbed(path: Path) -> Iterable[tuple[str, str]]:
    rows = []
    for number, line in enumerate(read_lines(path), 1):
        english, tab, rest = line.partition("\t")
        if not tab and line:
            raise ValueError(f"{path}, line {number}: there is no tab between English and French")
        rows.append((english.strip(), rest.partition("\t")[0].strip()))
    return rows


def read_lines(path: Path) -> list[str]:
    """Return the lines of a UTF-8 file, without spaces around them; ``.gz`` is unpacked.

    Raises:
        FileNotFoundError: it is not there.
        ValueError: a line is not UTF-8 or holds a NUL byte, or a ``.gz`` file is incomplete.
    """
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no such file")
    data = path.read_bytes()
    if path.suffix == ".gz":
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise ValueError(f"{path} is not a whole gzip file ({error})") from error
    return [read_line(raw, place) for raw, place in raw_lines(data, str(path))]


def raw_lines(data: bytes, name: str) -> list[tuple[bytes, str]]:
    """Return each line with the place that a message names.

    Raises:
        ValueError: the text is in UTF-16.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or _has_utf_16(data[:1000]):
        raise ValueError(f"{name}: this is UTF-16; convert it first: iconv -f utf-16 -t utf-8")
    raw = data.removeprefix(codecs.BOM_UTF8).split(b"\n")
    if not raw[-1]:
        raw.pop()
    return [(line, f"{name}, line {number}") for number, line in enumerate(raw, 1)]


def read_line(raw: bytes, place: str) -> str:
    """Return a line of UTF-8 text, `normalized`, without spaces around it.

    Raises:
        ValueError: it is not UTF-8, or holds a NUL byte.
    """
    if b"\0" in raw:
        raise ValueError(
            f"{place}: a NUL byte, which no text has. If it is text beside that, take the bytes "
            "out: tr -d '\\000'"
        )
    try:
        return normalized(raw.decode("utf-8")).strip(" \r")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{place}: not UTF-8 (byte {raw[error.start]:#04x}); "
            "convert it first, e.g. iconv -f latin1 -t utf-8"
        ) from error


def _has_utf_16(data: bytes) -> bool:
    """Whether every second byte is NUL, as in English text in UTF-16 without its mark."""
    return any(half and not any(half) for half in (data[::2], data[1::2]))


def _set_apart(pairs: list[Pair], salt: str) -> tuple[list[Pair], list[Pair]]:
    """Return the pairs that stay, and those of ``HELD_OUT`` English sentences, or of a tenth."""
    sentences = sorted(
        {pair.english for pair in pairs}, key=lambda s: (zlib.crc32((salt + s).encode()), s)
    )
    chosen = set(sentences[: min(HELD_OUT, max(1, len(sentences) // 10))])
    return [p for p in pairs if p.english not in chosen], [p for p in pairs if p.english in chosen]
