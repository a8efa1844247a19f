"""All figures of the course on one page: ``python -m authoring.sheet``.

Whoever looks at build/sheet.html alone should be able to retell each lesson from the titles. The
lessons show the figures that are stored in them; those of the claims are drawn anew.
"""

import base64
import html
import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import matplotlib.pyplot as plt
import nbformat

from authoring import named
from authoring.times import NOTEBOOKS
from evidence.claims import claims
from evidence.figure import alternative, drawn
from evidence.results import load_to_show

PAGE = Path("build", "sheet.html")
IMAGE = re.compile(r'<img [^>]*src="(data:image/[^"]*)"(?:[^>]*alt="([^"]*)")?')
HEAD = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>All figures</title><style>
body { font: 12px sans-serif; display: grid; grid-template-columns: repeat(4, 1fr); gap: 12px; }
h1, h2 { grid-column: 1 / -1; margin: 8px 0 0; }
figure { margin: 0; }
img { max-width: 100%; max-height: 420px; }
</style>"""


def main() -> int:
    """Write the page and say where it is."""
    parts = [HEAD]
    for path in sorted(NOTEBOOKS.rglob("*.ipynb")):
        parts += [f"<h2>{path.relative_to(NOTEBOOKS).with_suffix('')}</h2>", *stored(path)]
    parts += ["<h1>Claims</h1>", *measured()]
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text("\n".join(parts), encoding="utf-8")
    print(f"{PAGE}: {sum(part.startswith('<figure>') for part in parts)} figures")
    return 0


def stored(path: Path) -> Iterator[str]:
    """Yield the figures among the stored outputs of a notebook, each with its alternative text."""
    for cell in nbformat.read(path, as_version=4).cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            pages = IMAGE.findall(str(data.get("text/html", "")))
            for source, words in pages:
                yield _figure(source, words)
            if "image/png" in data and not pages:
                yield _figure(f"data:image/png;base64,{data['image/png']}", "(no words)")


def measured() -> Iterator[str]:
    """Yield the figure of each claim that has runs."""
    for claim in claims().values():
        runs = load_to_show(claim)
        if runs.conditions:
            sink = io.BytesIO()
            figure = drawn(claim, runs)
            figure.savefig(sink, format="png")
            plt.close(figure)
            source = "data:image/png;base64," + base64.b64encode(sink.getvalue()).decode()
            yield _figure(source, html.escape(f"{claim.name}: {alternative(claim, runs)}"))


def _figure(source: str, words: str) -> str:
    return f'<figure><img src="{source}" alt=""><figcaption>{words}</figcaption></figure>'


if __name__ == "__main__":
    named(__doc__, most=0)
    sys.exit(main())
