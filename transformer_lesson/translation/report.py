"""The profile of a translator as tables in a terminal."""

from collections.abc import Sequence
from itertools import product
from typing import Any

from rich.console import Console
from rich.table import Table

from transformer_lesson.translation.profile import (
    STAGES,
    decoding_memory,
    stage_times,
    top_operators,
    training_memory,
)
from transformer_lesson.translation.translator import Translator

WIDTH = 110  # where the output goes into a file
BATCH = 32


def print_profile(
    translator: Translator, texts: Sequence[str], *, beam_widths: Sequence[int] = (1, 4)
) -> None:
    """Measure what translating ``texts`` costs, and print seconds, operators and megabytes."""
    model, most = translator.model, translator.model.config.max_tokens
    lengths = [length for length in (16, 32, 64, 128) if length <= most] or [most]
    count = f"{len(texts)} sentence{'s' * (len(texts) != 1)}"
    show(f"Seconds by stage, {count}", stage_rows(translator, texts, beam_widths))
    widest = max(beam_widths)
    operators = top_operators(lambda: translator.translate(texts, beam_width=widest))
    rows = [{"": name, **numbers} for name, numbers in operators.items()]
    show(f"Operators that take longest, {count}, beam {widest}", rows)
    rows = []
    for batch, length in product((8, BATCH), lengths):
        found = training_memory(model, rows=batch, tokens=length)
        rows.append({"batch": batch, "length": length, **_in_megabytes(found)})
    show("Megabytes of a training step, by sentences and tokens", rows)
    rows = []
    for width, length in product(beam_widths, lengths):
        found = decoding_memory(model, rows=BATCH * width, tokens=length)
        sizes = {"batch": BATCH, "beam": width, "length": length}
        rows.append({**sizes, **_in_megabytes(found)})
    show("Megabytes of decoding, by beam and tokens", rows)


def stage_rows(
    translator: Translator, texts: Sequence[str], beam_widths: Sequence[int]
) -> list[dict[str, Any]]:
    """Return a row for each way to search, with the cache and without."""
    translator.translate(texts[:2])  # the first run is slower than those after it
    rows = []
    for width, cached in product(beam_widths, (True, False)):
        found = stage_times(translator, texts, beam_width=width, cached=cached)
        name = ("greedy" if width == 1 else f"beam {width}") + ("" if cached else ", no cache")
        columns = {column: found[column] for column in (*STAGES, "total", "tokens")}
        each = 1000 * found["total"] / max(found["tokens"], 1)
        rows.append({"": name, **columns, "ms per token": each})
    return rows


def show(title: str, rows: Sequence[dict[str, Any]]) -> None:
    """Print a table of rows with the same columns; the column of names has none itself."""
    table = Table(title=title, title_justify="left", box=None, header_style="underline")
    for column in rows[0]:
        table.add_column(column.replace("_", " "), justify="right" if column else "left")
    for row in rows:
        table.add_row(*map(_shown, row.values()))
    console = Console(highlight=False)
    console.width = max(console.width, WIDTH)
    console.print(table)
    console.print()


def _in_megabytes(sizes: dict[str, int]) -> dict[str, float]:
    return {kind: size / 1e6 for kind, size in sizes.items()}


def _shown(value: str | float) -> str:
    if isinstance(value, str):
        return value
    return f"{value:.3f}" if isinstance(value, float) else f"{value:,}"
