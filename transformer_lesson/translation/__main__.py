"""``python -m transformer_lesson.translation``: what lesson 10 does, outside a notebook."""

import argparse
import json
import os
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, fields
from itertools import chain
from pathlib import Path
from typing import Any

import torch

from transformer_lesson.files import replacing
from transformer_lesson.training import CheckpointError, Diverged, checkpoints
from transformer_lesson.training.processes import Processes
from transformer_lesson.translation import battery, corpus_options
from transformer_lesson.translation.corpora import load_corpus
from transformer_lesson.translation.corpus_options import RUN
from transformer_lesson.translation.doubt import Calibration, describe, translate_in_doubt
from transformer_lesson.translation.evaluation import score
from transformer_lesson.translation.recipe import Recipe, train_translator
from transformer_lesson.translation.text_files import split_lines
from transformer_lesson.translation.translator import MODEL, SHIPPED, Translator

METRICS = "metrics.json"

WIDEST = 64


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Returns:
        0 on success, 2 if it cannot be done, 130 after Ctrl-C.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = _parser()
    options, more = parser.parse_known_args(arguments)
    # argparse takes no TEXT behind an option that follows the folder; "--" ends the options.
    end = more.index("--") if "--" in more else len(more)
    if more and (options.command != "translate" or any(w.startswith("-") for w in more[:end])):
        parser.error(f"unrecognized arguments: {' '.join(more)}")
    if more:
        options.texts += more[:end] + more[end + 1 :]
    options.arguments = arguments
    try:
        return int(options.run(options))
    except (CheckpointError, Diverged, ValueError, OSError, ImportError) as error:
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
        epilog=Path(__file__).with_name("examples.txt").read_text("utf-8"),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, dest="command", metavar="command")
    tables = tomllib.loads(Path(__file__).with_name("options.toml").read_text("utf-8"))
    runs = {"train": _train, "translate": _translate, "evaluate": _evaluate}
    for name, run in (runs | {"export": _export, "profile": _profile}).items():
        made = commands.add_parser(name, help=tables[name]["help"])
        made.set_defaults(run=run)
        for kind, read in (("folder", _folder), ("path", Path), ("int", int), ("float", float)):
            made.register("type", kind, read)
        given = {} if name == "train" else tables["given"]
        searched = tables["search"] if name in ("translate", "evaluate") else {}
        for option, how in (given | tables[name]["options"] | searched).items():
            made.add_argument(option, **how)
        if name in ("train", "evaluate", "profile"):
            corpus_options.add_options(made)
        if name == "train":
            _add_recipe(made)
    return parser


def _add_recipe(parser: argparse.ArgumentParser) -> None:
    for field in fields(Recipe):
        if field.name != "precision":
            parser.add_argument(
                f"--{field.name.replace('_', '-')}",
                type=type(field.default),
                default=argparse.SUPPRESS,  # so that what was asked for can be told
                metavar="N",
                help=f"default {field.default}",
            )


def _search(options: argparse.Namespace) -> dict[str, Any]:
    """Return how to search, as ``Translator.translate`` takes it."""
    _check_beams(options.beam_width)
    return {"beam_width": options.beam_width, "length_penalty": options.length_penalty}


def _check_beams(*widths: int) -> None:
    for width in widths:
        if not 1 <= width <= WIDEST:
            raise ValueError(
                f"a beam of {width:,}; expected 1 to {WIDEST}. Four to eight is usual: wider ones "
                "take longer in proportion, and find hardly better text."
            )


def _recipe(options: argparse.Namespace, start: Translator | None) -> Recipe:
    """Return the recipe of the options, with the sizes of the model that it starts from."""
    names = [field.name for field in fields(Recipe) if hasattr(options, field.name)]
    given = {name: getattr(options, name) for name in names}
    if start is None:
        return Recipe(**given)
    recipe = Recipe(**given).sized_as(start)
    for name, value in given.items():
        if getattr(recipe, name) != value:
            raise ValueError(
                f"--{name.replace('_', '-')} {value}, but {options.start_from} has "
                f"{getattr(recipe, name)}. Leave the option out, or --start-from."
            )
    return recipe


def _train(options: argparse.Namespace) -> int:
    start = Translator.load(_folder(str(options.start_from))) if options.start_from else None
    recipe = _recipe(options, start)
    given = corpus_options.given(options)
    first = Processes.of_environment().first
    begun = {"start_from": str(options.start_from) if start else None}
    run = {"corpus": given, "recipe": asdict(recipe), "start": begun}
    _check_run(options.out, run)
    if options.processes < 1 or recipe.batches_per_step % options.processes:
        raise ValueError(
            f"--processes {options.processes}; expected a number that divides "
            f"--batches-per-step {recipe.batches_per_step}"
        )
    if options.processes > 1 and not _is_launched(options):
        from transformer_lesson.translation.launch import launch

        return launch("transformer_lesson.translation", options.arguments, options.processes)
    corpus = load_corpus(**given)
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
            kept = ("steps", "seconds", "tokens_per_second", "precision", "evaluations")
            metrics = {name: getattr(history, name) for name in kept}
            new.write_text(json.dumps(metrics, indent=1), encoding="utf-8")
        print(f"{history.steps} steps in {history.seconds:.0f} s. The model is in {options.out}.")
    return 130 if history.interrupted else 0


def _is_launched(options: argparse.Namespace) -> bool:
    """Whether this is one of the processes that `launch` has started."""
    launched = "TORCHELASTIC_ERROR_FILE" in os.environ
    return launched and options.command == "train" and options.processes > 1


def _check_run(folder: Path, run: dict[str, Any]) -> None:
    """Refuse to mix two runs in one folder; a run that kept nothing may give way to another.

    Raises:
        ValueError: the folder holds another run.
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
                raise ValueError(
                    f"{folder} holds a run with {name}={then!r}, and this one has {now!r}. "
                    "Give the same options to resume it, or another --out to start a new one."
                )


def _device() -> str:
    return f"cuda:{os.environ.get('LOCAL_RANK', 0)}" if torch.cuda.is_available() else "cpu"


def _folder(model: str) -> Path:
    """Return the folder that a command line means."""
    return SHIPPED if model == "shipped" else Path(model)


def _open(model: Path) -> Translator:
    """Load the model onto the GPU, if there is one."""
    translator = Translator.load(model)
    translator.model.to(_device())
    return translator


def _translate(options: argparse.Namespace) -> int:
    translator, search = _open(options.model), _search(options)
    if options.texts:
        given, name = b"".join(os.fsencode(text) + b"\n" for text in options.texts), "TEXT"
    else:
        given, name = sys.stdin.buffer.read(), "standard input"
    texts = split_lines(given, name)
    if options.doubt:
        measured = Calibration.load(options.model)
        for text in texts:
            french, words = translate_in_doubt(translator, measured, text, **search)
            print(french, describe(words), sep="\n")
        return 0
    for french in translator.translate(texts, **search):
        print(french)
    return 0


def _evaluate(options: argparse.Namespace) -> int:
    translator, search = _open(options.model), _search(options)
    if options.battery:
        tried = battery.passed(translator, **search)
        for english, french, holds in chain(*tried.values()):
            if not holds:
                print(f"{english} → {french}")
        for kind, share in battery.shares(tried).items():
            print(f"{share:5.1f} % hold: {kind}")
        return 0
    pairs = corpus_options.pairs(options)
    texts = translator.translate([pair.english for pair in pairs], **search, progress=True)
    found = score(texts, [pair.french for pair in pairs])
    print(f"{len(pairs):,} pairs, {options.split}: {found}")
    return 0


def _export(options: argparse.Namespace) -> int:
    translator = Translator.load(options.model)
    if options.out.exists() and any(options.out.iterdir()):
        raise ValueError(f"--out {options.out} is not empty; choose a new folder")
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
        raise ValueError(f"--sentences {options.sentences}; expected at least 1")
    _check_beams(*options.beam_widths)
    translator = _open(options.model)
    texts = [pair.english for pair in corpus_options.pairs(options)[: options.sentences]]
    print_profile(translator, texts, beam_widths=options.beam_widths)
    return 0


if __name__ == "__main__":
    sys.exit(main())
