"""Spoil one exercise of a lesson in every way there is, and see what the others get.

    python -m authoring.carried            # all
    python -m authoring.carried --sample 4

Whatever is wrong with an answer, those that build on it must not lose a point.
"""

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from authoring.sample import looked_at
from notebook_judge.checks.earlier_answers import builds_on
from notebook_judge.checks.exercise import Check
from notebook_judge.grading.grader import grade_notebook
from notebook_judge.grading.limits import Limits
from transformer_checks import catalogue

SOLUTIONS = Path(__file__).parents[1] / "solutions"
LIMITS = Limits(exercise=6.0)  # the longest right answer needs half of it
# What stands in the place of the answer: a call of it runs the body.
_CALLED = "def {name}(*inputs, **more):\n    {body}"
BODIES = {
    "a stub": "raise NotImplementedError()",
    "nothing": "return None",
    "an error": "return inputs[99]",
    "recursion without end": "return {name}(*inputs, **more)",
    "a loop without end": "while True: pass",
    "the end of the process": "import os; os._exit(1)",
    "an exit": "raise SystemExit",
    "globals left changed": "globals().update(torch=None, math=None, nn=None, F=None); return 0",
}
# What becomes of the cell; SOURCE is what stands in it.
CELLS = {
    **{way: _CALLED.replace("{body}", body) for way, body in BODIES.items()},
    "a missing colon": "def {name}(*inputs)\n    return 0",
    "a space that does not break": "def {name}(*inputs):\n\xa0   return 0",
    "a deleted cell": "",
    "another name": "def my_{name}(*inputs):\n    return 0",
    "a wrong value": """SOURCE
_right = {name}
def _spoiled(value):
    if isinstance(value, (tuple, list)):
        return type(value)(map(_spoiled, value))
    return value if value is None or isinstance(value, (str, bool)) else value + 1
if isinstance(_right, type):
    class {name}(_right):
        def forward(self, *inputs, **more):
            return _spoiled(super().forward(*inputs, **more))
else:
    def {name}(*inputs, **more):
        return _spoiled(_right(*inputs, **more))""",
    "right the first time": """SOURCE
_right, _calls = {name}, []
def {name}(*inputs, **more):
    _calls.append(1)
    return _right(*inputs, **more) if len(_calls) == 1 else None""",
    "four seconds too slow": """SOURCE
_fast = {name}
def {name}(*inputs, **more):
    import time
    end = time.process_time() + 4
    while time.process_time() < end: pass
    return _fast(*inputs, **more)""",
}


def foundations() -> list[Check]:
    """The exercises that others build on."""
    found: dict[str, Check] = {}
    for check in catalogue.CHECKS.values():
        lesson = catalogue.of_lesson(check.lesson)
        found |= {one.name: one for one in builds_on(check, lesson[: lesson.index(check)])}
    return list(found.values())


def lost(check: Check, way: str) -> Iterator[str]:
    """What other exercises of the lesson lose by one that is spoiled in some way."""
    book = json.loads((SOLUTIONS / f"{check.lesson}.ipynb").read_text(encoding="utf-8"))
    for cell in book["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == check.cell_id:
            text = CELLS[way].replace("{name}", check.answer)
            cell["source"] = text.replace("SOURCE", "".join(cell["source"]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{check.lesson}.ipynb")
        path.write_text(json.dumps(book), encoding="utf-8")
        result = grade_notebook(path, check.lesson, 1, LIMITS)
    for one in result.exercises:
        if one.exercise == check.name and one.passed:
            yield "is not spoiled"
        elif one.exercise != check.name and one.points < one.max_points:
            yield f"{one.exercise}: {one.points} of {one.max_points}: {one.status}, {one.headline}"
    if result.status != "graded":
        yield result.reason


def main() -> int:
    """Try all pairs, or some of them; return 1 if an exercise lost a point by another."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sample", type=int, metavar="N", help="only so many, drawn anew")
    options = parser.parse_args()
    pairs = every = [(check, way) for check in foundations() for way in CELLS]
    if options.sample:
        pairs = random.sample(every, options.sample)
    failures = 0
    for check, way in pairs:
        found = list(lost(check, way))
        failures += bool(found)
        print(f"{check.name} with {way}:", "\n  ".join(["", *found]) if found else "nothing lost")
    looked = looked_at(len(pairs), len(every), "pairs")
    print(f"{len(pairs) - failures} of {len(pairs)} lose nothing; {looked}")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
