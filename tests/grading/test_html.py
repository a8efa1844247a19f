"""The pages: what they say, how they are built, and how they behave in a browser."""

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser

import pytest

from notebook_judge.grading import reports
from notebook_judge.grading.reports.pages import class_page, notebook_page
from notebook_judge.grading.reports.statistics import by_lesson
from notebook_judge.grading.results import NotebookResult
from notebook_judge.sentences import as_html
from tests.grading.fakes import RUN, exercise, notebook

CLASS = [
    notebook("anna", exercise("double", "passed"), exercise("total", "passed")),
    notebook("ben", exercise("double", "passed"), exercise("total", "wrong")),
    notebook("cem", exercise("double", "wrong", "doubled", "twice"), exercise("total", "wrong")),
    notebook("dia", exercise("double", "error", "TypeError: x", ""), exercise("total", "wrong")),
    notebook(
        "eva",
        exercise("double", "error", "TypeError: x", ""),
        exercise("total", "not attempted", "not yet", ""),
    ),
    notebook("fay", reason="it is empty"),
]


def class_of(results: list[NotebookResult]) -> str:
    links = {r.name: reports.files_of(r.name)[0] for r in results}
    return class_page(RUN, results, links)


class Outline(HTMLParser):
    """What a screen reader finds on a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.headings: list[int] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.open: list[str] = []
        self.words = ""
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in ("meta", "input", "br"):
            self.open.append(tag)
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"style", "script"} & set(self.open):
            self.words += data


PAGES = {
    "class": class_of(CLASS),
    "one that has passed everything": notebook_page(CLASS[0]),
    "one with mistakes": notebook_page(CLASS[3]),
    "one whose answers follow": notebook_page(
        notebook(
            "gil",
            exercise("double"),
            exercise("total", "error", "`total` is not defined: the cell `x` raised KeyError", ""),
            exercise("ends", "error", "`ends` is not defined: the cell `x` raised KeyError", ""),
            exercise("weights", "follows", "it follows from `tiny.double`", ""),
        )
    ),
    "unreadable": notebook_page(CLASS[-1]),
    "nobody": class_of([]),
}


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES.keys())
def test_a_page_is_built_for_every_reader(page: str) -> None:
    outline = Outline(page)
    assert outline.headings[0] == 1
    assert outline.headings.count(1) == 1
    steps = zip(outline.headings, outline.headings[1:], strict=False)
    assert all(after - before <= 1 for before, after in steps)
    assert ("html", "lang", "en") in outline.attributes
    assert outline.tags.count("main") == outline.tags.count("title") == 1
    assert outline.tags.count("caption") == outline.tags.count("table")
    scopes = [value for tag, name, value in outline.attributes if (tag, name) == ("th", "scope")]
    assert len(scopes) == outline.tags.count("th")
    targets = {value for _, name, value in outline.attributes if name == "id"}
    links = [value for _, name, value in outline.attributes if name == "href"]
    assert all(link[1:] in targets for link in links if link.startswith("#"))


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES.keys())
def test_a_page_needs_nothing_but_itself(page: str) -> None:
    outline = Outline(page)
    assert not {"link", "img", "iframe", "object", "form"} & set(outline.tags)
    assert all(name != "src" and name[:2] != "on" for _, name, _ in outline.attributes)
    # The class page has one script, and a rule that allows it and no other.
    scripts = re.findall("<script>(.*?)</script>", page, re.DOTALL)
    hashes = [b64encode(sha256(script.encode()).digest()).decode() for script in scripts]
    allowed = "".join(f"; script-src 'sha256-{one}'" for one in hashes)
    assert outline.tags.count("script") == len(scripts) <= 1
    rules = f"default-src 'none'; style-src 'unsafe-inline'{allowed}"
    assert ("meta", "content", rules) in outline.attributes
    assert "@import" not in page
    assert "url(" not in page
    assert "http" not in re.sub("http-equiv", "", page)


def test_a_learner_reads_what_is_wrong_and_what_to_try() -> None:
    words = Outline(PAGES["one with mistakes"]).words
    for said in (
        "0 of 4 points",
        "0 of 2 exercises passed",
        "✗ error",
        "It raised an error.",
        "TypeError: x.",
        "with two rows:\n  x = [1, 2]",
        "What to try next",
        'hint("tiny.double") gives a hint.',
    ):
        assert said in words
    assert CLASS[3].path.startswith("class/") and "class/" not in words  # the teacher's folder
    assert "it is empty" in Outline(PAGES["unreadable"]).words.lower()
    assert "nothing left to mend" in Outline(PAGES["one that has passed everything"]).words


def test_one_line_says_what_follows_from_a_mistake() -> None:
    cell = "is not defined: the cell `from einops import rearrange` raised ModuleNotFoundError"
    missing = "`{}` raised NameError: name 'rearrange' is not defined, at line {}"
    mended = ("first", "broken", "calls", "wrong")
    others = ("same cell", "same name")
    follow = ("later", "last")
    book = notebook(
        "gil",
        exercise("right", "passed"),
        exercise("first", "error", f"`a` {cell}", ""),
        exercise("broken", "wrong"),
        replace(exercise("later", "follows", "it follows from `tiny.first`", ""), points=2),
        replace(exercise("same cell", "error", f"`b` {cell}", ""), comment="See me", code="b = 1"),
        exercise("calls", "error", missing.format("c", 2), ""),
        exercise("same name", "crashed", missing.format("d", 7), ""),
        replace(exercise("last", "follows", "it follows from `tiny.first`", ""), points=2),
        exercise("wrong", "wrong"),  # the same words for another mistake
    )
    page = notebook_page(book)
    words = " ".join(Outline(page).words.split())
    mend, _, right = words.partition("What to mend")[2].partition("What is right")
    assert page.count("What to try next") == mend.count("gives a hint") == len(mended)
    assert (
        "Nothing is to be mended in Exercise later and Exercise last: they are wrong only" in mend
    )
    assert "The same mistake keeps back Exercise same cell. Your teacher: See me" in mend
    assert "Exercise same cell: the code that was handed in b = 1" in mend
    assert "The same mistake keeps back Exercise same name." in mend
    assert [f"Exercise {name}" in right for name in ("right", *follow)] == [True] * 3
    assert not any(f"Exercise {name}" in right for name in (*mended, *others))
    ids = [value for _, name, value in Outline(page).attributes if name == "id"]
    assert sorted(ids) == sorted(one.exercise for one in book.exercises)


def test_a_teacher_reads_what_was_hard_and_what_was_misunderstood() -> None:
    words = " ".join(Outline(PAGES["class"]).words.split())
    for said in (
        "5 of 6 notebooks graded, 1 unreadable",
        "Mean 1.2, median 0 of 4 points, over 5 notebooks.",
        "It is squared.",
        "TypeError: x.",
        "7 (the same seed gives the same inputs)",
        "version 1.0, code c0de",
        "namespaces: They see nothing.",
    ):
        assert said in words
    assert 'href="feedback/anna.html"' in PAGES["class"]


def test_the_statistics_are_counted_right() -> None:
    (lesson,) = by_lesson(CLASS)
    assert lesson.points == (4, 2, 0, 0, 0)
    spread = {words: number for words, number in lesson.distribution() if number}
    assert spread == {"0 to 9 %": 3, "50 to 59 %": 1, "100 %": 1}
    hard = [(d.exercise, d.passed, d.failed, d.not_attempted) for d in lesson.difficulties]
    assert hard == [("tiny.total", 1, 3, 1), ("tiny.double", 2, 3, 0)]
    named = [(slip.name, slip.notebooks) for slip in lesson.slips]
    assert named == [("squared", 3), ("twice", 1)]
    assert [(slip.sentence, slip.notebooks) for slip in lesson.other_slips] == [("TypeError: x", 2)]


def test_a_sentence_marks_code_and_escapes_the_rest() -> None:
    assert as_html("call `x < 1` first") == "<bdi>Call <code>x &lt; 1</code> first.</bdi>"
    assert as_html("`never closed") == "<bdi>`never closed.</bdi>"
    assert as_html("") == "<bdi></bdi>"
