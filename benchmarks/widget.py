"""Print what an explorer costs: a hover, a redraw, its construction, and its bytes in a notebook.

Times in the browser are those of the event handler and of the layout that it calls for; the
seaborn heatmap is what a kernel would redraw instead.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt
import seaborn as sns
from playwright.sync_api import Page

from authoring.browser import running_browser
from transformer_lesson.widgets import AttentionExplorer

TOKENS = 128
PROMISED_MS = 16
PROMISED_BYTES = 1_000_000
HOVERS = 2000
# Reading a size makes the browser lay out the page within the time that is taken.
HOVER = """(map, hovers) => {
  const box = map.getBoundingClientRect();
  return Array.from({ length: hovers }, (_, i) => {
    const clientX = box.left + ((i * 37) % map.width + 0.5) * box.width / map.width;
    const clientY = box.top + ((i * 53) % map.height + 0.5) * box.height / map.height;
    const event = new PointerEvent("pointermove", { clientX, clientY });
    const start = performance.now();
    map.dispatchEvent(event);
    document.body.getBoundingClientRect();
    return performance.now() - start;
  });
}"""
CHANGE_HEAD = """map => Array.from({ length: 50 }, () => {
  const start = performance.now();
  map.dispatchEvent(new KeyboardEvent("keydown", { key: "]" }));
  map.getContext("2d").getImageData(0, 0, 1, 1);
  document.body.getBoundingClientRect();
  return performance.now() - start;
})"""


def explorer(layers: int, heads: int, tokens: int) -> AttentionExplorer:
    """Return an explorer of random weights with its tokens."""
    return AttentionExplorer(random_weights(layers, heads, tokens), words(tokens))


def random_weights(layers: int, heads: int, tokens: int) -> npt.NDArray[np.float32]:
    """Return weights ``(layers, heads, tokens, tokens)``."""
    scores = np.random.default_rng(0).exponential(size=(layers, heads, tokens, tokens))
    return (scores / scores.sum(axis=-1, keepdims=True)).astype(np.float32)


def words(tokens: int) -> list[str]:
    """Return this many tokens of typical length."""
    return [f"token{i}" for i in range(tokens)]


def milliseconds(action: Callable[[], Any], repeats: int = 5) -> list[float]:
    """Return how long each of a few calls takes, after one that loads what is needed."""
    action()
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        taken.append(1000 * (time.perf_counter() - start))
    return taken


def open_page(page: Page) -> None:
    """Fill the page with an explorer of 8 heads."""
    html = explorer(1, 8, TOKENS)._repr_mimebundle_()[0]["text/html"]
    page.set_content(f"<!doctype html>{html}")
    page.wait_for_selector("canvas")


def measure_in_browser() -> tuple[list[float], list[float]]:
    """Return the milliseconds of hovers and of changes of the head."""
    with running_browser() as browser:
        page = browser.new_page()
        open_page(page)
        canvas = page.locator("canvas")
        return canvas.evaluate(HOVER, HOVERS), canvas.evaluate(CHANGE_HEAD)


def redraw_with_seaborn() -> None:
    """Draw one map to pixels, as a kernel does when a slider moves."""
    figure, axes = plt.subplots(figsize=(6, 5))
    sns.heatmap(random_weights(1, 1, TOKENS)[0, 0], cmap="viridis", ax=axes)
    figure.canvas.draw()
    plt.close(figure)


def show(title: str, taken: list[float], promise: str = "") -> None:
    """Print the median and the 99th percentile of some times."""
    p99 = np.percentile(taken, 99)
    print(f"{title:<44} {statistics.median(taken):9.2f} ms, p99 {p99:7.2f} ms{promise}")


def main() -> int:
    """Print all; return 1 if a promise is broken."""
    plt.switch_backend("agg")
    hovers, changes = measure_in_browser()
    show(f"hover, {TOKENS}x{TOKENS}", hovers, f" (promised: {PROMISED_MS} ms)")
    show(f"change of head, {TOKENS}x{TOKENS}", changes)
    show(f"seaborn's redraw, {TOKENS}x{TOKENS}", milliseconds(redraw_with_seaborn))

    weights, tokens = random_weights(6, 8, 64), words(64)
    show(
        "construction, 6 layers x 8 heads x 64x64",
        milliseconds(lambda: AttentionExplorer(weights, tokens)),
    )
    big = AttentionExplorer(weights, tokens)
    show("what a notebook stores of it, made", milliseconds(big._repr_mimebundle_))
    size = len(json.dumps(big._repr_mimebundle_()))
    promise = f" (promised: under {PROMISED_BYTES:,})"
    print(f"{'what a notebook stores of it, bytes':<44} {size:9,}{promise}")
    numbers = len(json.dumps(weights.tolist()))
    print(f"{'the same weights as decimal numbers in JSON':<44} {numbers:9,}")
    return 1 if np.percentile(hovers, 99) > PROMISED_MS or size >= PROMISED_BYTES else 0


if __name__ == "__main__":
    sys.exit(main())
