"""Every sentence of the catalogue reads alike in the panel, in a terminal and on the page."""

import html
import re

import pytest

from notebook_judge.checks.exercise import Check
from notebook_judge.checks.panel import Panel
from notebook_judge.grading.reports.pages import notebook_page
from notebook_judge.grading.results import ExerciseResult, NotebookResult
from notebook_judge.sentences import sentence
from transformer_checks.catalogue import CHECKS

# What follows "it looks as if" has a verb before any colon; these are those that the slips use.
_VERB = re.compile(
    r"\b(is|are|was|were|has|have|does|do|may|can|must|should|gets?|runs?|stands?|takes?|holds?"
    r"|comes?|counts?|(sum|average|reach|overflow|hide|see|serve|mix|use|fail|alternate|score|keep"
    r"|read|mean|belong|give|turn|move|change|multipli|multiply|ask|ind|start|fall|cost|end|grow|goe?|share"
    r"|begin|attend|replace|stop|stay|leave|write|refer|become|sort|subtract|make|compete|forget"
    r"|compare|separate|follow|compute|send|bind|add|divide|look)(e?s|ies|y|ex)?)\b"
)


@pytest.mark.parametrize("check", CHECKS.values(), ids=lambda check: check.name)
def test_panel_terminal_and_page_say_the_same(check: Check) -> None:
    pairs = [(slip.says, slip.lead) for slip in check.slips] + [(one, one) for one in check.hints]
    results = tuple(
        ExerciseResult(check.name, check.title, "wrong", 0, 1, says, lead) for says, lead in pairs
    )
    page = notebook_page(NotebookResult("n", "n.ipynb", "graded", exercises=results))
    for pair in pairs:
        panel = Panel("", "", list(pair))
        paragraphs = re.findall(r"<p [^>]*>(.*?)</p>", panel._repr_html_(), re.DOTALL)
        assert len(paragraphs) == 2
        assert all(paragraph in page for paragraph in paragraphs)
        in_words = (re.sub("</?code>", "`", p.replace("<bdi>", "")) for p in paragraphs)
        plain = [html.unescape(p.replace("</bdi>", "")) for p in in_words]
        assert repr(panel).splitlines() == plain


@pytest.mark.parametrize("check", CHECKS.values(), ids=lambda check: check.name)
def test_what_a_slip_says_follows_it_looks_as_if(check: Check) -> None:
    for slip in check.slips:
        assert not re.search(r"[.!?](\s|$)", slip.says), "one clause, for more may follow"
        assert _VERB.search(re.split(r"[:;](?:\s|$)", slip.says)[0]), slip.says


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("torch.zeros fills with 0", "torch.zeros fills with 0."),
        ("w_out is not used", "w_out is not used."),
        ("dV is not used", "dV is not used."),
        ("x is scaled", "x is scaled."),
        ("`mask` is inverted", "`mask` is inverted."),
        ("ε is too large", "ε is too large."),
        ("a system wins", "A system wins."),
        ("padding counts as a target", "Padding counts as a target."),
        ("stop. Then go on!", "Stop. Then go on!"),
        ("", ""),
    ],
)
def test_a_name_in_code_keeps_its_letters(text: str, shown: str) -> None:
    assert sentence(text) == shown
    assert sentence(shown) == shown
