"""What a right answer is, what a wrong one means, and the grader: the machinery of the exercises.

``transformer_lesson`` is the package that the lessons build. It does not know this one; a notebook
gets here by ``from transformer_lesson.checks import check, hint, progress``.
"""

from pathlib import Path

import transformer_lesson

# The folders of the two packages: all code of the course that runs beside a learner's.
PACKAGES = (Path(transformer_lesson.__path__[0]), Path(__path__[0]))
