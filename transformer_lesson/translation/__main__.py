"""``python -m transformer_lesson.translation``: what lesson 10 does, outside a notebook."""

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, get_args

import torch

from transformer_lesson.files import ending_with_its_reader, print_somehow, replacing
from transformer_lesson.training import CheckpointError, Diverged, checkpoints
from transformer_lesson.training.config import AskedPrecision
from transformer_lesson.training.processes import Processes
from transformer_lesson.translation import battery, corpus_options
from transformer_lesson.translation.corpora import load_corpus
from transformer_lesson.translation.corpus_options import RUN
from transformer_lesson.translation.doubt import Calibration, describe, translate_in_doubt
from transformer_lesson.translation.evaluation import score
from transformer_lesson.translation.recipe import Recipe, train_translator
from transformer_lesson.translation.stored import MODEL
from transformer_lesson.translation.text_files import raw_lines, read_line
from transformer_lesson.translation.translator import SHIPPED, Search, Translator, joined

METRICS = "metrics.json"

WIDEST = 64


@ending_with_its_reader
def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Returns:
        0 on success, 1 if lines were left untranslated, each with a message and an empty line in
        its place, 2 if it cannot be done, 130 after Ctrl-C.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    print_somehow()
    parser = _parser()
    options, more = parser.parse_known_args(arguments)
    # argparse takes no TEXT behind an option that follows the folder; "--" ends the options.
    end = more.index("--") if "--" in more else len(more)
    if more and (options.command != "translate" or any(w[:1] == "-" != w for w in more[:end])):
        parser.error(f"unrecognized arguments: {' '.join(more)}")
    if more:
        options.texts += more[:end] + more[end + 1 :]
    options.arguments = arguments
    try:
        return int(options.run(options))
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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m transformer_lesson.translation",
        description="Train, use and score an English to French Transformer.",
        epilog=Path(__file__).with_name("examples.txt").read_text("utf-8"),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, dest="command", metavar="command")
    for add in (_add_train, _add_translate, _add_evaluate, _add_export, _add_profile):
        add(commands)
    return parser


def _command(
    commands: Any, name: str, run: Callable[[argparse.Namespace], int], what: str
) -> argparse.ArgumentParser:
    made: argparse.ArgumentParser = commands.add_parser(name, help=what)
    made.set_defaults(run=run)
    if run is not _train:
        made.add_argument(
            "model",
            type=_folder,
            metavar="DIR",
            help='what train wrote, or the word "shipped" for the model that comes with the course',
        )
    return made


def _add_split(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--split", choices=("validation", "test"), default="test")


def _add_search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--beam-width",
        type=int,
        default=4,
        metavar="N",
        help=f"by default 4; 1, which is greedy, is quicker; at most {WIDEST}",
    )
    parser.add_argument("--length-penalty", type=float, default=0.6, metavar="A")


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


def _add_train(commands: Any) -> None:
    made = _command(commands, "train", _train, "train on a corpus, or resume")
    made.add_argument("--out", type=Path, metavar="DIR", required=True, help="folder of the model")
    made.add_argument(
        "--processes",
        type=int,
        default=1,
        metavar="N",
        help="processes, one thread each; two learn faster than two threads in one; default 1",
    )
    made.add_argument(
        "--start-from",
        type=Path,
        metavar="DIR",
        help="begin with the weights, sizes and vocabulary of a model that train wrote, "
        'or "shipped"',
    )
    made.add_argument(
        "--precision",
        choices=get_args(AskedPrecision),
        default="fastest",
        help="of the products; default: the fastest, measured before the first step",
    )
    corpus_options.add_options(made)
    for field in fields(Recipe):
        if field.name != "precision":
            made.add_argument(
                f"--{field.name.replace('_', '-')}",
                type=type(field.default),
                default=argparse.SUPPRESS,  # so that what was asked for can be told
                metavar="N",
                help=f"default {field.default}",
            )


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
    if " " in model and not Path(model).exists():
        raise argparse.ArgumentTypeError(
            f'no folder is called "{model}". The model comes before the text: translate shipped "…"'
        )
    return SHIPPED if model == "shipped" else Path(model)


def _open(model: Path) -> Translator:
    """Load the model onto the GPU, if there is one."""
    translator = Translator.load(model)
    translator.model.to(_device())
    return translator


def _add_translate(commands: Any) -> None:
    made = _command(commands, "translate", _translate, "translate texts, or lines of stdin")
    made.add_argument("texts", nargs="*", metavar="TEXT")
    made.add_argument(
        "--doubt", action="store_true", help="tell how sure it is, and of which words it is not"
    )
    _add_search(made)


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
            if lost := [word for draft in drafts for word in draft.not_kept()]:
                print(f"Not kept: {', '.join(lost)}. In: {text}", file=sys.stderr)
    return int(None in texts)


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


def _add_evaluate(commands: Any) -> None:
    made = _command(commands, "evaluate", _evaluate, "score the translations of a test set")
    _add_split(made)
    made.add_argument(
        "--battery",
        nargs="?",
        const=battery.DATA,
        type=Path,
        metavar="FILE",
        help="what typed sentences must keep, greedily and with a beam of 4, not a corpus; "
        "of a file like translation/data/battery.tsv, by default that one",
    )
    _add_search(made)
    corpus_options.add_options(made)


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


def _add_export(commands: Any) -> None:
    made = _command(commands, "export", _export, "write a trained model for other uses")
    made.add_argument("--out", type=Path, metavar="DIR", required=True, help="a new folder")
    made.add_argument(
        "--format",
        choices=("int8", "ctranslate2", "ctranslate2-int8"),
        required=True,
        help="int8: a quarter of the bytes, read by translate; ctranslate2: for that fast runtime",
    )


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


def _add_profile(commands: Any) -> None:
    made = _command(commands, "profile", _profile, "what a translation costs in time and memory")
    _add_split(made)
    made.add_argument("--sentences", type=int, default=64, metavar="N", help="default 64")
    made.add_argument(
        "--beam-widths", type=int, nargs="+", default=[1, 4], metavar="N", help="default 1 4"
    )
    corpus_options.add_options(made)


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
