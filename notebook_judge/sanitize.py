"""Make text from a submission harmless to a terminal, a report and its reader."""

import unicodedata

MAX_LINE = 4096  # characters
MAX_LINES = 200
# Longer than any line that is shown, even after pairs of "\r\n" have become single spaces.
_MAX_SCANNED = 4 * MAX_LINE

_MOST_MARKS = 4  # on one letter: more make a tower that covers the lines above it
# Letters and symbols by their category, and blank all the same.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")


class _Safe(dict[int, str]):
    """What stands for a character, found out when it is first met.

    Terminals obey control characters, XML forbids them and lone surrogates, and bidirectional
    controls, tags and other invisible characters make a report read differently than it is written.
    """

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        unsafe = unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        unsafe |= letter in _BLANK or code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF
        self[code] = "\N{REPLACEMENT CHARACTER}" if unsafe else letter
        return self[code]


_SAFE = _Safe()


def sanitize(text: str) -> str:
    """Replace unsafe characters, keep the line breaks, and cut what is too long to read."""
    lines = text.splitlines()
    shown = [_clean(line, MAX_LINE) for line in lines[:MAX_LINES]]
    if len(lines) > MAX_LINES:
        shown.append(f"… {len(lines) - MAX_LINES} more lines")
    return "\n".join(shown)


def sanitize_line(text: str, length: int = MAX_LINE) -> str:
    """Do the same, but return a single line of at most ``length`` characters."""
    return _clean(" ".join(text[:_MAX_SCANNED].splitlines()), length)


def _clean(line: str, length: int) -> str:
    line = line[: length + 1].replace("\t", "    ").translate(_SAFE)
    if not line.isascii():
        line = _without_towers(line)
    return line if len(line) <= length else line[: length - 1] + "…"


def _without_towers(line: str) -> str:
    kept, marks = [], 0
    for letter in line:
        marks = marks + 1 if unicodedata.category(letter) in ("Mn", "Me") else 0
        kept += [letter] * (marks <= _MOST_MARKS)
    return "".join(kept)
