"""Wrong answers: those with a name, and some that nobody foresaw; wrong.toml holds them."""

from tests.grading.battery.mistakes import Mistake, of_catalogue, submissions
from tests.grading.battery.submission import (
    ALONE,
    ANSWERS,
    LESSON,
    Submission,
    edited,
    read,
    stored,
)

TABLES = read("wrong")
# Of the answers that stand alone the text is not the solution's, which slips edit.
EDITED = sorted(set(ANSWERS) - ALONE.keys() - {"which_bug"})
NAMED = (*of_catalogue(LESSON, EDITED, each=4), *(Mistake(*row) for row in TABLES["named"]))
SUBMISSIONS = (
    *submissions(NAMED),
    *submissions([Mistake(*row) for row in TABLES["nameless"]]),
    *stored("wrong"),
    *(
        one
        for lesson, answers in TABLES["others"].items()
        for one in (
            Submission(f"{lesson[:2]} as it is", edited(lesson=lesson), lesson=lesson),
            *submissions(of_catalogue(lesson, answers, each=1), lesson),
        )
    ),
)
