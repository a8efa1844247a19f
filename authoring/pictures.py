"""The pictures of the README and of the manuals: ``python -m authoring.pictures [NAME...]``.

Each shows something that ran: the page, the notebook or the class is made anew and opened in a
browser, and what is seen there goes to ``images/``.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from nbconvert import HTMLExporter
from nbformat.v4 import new_notebook
from playwright.sync_api import Page

from authoring import named
from authoring.browser import running_browser
from authoring.derive import derive
from authoring.execute import ROOT, client_of
from authoring.served import served
from authoring.site.landing import live, mistake
from authoring.site.weights import write_model
from benchmarks.grading import handed_in
from transformer_checks.catalogue import of_lesson

FOLDER = ROOT / "images"
SENTENCE = "She doesn't like coffee."
LESSONS = ("02_self_attention", "03_multi_head_attention")
CLASS = (
    *("Ada", "Ben", "Chen", "Dina", "Emil", "Fatima", "Goran", "Hana", "Idris", "Jonas", "Kofi"),
    *("Lena", "Mina", "Noor", "Omar", "Paula"),
)


def machine(folder: Path, page: Page) -> bytes:
    """The translator of the site's first page, on a sentence that was typed."""
    write_model(folder / "notebooks" / "model")
    (folder / "index.html").write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        f'<body style="font-family: sans-serif"><main style="padding: 6px">{live()}</main>',
        encoding="utf-8",
    )
    with served(folder) as address:
        page.goto(f"{address}/index.html")
        page.get_by_label("your English sentence").fill(SENTENCE)
        page.get_by_text("That was all").wait_for()
        page.get_by_label("your English sentence").blur()
        return page.locator("main").screenshot()


def verdict(folder: Path, page: Page) -> bytes:
    """An answer with a mistake that people make, and what its check says."""
    check, slip = mistake()
    notebook = derive(ROOT / "solutions" / f"{check.lesson}.ipynb")
    imports = next(cell for cell in notebook.cells if cell.cell_type == "code")
    answer, called = (cell for cell in notebook.cells if check.cell_id in str(cell.metadata))
    answer.source = check.text.edited(slip.edits).text.strip()
    shown = new_notebook(cells=[imports, answer, called])
    client = client_of(shown, folder)
    client.allow_errors = True
    client.execute()
    shown.cells = [answer, called]
    page.set_content(HTMLExporter().from_notebook_node(shown)[0])
    return page.locator("main").screenshot()


def a_class(folder: Path, page: Page) -> bytes:
    """The page of a class that was graded."""
    page.goto((graded(folder) / "index.html").as_uri())
    return page.screenshot()


def a_learner(folder: Path, page: Page) -> bytes:
    """The page of a learner in that class, where it says what to mend."""
    (feedback,) = graded(folder).glob("feedback/Ben*02*.html")
    page.goto(feedback.as_uri())
    page.get_by_role("heading", name="What to mend").evaluate("(it) => it.scrollIntoView()")
    return page.screenshot()


def graded(folder: Path) -> Path:
    """Grade two lessons of each learner, most with mistakes; return the folder of the reports."""
    reports = folder / "grades"
    if reports.exists():
        return reports
    for lesson in LESSONS:
        book = json.loads((ROOT / "solutions" / f"{lesson}.ipynb").read_text("utf-8"))
        for cell in book["cells"]:  # learners have no marks around their answers
            cell["source"] = [line for line in cell["source"] if " SOLUTION" not in line]
        for number, learner in enumerate(CLASS):
            wrong = [
                check.slips[number % len(check.slips)].edits
                for place, check in enumerate(of_lesson(lesson))
                if (place + number) % 5 == 0
            ]
            slips = {old: new for edits in wrong[: number % 4] for old, new in edits.items()}
            path = folder / "submitted" / learner / f"{lesson}.ipynb"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(handed_in(book, slips, f"By {learner}."), encoding="utf-8")
    command = [sys.executable, "-m", "transformer_checks.cli", "grade", "submitted", "--seed", "0"]
    subprocess.run(command, cwd=folder, check=True)
    return reports


# How each is taken, and the size of the window.
PICTURES: dict[str, tuple[Callable[[Path, Page], bytes], int, int]] = {
    "machine": (machine, 900, 700),
    "verdict": (verdict, 920, 700),
    "class": (a_class, 900, 560),
    "learner": (a_learner, 900, 640),
}


def main() -> int:
    """Take the pictures."""
    wanted = named(__doc__) or list(PICTURES)
    with tempfile.TemporaryDirectory() as place, running_browser() as browser:
        for name in wanted:
            take, width, height = PICTURES[name]
            window = browser.new_page(
                viewport={"width": width, "height": height}, device_scale_factor=1.5
            )
            path = FOLDER / f"{name}.png"
            path.write_bytes(take(Path(place), window))
            print(f"{path.relative_to(ROOT)}: {path.stat().st_size // 1000} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
