"""Equal code beneath other names."""

import ast
from dataclasses import replace

import pytest

from notebook_judge.grading.reports.pages import class_page
from notebook_judge.grading.reports.statistics import by_lesson
from notebook_judge.grading.results import NotebookResult
from notebook_judge.grading.sandbox.shape import shape
from tests.grading.fakes import RUN, exercise, notebook

ONE = '''
import torch
def weights(query, key, mask=None):
    """What each query looks at."""
    scores = query @ key.mT / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    top = scores.amax(dim=-1, keepdim=True)
    powers = (scores - top).exp()
    return powers / powers.sum(dim=-1, keepdim=True)
'''
RENAMED = """
def weights(q: torch.Tensor, k, m=None) -> torch.Tensor:
    s: torch.Tensor = q @ k.mT / q.shape[-1] ** 0.5
    if m is not None:
        s = s.masked_fill(~m, -torch.inf)  # what it may not see
    biggest = s.amax(dim=-1, keepdim=True)
    e = (s - biggest).exp()
    return e / e.sum(dim=-1, keepdim=True)
"""


def test_names_comments_and_annotations_do_not_count_and_all_else_does() -> None:
    whole = shape(ast.parse(ONE))
    assert whole == shape(ast.parse(RENAMED)) != ""
    for before, after in (("dim=-1", "dim=-2"), ("amax", "amin"), ("q @ k", "k @ q"), ("~m", "m")):
        assert shape(ast.parse(RENAMED.replace(before, after, 1))) not in ("", whole)
    assert shape(ast.parse("def double(x):\n    return 2 * x")) == ""
    assert shape(ast.parse("x = " + "-" * 900 + "1")) == ""


def of(name: str, text: str, status: str = "wrong") -> NotebookResult:
    answer = replace(exercise("total", status), shape=shape(ast.parse(text)))
    return replace(notebook(name, answer), learner=name)


@pytest.mark.parametrize(
    ("class_", "found"),
    [
        ([of("a", ONE), of("b", RENAMED)], [["a", "b"]]),
        ([of("a", ONE, "passed"), of("b", RENAMED)], [["a", "b"]]),
        ([of("a", ONE), of("b", RENAMED.replace("-1", "-2"))], []),
        ([of("a", ONE), replace(of("a2", RENAMED), learner="a")], []),
        ([of("a", ONE, "not attempted"), of("b", RENAMED, "not attempted")], []),
        ([of(str(n), ONE) for n in range(10)], []),  # what everybody has
    ],
)
def test_learners_with_equal_code_are_listed_as_a_hint(
    tiny: None, class_: list[NotebookResult], found: list[list[str]]
) -> None:
    (lesson,) = by_lesson(class_)
    assert [[one.name for one in group.notebooks] for group in lesson.alike] == found
    page = class_page(RUN, class_, {one.name: f"{one.name}.html" for one in class_})
    assert ("A hint and no proof" in page) == bool(found)
