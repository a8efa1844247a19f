"""``python -m authoring.new lesson|exercise|claim NAME``: the skeleton of a new part.

A lesson is called ``13_scaling``; an exercise or a claim ``scaling.loss``, with the topic of the
others of its lesson, or ``13_scaling/scaling.loss`` where it is the first. What is made works as it
stands, to be replaced line by line. Nothing is overwritten.
"""

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from string import Template

import jupytext
import nbformat
from nbformat import NotebookNode

from authoring.environment import ROOT
from evidence.claims import claims
from transformer_checks.catalogue import CHECKS

TEMPLATES = Path(__file__).parent / "templates"
LESSON, NAME = r"\d\d_[a-z0-9_]+", r"([a-z0-9]+)\.[a-z][a-z0-9_]*"


def main(arguments: Sequence[str] | None = None) -> int:
    """Make one skeleton; return 1 where something is in its way, 2 for a name that cannot be."""
    parser = argparse.ArgumentParser("python -m authoring.new", description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("name")
    wanted = parser.parse_args(arguments)
    try:
        print(KINDS[wanted.kind](wanted.name))
    except FileExistsError as error:
        print(f"{error} is there already; nothing was changed.")
        return 1
    except ValueError as error:
        parser.error(str(error))
    return 0


def lesson(name: str) -> str:
    """Write the notebook of a lesson; return what to do next.

    Raises:
        ValueError: no lesson can have this name.
        FileExistsError: there is one with its number.
    """
    if not re.fullmatch(LESSON, name):
        raise ValueError(f"{name!r} is no name of a lesson; it looks like 13_scaling")
    for other in ROOT.glob(f"notebooks/{name[:2]}_*.ipynb"):
        raise FileExistsError(other.relative_to(ROOT))
    words = _words(name)
    _write({f"notebooks/{name}.ipynb": _notebook("lesson", words)})
    row = f"| {words['number']} | [{words['title']}]({{}}{name}.ipynb) | the question | 0 min |"
    return f"""Made notebooks/{name}.ipynb. Next:
1. Write it: CONTRIBUTING.md, "A lesson".
2. Add it to the map, in README.md and in notebooks/00_start_here.ipynb:
   {row.format("notebooks/")}
   {row.format("")}
3. python -m authoring.onward; python -m authoring.times --write
4. make notebooks FILES="notebooks/{name}.ipynb"; make quick"""


def exercise(name: str) -> str:
    """Write the cells, the check and the styles of an exercise; return what to do next.

    Raises:
        ValueError: no exercise can have this name.
        FileExistsError: it is there.
    """
    topics = {each.partition(".")[0]: check.lesson for each, check in CHECKS.items()}
    words = _words(*_placed(name, topics, "exercise"))
    folder, file = words["folder"], words["answer"]
    page = Path("solutions", f"{words['lesson']}.ipynb")
    checks = f"transformer_checks/catalogue/{folder}"
    places = {"check": checks, "styles": f"authoring/styles/{folder}"}
    packages = {f"{place}/__init__.py": _filled("folder", words) for place in places.values()}
    heading = f"# {words['lesson']}: its exercises in their order, with hints\n"
    modules = {f"{place}/{file}.py": _filled(part, words) for part, place in places.items()}
    _write(
        {**modules, f"{checks}/{file}.toml": _filled("slips", words)},
        {**packages, str(page): _notebook("exercises", words), f"{checks}/hints.md": heading},
    )
    _append(f"{checks}/hints.md", "hints", words)
    _add_cells(ROOT / page, words)
    return f"""Made the exercise {words["name"]}: three cells in {page}, and
{file}.py in {checks}/ (with {file}.toml and hints.md) and in authoring/styles/{folder}/. Next:
1. Write task and answer, then: make exercises
2. Write cases, slips and hints, then an answer by another hand: CONTRIBUTING.md, "An exercise".
3. python -m authoring.gate {words["name"]}
4. make exercises, which puts points and minutes into the page; python -m authoring.times --write
5. make quick; python -m authoring.audits {words["name"]}"""


def claim(name: str) -> str:
    """Write the module and the words of a claim; return what to do next.

    Raises:
        ValueError: no claim can have this name.
        FileExistsError: it is there.
    """
    told = [each for each in claims().values() if "/" not in each.lesson]  # by no lab
    topics = {each.name.partition(".")[0]: each.lesson for each in told}
    words = _words(*_placed(name, topics, "claim"))
    folder = f"evidence/claims/{words['folder']}"
    file = f"{folder}/{words['answer']}.py"
    page = f"{folder}/words.toml"
    _write(
        {file: _filled("claim", words)},
        {f"{folder}/__init__.py": _filled("folder", words), page: ""},
    )
    _append(page, "words", words)
    return f"""Made {file}, and its words in {page}. Next:
1. Write and commit words, criterion and conditions before any number: CONTRIBUTING.md, "A claim".
2. python -m evidence {words["name"]}
3. In notebooks/{words["lesson"]}.ipynb: spread("{words["name"]}"), and below it the verdict."""


KINDS: dict[str, Callable[[str], str]] = {"lesson": lesson, "exercise": exercise, "claim": claim}


def _placed(name: str, topics: dict[str, str], kind: str) -> tuple[str, str]:
    """The lesson and the name: the lesson is written, or that of the others of its topic."""
    found = re.fullmatch(rf"(?:({LESSON})/)?({NAME})", name)
    if not found:
        raise ValueError(
            f"{name!r} is no name of a new {kind}; it looks like encoder.scaled. "
            f"Topics: {', '.join(topics)}"
        )
    place = found[1] or topics.get(found[3])
    if not place:
        raise ValueError(
            f"no {kind} starts with '{found[3]}.'; write its lesson too, as in "
            f"05_encoder/{found[2]}. Topics: {', '.join(topics)}"
        )
    if not (ROOT / "notebooks" / f"{place}.ipynb").exists():
        raise ValueError(f"there is no notebooks/{place}.ipynb; make the lesson first")
    return place, found[2]


def _words(lesson: str, name: str = "") -> dict[str, str]:
    """What the templates are filled with."""
    answer = name.partition(".")[2]
    title = (answer.capitalize() or lesson[3:]).replace("_", " ")
    place = {"lesson": lesson, "number": lesson[:2], "folder": lesson[3:]}
    return {**place, "name": name, "answer": answer, "title": title}


def _filled(template: str, words: dict[str, str]) -> str:
    return Template((TEMPLATES / f"{template}.txt").read_text(encoding="utf-8")).substitute(words)


def _notebook(template: str, words: dict[str, str]) -> str:
    made = jupytext.reads(_filled(template, words), fmt="py:percent")
    made.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}
    }
    return nbformat.writes(made) + "\n"


def _write(files: dict[str, str], where_missing: dict[str, str] | None = None) -> None:
    for file in files:
        if (ROOT / file).exists():
            raise FileExistsError(file)
    for file, text in {**(where_missing or {}), **files}.items():
        if not (ROOT / file).exists():
            (ROOT / file).parent.mkdir(exist_ok=True)
            (ROOT / file).write_text(text, encoding="utf-8")


def _append(file: str, template: str, words: dict[str, str]) -> None:
    with (ROOT / file).open("a", encoding="utf-8") as page:
        page.write(_filled(template, words))


def _add_cells(page: Path, words: dict[str, str]) -> None:
    """Put the cells of an exercise before the last cell of its notebook."""
    notebook = nbformat.read(page, as_version=4)
    count = sum(
        cell.source.count("\n## ") + cell.source.startswith("## ") for cell in notebook.cells
    )
    made = jupytext.reads(_filled("exercise", {**words, "count": str(count)}), fmt="py:percent")
    task, answer, check = made.cells
    name = re.sub(r"[._]", "-", words["name"])
    _mark(answer, name, solution=True)
    _mark(check, f"{name}-check", grade=True, locked=True, points=1)
    task.id = f"{name}-task"
    notebook.cells[-1:-1] = [task, answer, check]
    page.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")


def _mark(cell: NotebookNode, name: str, **roles: bool | int) -> None:
    plain = {"grade": False, "locked": False, "solution": False, "task": False, "schema_version": 3}
    cell.id = name
    cell.metadata = {"nbgrader": {**plain, "grade_id": name, **roles}}


if __name__ == "__main__":
    sys.exit(main())
