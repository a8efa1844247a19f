"""Texts that a learner chooses reach the reports as text; see also tests/grading/test_reports."""

from tests.grading.battery.submission import ANSWERS, Submission, all_of, instead

NASTY = (
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "\\x1b[31mred\\x1b]0;title\\x07\\x1b[2J",
    '=HYPERLINK("http://x")',
    "\\x00\\x08\\ufffe\\ud800",
    "]]><testcase/>&amp;",
    "[bold red]passed[/] [link=file:///]",
    "a\\r\\nscore: 100\\u2028next",
    "\\u202epassed\\u2066",
    "' * 3 + 'x' * 2**20 + '",
)
LIAR = """class Odd(Exception):
    def __str__(self):
        raise SystemExit
Odd.__name__ = '<b>passed</b>\\x1b'
def causal_mask(queries, keys):
    raise Odd"""
MARKUP = {
    "causal_mask": LIAR,
    "padding_mask": "padding_mask = type('<b>\\x1b[1mx</b>', (), {})()",
    "attention_scores": "'<script>'; 1 / 0\ndef attention_scores(query, key): pass",
}
RAISED = {
    answer: f"def {answer}(*_):\n    raise ValueError('{text}')"
    for answer, text in zip(ANSWERS, NASTY, strict=True)
}
SUBMISSIONS = (
    Submission("nasty texts in errors", instead(**RAISED), all_of("error")),
    Submission("markup for names and in cells", instead(**MARKUP), all_of("error", MARKUP)),
)
