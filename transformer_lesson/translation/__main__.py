"""``python -m transformer_lesson.translation``: what lesson 10 does, outside a notebook."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, get_args

import torch

from transformer_lesson.files import replacing
from transformer_lesson.training import CheckpointError, Diverged, History, checkpoints
from transformer_lesson.training.config import AskedPrecision
from transformer_lesson.training.processes import Processes
from transformer_lesson.translation.corpora import CORPORA, load_corpus
from transformer_lesson.translation.evaluation import score
from transformer_lesson.translation.parallel_text import Corpus, Pair
from transformer_lesson.translation.recipe import Recipe, train_translator
from transformer_lesson.translation.text_files import read_pairs, split_lines
from transformer_lesson.translation.translator import MODEL, SHIPPED, Translator

RUN, METRICS = "run.json", "metrics.json"
_EXAMPLE = """examples, the model that comes with the course, and one of your own to a score:
  python -m transformer_lesson.translation translate shipped "She doesn't like coffee."
  python -m transformer_lesson.translation train --out runs/first
  python -m transformer_lesson.translation translate runs/first "The cat sat on the mat."
  python -m transformer_lesson.translation evaluate runs/first --beam-width 4
  python -m transformer_lesson.translation profile runs/first
  python -m transformer_lesson.translation export runs/first --format int8 --out runs/small

The shipped model, taught your own text (a learning rate below the usual one keeps what it knows):
  python -m transformer_lesson.translation train --out runs/mine --start-from shipped \\
      --corpus files --train mine.en mine.fr --dropout 0.1 --learning-rate 0.001 --steps 500

A run that was stopped, with Ctrl-C or otherwise, resumes when the same command is given again.
Several processes share the batches of each step (torchrun starts them on several machines):
  python -m transformer_lesson.translation train --processes 2 --batches-per-step 2 …

Corpora: "builtin" is made by a grammar; "everyday" holds sentences that people wrote, the easiest
first. Both come with the course. "wmt14" is downloaded, "files" are your own.
"""


_MODEL_HELP = 'what train wrote, or the word "shipped" for the model that comes with the course'


class _Refused(Exception):
    """What was asked for cannot be done; the message is one line."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Returns:
        0 on success, 1 if a line was passed over, 2 if it cannot be done, 130 after Ctrl-C.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    options = _parser().parse_args(arguments)
    options.arguments = arguments
    try:
        return int(options.run(options))
    except (_Refused, CheckpointError, Diverged, ValueError, OSError, ImportError) as error:
        message = f"{options.command}: {error}"
        if _is_launched(options):
            from transformer_lesson.translation.launch import record

            record(message)
        else:
            print(message, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m transformer_lesson.translation",
        description="Train, use and score an English to French Transformer.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, dest="command", metavar="command")
    training = commands.add_parser("train", help="train on a corpus, or resume")
    training.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="folder of the model"
    )
    training.add_argument(
        "--processes",
        type=int,
        default=1,
        metavar="N",
        help="processes, one thread each; two learn faster than two threads in one; default 1",
    )
    training.add_argument(
        "--start-from",
        type=Path,
        metavar="DIR",
        help=f"begin with the weights, sizes and vocabulary of {_MODEL_HELP}",
    )
    _add_corpus(training)
    for field in fields(Recipe):
        if field.name != "precision":
            training.add_argument(
                f"--{field.name.replace('_', '-')}",
                type=type(field.default),
                default=argparse.SUPPRESS,  # so that what was asked for can be told
                metavar="N",
                help=f"default {field.default}",
            )
    training.add_argument(
        "--precision",
        choices=get_args(AskedPrecision),
        default="fastest",
        help="of the products; default: the fastest, measured before the first step",
    )
    training.set_defaults(run=_train)
    translating = commands.add_parser("translate", help="translate texts, or lines of stdin")
    translating.add_argument("model", type=Path, metavar="DIR", help=_MODEL_HELP)
    translating.add_argument("texts", nargs="*", metavar="TEXT")
    _add_search(translating)
    translating.set_defaults(run=_translate)
    evaluating = commands.add_parser("evaluate", help="score the translations of a test set")
    evaluating.add_argument("model", type=Path, metavar="DIR", help=_MODEL_HELP)
    evaluating.add_argument("--split", choices=("validation", "test"), default="test")
    _add_corpus(evaluating)
    _add_search(evaluating)
    evaluating.set_defaults(run=_evaluate)
    exporting = commands.add_parser("export", help="write a trained model for other uses")
    exporting.add_argument("model", type=Path, metavar="DIR", help="what train wrote")
    exporting.add_argument("--out", type=Path, required=True, metavar="DIR", help="a new folder")
    exporting.add_argument(
        "--format",
        choices=("int8", "ctranslate2", "ctranslate2-int8"),
        required=True,
        help="int8: a quarter of the bytes, read by translate; ctranslate2: for that fast runtime",
    )
    exporting.set_defaults(run=_export)
    profiling = commands.add_parser("profile", help="what a translation costs in time and memory")
    profiling.add_argument("model", type=Path, metavar="DIR", help="what train wrote")
    profiling.add_argument("--split", choices=("validation", "test"), default="test")
    profiling.add_argument("--sentences", type=int, default=64, metavar="N", help="default 64")
    profiling.add_argument(
        "--beam-widths", type=int, nargs="+", default=[1, 4], metavar="N", help="default 1 4"
    )
    _add_corpus(profiling)
    profiling.set_defaults(run=_profile)
    return parser


def _add_corpus(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--corpus", choices=list(CORPORA), help="default: builtin, or the model's")
    parser.add_argument(
        "--pairs", type=int, metavar="N", help="training pairs: builtin, everyday, wmt14"
    )
    for split in ("train", "validation", "test"):
        parser.add_argument(
            f"--{split}", nargs=2, metavar=("EN", "FR"), help=f"{split} lines, for --corpus files"
        )


def _add_search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--beam-width", type=int, default=1, metavar="N", help="1: greedy")
    parser.add_argument("--length-penalty", type=float, default=0.6, metavar="A")


def _corpus_of(options: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments for ``load_corpus`` that the command line gives."""
    name = options.corpus or ("files" if options.train else "builtin")
    if name != "files":
        if options.train or options.validation or options.test:
            raise _Refused(f"--train, --validation and --test are for --corpus files, not {name}")
        return {"name": name} | ({} if options.pairs is None else {"pairs": options.pairs})
    if options.pairs is not None:
        raise _Refused("--pairs is for --corpus builtin, everyday and wmt14, not files")
    if not options.train:
        raise _Refused("--corpus files needs --train EN FR")
    source, target = options.train
    given: dict[str, Any] = {"name": name, "source": source, "target": target}
    for split in ("validation", "test"):
        if files := getattr(options, split):
            given[split] = tuple(files)
    return given


def _load(given: dict[str, Any]) -> Corpus:
    options = {k: tuple(v) if isinstance(v, list) else v for k, v in given.items() if k != "name"}
    return load_corpus(given["name"], **options)


def _recipe(options: argparse.Namespace, start: Translator | None) -> Recipe:
    """Return the recipe of the options, with the sizes of the model that it starts from."""
    names = [field.name for field in fields(Recipe) if hasattr(options, field.name)]
    given = {name: getattr(options, name) for name in names}
    if start is None:
        return Recipe(**given)
    recipe = Recipe(**given).sized_as(start)
    for name, value in given.items():
        if getattr(recipe, name) != value:
            raise _Refused(
                f"--{name.replace('_', '-')} {value}, but {options.start_from} has "
                f"{getattr(recipe, name)}. Leave the option out, or --start-from."
            )
    return recipe


def _train(options: argparse.Namespace) -> int:
    start = _load_model(options.start_from) if options.start_from else None
    recipe = _recipe(options, start)
    given = _corpus_of(options)
    first = Processes.of_environment().first
    run = {
        "corpus": given,
        "recipe": asdict(recipe),
        "start": {"start_from": str(options.start_from) if start else None},
    }
    run = json.loads(json.dumps(run))  # as JSON reads it back: tuples become lists
    _check_run(options.out, run)
    if options.processes < 1 or recipe.batches_per_step % options.processes:
        raise _Refused(
            f"--processes {options.processes}; expected a number that divides "
            f"--batches-per-step {recipe.batches_per_step}"
        )
    if options.processes > 1 and not _is_launched(options):
        from transformer_lesson.translation.launch import launch

        return launch("transformer_lesson.translation", options.arguments, options.processes)
    corpus = _load(given)
    if first:
        print(corpus.description)
        options.out.mkdir(parents=True, exist_ok=True)
        with replacing(options.out / RUN) as new:
            new.write_text(json.dumps(run, indent=1), encoding="utf-8")
    translator, history = train_translator(
        corpus,
        recipe,
        start=start,
        watched=corpus.validation[:5],
        folder=options.out,
        device=_device(),
        progress=first,
    )
    if first:
        translator.save(options.out)
        with replacing(options.out / METRICS) as new:
            new.write_text(json.dumps(_metrics(history), indent=1), encoding="utf-8")
        print(f"{history.steps} steps in {history.seconds:.0f} s. The model is in {options.out}.")
    return 130 if history.interrupted else 0


def _is_launched(options: argparse.Namespace) -> bool:
    """Whether this is one of the processes that `launch` has started."""
    launched = "TORCHELASTIC_ERROR_FILE" in os.environ
    return launched and options.command == "train" and options.processes > 1


def _check_run(folder: Path, run: dict[str, Any]) -> None:
    """Refuse to mix two runs in one folder; a run that kept nothing may give way to another.

    Raises:
        _Refused: the folder holds another run.
    """
    path = folder / RUN
    kept = any((folder / name).exists() for name in (checkpoints.FILE, MODEL))
    if not kept or not path.exists():
        return
    before = json.loads(path.read_text(encoding="utf-8"))
    for part, values in run.items():
        kept_values = before.get(part, {})  # runs of before 0.2.0 tell nothing of their start
        for name in values.keys() | kept_values.keys():
            then, now = kept_values.get(name), values.get(name)
            if then != now and name != "evaluate_every":
                raise _Refused(
                    f"{folder} holds a run with {name}={then!r}, and this one has {now!r}. "
                    "Give the same options to resume it, or another --out to start a new one."
                )


def _metrics(history: History) -> dict[str, Any]:
    return {
        "steps": history.steps,
        "seconds": history.seconds,
        "tokens_per_second": history.tokens_per_second,
        "precision": history.precision,
        "evaluations": history.evaluations,
    }


def _device() -> str:
    return f"cuda:{os.environ.get('LOCAL_RANK', 0)}" if torch.cuda.is_available() else "cpu"


def _load_model(folder: Path) -> Translator:
    return Translator.load(SHIPPED if str(folder) == "shipped" else folder)


def _open(folder: Path) -> Translator:
    """Load the model in ``folder`` onto the GPU, if there is one."""
    translator = _load_model(folder)
    translator.model.to(_device())
    return translator


def _translate(options: argparse.Namespace) -> int:
    translator = _open(options.model)
    if options.texts:
        given, name = b"".join(os.fsencode(text) + b"\n" for text in options.texts), "TEXT"
    else:
        given, name = sys.stdin.buffer.read(), "standard input"
    texts = split_lines(given, name)
    translations, passed_over = _translations(translator, options, texts)
    for text in translations:
        print(text)
    return int(passed_over)


def _translations(
    translator: Translator,
    options: argparse.Namespace,
    texts: Sequence[str],
    *,
    progress: bool = False,
) -> tuple[list[str], bool]:
    """Translate the texts; one that is too long becomes an empty one and is reported.

    Returns:
        The translations, one for each text, and whether a text was too long.
    """
    most = translator.model.config.max_tokens
    lengths = [len(translator.source(text)) for text in texts]
    for number, length in enumerate(lengths, 1):
        if length > most:
            print(
                f"{options.command}: line {number} is passed over: it has {length} pieces, its end "
                f"included, and the model reads at most {most}. Cut it into sentences.",
                file=sys.stderr,
            )
    translations = translator.translate(
        [text if length <= most else "" for text, length in zip(texts, lengths, strict=True)],
        beam_width=options.beam_width,
        length_penalty=options.length_penalty,
        progress=progress,
    )
    return translations, max(lengths, default=0) > most


def _evaluate(options: argparse.Namespace) -> int:
    translator = _open(options.model)
    pairs = _pairs(options)
    hypotheses, passed_over = _translations(
        translator, options, [pair.english for pair in pairs], progress=True
    )
    found = score(hypotheses, [pair.french for pair in pairs])
    print(f"{len(pairs):,} pairs, {options.split}: {found}")
    return int(passed_over)


def _pairs(options: argparse.Namespace) -> Sequence[Pair]:
    """Return the split that was asked for, from the files or corpus given, else from the run's."""
    if options.corpus or options.train:
        return getattr(_load(_corpus_of(options)), options.split)
    if options.pairs is not None:
        raise _Refused("--pairs needs --corpus builtin, everyday or wmt14")
    if files := getattr(options, options.split):
        return read_pairs(tuple(files))
    if options.validation or options.test:
        raise _Refused(f"these files are of another split; --split {options.split} was asked for")
    run = json.loads((options.model / RUN).read_text(encoding="utf-8"))
    return getattr(_load(run["corpus"]), options.split)


def _export(options: argparse.Namespace) -> int:
    translator = Translator.load(options.model)
    if options.out.exists() and any(options.out.iterdir()):
        raise _Refused(f"--out {options.out} is not empty; choose a new folder")
    if options.format == "int8":
        translator.save(options.out, int8=True)
    else:
        from transformer_lesson.translation.export import to_ctranslate2

        to_ctranslate2(translator, options.out, int8=options.format.endswith("int8"))
    print(f"The model is in {options.out}.")
    return 0


def _profile(options: argparse.Namespace) -> int:
    from transformer_lesson.translation.report import print_profile

    if options.sentences < 1:
        raise _Refused(f"--sentences {options.sentences}; expected at least 1")
    translator = _open(options.model)
    texts = [pair.english for pair in _pairs(options)[: options.sentences]]
    print_profile(translator, texts, beam_widths=options.beam_widths)
    return 0


if __name__ == "__main__":
    sys.exit(main())
