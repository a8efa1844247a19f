"""Texts that a learner chooses reach the reports as text; see also tests/grading/test_reports."""

from tests.grading.battery.submission import Submission, all_of, instead

NASTY = {
    "a script": "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "terminal codes": "\\x1b[31mred\\x1b]0;title\\x07\\x1b[2J",
    "a formula": '=HYPERLINK("http://x")',
    "XML-illegal characters": "\\x00\\x08\\ufffe\\ud800",
    "the end of a CDATA section": "]]><testcase/>&amp;",
    "markup of the terminal table": "[bold red]passed[/] [link=file:///]",
    "lines of their own": "a\\r\\nscore: 100\\u2028next",
    "text in the other direction": "\\u202epassed\\u2066",
    "a megabyte": "' * 3 + 'x' * 2**20 + '",
}
LIAR = """class Odd(Exception):
    def __str__(self):
        raise SystemExit
Odd.__name__ = '<b>passed</b>\\x1b'
def causal_mask(queries, keys):
    raise Odd"""


def _raised(name: str, text: str) -> Submission:
    source = f"def causal_mask(queries, keys):\n    raise ValueError('{text}')"
    return Submission(
        f"{name} in an error", instead(causal_mask=source), all_of("error", ["causal_mask"])
    )


SUBMISSIONS = (
    *(_raised(name, text) for name, text in NASTY.items()),
    Submission(
        "an exception that cannot be printed",
        instead(causal_mask=LIAR),
        all_of("error", ["causal_mask"]),
    ),
    Submission(
        "a type with markup for a name",
        instead(causal_mask="causal_mask = type('<b>\\x1b[1mx</b>', (), {})()"),
        all_of("error", ["causal_mask"]),
    ),
    Submission(
        "a broken cell that begins with markup",
        instead(causal_mask="'<script>'; 1 / 0\ndef causal_mask(queries, keys): pass"),
        all_of("error", ["causal_mask"]),
    ),
)
