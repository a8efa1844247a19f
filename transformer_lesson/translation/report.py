"""The profile of a translator as tables in a terminal."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import pandas as pd

from transformer_lesson.translation.profile import (
    STAGES,
    decoding_memory,
    stage_times,
    top_operators,
    training_memory,
)
from transformer_lesson.translation.translator import Translator

BATCH = 32


def print_profile(
    translator: Translator, texts: Sequence[str], *, beam_widths: Sequence[int] = (1, 4)
) -> None:
    """Measure what translating ``texts`` costs, and print seconds, operators and megabytes."""
    model, most = translator.model, translator.model.config.max_tokens
    lengths = [length for length in (16, 32, 64, 128) if length <= most] or [most]
    count = f"{len(texts)} sentence{'s' * (len(texts) != 1)}"
    rows = stage_rows(translator, texts, beam_widths)
    _show(f"Seconds by stage, {count}", pd.DataFrame(rows).set_index("").rename_axis(None))
    widest = max(beam_widths)
    print(f"Operators that take longest, {count}, beam {widest}")
    print(top_operators(lambda: translator.translate(texts, beam_width=widest)))
    found = {
        (batch, length): training_memory(model, rows=batch, tokens=length)
        for batch, length in product((8, BATCH), lengths)
    }
    _show("Megabytes of a training step, by sentences and tokens", pd.DataFrame(found).T / 1e6)
    found = {
        (width, length): decoding_memory(model, rows=BATCH * width, tokens=length)
        for width, length in product(beam_widths, lengths)
    }
    title = f"Megabytes of decoding {BATCH} sentences, by beam and tokens"
    _show(title, pd.DataFrame(found).T / 1e6)


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


def _show(title: str, table: pd.DataFrame) -> None:
    print(title, table.to_string(float_format="{:,.3f}".format, sparsify=False), "", sep="\n")
