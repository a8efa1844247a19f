"""``python -m transformer_lesson.translation``: what lesson 10 does, outside a notebook."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from careful_io import ending_with_its_reader, print_somehow
from transformer_lesson.translation import corpus_options
from transformer_lesson.translation.battery import DATA as BATTERY
from transformer_lesson.translation.settings import WIDEST, Recipe


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
        from transformer_lesson.translation import commands  # it loads PyTorch, in seconds
    except KeyboardInterrupt:
        return 130
    return commands.run(options)


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


def _command(commands: Any, name: str, what: str, *, model: bool = True) -> argparse.ArgumentParser:
    made: argparse.ArgumentParser = commands.add_parser(name, help=what)
    if model:
        made.add_argument(
            "model",
            type=_model,
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


def _add_train(commands: Any) -> None:
    made = _command(commands, "train", "train on a corpus, or resume", model=False)
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
        default="fastest",
        metavar="P",
        help="of the products: float32, bfloat16, or by default the fastest, measured before the "
        "first step",
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


def _model(given: str) -> Path:
    """Refuse a text that stands where the model should."""
    if " " in given and not Path(given).exists():
        raise argparse.ArgumentTypeError(
            f'no folder is called "{given}". The model comes before the text: translate shipped "…"'
        )
    return Path(given)


def _add_translate(commands: Any) -> None:
    made = _command(commands, "translate", "translate texts, or lines of stdin")
    made.add_argument("texts", nargs="*", metavar="TEXT")
    made.add_argument(
        "--doubt", action="store_true", help="tell how sure it is, and of which words it is not"
    )
    _add_search(made)


def _add_evaluate(commands: Any) -> None:
    made = _command(commands, "evaluate", "score the translations of a test set")
    _add_split(made)
    made.add_argument(
        "--battery",
        nargs="?",
        const=BATTERY,
        type=Path,
        metavar="FILE",
        help="what typed sentences must keep, greedily and with a beam of 4, not a corpus; "
        "of a file like translation/data/battery.tsv, by default that one",
    )
    _add_search(made)
    corpus_options.add_options(made)


def _add_export(commands: Any) -> None:
    made = _command(commands, "export", "write a trained model for other uses")
    made.add_argument("--out", type=Path, metavar="DIR", required=True, help="a new folder")
    made.add_argument(
        "--format",
        choices=("int8", "ctranslate2", "ctranslate2-int8"),
        required=True,
        help="int8: a quarter of the bytes, read by translate; ctranslate2: for that fast runtime",
    )


def _add_profile(commands: Any) -> None:
    made = _command(commands, "profile", "what a translation costs in time and memory")
    _add_split(made)
    made.add_argument("--sentences", type=int, default=64, metavar="N", help="default 64")
    made.add_argument(
        "--beam-widths", type=int, nargs="+", default=[1, 4], metavar="N", help="default 1 4"
    )
    corpus_options.add_options(made)


if __name__ == "__main__":
    sys.exit(main())
