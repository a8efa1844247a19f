"""How good the checks are, from what the audits stored: what they let pass, and what they say.

``python -m authoring.mutation`` and ``python -m authoring.audits.diagnoses`` measure; this adds up
what they found and still holds, and says of how many exercises.
"""

import sys

from authoring.audits import diagnoses, frozen, inputs, margins
from authoring.mutation import run as mutation
from transformer_checks.catalogue import CHECKS

MOST_UNNAMED = 0.15


def main() -> int:
    """Print the table; return 1 if a promise is broken where it was measured."""
    mutants = mutation.AUDIT.stored().values()
    told = diagnoses.AUDIT.stored().values()
    varied, read = inputs.AUDIT.stored().values(), frozen.AUDIT.stored().values()
    survived = sum(len(report.survived) for report in mutants)
    judged = survived + sum(report.killed for report in mutants)
    named, untrue = sum(r.named for r in told), sum(len(r.untrue) for r in told)
    refused = sum(len(report.refused) for report in told)
    wrong, bare = sum(report.wrong for report in told), sum(report.bare for report in told)
    near = margins.AUDIT.stored().values()
    tight = sum(len(report.findings) for report in near)
    never = sum(len(report.findings) for report in varied)
    unread = sum(len(report.survived) for report in read)
    share = bare / wrong if wrong else 0.0
    rows = (
        ("wrong answers accepted", f"{survived} of {judged}", "0", mutants, survived),
        ("right answers refused", f"{refused}", "0", told, refused),
        ("untrue names", f"{untrue} of {named}", "0", told, untrue),
        (
            "wrong values unnamed",
            f"{share:.0%} of {wrong}",
            "under 15%",
            told,
            share > MOST_UNNAMED,
        ),
        ("what never varies, unexplained", f"{never}", "0", varied, never),
        ("arguments not needed, unexplained", f"{unread}", "0", read, unread),
        ("cases near the tolerance", f"{tight}", "0", near, tight),
    )
    print(f"{'':35}{'measured':>14}{'promised':>12}{'exercises':>12}")
    for title, measured, promised, reports, _ in rows:
        shown = measured if reports else "-"
        print(f"{title:35}{shown:>14}{promised:>12}{f'{len(reports)} of {len(CHECKS)}':>12}")
    return int(any(broken for *_, broken in rows))


if __name__ == "__main__":
    sys.exit(main())
