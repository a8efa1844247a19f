"""The static site, opened from disk with the network cut off.

A few pages of every sort are tried here; COURSE_WHOLE_SITE=1 tries all.
"""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup
from playwright.sync_api import Browser, Page, expect

from authoring.execute import ROOT
from authoring.site.__main__ import build, repository_of
from authoring.site.offline import write_worker

from .served import served
from .view import View, interact, truth_of

SAMPLE = (
    "index.html",
    "symbols.html",
    "glossary.html",
    "teaching.html",
    "notebooks/00_start_here.html",
    "notebooks/05_encoder.html",
    "notebooks/labs/06_search.html",
    "exercises/02_self_attention.html",
    "evidence/README.html",
    "api/attention.html",
    "_modules/transformer_lesson/attention.html",
)
# Of every sort that looks its own, for the other looks.
FEW = ("index.html", "notebooks/00_start_here.html", "evidence/README.html", "api/attention.html")
LOOKS = [(scheme, width) for scheme in ("light", "dark") for width in (1280, 390)]
MATHS_IS_DONE = "() => window.MathJax?.startup?.promise"
UNRENDERED = """() => [...document.querySelectorAll(".math")].filter(formula =>
  !formula.querySelector("mjx-container") || formula.querySelector("[data-mml-node=merror]")
).map(formula => formula.textContent)"""


# The smallest contrast between the letters of a view and what is behind it.
CONTRAST = """() => {
  const numbers = (element, property) =>
    getComputedStyle(element)[property].match(/[\\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = colour.map((v) => v / 255).map(
      (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const colour = numbers(element, "backgroundColor");
    return colour[3] === 0 ? behind(element.parentElement) : light(colour);
  };
  return Math.min(21, ...[...document.querySelectorAll(".lesson-view")].map((view) => {
    const [letters, ground] = [light(numbers(view, "color")), behind(view)];
    return (Math.max(letters, ground) + 0.05) / (Math.min(letters, ground) + 0.05);
  }));
}"""
# Resolves when a new version of the service worker is in charge.
UPDATED = """async () => {
  const registration = await navigator.serviceWorker.ready;
  const changed = new Promise((done) => {
    navigator.serviceWorker.addEventListener("controllerchange", done);
  });
  await registration.update();
  const late = new Promise((_, fail) => setTimeout(fail, 20000, "no new worker in 20 s"));
  await Promise.race([changed, late]);
}"""


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built without a warning."""
    folder = tmp_path_factory.mktemp("built") / "site"
    assert build(folder, "someone/transformer-lesson") == 0
    return folder


@pytest.fixture(scope="session")
def pages(site: Path) -> list[Path]:
    """The pages to try."""
    if os.environ.get("COURSE_WHOLE_SITE"):
        return [path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts]
    return [site / name for name in SAMPLE]


class Opened:
    """One page of the browser that walks through the site, and what went wrong on the way."""

    def __init__(self, page: Page, look: str) -> None:
        self.page, self.look = page, look
        self.faults: list[str] = []
        page.on("pageerror", lambda error: self.faults.append(f"{page.url}: {error}"))
        page.on("request", lambda request: self._note(request.url))

    def _note(self, url: str) -> None:
        if not url.startswith(("file:", "data:", "blob:")):
            self.faults.append(f"{self.page.url} asks for {url}")

    def go(self, path: Path) -> Page:
        self.page.goto(path.as_uri())
        self.page.evaluate(MATHS_IS_DONE)
        return self.page


@pytest.fixture(params=LOOKS, ids=lambda look: f"{look[0]}-{look[1]}")
def opened(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Opened]:
    """A page of one look with the network cut off."""
    scheme, width = request.param
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True
    )
    yield Opened(context.new_page(), f"{scheme}-{width}")
    context.close()


def test_every_page_works_for_everybody_without_a_network(
    opened: Opened, site: Path, pages: list[Path], screenshots: Path
) -> None:
    """No script fails, nothing is asked of a host, every formula stands, every view is live, the
    page is no wider than the screen, and axe-core finds nothing serious."""
    faults = opened.faults
    if pages == [site / name for name in SAMPLE] and opened.look != "light-1280":
        pages = [site / name for name in FEW]
    for path in pages:
        page = opened.go(path)
        faults += [f"{path.name}: not rendered: {text}" for text in page.evaluate(UNRENDERED)]
        views = path.read_text(encoding="utf-8").count("startPages(")
        views -= path.read_text(encoding="utf-8").count("function startPages(")
        if (live := page.locator(".lesson-view").count()) != views:
            faults.append(f"{path.name}: {live} of {views} views are live")
        if (contrast := page.evaluate(CONTRAST)) < 4.5:
            faults.append(f"{path.name}: a view's letters have a contrast of {contrast:.1f}")
        if (excess := page.evaluate("document.documentElement.scrollWidth - innerWidth")) > 0:
            faults.append(f"{path.name}: {excess} pixels wider than the screen")
        for found in Axe().run(page).response["violations"]:
            if found["impact"] in ("serious", "critical"):
                where = [node["target"] for node in found["nodes"]]
                faults.append(f"{path.name}: {found['id']} at {where[:3]}, {len(where)} in all")
        page.screenshot(path=screenshots / f"site-{path.stem}-{opened.look}.png")
    assert not faults, "\n".join(faults)


def test_paper_clips_no_line_of_code(opened: Opened, site: Path) -> None:
    page = opened.go(site / "notebooks/05_encoder.html")
    clipped = "[...document.querySelectorAll('pre')].filter(e => e.scrollWidth > e.clientWidth + 1)"
    assert page.evaluate(f"{clipped}.length") > 0  # on the screen long lines scroll
    page.emulate_media(media="print")
    assert page.evaluate(f"{clipped}.map(e => e.textContent)") == []


def test_the_view_of_the_landing_page_answers(opened: Opened, site: Path) -> None:
    path = site / "index.html"
    page = opened.go(path)
    root = page.locator(".attention-explorer")
    interact(View(root), truth_of(path.read_text(encoding="utf-8")))


def test_the_theme_can_be_switched_and_the_views_follow(opened: Opened, site: Path) -> None:
    page = opened.go(site / "index.html")
    view = page.locator(".attention-explorer")
    colour = "root => getComputedStyle(root).color"
    page.evaluate("document.documentElement.dataset.theme = 'light'")
    light = view.evaluate(colour)
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    assert view.evaluate(colour) != light


def test_a_sentence_of_ones_own_is_translated_on_the_first_page(
    browser: Browser, site: Path
) -> None:
    page = browser.new_page()
    with served(site) as root:
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{root}/notebooks/00_start_here.html")
        view = page.locator(".sentence-explorer")
        view.get_by_label("your English sentence").fill("Where is the station?")
        expect(view.locator(".lesson-output")).to_have_text("Où est la gare ?", timeout=60_000)
    page.close()
    assert all(url.startswith((root, "blob:", "data:")) for url in asked)


def test_what_was_opened_once_works_without_a_network(browser: Browser, site: Path) -> None:
    """Also below the address of a host, and with a page that was never opened."""
    page = browser.new_context().new_page()
    page.on("pageerror", lambda error: pytest.fail(f"a script failed: {error}"))
    start, lesson = "notebooks/00_start_here.html", "notebooks/02_self_attention.html"
    with served(site.parent) as root:
        for name in (start, lesson):
            page.goto(f"{root}/{site.name}/{name}")
        page.evaluate("() => navigator.serviceWorker.ready")
    # The server is gone.
    page.reload()
    interact(View(page.locator(".attention-explorer").first), truth_of(page.content()))
    for name in ("", "exercises/02_self_attention.html", start):
        page.goto(f"{root}/{site.name}/{name}")
        expect(page.locator("article h1")).to_be_visible()
        live = page.locator("[class$=-explorer-page]").count()
        expect(page.locator(".lesson-view")).to_have_count(live)
    page.reload()
    view = page.locator(".sentence-explorer")
    view.get_by_label("your English sentence").fill("Where is the station?")
    expect(view.locator(".lesson-output")).to_have_text("Où est la gare ?", timeout=60_000)
    page.context.close()


def test_a_new_version_fetches_what_has_changed_and_nothing_else(
    browser: Browser, tmp_path: Path
) -> None:
    (tmp_path / "course.js").write_text("navigator.serviceWorker.register('offline.js')")
    for name in ("index.html", "more.html"):
        (tmp_path / name).write_text("<script src='course.js'></script><p>first</p>")
    write_worker(tmp_path)
    context = browser.new_context()
    page = context.new_page()
    with served(tmp_path) as root:
        page.goto(root)
        page.evaluate("() => navigator.serviceWorker.ready")
        (tmp_path / "more.html").write_text("<p>second</p>")
        write_worker(tmp_path)
        # A server tells new from old by the second, and the first was written in this one.
        os.utime(tmp_path / "offline.js", (time.time() + 5,) * 2)
        asked: list[str] = []
        context.on("request", lambda request: asked.append(request.url))
        page.evaluate(UPDATED)
        assert [url.split("?")[0] for url in asked if "?" in url] == [f"{root}/more.html"]
        page.goto(f"{root}/more.html")
        expect(page.locator("p")).to_have_text("second")
        assert (
            page.evaluate(
                "async () => (await (await caches.open(await caches.keys())).keys()).length"
            )
            == 3
        )
    context.close()


def test_every_internal_link_leads_somewhere(pages: list[Path]) -> None:
    ids: dict[Path, set[str]] = {}
    lost = []
    for path in pages:
        for tag in _soup(path).select("[href], [src]"):
            link = str(tag.get("href") or tag.get("src"))
            if link.startswith(("http:", "https:", "data:", "mailto:", "javascript:")):
                continue
            name, _, anchor = link.split("?")[0].partition("#")
            target = (path.parent / name).resolve() if name else path
            if anchor and target not in ids and target.suffix == ".html" and target.exists():
                ids[target] = {str(each["id"]) for each in _soup(target).select("[id]")}
            if not target.exists() or (anchor and anchor not in ids.get(target, {anchor})):
                lost.append(f"{path.name}: {link}")
    assert not lost, lost


def _soup(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def test_no_page_gives_an_answer_away(site: Path) -> None:
    pages = {path.stem: _soup(path).get_text() for path in (site / "exercises").glob("*.html")}
    solutions = sorted((ROOT / "solutions").glob("*.ipynb"))
    assert sorted(pages) == [path.stem for path in solutions]
    for solution in solutions:
        for cell in nbformat.read(solution, as_version=4).cells:
            given, *answers = cell.source.split("### BEGIN SOLUTION")
            for answer in answers:
                assert given.splitlines()[0] in pages[solution.stem], "the cell itself is there"
                assert answer.split("### END SOLUTION")[0].strip() not in pages[solution.stem]


def test_a_lesson_opens_in_colab_and_binder_and_a_page_without_code_does_not(site: Path) -> None:
    lesson = (site / "notebooks/05_encoder.html").read_text(encoding="utf-8")
    place = "someone/transformer-lesson"
    copy = "notebooks/05_encoder.ipynb"
    assert f"colab.research.google.com/github/{place}/blob/colab/{copy}" in lesson
    assert (site.with_name("site-colab") / copy).exists()
    assert f"mybinder.org/v2/gh/{place}/main?urlpath=lab/tree/notebooks/05_encoder.ipynb" in lesson
    assert "colab" not in (site / "glossary.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("remote", "name"),
    [
        ("https://github.com/someone/a-course.git", "someone/a-course"),
        ("git@github.com:someone/a-course", "someone/a-course"),
        ("https://example.org/someone/a-course.git", None),
        ("", None),
    ],
)
def test_a_repository_on_github_is_recognised(remote: str, name: str | None) -> None:
    assert repository_of(remote) == name
