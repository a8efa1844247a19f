"""Text from a submission as text: nothing in it commands a terminal, a page or a reader's eye."""

import re

LONGEST = 4096  # characters of one line
MOST_LINES = 200

# Terminals obey control characters, XML forbids them and half surrogates, and bidirectional
# controls show a report in another order than it is written in.
_UNSAFE = re.compile(
    "[^\t\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
    "|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]"
    "|[\U000e0000-\U000e007f]"
)


def legible(text: str) -> str:
    """Replace what is not plain text, keep the lines, and cut what is too long for anyone."""
    lines = text.splitlines()
    shown = [_line(line) for line in lines[:MOST_LINES]]
    if len(lines) > MOST_LINES:
        shown.append(f"… {len(lines) - MOST_LINES} more lines")
    return "\n".join(shown)


def one_line(text: str) -> str:
    """The same, as a single line."""
    return _line(" ".join(text.splitlines()))


def _line(text: str) -> str:
    text = text[: LONGEST + 1].replace("\t", "    ")
    text = _UNSAFE.sub("\N{REPLACEMENT CHARACTER}", text)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
