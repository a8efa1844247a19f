"""What a submission says is shown as text: in no report and in no terminal does it do anything."""

import csv
import io
import json
import os
import re
import sys
import unicodedata
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from notebook_judge.grading.reports import files_of, formats, pages, terminal
from notebook_judge.grading.results import NotebookResult
from notebook_judge.sanitize import sanitize, sanitize_line
from tests.grading.fakes import HOSTILE, RUN, exercise, notebook
from tests.grading.tiny_course import save
from transformer_checks.cli import main

# Any text at all, half surrogates too, and often one that means something somewhere.
texts = st.one_of(
    st.text(),
    st.text(st.characters()),
    st.sampled_from(HOSTILE),
    st.lists(
        st.sampled_from((*HOSTILE, "=", ";", "<b>", "&", "`", "\n", '"', "'")), max_size=5
    ).map("".join),
)
FORMULA = tuple("=+-@\uff1d\uff0b\uff0d\uff20")
FORBIDDEN = {"Cc", "Cs"}
BIDI = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
patient = settings(max_examples=60, deadline=None)  # other tests may share the processor


def results(text: str) -> list[NotebookResult]:
    """Notebooks that carry a text wherever a text can be."""
    wrong = [exercise(f"e{number}", "error", text, "") for number in range(2)]
    return [
        notebook("anna", *wrong, exercise("total", "wrong", text, text), path=text),
        notebook("ben", *wrong, path=f"class/{text}.ipynb"),
        notebook("cem", path=text, reason=text or "?"),
        NotebookResult("dia", text, "not graded", text),
    ]


def everything_written(text: str) -> dict[str, str]:
    """Each report of these notebooks by a name for it."""
    notebooks = results(text)
    links = {one.name: files_of(one.name)[0] for one in notebooks}
    return {
        "json": formats.as_json(RUN, notebooks),
        "csv": formats.as_csv(notebooks),
        "class csv": formats.as_class_csv(notebooks),
        "junit": formats.as_junit(RUN, notebooks),
        "class page": pages.class_page(RUN, notebooks, links),
        **{f"page of {n.name}": pages.notebook_page(n) for n in notebooks},
        **{f"gradescope of {n.name}": formats.as_gradescope(n) for n in notebooks},
    }


@patient
@given(texts)
def test_no_report_holds_a_character_that_commands(text: str) -> None:
    for report, written in everything_written(text).items():
        for character in set(written) - {"\n", "\r"}:
            assert unicodedata.category(character) not in FORBIDDEN, report
            assert unicodedata.bidirectional(character) not in BIDI, report
        assert "\r" not in written.replace("\r\n", ""), report
        written.encode()  # UTF-8 has no half surrogates


@patient
@given(texts)
def test_no_cell_of_a_csv_is_a_formula_whatever_separates_the_cells(text: str) -> None:
    for name in ("csv", "class csv"):
        written = everything_written(text)[name]
        rows = list(csv.reader(io.StringIO(written, newline=""), strict=True))
        assert len({len(row) for row in rows}) == 1
        for row in rows:
            for cell in (part for whole in row for part in whole.split(";")):
                assert not cell.strip().lstrip("\"' ").startswith(FORMULA) or cell.startswith("'")


@patient
@given(texts)
def test_junit_is_well_formed_and_its_counts_are_the_courses(text: str) -> None:
    root = ET.fromstring(everything_written(text)["junit"])
    assert [root.get(key) for key in ("tests", "failures", "errors")] == ["7", "5", "2"]
    assert {element.tag for element in root.iter()} == {
        "testsuites",
        "testsuite",
        "testcase",
        "failure",
        "error",
    }


@patient
@given(texts)
def test_gradescope_reads_everything_as_text(text: str) -> None:
    for number, notebook_ in enumerate(results(text)[:3]):
        graded = json.loads(formats.as_gradescope(notebook_))
        assert graded["score"] == 0
        assert (graded["output_format"], graded["test_output_format"]) == ("text", "text")
        assert len(graded.get("tests", ())) == (3, 2, 0)[number]


@patient
@given(texts)
def test_a_page_has_the_elements_of_the_course_and_no_others(text: str) -> None:
    plain, hostile = everything_written("words"), everything_written(text or "?")
    for report in (name for name in plain if "page" in name):
        extra = _elements(hostile[report]) - _elements(plain[report])
        assert extra <= {"<code>", "</code>"}, (report, extra)


def _elements(page: str) -> set[str]:
    """What stands between < and >; a text that was escaped has neither."""
    body = page.split("</style>")[1]
    found = set(re.findall(r"<[^>]*>", body))
    assert body.count("<") == body.count(">") == sum(body.count(one) for one in found)
    # Links and labels may carry escaped text of their own.
    return {re.sub(r'(href|id|aria-label|style)="[^"]*"', r"\1", one) for one in found}


@patient
@given(texts)
def test_a_terminal_shows_words_and_obeys_nothing(text: str) -> None:
    stream = io.StringIO()
    console = Console(file=stream, width=100, force_terminal=False, highlight=False)
    for notebook_ in results(text):
        console.print(terminal.notebook_table(notebook_))
    console.print(terminal.class_table(results(text)))
    shown = stream.getvalue()
    assert not any(unicodedata.category(c) in FORBIDDEN for c in set(shown) - {"\n"})


@patient
@given(st.text(st.characters()))
def test_what_is_legible_stays_so(text: str) -> None:
    assert sanitize(sanitize(text)) == sanitize(text)
    assert "\n" not in sanitize_line(text)


def test_plain_text_is_left_alone() -> None:
    text = "In 名前, naïve: √d_head ≤ 4\n  x = [1, -2]  # «ok» \U0001d6c2 שלום"
    assert sanitize(text) == text
    assert len(sanitize("x" * 10**6)) < 5000
    assert sanitize_line("e" + "\u0301" * 50) == "e" + "\u0301" * 4  # a tower
    assert sanitize_line("a\u3164\u00ad\u200b\U000e0041b") == "a" + "\ufffd" * 4 + "b"
    assert sanitize_line("अनीता नि\u0947") == "अनीता नि\u0947"
    assert sanitize("x\n" * 10**4).count("\n") <= 200


NAMES = (
    *(b"\xff\xfe", b"\x1b[31mred", "\u202eexe".encode(), b"line\nbreak", b"=cmd()", b"-o", b"CON"),
    *(b"<img src=x onerror=alert(1)>", "\U0001d6c2".encode() * 50, b"[bold]:bomb:", b"#?%2e%2e"),
)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names themselves")
def test_hostile_names_of_files_are_names(
    tmp_path: Path, faked: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = save(tmp_path / "class/x.ipynb", ()).parent
    for name in NAMES:
        (folder / os.fsdecode(name + b".ipynb")).write_text("{}")
    out = tmp_path / "out"
    command = ["grade", str(folder), "--out", str(out), "--isolation", "limits"]
    assert main(command) == 0
    said = capsys.readouterr()
    assert not any(unicodedata.category(c) in FORBIDDEN for c in set(said.out + said.err) - {"\n"})
    assert len(faked) == len(NAMES) + 1
    page = (out / "index.html").read_text()
    links = re.findall(r'href="(feedback/[^"]*)"', page)
    assert len(set(links)) == len(faked)
    assert all(re.fullmatch(r"feedback/[\w%.-]+\.html", link, re.ASCII) for link in links)
    assert len(list((out / "feedback").iterdir())) == len(faked)
    assert {p.name for p in out.iterdir()} == {
        *(".kept", "feedback", "gradebook", "gradescope", "upload", "index.html"),
        *("class.csv", "grades.csv", "grades.json", "junit.xml"),
    }
    with zipfile.ZipFile(out / "upload/nbgrader.zip") as archive:
        names = archive.namelist()
    assert len(set(names)) == len(faked)
    assert not any(unicodedata.category(c) in FORBIDDEN | {"Cf"} for name in names for c in name)
    assert all(len(name.split("/")) == 4 and ".." not in name.split("/") for name in names)
