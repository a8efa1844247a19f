"""Every exercise of the course, by lesson, as ``notebook_judge.catalogue`` says and reads them."""

from notebook_judge import catalogue
from transformer_checks import COURSE

_READ = catalogue.read(COURSE)
CHECKS, LESSONS, LESSON_OF = _READ.checks, _READ.lessons, _READ.lesson_of
find, of_lesson = _READ.find, _READ.of_lesson
