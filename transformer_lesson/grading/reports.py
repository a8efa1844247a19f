"""Write results for people, spreadsheets, continuous integration and Gradescope."""

import csv
import io
import json
import os
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from transformer_lesson.grading.grade import ExerciseResult, NotebookResult

CSV_COLUMNS = (
    "notebook",
    "path",
    "lesson",
    "exercise",
    "title",
    "status",
    "points",
    "max_points",
    "misconception",
    "headline",
    "lead",
)


@dataclass(frozen=True)
class Run:
    """What is the same for all notebooks of a run.

    Attributes:
        seed: gives the same inputs again.
        version: of the course.
        time: when the run began, ISO 8601 in UTC.
    """

    seed: int
    version: str
    time: str


def write(folder: Path, run: Run, results: Sequence[NotebookResult]) -> None:
    """Write every report into ``folder``; a reader never sees half a file."""
    _write(folder / "grades.json", as_json(run, results))
    _write(folder / "grades.csv", as_csv(results))
    _write(folder / "junit.xml", as_junit(results))
    for result in results:
        if result.status == "not graded":
            continue  # without a file Gradescope says that the grader failed, and gives no 0
        _write(folder / "gradescope" / result.name / "results.json", as_gradescope(result))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    unfinished.write_text(text, encoding="utf-8", newline="")
    os.replace(unfinished, path)


def as_json(run: Run, results: Sequence[NotebookResult]) -> str:
    """Everything that is known."""
    notebooks = [
        asdict(result) | {"points": result.points, "max_points": result.max_points}
        for result in results
    ]
    return _pretty(asdict(run) | {"notebooks": notebooks})


def as_csv(results: Sequence[NotebookResult]) -> str:
    """One row for each exercise of each notebook, and one for each unreadable notebook."""
    table = io.StringIO()
    writer = csv.DictWriter(table, CSV_COLUMNS, restval="")
    writer.writeheader()
    for result in results:
        notebook = {"notebook": result.name, "path": result.path, "lesson": result.lesson}
        if result.status != "graded":
            rows = [notebook | {"status": result.status, "headline": result.reason}]
        else:
            fields = [asdict(exercise) for exercise in result.exercises]
            rows = [notebook | {key: f[key] for key in CSV_COLUMNS if key in f} for f in fields]
        writer.writerows({key: _no_formula(value) for key, value in row.items()} for row in rows)
    return table.getvalue()


def _no_formula(value: Any) -> Any:
    """A spreadsheet runs a cell that begins like a formula, but not behind an apostrophe."""
    return f"'{value}" if isinstance(value, str) and value.lstrip()[:1] in set("=+-@") else value


def as_junit(results: Sequence[NotebookResult]) -> str:
    """A suite for each notebook, a test case for each exercise."""
    root = ET.Element("testsuites", name="transformer-lesson")
    for result in results:
        failed = sum(not exercise.passed for exercise in result.exercises)
        unreadable = result.status != "graded"
        suite = ET.SubElement(
            root,
            "testsuite",
            name=result.name,
            file=result.path,
            tests=str(len(result.exercises) + unreadable),
            failures=str(failed),
            errors=str(int(unreadable)),
            time=f"{result.seconds:.3f}",
        )
        if unreadable:
            case = ET.SubElement(suite, "testcase", classname=result.name, name="notebook")
            ET.SubElement(case, "error", type=result.status, message=result.reason)
        for exercise in result.exercises:
            case = ET.SubElement(
                suite,
                "testcase",
                classname=result.name,
                name=exercise.exercise,
                time=f"{exercise.seconds:.3f}",
            )
            if not exercise.passed:
                failure = ET.SubElement(
                    case, "failure", type=exercise.status, message=exercise.headline
                )
                failure.text = _explained(exercise)
    ET.indent(root)
    return ET.tostring(root, encoding="utf-8", xml_declaration=True).decode() + "\n"


def as_gradescope(result: NotebookResult) -> str:
    """``results.json`` as Gradescope's autograder specification has it."""
    graded: dict[str, Any] = {
        "execution_time": round(result.seconds, 3),
        "visibility": "visible",
        "stdout_visibility": "hidden",
    }
    if result.status != "graded":
        return _pretty(graded | {"score": 0, "output": f"Not graded: {result.reason}."})
    tests = [
        {
            "name": f"{exercise.exercise}: {exercise.title}",
            "score": exercise.points,
            "max_score": exercise.max_points,
            "status": "passed" if exercise.passed else "failed",
            "output": _explained(exercise) or "passed",
            "output_format": "text",
            "visibility": "visible",
        }
        for exercise in result.exercises
    ]
    output = f"{result.lesson}: {result.points} of {result.max_points} points"
    return _pretty(graded | {"output": output, "tests": tests})


def _explained(exercise: ExerciseResult) -> str:
    parts = (exercise.headline, exercise.lead, exercise.counterexample)
    if exercise.passed:
        return ""
    return "\n".join([f"{exercise.status}: {parts[0]}", *(part for part in parts[1:] if part)])


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=2, allow_nan=False) + "\n"
