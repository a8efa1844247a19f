"""What each command of ``python -m transformer_lesson.translation`` does with its options."""

import argparse
import json
import os
import sys
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import torch

from careful_io import replacing
from transformer_lesson.training import CheckpointError, Diverged, checkpoints
from transformer_lesson.training.processes import Processes
from transformer_lesson.translation import battery, corpus_options
from transformer_lesson.translation.corpora import load_corpus
from transformer_lesson.translation.corpus_options import RUN
from transformer_lesson.translation.doubt import Calibration, describe, not_kept, translate_in_doubt
from transformer_lesson.translation.evaluation import score
from transformer_lesson.translation.recipe import Recipe, train_translator
from transformer_lesson.translation.settings import WIDEST
from transformer_lesson.translation.stored import MODEL
from transformer_lesson.translation.text_files import raw_lines, read_line
from transformer_lesson.translation.translator import SHIPPED, Search, Translator, joined

METRICS = "metrics.json"


def run(options: argparse.Namespace) -> int:
    """Carry out a command.

    Returns:
        0 on success, 1 if lines were left untranslated, 2 if it cannot be done, 130 after Ctrl-C.
    """
    if "model" in options:
        options.model = _folder(options.model)
    try:
        return COMMANDS[options.command](options)
    except BrokenPipeError:
        raise
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


def _is_launched(options: argparse.Namespace) -> bool:
    """Whether this is one of the processes that `launch` has started."""
    launched = "TORCHELASTIC_ERROR_FILE" in os.environ
    return launched and options.command == "train" and options.processes > 1


def _train(options: argparse.Namespace) -> int:
    start = Translator.load(_folder(options.start_from)) if options.start_from else None
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


def _translate(options: argparse.Namespace) -> int:
    translator, search = _open(options.model), _search(options)
    if options.texts:
        given, name = b"".join(os.fsencode(text) + b"\n" for text in options.texts), "TEXT"
    else:
        given, name = sys.stdin.buffer.read(), "standard input"
    texts = [_readable(translator, *line) for line in raw_lines(given, name)]
    if options.doubt:
        measured = Calibration.load(options.model)
        for text in texts:
            french, words, missing = translate_in_doubt(translator, measured, text or "", **search)
            print(french, describe(words, missing), sep="\n")
    else:
        lines = [text or "" for text in texts]
        for text, drafts in zip(lines, translator.drafts(lines, Search(**search)), strict=True):
            print(joined(drafts))
            if lost := not_kept(translator, text, drafts):
                print(f"Not kept: {', '.join(lost)}. In: {text}", file=sys.stderr)
    return int(None in texts)


def _folder(model: Path) -> Path:
    return SHIPPED if model == Path("shipped") else model


def _open(model: Path) -> Translator:
    """Load the model onto the GPU, if there is one."""
    translator = Translator.load(model)
    translator.model.to(_device())
    return translator


def _readable(translator: Translator, raw: bytes, place: str) -> str | None:
    """Return a line that can be translated; None after a message that says why it cannot be."""
    try:
        text = read_line(raw, place)
    except ValueError as error:
        print(f"translate: {error}", file=sys.stderr)
        return None
    if refused := translator.refusal(text):
        print(f"translate: {place}: {refused}", file=sys.stderr)
        return None
    return text


def _evaluate(options: argparse.Namespace) -> int:
    translator, search = _open(options.model), _search(options)
    if options.battery:
        _print_battery(battery.tried(translator, options.battery))
        return 0
    pairs = corpus_options.pairs(options)
    texts = translator.translate([pair.english for pair in pairs], **search, progress=True)
    found = score(texts, [pair.french for pair in pairs])
    print(f"{len(pairs):,} pairs, {options.split}: {found}")
    return 0


def _print_battery(tried: dict[int, dict[str, list[battery.Tried]]]) -> None:
    for width, rows in tried.items():
        for kind, fails in battery.failures(rows).items():
            for english, french in fails:
                print(f"beam of {width}, {kind}: {english} → {french}")
    greedy, beam = map(battery.shares, tried.values())
    for kind in greedy:
        print(f"{greedy[kind]:5.1f} % hold greedily, {beam[kind]:5.1f} % with a beam of 4: {kind}")


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


COMMANDS = {
    "train": _train,
    "translate": _translate,
    "evaluate": _evaluate,
    "export": _export,
    "profile": _profile,
}
