"""Run every lesson, lab and solution from top to bottom and store what came out.

What changes from run to run is left out: execution times, kernel versions, widget states. Where
nothing else has changed the file is not touched, so on an unchanged tree ``make notebooks``
changes nothing. After an edit to a cell that draws or measures, name its notebook.

``python -m authoring.execute --views`` runs next to nothing: it puts the present programs into all
stored views, whose states and pictures stay, and each picture beside its page. Made anew are the
machine at the head of lessons and the views of the shipped models, whose weights may be others.
"""

import argparse
import json
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_notebook

from transformer_lesson import widgets
from transformer_lesson.translation.translator import Translator
from transformer_lesson.translation.writer import Writer
from transformer_lesson.widgets import SentenceExplorer
from transformer_lesson.widgets.static_page import PACKED, packed, unpacked

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("notebooks", "notebooks/labs", "solutions")
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
# Cells so tagged show timings or figures: shown to the reader, not compared by nbval.
NOT_COMPARED = "nbval-ignore-output"
STATE = re.compile(r'<script type="application/json">(.*?)</script>', re.DOTALL)
KIND = re.compile(r'<div class="([\w-]+)-page">')
PICTURE = re.compile(r'<img src="data:image/png;base64,([^"]+)"')
BASE64 = re.compile(r"[A-Za-z0-9+/=]{60,}")


def execute(notebook: NotebookNode, folder: Path) -> NotebookNode:
    """Return a copy of ``notebook`` with the outputs of a fresh run in ``folder``."""
    fresh = nbformat.from_dict(notebook)
    client_of(fresh, folder).execute()
    return strip(fresh)


def client_of(notebook: NotebookNode, folder: Path) -> NotebookClient:
    """Return what runs the cells of a notebook, in place, as if it were opened in ``folder``."""
    return NotebookClient(
        notebook,
        timeout=900,
        kernel_name="python3",
        store_widget_state=False,
        resources={"metadata": {"path": str(folder)}},
    )


def strip(notebook: NotebookNode) -> NotebookNode:
    """Take out of ``notebook``, in place, what differs from run to run or needs a kernel."""
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = _joined([o for o in map(_without_widget, cell.outputs) if o])
    return notebook


def _without_widget(output: NotebookNode) -> NotebookNode | None:
    """Keep what can be read of a widget without a kernel, and nothing of a progress bar."""
    data = output.get("data", {})
    if WIDGET_VIEW in data:
        del data[WIDGET_VIEW]
        return output if "text/html" in data else None
    return output


def _joined(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Join adjacent prints, which a kernel may split at any point."""
    joined: list[NotebookNode] = []
    for output in outputs:
        if joined and output.get("name") == joined[-1].get("name", "none"):
            joined[-1].text += output.text
        else:
            joined.append(output)
    return joined


def same(old: NotebookNode, new: NotebookNode) -> bool:
    """Compare two runs of a notebook, except for figures and timings."""
    return old.metadata == new.metadata and [_compared(c) for c in old.cells] == [
        _compared(c) for c in new.cells
    ]


def _compared(cell: NotebookNode) -> NotebookNode:
    cell = nbformat.from_dict(cell)
    if NOT_COMPARED in cell.metadata.get("tags", []):
        cell.outputs = [_program(output) for output in cell.outputs]
    return cell


def _program(output: NotebookNode) -> str:
    """Return the script and style of an interactive view, which must match the package's."""
    page = output.get("data", {}).get("text/html", "")
    return BASE64.sub("", unpacked(page)) if "<script" in page else output.output_type


def with_programs(notebook: NotebookNode, folder: Path) -> NotebookNode:
    """Return a copy whose views run the programs of the package.

    The drawing of the machine and the views of the shipped models are made anew.
    """
    fresh = nbformat.from_dict(notebook)
    views = [view for name in widgets.__all__ if hasattr(view := getattr(widgets, name), "kind")]
    kinds = {view.kind: (view._esm, view._css) for view in views}
    for cell in fresh.cells:
        if cell.id.endswith("machine"):
            alone = execute(new_notebook(cells=[{**cell, "outputs": []}]), folder).cells[0]
            cell.outputs = [
                nbformat.from_dict({**output, "execution_count": cell.execution_count})
                for output in alone.outputs
            ]
            continue
        for data in (output.get("data", {}) for output in cell.get("outputs", [])):
            if found := KIND.search(data.get("text/html", "")):
                program = packed(found[1], *kinds[found[1]])
                data["text/html"] = PACKED.sub(program, data["text/html"])
                if found[1] == SentenceExplorer.kind:
                    _answer_anew(data)
            if picture := PICTURE.search(data.get("text/html", "")):
                data["image/png"] = picture[1]
    return fresh


def _answer_anew(data: NotebookNode) -> None:
    """Put into a stored view of a shipped model what it says and draws now."""
    found = STATE.search(data["text/html"])
    state = json.loads(found[1]) if found else {}
    if state.get("folder"):  # that of a shipped model's files
        texts = [text for text, _ in state["examples"]]
        model = Translator.shipped() if state["translates"] else Writer.shipped()
        view = SentenceExplorer(model, examples=texts, folder=state["folder"])
        bundle, _ = view._repr_mimebundle_()
        data.update({kind: bundle[kind] for kind in ("text/html", "text/plain")})


def main(arguments: Sequence[str]) -> None:
    """Run every notebook and write those whose outputs have changed.

    Named notebooks are always written: a figure or a timing that differs does not show whether the
    code behind it has changed.
    """
    parser = argparse.ArgumentParser(description="Run notebooks and store what came out.")
    parser.add_argument("names", nargs="*", type=Path, help="notebooks; else all of them")
    parser.add_argument("--views", action="store_true", help="store the programs of views alone")
    given = parser.parse_args(arguments)
    if missing := [str(path) for path in given.names if not path.is_file()]:
        parser.error(f"there is no notebook {', '.join(missing)}; name files that exist")
    make = with_programs if given.views else execute
    everything = [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.ipynb"))]
    for path in [name.resolve() for name in given.names] or everything:
        start = time.perf_counter()
        print(f"{path.parent.name}/{path.name}: running …", end=" ", flush=True)
        old = nbformat.read(path, as_version=4)
        new = make(old, path.parent)
        unchanged = old == new or (same(old, new) and not given.names)
        if not unchanged:
            path.write_text(nbformat.writes(new) + "\n", encoding="utf-8")
        status = "unchanged" if unchanged else "written"
        print(f"{status}, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
