"""The profile of a translator as tables in a terminal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from transformer_lesson.translation.profile import (
    decoding_memory_table,
    stage_table,
    top_operators,
    training_memory_table,
)
from transformer_lesson.translation.translator import Translator

if TYPE_CHECKING:
    import pandas as pd

WIDTH = 110  # where the output goes into a file


def print_profile(
    translator: Translator, texts: Sequence[str], *, beam_widths: Sequence[int] = (1, 4)
) -> None:
    """Measure what translating ``texts`` costs, and print seconds, operators and megabytes."""
    model, most = translator.model, translator.model.config.max_tokens
    lengths = [length for length in (16, 32, 64, 128) if length <= most] or [most]
    count = f"{len(texts)} sentence{'s' * (len(texts) != 1)}"
    show(f"Seconds by stage, {count}", stage_table(translator, texts, beam_widths=beam_widths))
    widest = max(beam_widths)
    operators = top_operators(lambda: translator.translate(texts, beam_width=widest))
    show(f"Operators that take longest, {count}, beam {widest}", operators)
    training = training_memory_table(model, lengths=lengths)
    show("Megabytes of a training step, by sentences and tokens", _in_megabytes(training))
    decoding = decoding_memory_table(model, lengths=lengths, beam_widths=beam_widths)
    show("Megabytes of decoding, by beam and tokens", _in_megabytes(decoding))


def show(title: str, frame: "pd.DataFrame") -> None:
    """Print a table; its index too, where that holds names."""
    table = Table(title=title, title_justify="left", box=None, header_style="underline")
    named = frame.index.dtype.kind not in "iu"
    for column in ([""] if named else []) + list(frame.columns):
        table.add_column(column.replace("_", " "), justify="right" if column else "left")
    for name, *values in frame.itertuples():
        table.add_row(*([str(name)] if named else []), *map(_shown, values))
    console = Console(highlight=False)
    console.width = max(console.width, WIDTH)
    console.print(table)
    console.print()


def _in_megabytes(frame: "pd.DataFrame") -> "pd.DataFrame":
    kinds = [name for name in frame.columns if name not in ("batch", "beam", "length")]
    return frame.assign(**{name: frame[name] / 1e6 for name in kinds})


def _shown(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else f"{value:,}"
