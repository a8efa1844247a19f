"""Show a verdict: a panel in a notebook, plain text in a terminal."""

from html import escape

from transformer_lesson.checks.exercise import Check
from transformer_lesson.checks.judge import Verdict

# Blue and orange, told apart by colour-blind readers; the words carry the meaning anyway.
_COLOURS = {"passed": "#0072b2", "not attempted": "#767676"}
_OTHER = "#b35900"


class Panel:
    """Renders as HTML where that is possible and as text elsewhere."""

    def __init__(self, title: str, colour: str, paragraphs: list[str], example: str = "") -> None:
        self._title, self._colour = title, colour
        self._paragraphs, self._example = paragraphs, example

    def __repr__(self) -> str:
        return "\n".join(part for part in (self._title, *self._paragraphs, self._example) if part)

    def _repr_html_(self) -> str:
        body = "".join(f"<p style='margin:.3em 0'>{_code(p)}</p>" for p in self._paragraphs if p)
        if self._example:
            body += f"<pre style='margin:.5em 0;white-space:pre-wrap'>{escape(self._example)}</pre>"
        return (
            f"<div role='status' style='border-left:4px solid {self._colour};padding:.3em .8em'>"
            f"<strong style='color:{self._colour}'>{escape(self._title)}</strong>{body}</div>"
        )


def verdict_panel(check: Check, verdict: Verdict) -> Panel:
    """The first thing that is wrong, the smallest counterexample, then what to try."""
    title = f"{check.name}: {verdict.status}"
    if verdict.passed:
        title += f", {check.points} of {check.points} points"
    return Panel(
        title,
        _COLOURS.get(verdict.status, _OTHER),
        [_sentence(verdict.headline), _sentence(verdict.lead)],
        verdict.counterexample,
    )


def hint_panel(check: Check, number: int) -> Panel:
    """Hint ``number``, counted from 1."""
    more = len(check.hints) - number
    rest = f"{more} more: call hint again." if more else "That was the last hint."
    title = f"{check.name}: hint {number} of {len(check.hints)}"
    return Panel(title, _COLOURS["not attempted"], [check.hints[number - 1], rest])


def _sentence(text: str) -> str:
    """Begin with a capital, end with a full stop."""
    text = text[:1].upper() + text[1:]
    return text if not text or text[-1] in ".?" else text + "."


def _code(text: str) -> str:
    """Escape, and set `code` between backquotes as code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{p}</code>" if i % 2 else p for i, p in enumerate(parts))
