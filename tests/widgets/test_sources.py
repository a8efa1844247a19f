"""The scripts and styles of all views."""

import re
from pathlib import Path

import pytest

import transformer_lesson.widgets
from transformer_lesson.widgets.sentence import ENGINE
from transformer_lesson.widgets.view import HERE, View

SOURCES = sorted(path.name for path in HERE.iterdir() if path.suffix in (".js", ".css"))
VIEWS = [
    view
    for name in transformer_lesson.widgets.__all__
    if isinstance(view := getattr(transformer_lesson.widgets, name), type)
    and issubclass(view, View)
]


@pytest.mark.parametrize("name", SOURCES)
def test_sources_fit_into_a_page_and_fetch_nothing(name: str) -> None:
    source = (HERE / name).read_text(encoding="utf-8")
    # One file reads the model, from a folder beside the page.
    fetches = "" if name == "sentence_weights.js" else r"|\bfetch\("
    assert not re.search(
        r"https?:|//cdn|url\(|@import|\bimport\b" + fetches,
        source.replace(
            "http://www.w3.org/2000/svg",
            "",  # The namespace of SVG, which no browser requests.
        ),
    )
    assert not re.search(r"</(script|style)|<!--", source, re.IGNORECASE)
    assert not re.search(r"innerHTML|insertAdjacentHTML|document\.write", source)


def test_every_source_belongs_to_a_view() -> None:
    shared = [str(view._css).replace(f":where(.{view.kind})", "") for view in VIEWS]
    used = "".join([ENGINE, *(str(view._esm) for view in VIEWS), *shared])
    unused = [name for name in SOURCES if Path(HERE / name).read_text("utf-8") not in used]
    assert unused == ["static_page.js"]


def test_every_kind_is_one_of_a_kind() -> None:
    kinds = [view.kind for view in VIEWS]
    assert len(set(kinds)) == len(kinds)
    for view in VIEWS:
        # No rule reaches beyond the views of its kind.
        rules = re.findall(r"^([^\s@/*}][^{}]*)\{", str(view._css), re.MULTILINE)
        assert rules
        for rule in rules:
            for selector in re.split(r",\n", rule):
                own = (f".lesson-view:where(.{view.kind})", f".{view.kind}.lesson-view")
                assert selector.strip().startswith(own), selector
