"""The static site, opened from disk with the network cut off.

The short suite tries a few pages of every sort, and the whole suite all.
"""

import os
import re
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup
from docutils.nodes import make_id
from jinja2 import Environment, FileSystemLoader
from playwright.sync_api import Browser, Page, expect

from authoring.execute import ROOT
from authoring.onward import LESSONS
from authoring.served import served
from authoring.site import landing, ledger
from authoring.site.__main__ import build, repository_of
from authoring.site.offline import write_worker
from authoring.times import START, course, hours, parts_of, stated
from evidence.claims import claims
from evidence.results import load
from notebook_judge.palette import REPORTS
from transformer_lesson.widgets.machine_parts import scene

from .pages import script
from .view import View, interact, truth_of

SAMPLE = (
    "index.html",
    "symbols.html",
    "glossary.html",
    "docs/teaching.html",
    "docs/grading.html",
    "notebooks/00_start_here.html",
    "notebooks/05_encoder.html",
    "notebooks/labs/06_search.html",
    "exercises/02_self_attention.html",
    "evidence/README.html",
    "api/attention.html",
    "_modules/transformer_lesson/attention.html",
)
# Of every sort that looks its own, for phones.
FEW = ("index.html", "notebooks/00_start_here.html", "evidence/README.html", "api/attention.html")
# Some of its rules have to be asked for.
AXE = {"preload": False, "rules": {"label-content-name-mismatch": {"enabled": True}}}
FIELD = "your English sentence"
LOOKS = [(scheme, width) for scheme in ("light", "dark") for width in (1280, 390)]
MATHS_IS_DONE = "() => window.MathJax?.startup?.promise"
UNRENDERED = script("unrendered")


CONTRAST = script("contrast_of_views")
# The landing page by itself has no figures beside it.
FIGURE = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='683' height='9'/%3E"
DRAW = """async (src) => {
  for (const image of document.querySelectorAll(".claim-figure img")) {
    Object.assign(image, { src, loading: "eager" });
    await image.decode();
  }
}"""
CUT = """[...document.querySelectorAll(".bd-sidenav a")]
  .filter(link => link.scrollWidth > link.clientWidth + 1).map(link => link.textContent.trim())"""
UPDATED = script("updated")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built without a warning."""
    folder = tmp_path_factory.mktemp("built") / "site"
    assert build(folder, "someone/transformer-lesson") == 0
    return folder


@pytest.fixture(scope="session", params=["of every sort", "all others"])
def pages(request: pytest.FixtureRequest, site: Path) -> list[Path]:
    """The pages to try."""
    some = [site / name for name in SAMPLE]
    if request.param == "of every sort":
        return some
    if request.config.getoption("sample", ""):
        pytest.skip("only a sample is asked for")
    return sorted({*site.rglob("*.html")} - {*some})


class Opened:
    """One page of the browser that walks through the site, and what went wrong on the way."""

    def __init__(self, page: Page, look: str) -> None:
        self.page, self.look = page, look
        self.faults: list[str] = []
        page.on("pageerror", lambda error: self.faults.append(f"{page.url}: {error}"))
        page.on("console", lambda said: self._hear(said.type, said.text))
        page.on("request", lambda request: self._note(request.url))

    def _hear(self, kind: str, text: str) -> None:
        if kind == "error":
            self.faults.append(f"{self.page.url} complains: {text}")

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
    """No script fails or complains, nothing is asked of a host, every formula stands, every view is
    live, the page is no wider than the screen, and axe-core finds nothing."""
    faults = opened.faults
    if pages == [site / name for name in SAMPLE] and opened.look.endswith("390"):
        pages = [site / name for name in FEW]
    for path in pages:
        page = opened.go(path)
        expect(page.locator("link[rel=icon]"), path.name).to_have_attribute("href", "data:,")
        faults += [f"{path.name}: not rendered: {text}" for text in page.evaluate(UNRENDERED)]
        faults += [f"{path.name}: cut in the sidebar: {name}" for name in page.evaluate(CUT)]
        # With the first bytes of what gzip packs: the page of the code that writes it has none.
        views = path.read_text(encoding="utf-8").count('const packed = "H4sI')
        expect(page.locator(".lesson-view"), path.name).to_have_count(views)
        if (contrast := page.evaluate(CONTRAST)) < 4.5:
            faults.append(f"{path.name}: a view's letters have a contrast of {contrast:.1f}")
        if (excess := page.evaluate("document.documentElement.scrollWidth - innerWidth")) > 0:
            faults.append(f"{path.name}: {excess} pixels wider than the screen")
        for found in Axe().run(page, options=AXE).response["violations"]:
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


def test_no_code_in_a_table_breaks_inside_a_word(opened: Opened, site: Path) -> None:
    page = opened.go(site / "symbols.html")
    names = "[...document.querySelectorAll('td code .pre')]"
    assert page.evaluate(f"{names}.length") > 20
    broken = f"{names}.filter(e => e.getClientRects().length > 1).map(e => e.textContent)"
    assert page.evaluate(broken) == []


def test_a_part_of_the_machine_opens_its_lesson(opened: Opened, site: Path) -> None:
    page = opened.go(site / "notebooks/labs/05_depth.html")
    page.get_by_role("link", name="encoder: heads").click()
    expect(page).to_have_url((site / "notebooks/03_multi_head_attention.html").as_uri())


def test_light_and_dark_are_chosen_once_for_all_pages(opened: Opened, site: Path) -> None:
    page = opened.go(site / "index.html")
    view = page.locator(".machine .lesson-view")
    colors = []
    for _ in range(2):
        page.locator(".look").click()
        colors.append(view.evaluate("root => getComputedStyle(root).color"))
    assert len(set(colors)) == 2
    chosen = page.locator("html").get_attribute("data-theme")
    expect(opened.go(site / "symbols.html").locator("html")).to_have_attribute("data-theme", chosen)


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1280, 720), (791, 900), (390, 844)])
def test_the_first_screen_says_what_it_is_translates_and_leads_on(
    browser: Browser, site: Path, screenshots: Path, width: int, height: int
) -> None:
    """The model is loaded and begins by itself; then a sentence of one's own is translated."""
    page = browser.new_page(viewport={"width": width, "height": height})
    with served(site) as root:
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(root)
        field = page.get_by_label(FIELD)
        written = page.locator(".machine .lesson-output")
        expect(written).not_to_be_empty(timeout=60_000)
        field.fill("Where is the station?")
        expect(written).to_have_text("Où est la gare ?", timeout=60_000)
        names = ("Read lesson 01", "Run it in Colab", "Install")
        links = [page.get_by_role("link", name=name, exact=True) for name in names]
        for part in (page.locator("h1"), field, written, *links):
            box = part.bounding_box()
            assert box and box["y"] >= 0 and box["y"] + box["height"] <= height, part
            assert box["x"] >= 0 and box["x"] + box["width"] <= width, part
        assert page.locator(".machine").evaluate("box => box.scrollHeight <= box.clientHeight")
        expect(page.get_by_text(FIELD)).to_be_visible()
        page.screenshot(path=screenshots / f"site-first-screen-{width}.png")
    page.close()
    assert all(url.startswith((root, "blob:", "data:")) for url in asked)


def test_every_lesson_has_a_card_that_lights_its_parts_in_the_machine(
    opened: Opened, site: Path
) -> None:
    """On the card the parts of this lesson are lit, and those of lessons before it filled in."""
    page = opened.go(site / "index.html")
    cards = page.locator(".card")
    rows = landing.cards()
    expect(cards).to_have_count(len(LESSONS))
    lit = page.locator(".machine .of-lesson")
    parts = page.locator(".machine .lesson-part").count()
    for card, row, lesson in zip(cards.all(), rows, LESSONS, strict=True):
        question = BeautifulSoup(row["question"], "html.parser").get_text()
        assert question in (card.text_content() or "")
        for part, minutes in zip(parts_of(row["number"]), row["parts"], strict=True):
            assert lesson == START or stated(part) == minutes["minutes"]
        states = Counter(row["states"][part.kind] for part in scene().parts)
        for state, count in states.items():
            expect(card.locator(f"rect.{state}")).to_have_count(count)
        card.locator(".cover").focus()
        classes = [str(part.get_attribute("class")).split() for part in lit.all()]
        told = {f"lesson-{kind.replace(' ', '-')}" for kind in row["lit"]}
        assert len(classes) == parts or (classes and all(told & {*each} for each in classes))
    page.locator(".brand").focus()
    expect(lit).to_have_count(0)


def test_the_hours_are_the_sum_of_all_minutes_that_are_stated(site: Path) -> None:
    minutes = [stated(path) for path in course()]
    text = _soup(site / "index.html").select_one(".facts").get_text()  # type: ignore[union-attr]
    core = hours()["on the core way"]
    assert f"{core} hours on the core way" in text
    assert f"; {sum(minutes) / 60:.0f} with" in " ".join(text.split())


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The landing page by itself, built where no address on GitHub is known."""
    folder = tmp_path_factory.mktemp("start")
    shutil.copytree(ROOT / "authoring/site/static", folder / "_static")
    templates = Environment(loader=FileSystemLoader(ROOT / "authoring/site/templates"))
    given = {
        **landing.shown(),
        **ledger.shown(),
        "palette": REPORTS,
        "pathto": lambda name, *_: name,
    }
    text = templates.get_template("landing.html").render(given)
    (folder / "index.html").write_text(text, encoding="utf-8")
    return folder / "index.html"


def test_without_an_address_no_page_offers_colab(start: Path) -> None:
    page = start.read_text(encoding="utf-8")
    assert "Read lesson 01" in page
    for word in ("Run it in Colab", "colab.research", "make site"):
        assert word not in page


def test_on_a_phone_every_link_of_the_header_is_reached(opened: Opened, start: Path) -> None:
    page = opened.go(start)
    links = page.locator(".top nav a")
    told = ["Lessons", "Claims", "Glossary", "Package", "For teachers", "Search"]
    expect(links).to_have_text(told)
    width = page.evaluate("innerWidth")
    for link in links.all():
        box = link.bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= width
        assert box["height"] >= (44 if width < 600 else 24)


def test_the_letters_of_a_figure_shrink_on_no_screen(opened: Opened, start: Path) -> None:
    """Where there is no room for the figure, it scrolls in a box that the keyboard reaches."""
    page = opened.go(start)
    page.evaluate(DRAW, FIGURE)
    for bet in page.locator(".bet").all():
        bet.locator("summary").click()
        box, image = bet.locator(".claim-figure"), bet.locator("img")
        widths = [part.evaluate("node => node.clientWidth") for part in (box, image)]
        if opened.look.endswith("390"):
            assert widths[1] == 520
            expect(box).to_have_attribute("tabindex", "0")
        else:
            assert widths[1] == widths[0]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_bar_of_verdicts_is_true_to_the_counts(opened: Opened, start: Path) -> None:
    page = opened.go(start)
    parts, words = page.locator(".tally i").all(), page.locator(".tallied a").all()
    told = ledger.shown()["verdicts"]
    of_all = sum(count for _, count in told)
    whole = page.locator(".tally").bounding_box()
    assert whole
    colors = set()
    for part, link, (word, count) in zip(parts, words, told, strict=True):
        box = part.bounding_box()
        assert box and box["width"] == pytest.approx(whole["width"] * count / of_all, abs=0.5)
        assert link.text_content() == f"{count} {word}"
        color = part.evaluate("part => getComputedStyle(part).backgroundColor")
        assert link.evaluate("a => getComputedStyle(a, '::before').backgroundColor") == color
        colors.add(color)
    assert len(colors) == len(told)


@pytest.mark.parametrize(
    ("asked", "term"),
    [
        ("RoPE", "RoPE"),
        ("kv cache", "KV-cache"),
        ("skip connection", "skip-connection"),
        ("embeddings", "embedding"),
        ("what is a query", "query"),
        ("beam", "beam-search"),
    ],
)
def test_search_finds_a_word_in_the_glossary_first(
    browser: Browser, site: Path, asked: str, term: str
) -> None:
    page = browser.new_page()
    page.goto(f"{(site / 'search.html').as_uri()}?q={quote(asked)}")
    first = page.locator("#search-results li a").first
    expect(first).to_have_attribute("href", re.compile(f"^glossary.html.*#term-{term}$"))
    page.close()


def test_the_pages_have_their_icons_and_load_no_script_of_all(opened: Opened, site: Path) -> None:
    page = opened.go(site / "notebooks/05_encoder.html")
    icons = page.locator("i[class*='fa-']:visible")
    assert icons.count() > 3
    for icon in icons.all():
        mask = icon.evaluate("node => getComputedStyle(node, '::before').maskImage")
        assert mask.startswith('url("data:image/svg+xml'), icon.get_attribute("class")
    expect(page.locator("script[src*=fontawesome]")).to_have_count(0)


def test_claims_are_searched_and_filtered_from_the_keyboard(browser: Browser, site: Path) -> None:
    page = browser.new_page()
    address = (site / "evidence/README.html").as_uri()
    page.goto(f"{address}?verdict=false")
    told = {name: claim.decide(load(claim).runs(claim)).word for name, claim in claims().items()}
    count = page.locator(".claims-count")
    shown = page.locator(".claim:visible")
    false = [name for name, word in told.items() if word == "false"]
    expect(count).to_have_text(f"{len(false)} of {len(told)} claims")
    page.get_by_label("Search the claims").focus()
    page.keyboard.type("TEXT wider")
    expect(shown).to_have_count(1)
    expect(shown.first).to_have_id("beam-width")
    page.goto(f"{address}#heads-spare")  # A link shows its claim, whatever was chosen.
    expect(page.locator("#heads-spare")).to_be_in_viewport()
    page.get_by_label("Lesson", exact=True).press("0")
    page.get_by_label("Lesson", exact=True).select_option("08")
    page.get_by_label("true here").press("Space")
    expect(count).to_have_text(f"0 of {len(told)} claims")
    page.close()


def test_without_scripts_the_claims_are_the_whole_list(browser: Browser, site: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((site / "evidence/README.html").as_uri())
    expect(page.locator(".claim:visible")).to_have_count(len(claims()))
    expect(page.locator(".claims-filter")).to_be_hidden()
    context.close()
    figures = {path.stem: path.stat().st_size for path in (site / "evidence/figures").iterdir()}
    assert figures.keys() == {"all", *(make_id(name) for name in claims())}
    assert max(figures.values()) < 110_000


def test_what_is_kept_works_without_a_network(browser: Browser, site: Path) -> None:
    """Nothing is kept unasked; below the address of a host, and with a page never opened."""
    page = browser.new_context().new_page()
    page.on("pageerror", lambda error: pytest.fail(f"a script failed: {error}"))
    start, lesson = "notebooks/00_start_here.html", "notebooks/02_self_attention.html"
    with served(site.parent) as root:
        for name in (start, lesson):
            page.goto(f"{root}/{site.name}/{name}")
        assert (
            page.evaluate("async () => (await navigator.serviceWorker.getRegistrations()).length")
            == 0
        )
        page.goto(f"{root}/{site.name}/")
        page.get_by_role("button", name="Keep the whole course").click()
        expect(page.locator(".keep")).to_contain_text("It is kept", timeout=60_000)
        page.goto(f"{root}/{site.name}/{lesson}")
    # The server is gone.
    page.reload()
    _, _, explorer = page.content().partition("attention-explorer-page")
    interact(View(page.locator(".attention-explorer").first), truth_of(explorer))
    for name in ("", "exercises/02_self_attention.html", start):
        page.goto(f"{root}/{site.name}/{name}")
        expect(page.locator("main h1").last).to_be_visible()
        live = page.locator("[class*='-page']:has(> script)").count()
        expect(page.locator(".lesson-view")).to_have_count(live)
    page.reload()
    view = page.locator(".sentence-explorer")
    view.get_by_label(FIELD).fill("Where is the station?")
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
        # A change of workers means the second only when the first has taken the page over.
        page.wait_for_function("navigator.serviceWorker.controller?.state === 'activated'")
        (tmp_path / "more.html").write_text("<p>second</p>")
        write_worker(tmp_path)
        # A server tells new from old by the second, and the first were written in this one.
        for name in ("offline.js", "more.html"):
            os.utime(tmp_path / name, (time.time() + 5,) * 2)
        asked: list[str] = []
        context.on("request", lambda request: asked.append(request.url))
        # What the worker asks for may be told a moment after it has said that it is ready.
        with context.expect_event("request", lambda request: "?" in request.url):
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
def test_a_repository_on_github_is_recognized(remote: str, name: str | None) -> None:
    assert repository_of(remote) == name
