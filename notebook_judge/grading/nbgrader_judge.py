"""Let ``nbgrader autograde`` take its points from the isolated judge.

nbgrader runs a submission in a kernel and believes what its check cells say. With these two lines
in ``nbgrader_config.py`` it runs nothing: each notebook is graded as the command ``grade``
does it, and every other command of nbgrader works as before::

    from notebook_judge.grading.nbgrader_judge import judge_outside
    judge_outside(get_config())

Needs nbgrader: ``pip install '.[nbgrader]'``.
"""

import secrets
from functools import cache
from pathlib import Path
from typing import Any

import bleach
import nbformat
from nbconvert.exporters import NotebookExporter
from nbconvert.filters import markdown2html
from nbformat import NotebookNode
from nbgrader import utils
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde
from nbgrader.preprocessors import Execute, NbGraderPreprocessor
from traitlets import Enum, Integer
from traitlets.config import Config

from notebook_judge.checks.card import cell_id
from notebook_judge.grading.grader import grade_notebook
from notebook_judge.grading.results import ExerciseResult, NotebookResult
from notebook_judge.grading.sandbox.isolation import CHOICES, choose

# What Markdown makes, and nothing that runs.
_TAGS = bleach.ALLOWED_TAGS | {
    *("p", "br", "hr", "div", "span", "pre", "del", "sup", "sub", "img"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
}
_ATTRIBUTES = {"*": ["class", "title", "align"], "a": ["href"], "img": ["src", "alt", "width"]}


def judge_outside(config: Config) -> None:
    """Make ``nbgrader autograde`` judge outside the learner's kernel.

    Args:
        config: what ``get_config()`` gives in ``nbgrader_config.py``. ``config.Judge.seed`` and
            ``config.Judge.isolation`` may be set beside it.
    """
    steps = Autograde.autograde_preprocessors.default()
    config.Autograde.exporter_class = Reader
    config.Autograde.sanitize_preprocessors = [Restore, *Autograde.sanitize_preprocessors.default()]
    config.Autograde.autograde_preprocessors = [Judge if s is Execute else s for s in steps]
    # What a learner wrote into a text cell must not run in the browser of whoever reads the page.
    config.HTMLExporter.filters = {"markdown2html": _harmless}


def _harmless(text: str) -> str:
    """A text cell as a page shows it, without what would run or lead into a script."""
    return bleach.clean(markdown2html(text), tags=_TAGS, attributes=_ATTRIBUTES)


class Reader(NotebookExporter):
    """Read whatever was handed in. What is no notebook becomes one without cells.

    The judge looks at the file itself and says why it cannot be read.
    """

    def from_file(
        self, file_stream: Any, resources: dict | None = None, **options: Any
    ) -> tuple[Any, dict]:
        """Convert what an open file holds."""
        try:
            notebook = nbformat.reads(file_stream.read().lstrip("\ufeff"), as_version=4)
            notebook.cells = [_sound(cell) for cell in notebook.cells]
            notebook.metadata = NotebookNode(notebook.metadata)
        except Exception:  # nbformat raises whatever its converters stumble over
            notebook = nbformat.v4.new_notebook()
        converted: tuple[Any, dict] = self.from_notebook_node(notebook, resources, **options)
        return converted


def _sound(cell: NotebookNode) -> NotebookNode:
    """A cell with all that nbgrader takes for granted."""
    make = {"code": nbformat.v4.new_code_cell, "raw": nbformat.v4.new_raw_cell}
    return make.get(cell.cell_type, nbformat.v4.new_markdown_cell)(
        cell.source, metadata=NotebookNode(cell.get("metadata") or {})
    )


class Restore(NbGraderPreprocessor):
    """Give cells the metadata that the course gave them, and bring back missing check cells.

    Colab removes metadata, learners delete cells, and some change what a check is worth. nbgrader's
    own steps stop at most of that.
    """

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """Restore a submission."""
        names = resources["nbgrader"]
        with Gradebook(names["db_url"]) as gradebook:
            course = gradebook.find_notebook(names["notebook"], names["assignment"])
            found = _identified(nb, {cell.name: cell for cell in course.source_cells})
            points = {cell.name: cell.max_score for cell in course.grade_cells}
            solutions = {cell.name for cell in course.solution_cells}
            for cell in course.source_cells:
                if cell.name not in found and cell.name in points:
                    found[cell.name] = nbformat.v4.new_code_cell(cell.source)
                    nb.cells.append(found[cell.name])
                if cell.name in found:
                    held = _metadata(cell, points.get(cell.name), cell.name in solutions)
                    found[cell.name].metadata["nbgrader"] = held
        return nb, resources


def _identified(nb: NotebookNode, course: dict[str, Any]) -> dict[str, NotebookNode]:
    """The cells that are the course's, by name; of two copies the later. No cell keeps its claim.

    A cell without metadata is known by its text.
    """
    texts = {cell.source.strip(): name for name, cell in course.items() if cell.locked}
    found = {}
    for cell in nb.cells:
        held = cell.metadata.pop("nbgrader", None)
        claim = held.get("grade_id") if isinstance(held, dict) else None
        name = claim if isinstance(claim, str) and claim in course else texts.get(cell.source)
        if name:
            found[name] = cell
    return found


def _metadata(cell: Any, points: float | None, solution: bool) -> NotebookNode:
    held = NotebookNode(
        schema_version=3,
        grade_id=cell.name,
        grade=points is not None,
        solution=solution,
        locked=cell.locked,
        task=False,
        cell_type=cell.cell_type,
        checksum=cell.checksum,
    )
    return held if points is None else NotebookNode(held, points=points)


class Judge(NbGraderPreprocessor):
    """Write the judge's verdicts where nbgrader looks for points: into outputs of check cells."""

    seed = Integer(
        None, allow_none=True, help="Repeat the run that had this seed; it stands in the log."
    ).tag(config=True)
    isolation = Enum(CHOICES, "auto", help="See --isolation of the command grade.").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """Grade the file that was submitted, and write the verdicts into this notebook."""
        names = resources["nbgrader"]
        seed = _seed_of_this_run() if self.seed is None else self.seed
        folders = self.parent.parent.coursedir
        folder = folders.format_path(
            folders.submitted_directory, names["student"], names["assignment"]
        )
        path = Path(folder) / f"{names['notebook']}.ipynb"
        isolation = choose(self.isolation)
        result = grade_notebook(path, names["student"], seed, isolation=isolation)
        self.log.info("Judged %s with seed %d, isolation: %s", path, seed, self.isolation)
        verdicts = {f"{cell_id(one.exercise)}-check": one for one in result.exercises}
        for cell in filter(utils.is_grade, nb.cells):
            verdict = verdicts.get(cell.metadata.nbgrader.grade_id)
            cell.outputs = [_output(verdict, result) if verdict else _no_verdict(result)]
        return nb, resources


@cache
def _seed_of_this_run() -> int:
    """The same for a whole class."""
    return secrets.randbelow(2**31)


def _output(verdict: ExerciseResult, result: NotebookResult) -> NotebookNode:
    """An error costs all points, a number gives so many, anything else gives all."""
    if verdict.passed:
        words = f"passed: {verdict.points} of {verdict.max_points} points"
        return nbformat.v4.new_output("display_data", {"text/plain": words})
    if verdict.points:
        return nbformat.v4.new_output("execute_result", {"text/plain": str(verdict.points)})
    lines = [f"{verdict.status}: {verdict.headline}", verdict.lead, verdict.counterexample]
    lines.append(result.first_failure)
    return _error(verdict.status, verdict.headline, *filter(None, lines))


def _no_verdict(result: NotebookResult) -> NotebookNode:
    reason = result.reason or f"the notebook answers {result.lesson}, not this exercise"
    return _error(result.status, reason, f"{result.status}: {reason}")


def _error(name: str, words: str, *lines: str) -> NotebookNode:
    return nbformat.v4.new_output("error", ename=name, evalue=words, traceback=list(lines))
