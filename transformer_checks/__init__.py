"""The catalogue of this course: what a right answer is, and what a wrong one means.

Whoever imports it has handed the course to ``notebook_judge``, which runs the checks and grades. A
notebook gets here by ``from transformer_lesson.checks import check, hint, progress``; that is all
that ``transformer_lesson``, the package that the lessons build, knows of either.
"""

from notebook_judge.course import Course, use

COURSE = use(
    Course(
        name="transformer-lesson",
        title="Transformer, built and measured",
        exercises="transformer_checks.catalogue",
        example="attention.softmax",
        door="transformer_lesson.checks",
        package="transformer_lesson",
        shown=("figures", "machine", "widgets"),
        spared=(
            *("checks", "config", "palette", "weights"),
            *("flash.interpret", "translation.small_language"),
        ),
        underneath=("validation", "initialization"),
        preloaded=("transformer_lesson.models",),
        # Before a given cell imports Triton.
        first="transformer_lesson.flash.interpret:use_interpreter",
        truths="In this course masks are boolean, True = may attend; everything else is numbers.",
    )
)
