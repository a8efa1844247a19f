"""Print what a token costs in the browser's translator: python benchmarks/sentence.py FOLDER.

The folder is one that ``Translator.save(int8=True)`` has written. Processor time is that of all of
the browser's processes: beside other work it says more than the time on the clock.
"""

import base64
import json
import sys
from pathlib import Path

import psutil
from playwright.sync_api import Page, sync_playwright

from authoring.ci import find_browser
from transformer_lesson.translation.translator import CONFIG, MODEL, VOCABULARY
from transformer_lesson.widgets.sentence import ENGINE

TEXT = "I don't know what you are talking about, but I would like to."
PROMISED_MS = 30
ROUNDS = 5
LOAD = """({ config, vocabulary, weights }) => {
  const bytes = Uint8Array.from(atob(weights), (character) => character.charCodeAt(0));
  window.answers = new Answers(() => {});
  answers.load({ config, vocabulary, weights: bytes.buffer });
}"""
TRANSLATE = """async ({ text, width }) => {
  const ids = [...answers.tokenizer.encode(text).map(({ id }) => id), END];
  const source = answers.model.encode(ids);
  let steps = 0;
  const count = async () => { steps += 1; };
  const start = performance.now();
  if (width === 1) await greedy(answers.model, source, [], count);
  else await beamSearch(answers.model, source, [], width, count);
  return { steps, wall: performance.now() - start };
}"""


def processor_s() -> float:
    """Return the processor time of all processes that this one has started, in seconds."""
    times = [child.cpu_times() for child in psutil.Process().children(recursive=True)]
    return sum(time.user + time.system for time in times)


def report(page: Page, width: int) -> None:
    """Print milliseconds a token, of processor time and on the clock, for a beam of ``width``."""
    wall, processor = [], []
    for _ in range(ROUNDS):
        before = processor_s()
        found = page.evaluate(TRANSLATE, {"text": TEXT, "width": width})
        processor.append(1000 * (processor_s() - before) / found["steps"])
        wall.append(found["wall"] / found["steps"])
    # The first round compiles the loops.
    print(
        f"beam {width}: {min(processor[1:]):.1f} to {max(processor[1:]):.1f} ms of processor time "
        f"a token, {min(wall[1:]):.1f} to {max(wall[1:]):.1f} ms on the clock "
        f"(promised: {PROMISED_MS} ms)"
    )


def main() -> None:
    """Load the model into a page and report on greedy translation and on a beam of four."""
    folder = Path(sys.argv[1])
    files = {
        "config": json.loads((folder / CONFIG).read_text(encoding="utf-8")),
        "vocabulary": json.loads((folder / VOCABULARY).read_text(encoding="utf-8")),
        "weights": base64.b64encode((folder / MODEL).read_bytes()).decode(),
    }
    with sync_playwright() as playwright:
        # Chromium refuses to run its sandbox as root.
        browser = playwright.chromium.launch(
            executable_path=find_browser(), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page()
        page.set_default_timeout(300_000)
        page.add_script_tag(content=ENGINE)
        page.evaluate(LOAD, files)
        for width in (1, 4):
            report(page, width)
        browser.close()


if __name__ == "__main__":
    main()
