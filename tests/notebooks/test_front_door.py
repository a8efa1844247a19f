"""The README and the manuals behind it: short, linked, illustrated, and nothing said twice."""

import html
import os
import re
import subprocess
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from authoring.environment import ROOT
from authoring.pictures import FOLDER, PICTURES
from authoring.site.__main__ import origin, repository_of

DOCS = sorted((ROOT / "docs").rglob("*.md"))
README, CITATION = ROOT / "README.md", ROOT / "CITATION.cff"
CONTRIBUTING, CHANGELOG = ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"
PAGES = [README, CONTRIBUTING, CHANGELOG, *DOCS]
OF_THE_SITE = sorted((ROOT / "authoring/site").glob("*/*.md"))
LANDING = ROOT / "authoring/site/templates/landing.html"
# Two screens; two pages; half of what it was when the manuals stood in it.
MOST = {README: 6_300, CHANGELOG: 8_000, CONTRIBUTING: 15_700}
NO_PROSE = re.compile(
    r"```.*?```|<!-- python.*?<!-- end -->|<(style|script).*?</\1>|\{#.*?#\}", re.DOTALL
)
TAG = re.compile(r"\{[{%].*?[%}]\}|</?(?:p|h\d|dd|li|div|pre|section|summary)\b[^>]*>")
SENTENCE = re.compile(r"[.!?:]\s|\n\s*\n|\n\s*[-#|]|\|")
KINDS = r"\.(?:py|toml|js|html|jinja|md|ipynb)"
LONG = 7  # words; a shorter one may be said twice


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def sentences(path: Path) -> set[str]:
    """The sentences of a page, in small letters, without marks."""
    text = NO_PROSE.sub("\n\n", path.read_text("utf-8"))
    if path == LANDING:
        text = re.sub(r"<[^>]*>", "", html.unescape(TAG.sub("\n\n", text)))
    text = re.sub(r"\]\([^)]*\)|[*`\[!]", "", text)
    found = (" ".join(re.findall(r"\w[\w'/.-]*", part.lower())) for part in SENTENCE.split(text))
    return {one for one in found if len(one.split()) >= LONG}


@pytest.mark.parametrize("page", MOST, ids=name)
def test_a_page_is_as_short_as_it_was_meant_to_be(page: Path) -> None:
    text = re.sub(r"^.*may weigh, in kB:.*\n", "", page.read_text("utf-8"), flags=re.MULTILINE)
    assert len(text.encode()) <= MOST[page]


def test_where_a_change_is_made_is_there() -> None:
    """Each file or folder of the table, under the end of its path that the row gives."""
    listed = subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).split("\n")
    folders = {f"{parent}/" for file in listed for parent in Path(file).parents}
    ends = "\n".join(f"/{path}" for path in (*listed, *folders)) + "\n"
    rows = re.findall(r"^\| .* \| (.*) \|$", CONTRIBUTING.read_text("utf-8"), re.MULTILINE)
    named = {one for row in rows for one in re.findall(rf"`([\w./]+(?:/|{KINDS}))`", row)}
    assert len(named) > 70
    assert not {one for one in named if f"/{one}\n" not in ends}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_and_pictures_lead_somewhere(page: Path) -> None:
    text = re.sub(r"`[^`\n]*`", "", page.read_text("utf-8"))
    for link in re.findall(r"\]\(((?!https?:)[^)#\s]+)", text):
        assert (page.parent / link).exists(), link
    for words, picture in re.findall(r"!\[([^]]*)\]\(([^)]+)\)", text):
        assert len(words.split()) > 5, f"{picture} has no text in its place"


def test_every_manual_is_linked_and_every_picture_is_shown_and_can_be_taken_again() -> None:
    text = "".join(page.read_text("utf-8") for page in (README, *DOCS))
    for page in DOCS:
        assert f"{page.name})" in text, page
    index = (ROOT / "authoring/site/pages/index.md").read_text("utf-8")
    for page in DOCS:
        assert f"\n{page.relative_to(ROOT).with_suffix('').as_posix()}\n" in index, page
    shown = set(re.findall(r"images/(\w+)\.png", text))
    assert shown == set(PICTURES) == {path.stem for path in FOLDER.iterdir()}


def test_no_sentence_stands_in_two_pages() -> None:
    pages = [README, CONTRIBUTING, *DOCS, *OF_THE_SITE, LANDING]
    counted = Counter(one for page in pages for one in sentences(page))
    assert len(counted) > 300
    twice = [one for one, count in counted.items() if count > 1]
    assert not twice


def test_the_clone_command_works_as_it_stands_once_there_is_an_address(tmp_path: Path) -> None:
    address = "https://github.com/someone/course"
    (command,) = re.findall(r"^git clone .*$", README.read_text("utf-8"), re.MULTILINE)
    command = re.sub(r"(?<=^git clone )\S.*(?= transformer-lesson &&)", address, command)
    here = {"KEY_0": f"url.{ROOT}.insteadOf", "VALUE_0": address}
    config = {f"GIT_CONFIG_{key}": value for key, value in (("COUNT", "1"), *here.items())}
    subprocess.run(
        f"{command} && test -f course.py",
        shell=True,
        check=True,
        cwd=tmp_path,
        env={**os.environ, **config},
    )


@pytest.mark.skipif(not repository_of(origin()), reason="this clone has no address")
def test_where_there_is_an_address_the_readme_names_it() -> None:
    assert "<this repository>" not in README.read_text("utf-8")


def test_the_citation_can_be_read_and_names_the_version() -> None:
    cited: dict[str, Any] = yaml.safe_load(CITATION.read_text("utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= cited.keys()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert cited["version"] == project["version"]
