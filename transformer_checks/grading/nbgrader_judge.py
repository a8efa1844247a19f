"""What ``nbgrader_config.py`` imports: the judge of notebooks, with this course."""

from notebook_judge.grading.nbgrader_judge import judge_outside

__all__ = ["judge_outside"]
