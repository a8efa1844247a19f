"""Gather what Sphinx reads: copies of the course's own pages, and pages made from them.

The copies keep their places, so that links between them, and those to Colab and Binder, hold.
"""

import ast
import json
import os
import re
import shutil
from collections.abc import Iterator
from importlib.metadata import files
from pathlib import Path

import nbformat
from markdown_it import MarkdownIt

from authoring.derive import derive
from authoring.execute import ROOT
from authoring.onward import title_of
from authoring.times import NOTEBOOKS, course, parts_of, stated
from evidence import table
from evidence.claims import claims

HERE = Path(__file__).parent
PACKAGE = ROOT / "transformer_lesson"
CLAIM_ROW = re.compile(r"evidence/README\.md#(\w+)")
# After the name of a notebook, the heading of a section.
JUPYTERLABS_ANCHOR = re.compile(r"(?<=\.ipynb)#[^)\s\"]+")
# What the lessons and the table of claims link to.
LINKED = (
    "docs",
    "images",
    "evidence/README.md",
    "evidence/claims",
    "evidence/figures",
    "evidence/pages",
    "evidence/results",
    "benchmarks/results/real_text.json",
    "transformer_lesson/translation/data/model/README.md",
    "transformer_lesson/translation/data/model/doubt.png",
    "transformer_lesson/translation/data/writer/README.md",
)


def gather(source: Path) -> None:
    """Fill the empty folder ``source`` with all that Sphinx reads."""
    shutil.copytree(HERE / "pages", source)
    for path in course():
        place = source / path.relative_to(ROOT)
        if path.is_relative_to(NOTEBOOKS):
            _copy(path, place)
        else:
            _write_exercises(path.name, place)
    for part in LINKED:
        _copy(ROOT / part, source / part)
    _write_reference(source / "api")


def _copy(original: Path, copy: Path) -> None:
    copy.parent.mkdir(parents=True, exist_ok=True)
    if original.is_dir():
        shutil.copytree(original, copy, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    else:
        shutil.copy(original, copy)


def _write_exercises(name: str, place: Path) -> None:
    """Derive them anew: somebody may have answered those in ``exercises/``."""
    place.parent.mkdir(exist_ok=True)
    place.write_text(nbformat.writes(derive(ROOT / "solutions" / name)), encoding="utf-8")


def inline(text: str) -> str:
    """Return a line of Markdown as HTML."""
    return str(MarkdownIt().renderInline(text))


def with_anchors(text: str) -> str:
    """Return a notebook's text with links to sections written as Sphinx names these.

    JupyterLab keeps the letters and points of a heading; Sphinx, like GitHub, does not.
    """
    return JUPYTERLABS_ANCHOR.sub(lambda found: re.sub(r"[^#\w-]", "", found[0].lower()), text)


def with_claims(name: str, text: str) -> str:
    """Return a page's text with links to rows of the table of claims as links to their own pages.

    The table itself is another on the site, made by a template; pages of claims hang below it.
    """
    if name == "evidence/README":
        return table.page(rows=False)
    if name.startswith("evidence/pages/"):
        return f"---\norphan: true\n---\n{text}"
    own = {table.anchor(claim): claim.name for claim in claims().values()}
    return CLAIM_ROW.sub(lambda found: f"evidence/pages/{own[found[1]]}.md", text)


def with_parts(lesson: str, text: str) -> str:
    """Return a lesson's notebook with its labs and exercises below it in the table of contents."""
    notebook = json.loads(text)
    entries = [entry(path, NOTEBOOKS) for path in parts_of(lesson)[1:]]
    directive = ["```{toctree}", ":hidden:", "", *entries, "```"]
    cell = nbformat.v4.new_markdown_cell("\n".join(directive))
    notebook["cells"].append(cell)
    return json.dumps(notebook)


def entry(path: Path, seen_from: Path) -> str:
    """Return the line of a table of contents that names a notebook and its time."""
    place = Path(os.path.relpath(path.with_suffix(""), seen_from)).as_posix()
    return f"{title_of(path)} ({stated(path)} min) <{place}>"


def _write_reference(folder: Path) -> None:
    """Write a page for each module and each subpackage of the package, and one that lists them."""
    folder.mkdir()
    lines = []
    for name, modules in _modules():
        summary = _summary(modules[0])
        lines.append(f"- [`{name}`]({name}.md): {summary}")
        directives = [_automodule(path) for path in modules if _summary(path)]
        page = [f"# `transformer_lesson.{name}`", "", *directives]
        (folder / f"{name}.md").write_text("\n".join(page), encoding="utf-8")
    text = (HERE / "api.md").read_text(encoding="utf-8")
    # Without the package's name, so that the sidebar has room for them.
    names = "\n".join(f"{name} <{name}>" for name, _ in _modules())
    listed = text.replace("{modules}", "\n".join(lines)).replace("{names}", names)
    (folder / "index.md").write_text(listed, encoding="utf-8")


def _modules() -> Iterator[tuple[str, list[Path]]]:
    """Yield each name below the package, and its file, or those of the subpackage."""
    for path in sorted(PACKAGE.glob("[a-z]*")):
        if path.suffix == ".py":
            yield path.stem, [path]
        elif (path / "__init__.py").exists():
            yield path.name, sorted(path.glob("*.py"))


def _automodule(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    name = ".".join(part for part in parts if part != "__init__")
    heading = f"## `{name}`\n\n" if path.parent != PACKAGE else ""
    return f"{heading}```{{eval-rst}}\n.. automodule:: {name}\n   :members:\n```\n"


def _summary(path: Path) -> str:
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return docstring.split("\n\n")[0].replace("\n", " ")


def mathjax() -> Path:
    """Return MathJax in one file, of which a Python package holds a copy: no page asks a host."""
    (found,) = (f for f in files("sphinx-mathjax-offline") or [] if f.name == "tex-svg.js")
    return Path(str(found.locate()))
