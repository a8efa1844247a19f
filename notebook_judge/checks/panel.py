"""Show a verdict: a panel in a notebook, plain text in a terminal."""

from html import escape
from typing import TYPE_CHECKING

from notebook_judge.checks.card import Card
from notebook_judge.palette import PANELS
from notebook_judge.sentences import as_html, sentence

if TYPE_CHECKING:
    from notebook_judge.checks.judge import Judgement

BLUE, ORANGE, GREY = (PANELS[name] for name in ("blue", "orange", "grey"))
_COLORS = {"passed": BLUE, "not attempted": GREY}


# The error that marks a cell as failed would repeat the panel's title in red below it. JupyterLab
# and the pages of nbconvert leave it out by this rule; elsewhere its one line is seen.
_ALONE = (
    "<style class='not-passed'>.jp-OutputArea-child:has(.not-passed) ~ "
    ".jp-OutputArea-child:has(> [data-mime-type='application/vnd.jupyter.stderr'])"
    "{display:none}</style>"
)
# Dollar signs in what an answer or a path says are no mathematics, to MathJax 3 and 2.
PLAIN = "class='mathjax_ignore tex2jax_ignore' style='margin:.3em 0'"

# Expected and got stand one below the other; JupyterLab's outputs have the letters of its text.
_EXAMPLE = "margin:.5em 0;white-space:pre-wrap;font-family:var(--jp-code-font-family,monospace)"


class Panel:
    """Renders as HTML where that is possible and as text elsewhere.

    Letters have the color of the page, so that a panel is as legible in a dark theme.
    """

    def __init__(self, title: str, color: str, paragraphs: list[str], example: str = "") -> None:
        self._title, self._color = title, color
        self._paragraphs, self._example = [one for one in paragraphs if one], example

    def __repr__(self) -> str:
        parts = (self._title, *map(sentence, self._paragraphs), self._example)
        return "\n".join(filter(None, parts))

    def _repr_html_(self) -> str:
        body = "".join(f"<p {PLAIN}>{as_html(p)}</p>" for p in self._paragraphs)
        if self._example:
            body += f"<pre style='{_EXAMPLE}'>{escape(self._example)}</pre>"
        return framed(self._title, self._color, body)


class NotPassedPanel(Panel):
    """The panel of an answer that did not pass: the only output of its cell that is seen."""

    def _repr_html_(self) -> str:
        return super()._repr_html_() + _ALONE


def framed(title: str, color: str, body: str) -> str:
    """HTML with a title and a colored line at its side. ``body`` is HTML already."""
    return (
        f"<div role='status' style='border-left:4px solid {color};padding:.3em .8em'>"
        f"<strong>{escape(title)}</strong>{body}</div>"
    )


def verdict_panel(check: Card, verdict: "Judgement") -> Panel:
    """The first thing that is wrong, the smallest counterexample, then what to try."""
    title = f"{check.name}: {verdict.status}"
    if verdict.points:
        title += f", {verdict.points} of {check.points} points"
    kind = Panel if verdict.passed else NotPassedPanel
    return kind(
        title,
        _COLORS.get(verdict.status, ORANGE),
        [verdict.headline, verdict.lead],
        verdict.counterexample,
    )


def hint_panel(check: Card, number: int) -> Panel:
    """Hint ``number``, counted from 1."""
    more = len(check.hints) - number
    rest = f"{more} more: ask for a hint again." if more else "That was the last hint."
    title = f"{check.name}: hint {number} of {len(check.hints)}"
    return Panel(title, GREY, [check.hints[number - 1], rest])
