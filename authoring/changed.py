"""What changed, and the tests of it.

The tests of ``transformer_lesson/flash/softmax.py`` are ``tests/flash/test_softmax.py``, which has
its name; where none has, those that import it; else all of ``tests/flash``. The tests of data have
its name, wherever they stand. ``ELSEWHERE`` names the tests of the rest.
"""

import re
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from authoring.environment import ROOT

BROWSER = "tests/browser"
CATALOGUE = "transformer_checks/catalogue"
NOTEBOOKS = ("notebooks/", "solutions/")
EXERCISES = (CATALOGUE, "authoring/styles")
# The tests of what lies below a folder, where they do not mirror it. The first that fits counts.
ELSEWHERE = {
    f"{CATALOGUE}/solutions": "tests/notebooks/test_exercises.py tests/checks/test_catalogue.py",
    CATALOGUE: "tests/checks/test_catalogue.py",
    "authoring/styles": "tests/checks/test_gate.py",
    "authoring/site": "tests/authoring/test_colab.py",
    "authoring": "tests/authoring tests/install",
    "notebook_judge": "tests/test_another_course.py",
    "careful_io": "tests/test_files.py",
    "docs": "tests/notebooks/test_front_door.py tests/grading/test_manual.py",
    "README.md": "tests/notebooks/test_front_door.py tests/notebooks/test_map.py",
    "notebooks": "tests/notebooks/test_map.py",
    "solutions": "tests/notebooks/test_exercises.py",
    "exercises": "tests/notebooks/test_exercises.py",
    "evidence": "tests/evidence",
    "transformer_lesson/validation": "tests/bad_input",
    "transformer_lesson": "tests/test_models.py tests/test_parity.py",
    "": "tests/install tests/notebooks/test_map.py",
}
# What else the short suite looks at whole, and ``make quick`` has no time for.
LONG = {
    "notebook_judge/grading": "tests/grading",
    "notebook_judge/checks": "tests/checks",
    "transformer_lesson/flash": "tests/flash",
    "transformer_lesson/widgets": BROWSER,
    "authoring/site": f"{BROWSER}/test_site.py",
}


def changed() -> list[str]:
    """The files that differ from those of ``main``.

    On ``main`` itself, and before a branch's first commit, it is what is not committed; where all
    is committed, the last commit.
    """
    head = _git("rev-parse", "HEAD")
    bases = [_git("merge-base", "HEAD", main) for main in ("origin/main", "main")]
    last = _git("rev-parse", "--verify", "--quiet", "HEAD~1") or head  # a clone may be shallow
    begun = head in bases and _git("status", "--porcelain")
    base = next((base for base in bases if base and base != head), head if begun else last)
    files = _git("diff", "--name-only", "--diff-filter=d", *base) if base else []
    return sorted({*files, *_git("ls-files", "--others", "--exclude-standard")})


def _git(*words: str) -> list[str]:
    asked = ["git", "-c", "core.quotePath=false", *words]
    return subprocess.run(
        asked, cwd=ROOT, capture_output=True, encoding="utf-8"
    ).stdout.splitlines()


def tests_of(file: str) -> list[str]:
    """The tests of a file: of its name, else that import it, of its folder, or ``ELSEWHERE``."""
    path = PurePosixPath(file)
    place = PurePosixPath("tests", *path.parts[1:-1])
    if path.parts[0] == "tests" and path.match("test_*.py"):
        found = [file]
    elif (ROOT / place / f"test_{path.stem}.py").exists():
        found = [f"{place}/test_{path.stem}.py"]
    elif not (found := _of_its_name(path) or _importing(path)):
        mirrors = [one for one in (place, *place.parents)[:-2] if (ROOT / one).is_dir()]
        fits = (tests for folder, tests in ELSEWHERE.items() if path.is_relative_to(folder))
        found = [str(mirrors[0])] if mirrors else next(fits).split()
    return [test for test in found if not test.startswith(BROWSER)]


def _of_its_name(path: PurePosixPath) -> list[str]:
    """The tests of data, wherever they stand: of ``palette.toml`` it is ``test_palette.py``."""
    found = ROOT.glob(f"tests/**/test_{path.stem}.py") if path.suffix != ".py" else ()
    return sorted(test.relative_to(ROOT).as_posix() for test in found)


def _importing(path: PurePosixPath) -> list[str]:
    """The tests that import a module."""
    package, name = ".".join(path.parts[:-1]), path.stem
    used = re.compile(rf"\b{re.escape(package)}(\.| import (.*, )?){name}\b")
    tests = sorted(ROOT.glob("tests/**/test_*.py")) if path.suffix == ".py" and package else []
    found = [test for test in tests if used.search(test.read_text(encoding="utf-8"))]
    names = [test.relative_to(ROOT).as_posix() for test in found]
    return [name for name in names if not name.startswith(BROWSER)]


def long_tests_of(file: str) -> list[str]:
    """What the short suite never leaves out where this file changed: also a notebook itself.

    A view that has tests of its name in a browser brings these, and not those of all views.
    """
    path = PurePosixPath(file)
    word = path.stem.partition("_")[0]
    own = [one.relative_to(ROOT).as_posix() for one in ROOT.glob(f"{BROWSER}/test_{word}_*.py")]
    folders = [tests for folder, tests in LONG.items() if path.is_relative_to(folder)]
    return [file, *tests_of(file), *(own if own and BROWSER in folders else folders)]


def exercises_of(files: Iterable[str]) -> list[str]:
    """The names of the exercises whose inputs, slips or styles are among ``files``."""
    found = []
    for file in files:
        for folder in EXERCISES:
            if file.startswith(f"{folder}/"):
                place = PurePosixPath(file).relative_to(folder).with_suffix(".py")
                page = ROOT / CATALOGUE / place
                text = page.read_text(encoding="utf-8") if page.exists() else ""
                found += re.findall(r'^ +name="([\w.]+)"', text, re.MULTILINE)
    return sorted(set(found))


def exercises() -> list[str]:
    """The names of all exercises."""
    pages = (ROOT / CATALOGUE).glob("*/*.py")
    return exercises_of(page.relative_to(ROOT).as_posix() for page in pages)


def notebook_of(files: Sequence[str], otherwise: str) -> str:
    """A notebook that changed, or else that of an exercise that did."""
    edited = [file for file in files if file.endswith(".ipynb") and file.startswith(NOTEBOOKS)]
    lessons = [PurePosixPath(file).parts[2] for file in files if file.startswith(EXERCISES)]
    answers = [path for lesson in lessons for path in ROOT.glob(f"solutions/*_{lesson}.ipynb")]
    return [*edited, *(f"solutions/{path.name}" for path in answers), otherwise][0]
