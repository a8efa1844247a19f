"""Print what a token costs in the browser's translator, the one that comes with the course.

Processor time is that of all of the browser's processes: beside other work it says more than the
time on the clock.
"""

import base64
import json

import psutil
from playwright.sync_api import Page

from authoring.browser import running_browser
from benchmarks.harness import promise, run
from transformer_lesson.translation.translator import Translator
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
        f"beam {width}: {min(processor):.1f} to {max(processor):.1f} ms of processor time a step, "
        f"{min(wall):.1f} to {max(wall):.1f} ms on the clock",
        min(processor) / width,
        most=30,
        unit=" ms a token",
    )


def main() -> None:
    """Load the model into a page; report on greedy translation and on a beam of four."""
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


if __name__ == "__main__":
    run(main)
