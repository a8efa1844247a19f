"""Print what the browser's translator costs: its first translation, and each token.

The first translation is that of a page that a browser sees for the first time, from a server on
this machine: until the whole text stands there.

Processor time is that of all of the browser's processes: beside other work it says more than the
time on the clock.
"""

import base64
import json
import time
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
LOAD = """({ weights, ...rest }) => {
  const bytes = Uint8Array.from(atob(weights), (character) => character.charCodeAt(0));
  window.answers = new Answers(() => {});
  answers.load({ ...rest, weights: bytes.buffer });
}"""
TRANSLATE = """async ({ text, width }) => {
  const start = performance.now();
  const ids = answers.tokenizer.encode(text).map(({ id }) => id);
  const { source, plan } = answers.translation(ids, []);
  let steps = 0;
  const count = async () => { steps += 1; };
  if (width === 1) await greedy(answers.model, source, plan, [], count);
  else await beamSearch(answers.model, source, plan, [], width, count);
  return { steps, wall: performance.now() - start };
}"""


def first_translation(browser: Browser, address: str) -> float:
    """Return the seconds from the address to a translation, with nothing kept from before."""
    context = browser.new_context(reduced_motion="reduce")  # which goes to the last step at once
    page = context.new_page()
    page.set_default_timeout(300_000)
    start = time.perf_counter()
    page.goto(address)
    page.get_by_label("your English sentence").focus()
    page.get_by_text("That was all").wait_for()
    taken = time.perf_counter() - start
    context.close()
    return taken


def report_first(browser: Browser) -> None:
    """Report how long a reader waits for the first translation."""
    view = SentenceExplorer(Translator.shipped(), examples=[TEXT])
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_model(folder / "model")
        html = view._repr_mimebundle_()[0]["text/html"]
        (folder / "page.html").write_text(f"<!doctype html>{html}", encoding="utf-8")
        with served(folder) as root:
            taken = [first_translation(browser, f"{root}/page.html") for _ in range(5)]
    words = "the first translation in a fresh page"
    promise(words, median(taken), most=4, unit="s", detail=f"{min(taken):.2f} to {max(taken):.2f}")


def processor_s() -> float:
    """Return the processor time of all processes that this one has started, in seconds."""
    times = [child.cpu_times() for child in psutil.Process().children(recursive=True)]
    return sum(time.user + time.system for time in times)


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
