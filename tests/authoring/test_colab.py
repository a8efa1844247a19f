"""authoring.site.colab: the copies for Colab."""

import re
import sys
from pathlib import Path

import nbformat
import pytest

from authoring.execute import ROOT
from authoring.site import colab

REPOSITORY = "someone/a-course"
IN_COLAB = f"https://colab.research.google.com/github/{REPOSITORY}/blob/colab"
ON_GITHUB = f"https://github.com/{REPOSITORY}/blob/main"
# One of each sort, with links to lessons, labs, exercises and claims.
NAMES = ("notebooks/06_decoder", "notebooks/labs/06_search", "exercises/06_decoder")
PLACES = [f"{name}.ipynb" for name in NAMES]


def test_the_first_cell_installs_the_course_from_the_repository() -> None:
    notebook = colab.for_colab(nbformat.v4.new_notebook(), Path("notebooks/x.ipynb"), REPOSITORY)
    comment, clone, install, path = notebook.cells[0].source.splitlines()
    assert comment.startswith("# Run this cell first")
    *_, address, folder = clone.split()
    assert address == f"https://github.com/{REPOSITORY}"
    assert install == f"%pip install --quiet {folder}"
    before = sys.path.copy()
    exec(path)  # lessons import what no wheel holds
    assert sys.path == [*before, folder]
    sys.path.remove(folder)


@pytest.mark.parametrize("place", PLACES)
def test_a_copy_is_the_notebook_behind_the_first_cell(place: str) -> None:
    original = nbformat.read(ROOT / place, as_version=4)
    copy = colab.for_colab(nbformat.read(ROOT / place, as_version=4), Path(place), REPOSITORY)
    nbformat.validate(copy)
    assert [cell.id for cell in copy.cells[1:]] == [cell.id for cell in original.cells]
    codes = [cell for cell in original.cells if cell.cell_type == "code"]
    assert [cell for cell in copy.cells[1:] if cell.cell_type == "code"] == codes
    links = [link for cell in copy.cells[1:] for link in _links(cell)]
    assert all(link.startswith(("https://", "#")) for link in links)
    for link in (link for link in links if REPOSITORY in link):
        branch, target = link.split("#")[0].split("/blob/")[1].split("/", 1)
        assert (ROOT / target).exists(), link
        assert (branch == colab.BRANCH) == link.startswith("https://colab.research.google.com/")


def _links(cell: nbformat.NotebookNode) -> list[str]:
    return re.findall(r"\]\(([^)]+)\)", cell.source) if cell.cell_type == "markdown" else []


@pytest.mark.parametrize(
    ("link", "address"),
    [
        ("03_x.ipynb", f"{IN_COLAB}/notebooks/03_x.ipynb"),
        ("labs/02_x.ipynb#2.-Two", f"{IN_COLAB}/notebooks/labs/02_x.ipynb#2.-Two"),
        ("../exercises/02_x.ipynb", f"{IN_COLAB}/exercises/02_x.ipynb"),
        ("../evidence/README.md#gptgaps", f"{ON_GITHUB}/evidence/README.md#gptgaps"),
        ("https://arxiv.org/abs/1706.03762", "https://arxiv.org/abs/1706.03762"),
        ("#below", "#below"),
    ],
)
def test_a_link_leads_to_where_the_file_can_be_read(link: str, address: str) -> None:
    cell = nbformat.v4.new_markdown_cell(f"See [there]({link}).")
    notebook = nbformat.v4.new_notebook(cells=[cell])
    colab.for_colab(notebook, Path("notebooks/02_x.ipynb"), REPOSITORY)
    assert cell.source == f"See [there]({address})."


def test_the_copies_keep_their_places(tmp_path: Path) -> None:
    source = tmp_path / "source"
    for place in ("notebooks/labs/02_x.ipynb", "exercises/02_x.ipynb"):
        (source / place).parent.mkdir(parents=True)
        (source / place).write_text(nbformat.writes(nbformat.v4.new_notebook()))
    colab.write(source, tmp_path / "copies", REPOSITORY)
    for place in ("notebooks/labs/02_x.ipynb", "exercises/02_x.ipynb"):
        (cell,) = nbformat.read(tmp_path / "copies" / place, as_version=4).cells
        assert REPOSITORY in cell.source
