"""WMT14, English and French, through Hugging Face ``datasets``: streamed, filtered, cached."""

import errno
import gzip
import os
import shutil
import tempfile
import warnings
import zlib
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from transformer_lesson.translation.normalization import normalized
from transformer_lesson.translation.parallel_text import Corpus, Pair
from transformer_lesson.translation.text_files import read_pairs

WMT14 = "wmt/wmt14"
INSTALL = "pip install datasets"
GO_ON = (
    'without it, load_corpus("builtin") and load_corpus("everyday") work, and '
    'load_corpus("files", source=…, target=…) takes parallel text that you have'
)
SHUFFLED, SEED = 10_000, 0  # training rows are looked at in an order of their own
# Of training pairs alone: words of the longest sentence, how many times as long as the other it is.
MAX_WORDS, RATIO = 50, 2.0


def load_wmt14(*, pairs: int = 100_000, dataset: str = WMT14) -> Corpus:
    """Load a part of WMT14, English and French, with newstest2013 and newstest2014 held out.

    It is kept in ``$TRANSFORMER_LESSON_CACHE``, by default ``~/.cache/transformer_lesson``.

    Args:
        pairs: number of training pairs; they are streamed, so that the rest is not downloaded.
        dataset: name on the hub, or a folder in the same layout.

    Raises:
        ValueError: ``pairs`` is below 1.
        ImportError: ``datasets`` is not installed.
        ConnectionError: the data could not be downloaded.
    """
    if pairs < 1:
        raise ValueError(f"pairs={pairs} must be at least 1")
    name = f"wmt14-{pairs}-{MAX_WORDS}-{RATIO}-{SEED}"
    if dataset != WMT14:
        name += f"-{zlib.crc32(dataset.encode()):08x}"
    given = os.environ.get("TRANSFORMER_LESSON_CACHE")
    folder = (Path(given) if given else Path.home() / ".cache" / "transformer_lesson") / name
    if not folder.is_dir():
        splits = _download(dataset, pairs)
        _keep(splits, folder)
    else:
        splits = {
            split: read_pairs((folder / f"{split}.en.gz", folder / f"{split}.fr.gz"))
            for split in ("train", "validation", "test")
        }
    description = (
        f"WMT14 ({dataset}): {len(splits['train']):,} training pairs of at most {MAX_WORDS} words, "
        f"one at most {RATIO} times as long as the other; newstest2013 and newstest2014"
    )
    return Corpus("wmt14", splits["train"], splits["validation"], splits["test"], description)


def _download(dataset: str, pairs: int) -> dict[str, list[Pair]]:
    """Return the three splits from the hub."""
    splits = {}
    for name in ("validation", "test", "train"):
        try:
            rows: Iterable[Pair] = map(_pair, _open(dataset, name))
            if name == "train":
                rows = _fitting(rows, pairs)
            splits[name] = list(rows)
        except ImportError:
            raise
        except Exception as error:  # The library wraps what went wrong in many kinds of errors.
            raise ConnectionError(
                f"WMT14 ({dataset}, {name}) could not be downloaded: {type(error).__name__}: "
                f"{error}. Is there a network? Nothing was kept; {GO_ON}."
            ) from error
    if len(splits["train"]) < pairs:
        found = len(splits["train"])
        warnings.warn(f"only {found:,} of {pairs:,} training pairs fit the limits", stacklevel=3)
    return splits


def _open(dataset: str, split: str) -> Iterable[Mapping[str, Any]]:
    """Return a split as a stream of rows."""
    try:
        datasets: Any = import_module("datasets")
    except ImportError as error:
        message = f"WMT14 comes through the package datasets: {INSTALL}; {GO_ON}."
        raise ImportError(message) from error
    rows = datasets.load_dataset(dataset, "fr-en", split=split, streaming=True)
    return rows.shuffle(seed=SEED, buffer_size=SHUFFLED) if split == "train" else rows


def _pair(row: Mapping[str, Any]) -> Pair:
    """Return a row as a pair, with spaces for the line breaks inside a sentence."""
    english, french = (
        " ".join(normalized(row["translation"][code]).split()) for code in ("en", "fr")
    )
    return Pair(english, french)


def _fitting(rows: Iterable[Pair], pairs: int) -> Iterator[Pair]:
    """Yield the first pairs within the limits, each English sentence once."""
    seen: set[str] = set()
    for pair in rows:
        short, long = sorted((len(pair.english.split()), len(pair.french.split())))
        if short and long <= MAX_WORDS and long <= RATIO * short and pair.english not in seen:
            seen.add(pair.english)
            yield pair
            if len(seen) == pairs:
                return


def _keep(splits: Mapping[str, list[Pair]], folder: Path) -> None:
    """Write the splits into the folder: all of them or none.

    If the disk is full or cannot be written to, only the cache is lost: a warning says so.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(prefix=folder.name, dir=folder.parent))
    except OSError as error:
        _not_kept(folder, error)
        return
    try:
        for name, pairs in splits.items():
            for code, side in (("en", "english"), ("fr", "french")):
                text = "".join(getattr(pair, side) + "\n" for pair in pairs)
                (part / f"{name}.{code}.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
        part.replace(folder)
    except OSError as error:
        if not folder.is_dir():  # Else another process has kept the same just before.
            _not_kept(folder, error)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _not_kept(folder: Path, error: OSError) -> None:
    """Warn that the data will have to be downloaded again."""
    why = "the disk is full" if error.errno == errno.ENOSPC else str(error)
    warnings.warn(
        f"WMT14 is loaded, but it could not be kept in {folder} ({why}). "
        "TRANSFORMER_LESSON_CACHE may name another folder.",
        stacklevel=4,
    )
