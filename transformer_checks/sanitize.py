"""Make text from a submission harmless to a terminal, a report and its reader."""

import re

MAX_LINE = 4096  # characters
MAX_LINES = 200
# Longer than any line that is shown, even after pairs of "\r\n" have become single spaces.
_MAX_SCANNED = 4 * MAX_LINE

# Terminals obey control characters, XML forbids them and lone surrogates, and bidirectional
# controls, tags and other invisible characters make a report read differently than it is written.
_UNSAFE = re.compile(
    "[^\t\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
    "|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]"
    "|[\U000e0000-\U000e007f]"
)


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
    line = _UNSAFE.sub("\N{REPLACEMENT CHARACTER}", line[: length + 1].replace("\t", "    "))
    return line if len(line) <= length else line[: length - 1] + "…"
