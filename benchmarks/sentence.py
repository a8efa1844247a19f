"""Print what the browser's translator costs: what a reader waits for, and each token.

The first French is that of a page that a browser sees for the first time, from a server on this
machine: until the whole text stands there.

A reader waits by the clock, which says something on an idle machine alone. Processor time is that
of all of the browser's processes, and says more beside other work. What the browser needs for
itself is among it, and is told by an empty page.
"""

import base64
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import psutil
from playwright.sync_api import Browser, Page

from authoring.browser import running_browser
from authoring.served import served
from authoring.site.weights import write_model
from benchmarks.harness import promise, run
from transformer_lesson.translation.translator import Translator
from transformer_lesson.widgets import SentenceExplorer
from transformer_lesson.widgets.sentence import ENGINE
from transformer_lesson.widgets.sentence_models import typed_model

TEXT = "I don't know what you are talking about, but I would like to."
EIGHT = "My brother lives in London with two cats."
FIRST = "the first French in a fresh page, in processor time"
CLOCK = "the first French in a fresh page, after its address"
EMPTY = "the first French in a fresh page: of it an empty page, open for 1 s"
TYPED = "the French of eight words, after typing"
OPENED = "opening the slowest part of the machine"
UNTIL = "(begin) => document.querySelector('.lesson-output')?.textContent.startsWith(begin)"
SECOND = "() => performance.now() > 1000"
OPEN = """part => {
  const start = performance.now();
  part.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  document.body.getBoundingClientRect(); // which has to be laid out
  return (performance.now() - start) / 1000;
}"""
LOAD = """({ weights, ...rest }) => {
  const bytes = Uint8Array.from(atob(weights), (character) => character.charCodeAt(0));
  window.answers = new Answers(() => {});
  answers.load({ ...rest, weights: bytes.buffer });
}"""
TRANSLATE = """async ({ text, width }) => {
  const start = performance.now();
  const ids = answers.tokenizer.encode(text).map(({ id }) => id);
  const { source, plan } = answers.translation(answers.model, ids, []);
  let steps = 0;
  const count = async () => { steps += 1; };
  if (width === 1) await greedy(answers.model, source, plan, [], count);
  else await beamSearch(answers.model, source, plan, [], width, count);
  return { steps, wall: performance.now() - start };
}"""


def processor_s() -> float:
    """Return the processor time of all processes that this one has started, in seconds."""
    times = [child.cpu_times() for child in psutil.Process().children(recursive=True)]
    return sum(time.user + time.system for time in times)


def visit(browser: Browser, address: str) -> dict[str, list[float]]:
    """Return what a reader waits for, in seconds of processor time and by the clock.

    The page is new to the browser; as on the landing page its model begins by itself.
    """
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.set_default_timeout(300_000)
    field = page.get_by_label("your English sentence")

    def until(action: Callable[[], object], text: str) -> tuple[float, float]:
        before, began = processor_s(), time.monotonic()
        action()
        page.wait_for_function(UNTIL, arg=text, polling=20)
        clock, processor = time.monotonic() - began, processor_s() - before
        page.get_by_role("button", name="pause").click()
        page.wait_for_timeout(2000)  # the beam search goes on behind the answer
        return processor, clock

    def open_page() -> None:
        page.goto(address)
        field.evaluate("field => field.dispatchEvent(new Event('focus'))")

    processor, clock = until(open_page, "Le")
    typed, _ = until(lambda: field.fill(EIGHT), "Mon")
    opened = [part.evaluate(OPEN) for part in page.locator(".lesson-part").all()]
    context.close()
    found = {FIRST: processor, CLOCK: clock, EMPTY: empty(browser, address), TYPED: typed}
    return {words: [seconds] for words, seconds in found.items()} | {OPENED: opened}


def empty(browser: Browser, address: str) -> float:
    """Return the processor time of a new page without anything, in seconds."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    before = processor_s()
    page.goto(address.replace("page", "empty"))
    page.wait_for_function(SECOND, polling=20)
    taken = processor_s() - before
    context.close()
    return taken


def report_first(browser: Browser) -> None:
    """Report how long a reader waits: for the first French, after typing, and to open a part."""
    view = SentenceExplorer(Translator.shipped())
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_model(folder / "model")
        html = view._repr_mimebundle_()[0]["text/html"]
        (folder / "page.html").write_text(f"<!doctype html>{html}", encoding="utf-8")
        (folder / "empty.html").write_text("<!doctype html><title>empty</title>", encoding="utf-8")
        with served(folder) as root:
            visits = [visit(browser, f"{root}/page.html") for _ in range(5)]
    promised = {CLOCK: 1.5, FIRST: 1.5, EMPTY: None, TYPED: 1.0, OPENED: 0.1}
    for words, most in promised.items():
        # Of each part its quickest time, which other work lengthens least; of these the longest.
        found = zip(*(one[words] for one in visits), strict=True)
        taken = [(min if words == OPENED else median)(each) for each in found]
        loads = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
        scale = "by the clock" if words in (CLOCK, OPENED) else "processor time"
        promise(words, max(taken), most=most, unit="s", detail=f"{scale}; {loads}")


def report(page: Page, width: int) -> None:
    """Print milliseconds a step, of processor time and on the clock.

    A step of a beam reads ``width`` tokens. The encoder's time is shared out among the steps.
    """
    wall, processor = [], []
    for number in range(5):
        before = processor_s()
        found = page.evaluate(TRANSLATE, {"text": TEXT, "width": width})
        if number:  # the first round compiles the loops
            processor.append(1000 * (processor_s() - before) / found["steps"])
            wall.append(found["wall"] / found["steps"])
    promise(
        f"a step of a beam of {width} in the browser, processor time for each token",
        median(processor) / width,
        most=30,
        unit="ms",
        detail=f"{min(wall):.1f} to {max(wall):.1f} ms a step on the clock",
    )


def main() -> None:
    """Report on greedy translation, on a beam of four, and on the first translation."""
    typed = typed_model(Translator.shipped(), None)
    files = typed.files(int8=True)
    load = {
        "config": json.loads(files.config),
        "vocabulary": json.loads(files.vocabulary),
        "weights": base64.b64encode(files.weights).decode(),
        "marks": typed.marks._asdict(),
    }
    with running_browser() as browser:
        page = browser.new_page()
        page.set_default_timeout(300_000)
        page.add_script_tag(content=ENGINE)
        page.evaluate(LOAD, load)
        report(page, 1)
        report(page, 4)
        report_first(browser)


if __name__ == "__main__":
    run(main)
