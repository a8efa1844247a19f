"""The judge of exercises in notebooks: checks that name mistakes, and the grader of a class.

It is handed a ``Course``, which says where the exercises are and what they are called; README.md
shows one of three exercises.
"""

from notebook_judge.course import Course, use

__all__ = ["Course", "use"]
