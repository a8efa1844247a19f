"""Show a verdict: a panel in a notebook, plain text in a terminal."""

from html import escape

from transformer_checks.checks.exercise import Check
from transformer_checks.checks.judge import Verdict
from transformer_lesson.palette import PANELS

BLUE, ORANGE, GREY = (PANELS[name] for name in ("blue", "orange", "grey"))
_COLOURS = {"passed": BLUE, "not attempted": GREY}


# The error that marks a cell as failed would repeat the panel's title in red below it. JupyterLab
# and the pages of nbconvert leave it out by this rule; elsewhere its one line is seen.
_ALONE = (
    "<style class='not-passed'>.jp-OutputArea-child:has(.not-passed) ~ "
    ".jp-OutputArea-child:has(> [data-mime-type='application/vnd.jupyter.stderr'])"
    "{display:none}</style>"
)


class Panel:
    """Renders as HTML where that is possible and as text elsewhere.

    Letters have the colour of the page, so that a panel is as legible in a dark theme.
    """

    def __init__(self, title: str, colour: str, paragraphs: list[str], example: str = "") -> None:
        self._title, self._colour = title, colour
        self._paragraphs, self._example = paragraphs, example

    def __repr__(self) -> str:
        return "\n".join(part for part in (self._title, *self._paragraphs, self._example) if part)

    def _repr_html_(self) -> str:
        body = "".join(f"<p style='margin:.3em 0'>{_code(p)}</p>" for p in self._paragraphs if p)
        if self._example:
            body += f"<pre style='margin:.5em 0;white-space:pre-wrap'>{escape(self._example)}</pre>"
        return framed(self._title, self._colour, body)


class NotPassedPanel(Panel):
    """The panel of an answer that did not pass: the only output of its cell that is seen."""

    def _repr_html_(self) -> str:
        return super()._repr_html_() + _ALONE


def framed(title: str, colour: str, body: str) -> str:
    """HTML with a title and a coloured line at its side. ``body`` is HTML already."""
    return (
        f"<div role='status' style='border-left:4px solid {colour};padding:.3em .8em'>"
        f"<strong>{escape(title)}</strong>{body}</div>"
    )


def verdict_panel(check: Check, verdict: Verdict) -> Panel:
    """The first thing that is wrong, the smallest counterexample, then what to try."""
    title = f"{check.name}: {verdict.status}"
    if verdict.points:
        title += f", {verdict.points} of {check.points} points"
    kind = Panel if verdict.passed else NotPassedPanel
    return kind(
        title,
        _COLOURS.get(verdict.status, ORANGE),
        [sentence(verdict.headline, check), sentence(verdict.lead, check)],
        verdict.counterexample,
    )


def hint_panel(check: Check, number: int) -> Panel:
    """Hint ``number``, counted from 1."""
    more = len(check.hints) - number
    rest = f"{more} more: ask for a hint again." if more else "That was the last hint."
    title = f"{check.name}: hint {number} of {len(check.hints)}"
    return Panel(title, GREY, [check.hints[number - 1], rest])


def sentence(text: str, check: Check | None = None) -> str:
    """Begin with a capital, unless with the name of something in code; end with a full stop.

    Args:
        text: a clause, or a sentence already.
        check: the exercise that it speaks of, whose arguments and results are such names.
    """
    first = text.partition(" ")[0]
    names = {*check.returns, *check.cases(0)[0].inputs} if check else set()
    in_code = first in names or any(letter in "_`.=*+(" or letter.isdigit() for letter in first)
    text = text if in_code else text[:1].upper() + text[1:]
    return text if not text or text[-1] in ".?" else text + "."


def _code(text: str) -> str:
    """Escape, and set `code` between backquotes as code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{p}</code>" if i % 2 else p for i, p in enumerate(parts))
