"""What is left of a notebook on paper: a PDF by way of LaTeX has images, and no pages."""

import re
import shutil
from typing import Any

import nbformat
import pytest
from nbconvert import PDFExporter

from authoring.execute import FOLDERS, PICTURE, ROOT

LESSON = "notebooks/02_self_attention.ipynb"
NOTEBOOKS = [path for folder in FOLDERS for path in sorted(ROOT.glob(f"{folder}/*.ipynb"))]
TOOLS = ("pandoc", "xelatex")


def pictures(notebook: str) -> list[tuple[str, str]]:
    """Of each picture in the outputs of a notebook, that of its page and the image beside it."""
    cells = nbformat.read(ROOT / notebook, as_version=4).cells
    bundles = [output.get("data", {}) for cell in cells for output in cell.get("outputs", [])]
    pages = [PICTURE.search(bundle.get("text/html", "")) for bundle in bundles]
    images = [bundle.get("image/png", "").strip() for bundle in bundles]
    return [(page[1], image) for page, image in zip(pages, images, strict=True) if page]


@pytest.mark.parametrize("notebook", [str(path.relative_to(ROOT)) for path in NOTEBOOKS])
def test_beside_each_page_with_a_picture_stands_the_picture(notebook: str) -> None:
    wrong = [image[:20] for page, image in pictures(notebook) if image != page]
    assert not wrong, "python -m authoring.execute --views"


@pytest.mark.skipif(not all(map(shutil.which, TOOLS)), reason="there is no pandoc or XeLaTeX here")
def test_a_pdf_has_every_picture_of_its_lesson() -> None:
    pdf: Any = PDFExporter(latex_count=1).from_filename(str(ROOT / LESSON))[0]
    assert len(re.findall(rb"/Subtype\s*/Image", pdf)) == len(pictures(LESSON)) > 2
