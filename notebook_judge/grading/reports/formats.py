"""Results as text: for programs, spreadsheets, continuous integration and Gradescope."""

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from notebook_judge.course import course
from notebook_judge.grading.jobs import RunInfo
from notebook_judge.grading.results import ExerciseResult, NotebookResult
from notebook_judge.sanitize import sanitize, sanitize_line

EXERCISE_COLUMNS = (
    "notebook",
    "path",
    "lesson",
    "exercise",
    "title",
    "status",
    "points",
    "max_points",
    "slip",
    "headline",
    "lead",
    "learner",
    "judged",
    "comment",
)
CLASS_COLUMNS = (
    "notebook",
    "path",
    "lesson",
    "status",
    "points",
    "max_points",
    "percent",
    "passed",
    "exercises",
    "remark",
    "learner",
    "due",
    "submitted",
    "hours_late",
    "penalty",
    "time_from",
)
# What makes a formula, also in its full-width form, at the beginning of a cell; and after a
# semicolon, where a spreadsheet in much of Europe begins a cell.
_FORMULA = re.compile("(^|;)(?=[\\s\"']*[=+\\-@\uff1d\uff0b\uff0d\uff20])")


def as_json(run: RunInfo, results: Sequence[NotebookResult]) -> str:
    """Everything that is known."""
    notebooks = [
        asdict(result) | {key: getattr(result, key) for key in ("points", "earned", "max_points")}
        for result in results
    ]
    return _pretty(asdict(run) | {"finished": is_finished(run, results), "notebooks": notebooks})


def is_finished(run: RunInfo, results: Sequence[NotebookResult]) -> bool:
    """Whether every notebook has its result."""
    done = sum(result.status != "not graded" and not result.hindered for result in results)
    return done >= max(run.expected, len(results))


def as_csv(results: Sequence[NotebookResult]) -> str:
    """One row for each exercise of each notebook, and one for each unreadable notebook."""
    return csv_text(EXERCISE_COLUMNS, (row for result in results for row in _exercise_rows(result)))


def _exercise_rows(result: NotebookResult) -> list[dict[str, Any]]:
    notebook = {"notebook": result.name, "path": result.path, "lesson": result.lesson}
    notebook["learner"] = result.learner
    if result.status != "graded":
        return [notebook | {"status": result.status, "headline": result.reason}]
    fields = [asdict(exercise) for exercise in result.exercises]
    return [notebook | {key: f[key] for key in EXERCISE_COLUMNS if key in f} for f in fields]


def as_class_csv(results: Sequence[NotebookResult]) -> str:
    """One row for each notebook: what a gradebook takes in."""
    return csv_text(CLASS_COLUMNS, map(_class_row, results))


def _class_row(result: NotebookResult) -> dict[str, Any]:
    row = {key: getattr(result, key) for key in ("path", "lesson", "status", "learner")}
    row |= {"notebook": result.name, "remark": result.remark}
    late = result.late
    row |= {"due": late.due, "submitted": late.submitted, "hours_late": late.hours or ""}
    row |= {"time_from": late.source}
    if result.status == "not graded":
        return row  # an empty cell, which no gradebook takes for a 0
    row |= {"points": result.points, "exercises": len(result.exercises)}
    row |= {"passed": sum(exercise.passed for exercise in result.exercises)}
    if result.max_points:
        percent = f"{100 * result.points / result.max_points:.1f}"
        row |= {"max_points": result.max_points, "percent": percent, "penalty": late.penalty or ""}
    return row


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """A table as CSV, in which no text is a formula."""
    table = io.StringIO()
    writer = csv.DictWriter(table, columns, restval="")
    writer.writeheader()
    writer.writerows({key: _cell(value) for key, value in row.items()} for row in rows)
    return table.getvalue()


def _cell(value: Any) -> Any:
    """A spreadsheet runs a cell that begins like a formula, but not behind an apostrophe."""
    return _FORMULA.sub(r"\1'", sanitize_line(value)) if isinstance(value, str) else value


def as_junit(run: RunInfo, results: Sequence[NotebookResult]) -> str:
    """A suite for each notebook, a test case for each exercise."""
    root = ET.Element("testsuites", name=course().name)
    for result in results:
        root.append(_suite(run, result))
    for count in ("tests", "failures", "errors"):
        root.set(count, str(sum(int(suite.get(count, 0)) for suite in root)))
    root.set("time", f"{sum(result.seconds for result in results):.3f}")
    ET.indent(root)
    return ET.tostring(root, encoding="utf-8", xml_declaration=True).decode() + "\n"


def _suite(run: RunInfo, result: NotebookResult) -> ET.Element:
    failed = sum(not exercise.passed for exercise in result.exercises)
    unreadable = result.status != "graded"
    suite = _element(
        "testsuite",
        name=result.name,
        file=result.path,
        timestamp=run.time,
        tests=str(len(result.exercises) + unreadable),
        failures=str(failed),
        errors=str(int(unreadable)),
        time=f"{result.seconds:.3f}",
    )
    if unreadable:
        case = _element("testcase", classname=result.name, name="notebook", time="0.000")
        case.append(_element("error", type=result.status, message=result.reason))
        suite.append(case)
    suite.extend([_case(result, exercise) for exercise in result.exercises])
    return suite


def _case(result: NotebookResult, exercise: ExerciseResult) -> ET.Element:
    case = _element(
        "testcase", classname=result.name, name=exercise.exercise, time=f"{exercise.seconds:.3f}"
    )
    if not exercise.passed:
        failure = _element("failure", type=exercise.status, message=exercise.headline)
        failure.text = _explained(exercise)
        case.append(failure)
    return case


def _element(tag: str, **attributes: str) -> ET.Element:
    """An element whose attributes XML accepts."""
    return ET.Element(tag, {name: sanitize_line(value) for name, value in attributes.items()})


def as_gradescope(result: NotebookResult) -> str:
    """``results.json`` as Gradescope's autograder specification has it."""
    graded: dict[str, Any] = {
        "execution_time": round(result.seconds, 3),
        "output_format": "text",  # the default would read it as HTML
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
    }
    if result.status != "graded":
        return _pretty(graded | {"score": 0, "output": f"Not graded: {sanitize(result.reason)}."})
    tests = [
        {
            "number": str(number),
            "name": f"{exercise.exercise}: {exercise.title}",
            "score": exercise.points,
            "max_score": exercise.max_points,
            "status": "passed" if exercise.passed else "failed",
            "output": "\n".join(
                filter(None, (_explained(exercise) or "passed", sanitize(exercise.comment)))
            ),
            "visibility": "visible",
        }
        for number, exercise in enumerate(result.exercises, 1)
    ]
    output = f"{result.lesson}: {result.points} of {result.max_points} points"
    more = filter(None, (result.late.says, sanitize(result.first_failure)))
    output = "\n".join((output, *more))
    return _pretty(graded | {"score": result.points, "output": output, "tests": tests})


def _explained(exercise: ExerciseResult) -> str:
    if exercise.passed:
        return ""
    parts = (f"{exercise.status}: {exercise.headline}", exercise.lead, exercise.counterexample)
    return sanitize("\n".join(part for part in parts if part))


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=2, allow_nan=False) + "\n"
