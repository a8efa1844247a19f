"""What is stored of a run, and when a notebook counts as changed."""

from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output

from authoring import execute
from authoring.execute import NOT_COMPARED, ROOT, WIDGET_VIEW, same, strip, with_programs
from tests.fixtures import Patch
from transformer_lesson.translation.translator import Translator
from transformer_lesson.translation.writer import Writer
from transformer_lesson.widgets import ScheduleExplorer, SentenceExplorer
from transformer_lesson.widgets.static_page import PACKED, unpacked


def notebook(*outputs: NotebookNode, tags: tuple[str, ...] = ()) -> NotebookNode:
    cell = new_code_cell("1", metadata={"tags": list(tags)}, outputs=list(outputs), id="cell")
    return strip(new_notebook(cells=[cell]))


def shown(**data: str) -> NotebookNode:
    return new_output("display_data", data={k.replace("_", "/"): v for k, v in data.items()})


def printed(text: str, name: str = "stdout") -> NotebookNode:
    return new_output("stream", text=text, name=name)


def test_a_live_view_is_dropped_and_its_page_kept_and_a_progress_bar_leaves_nothing() -> None:
    live, bar = shown(text_html="<p>page</p>"), shown(text_plain="0%")
    for output in (live, bar):
        output.data[WIDGET_VIEW] = {"model_id": "1"}
    (output,) = notebook(live, bar).cells[0].outputs
    assert list(output.data) == ["text/html"]


def test_prints_are_joined_where_the_kernel_cut_them() -> None:
    outputs = notebook(printed("a"), printed("b"), printed("c", "stderr")).cells[0].outputs
    assert [(output.name, output.text) for output in outputs] == [("stdout", "ab"), ("stderr", "c")]


def test_kernel_versions_and_times_are_left_out() -> None:
    run = new_notebook(
        metadata={"language_info": {"name": "python", "version": "3.11.7"}, "widgets": {}},
        cells=[new_code_cell("1", metadata={"execution": {"iopub.status.busy": "now"}})],
    )
    stripped = strip(nbformat.from_dict(run))
    assert stripped.metadata.language_info == {"name": "python"}
    assert "widgets" not in stripped.metadata
    assert stripped.cells[0].metadata == {}


def test_numbers_count_and_timings_do_not() -> None:
    assert not same(notebook(printed("1")), notebook(printed("2")))
    assert same(*(notebook(printed(text), tags=(NOT_COMPARED,)) for text in "12"))


def test_a_view_counts_by_its_script_and_not_by_its_picture() -> None:
    def page(script: str, picture: str) -> NotebookNode:
        html = f"<img src='data:{picture * 80}'><script>{script}</script>"
        return notebook(shown(text_html=html), tags=(NOT_COMPARED,))

    assert same(page("draw()", "a"), page("draw()", "b"))
    assert not same(page("draw()", "a"), page("draw(1)", "a"))


def test_stored_views_run_the_script_of_the_package() -> None:
    script = (ROOT / "transformer_lesson/widgets/attention.js").read_text(encoding="utf-8")
    pages = [
        output.data["text/html"]
        for path in sorted((ROOT / "notebooks").glob("*.ipynb"))
        for cell in nbformat.read(path, as_version=4).cells
        for output in cell.get("outputs", [])
        if "attention-explorer-page" in output.get("data", {}).get("text/html", "")
    ]
    assert pages
    assert all(script in unpacked(page) for page in pages), "run make notebooks"


def test_a_stored_view_gets_the_program_of_the_package_and_keeps_its_state() -> None:
    page = ScheduleExplorer(steps=300)._repr_mimebundle_()[0]["text/html"]
    old = PACKED.sub("an earlier program", page)
    found = with_programs(notebook(shown(text_html=old)), ROOT).cells[0].outputs[0]
    assert found.data["text/html"] == page != old
    assert f'base64,{found.data["image/png"]}"' in page


@pytest.mark.parametrize(
    ("model", "text"), [(Translator, "Thank you."), (Writer, "I would like to")]
)
def test_a_view_of_a_shipped_model_says_what_it_says_now(
    model: type[Translator | Writer], text: str
) -> None:
    view = SentenceExplorer(model.shipped(), examples=[text], folder="../model")
    page = view._repr_mimebundle_()[0]["text/html"]
    old = page.replace(view.examples[0][1], "Something else.")
    found = with_programs(notebook(shown(text_html=old)), ROOT).cells[0].outputs[0]
    assert found.data["text/html"] == page != old


def test_the_drawing_at_the_head_of_a_lesson_is_made_anew() -> None:
    source = 'from transformer_lesson.widgets import Machine\nMachine("02")'
    head = new_code_cell(source, id="02-machine", execution_count=2)
    written = nbformat.writes(with_programs(new_notebook(cells=[head]), ROOT))
    (output,) = nbformat.reads(written, as_version=4).cells[0].outputs
    assert output.execution_count == 2
    assert "machine-explorer-page" in output.data["text/html"]


def test_what_is_not_compared_is_stored_for_a_notebook_that_is_named(
    tmp_path: Path, monkeypatch: Patch
) -> None:
    """The cell that printed 1 now prints 2, which by itself changes no notebook."""
    path = tmp_path / "notebooks" / "one.ipynb"
    path.parent.mkdir()
    before = notebook(printed("1\n"), tags=(NOT_COMPARED,))
    before.cells[0].update(source="print(2)", execution_count=1)
    nbformat.write(before, path)
    monkeypatch.setattr(execute, "ROOT", tmp_path)
    for names, stored in (([], "1\n"), ([str(path)], "2\n")):
        execute.main(names)
        assert nbformat.read(path, as_version=4).cells[0].outputs[0].text == stored
