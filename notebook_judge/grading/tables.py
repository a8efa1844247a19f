"""Read the small tables that a teacher gives: CSV as any spreadsheet writes it."""

import codecs
import csv
import io
from collections.abc import Collection, Iterable
from difflib import get_close_matches
from pathlib import Path

from notebook_judge.grading.names import tidy


class BadTable(ValueError):
    """A table, or a row of it, cannot be used; the message says where and why."""


def read_table(path: Path, needed: Iterable[str]) -> list[tuple[int, dict[str, str]]]:
    """The rows of a CSV with a header; cells are separated by commas, semicolons or tabs.

    Args:
        path: the file, in UTF-8, or in UTF-16 as Excel's "Unicode text"; it is only read.
        needed: columns that it must have; others are returned too.

    Returns:
        For each row that is not empty the line that it ends in, and its cells by lower-case
        name of the column.

    Raises:
        BadTable: it cannot be read, lacks a column, or a row has more cells than the header.
    """
    try:
        data = path.read_bytes()
        marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        text = data.decode("utf-16" if marked else "utf-8-sig")
    except OSError as error:
        raise BadTable(f"cannot read {str(path)!r}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadTable(f"{str(path)!r} is not text in UTF-8: save it as CSV UTF-8") from error
    # Rows end where CSV ends them: other signs that break a line may stand in a cell.
    head = io.StringIO(text, newline="").readline()
    delimiter = max(",;\t", key=head.count)
    try:
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        columns = [cell.strip().lower() for cell in next(lines, [])]
        rows = [(lines.line_num, [cell.strip() for cell in row]) for row in lines]
    except csv.Error as error:
        raise BadTable(f"{str(path)!r} is no CSV: {error}") from error
    for column in needed:
        if column not in columns:
            found = ", ".join(filter(None, columns)) or "none"
            raise BadTable(f"{str(path)!r} has no column {column!r}; its columns are: {found}")
    for line, row in rows:
        if len(row) > len(columns):
            raise BadTable(
                f"{str(path)!r}, line {line}: {len(row)} cells under {len(columns)} columns. "
                "Put a text that holds the separator in quotes"
            )
    return [
        (line, dict.fromkeys(columns, "") | dict(zip(columns, row, strict=False)))
        for line, row in rows
        if any(row)
    ]


def one_of(name: str, names: Collection[str], none: str) -> str:
    """Return a name that a table gives.

    Raises:
        BadTable: it is not among these; ``none`` begins the message.
    """
    name = tidy(name)
    if name in names:
        return name
    close = get_close_matches(name, names, n=1)
    hint = f"Did you mean {close[0]!r}?" if close else f"There are {', '.join(sorted(names)[:9])}."
    raise BadTable(f"{none} is called {name!r}. {hint}")
