"""Notebooks for Google Colab: copies whose first cell installs the course.

Colab opens one notebook of a branch on GitHub and has nothing else of the course. The cell is
needed there alone, so it stands in copies, which ``.github/workflows/site.yml`` publishes as the
branch ``colab``; the site's links to Colab lead to them.
"""

import posixpath
import re
from pathlib import Path

import nbformat
from nbformat import NotebookNode

BRANCH = "colab"
FOLDERS = ("notebooks", "exercises")
INSTALL = """\
# Run this cell first: Colab does not have the course, so it is fetched and installed here.
!git clone --quiet --depth 1 https://github.com/{repository} /content/course
%pip install --quiet /content/course
import sys; sys.path.append("/content/course")  # for what the verdicts rest on
"""
# In Markdown, what a link points to inside the repository.
_PLACE = re.compile(r"(?<=\]\()(?!\w+:|#)[^)\s]+")


def write(source: Path, folder: Path, repository: str) -> None:
    """Write the copies.

    Args:
        source: holds ``notebooks`` and ``exercises``.
        folder: gets the copies, in the same places; it must not exist yet.
        repository: "owner/name" on GitHub, from which the course is installed.
    """
    for path in (path for name in FOLDERS for path in sorted((source / name).rglob("*.ipynb"))):
        place = path.relative_to(source)
        notebook = for_colab(nbformat.read(path, as_version=4), place, repository)
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")


def for_colab(notebook: NotebookNode, place: Path, repository: str) -> NotebookNode:
    """Change a notebook into its copy for Colab, and return it.

    Args:
        notebook: is changed.
        place: of the notebook in the repository. Colab knows no other files, so links that are
            relative to it are written out: notebooks open in Colab, the rest on GitHub.
        repository: "owner/name" on GitHub.
    """

    def address(found: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(place.parent.as_posix(), found[0]))
        return _address(target, repository)

    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = _PLACE.sub(address, cell.source)
    install = nbformat.v4.new_code_cell(INSTALL.format(repository=repository).rstrip())
    install.id = "install-the-course"
    notebook.cells.insert(0, install)
    return notebook


def _address(target: str, repository: str) -> str:
    if target.startswith(FOLDERS):
        return f"https://colab.research.google.com/github/{repository}/blob/{BRANCH}/{target}"
    return f"https://github.com/{repository}/blob/main/{target}"
