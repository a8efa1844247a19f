"""The options of the command line that name a corpus, and the text that they name."""

import argparse
import json
from collections.abc import Sequence
from typing import Any

from transformer_lesson.translation.corpora import CORPORA, load_corpus
from transformer_lesson.translation.parallel_text import Pair
from transformer_lesson.translation.text_files import read_pairs

RUN = "run.json"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that name a corpus."""
    parser.add_argument("--corpus", choices=list(CORPORA), help="default: builtin, or the model's")
    parser.add_argument(
        "--pairs", type=int, metavar="N", help="training pairs: builtin, everyday, wmt14"
    )
    for split in ("train", "validation", "test"):
        parser.add_argument(
            f"--{split}", nargs=2, metavar=("EN", "FR"), help=f"{split} lines, for --corpus files"
        )


def given(options: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments for ``load_corpus`` that the command line gives."""
    name = options.corpus or ("files" if options.train else "builtin")
    if name != "files":
        if options.train or options.validation or options.test:
            raise ValueError(f"--train, --validation and --test are for --corpus files, not {name}")
        return {"name": name} | ({} if options.pairs is None else {"pairs": options.pairs})
    if options.pairs is not None:
        raise ValueError("--pairs is for --corpus builtin, everyday and wmt14, not files")
    if not options.train:
        raise ValueError("--corpus files needs --train EN FR")
    source, target = options.train
    files: dict[str, Any] = {"name": name, "source": source, "target": target}
    for split in ("validation", "test"):
        if both := getattr(options, split):
            files[split] = both
    return files


def pairs(options: argparse.Namespace) -> Sequence[Pair]:
    """Return the split that was asked for, from the files or corpus given, else from the run's."""
    from transformer_lesson.translation.translator import SHIPPED  # it loads PyTorch

    if options.corpus or options.train:
        return getattr(load_corpus(**given(options)), options.split)
    if options.pairs is not None:
        raise ValueError("--pairs needs --corpus builtin, everyday or wmt14")
    if files := getattr(options, options.split):
        return read_pairs(files)
    if options.validation or options.test:
        raise ValueError(f"these files are of another split; --split {options.split} was asked for")
    if options.model == SHIPPED:
        return getattr(load_corpus("everyday"), options.split)
    if not (options.model / RUN).exists():
        raise ValueError(f"{options.model} holds no {RUN}; name the text, e.g. --corpus everyday")
    run = json.loads((options.model / RUN).read_text(encoding="utf-8"))
    return getattr(load_corpus(**run["corpus"]), options.split)
