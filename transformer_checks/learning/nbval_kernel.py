"""What nbval's kernel does before the first cell of an exercise notebook, as the worker does it."""

from IPython.core.getipython import get_ipython

from transformer_checks.checks.solutions import given
from transformer_checks.grading.sandbox.going_on import GoingOn
from transformer_lesson.flash.interpret import use_interpreter

# What the kernel is sent; it leaves no name behind.
BEGIN = f"__import__({__name__!r}, fromlist=['begin']).begin({{lesson!r}})"


def begin(lesson: str) -> None:
    """Go on in cells that raise, and have the course's given cells stand in for missing ones."""
    use_interpreter()  # before a given cell imports Triton
    GoingOn(get_ipython()).first(given(lesson))
