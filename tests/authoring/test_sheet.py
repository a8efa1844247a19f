"""The page of all figures: every one that a lesson has stored, with its words."""

from pathlib import Path

import nbformat

from authoring import sheet


def test_each_stored_figure_is_on_the_page_with_its_words(tmp_path: Path) -> None:
    picture = '<img src="data:image/png;base64,AAAA" alt="It grows. Size by depth.">'
    outputs = [
        nbformat.v4.new_output("display_data", {"text/html": picture, "text/plain": "It grows."}),
        nbformat.v4.new_output("display_data", {"image/png": "BBBB"}),
        nbformat.v4.new_output("display_data", {"text/plain": "no picture"}),
    ]
    cells = [nbformat.v4.new_code_cell("spread()", outputs=outputs)]
    path = tmp_path / "lesson.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    first, second = sheet.stored(path)
    assert "base64,AAAA" in first
    assert "It grows. Size by depth." in first
    assert "base64,BBBB" in second
