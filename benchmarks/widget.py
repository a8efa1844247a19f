"""Print what an explorer costs: a hover, a redraw, its construction, and its bytes in a notebook.

Times in the browser are those of the event handler and of the layout that it calls for; the
seaborn heatmap is what a kernel would redraw instead.
"""

import json
import statistics

import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt
import seaborn as sns

from authoring.browser import running_browser
from benchmarks.harness import Action, promise, rounds, run
from transformer_lesson.widgets import AttentionExplorer

TOKENS = 128
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


def random_weights(layers: int, heads: int, tokens: int) -> npt.NDArray[np.float32]:
    """Return weights ``(layers, heads, tokens, tokens)``."""
    scores = np.random.default_rng(0).exponential(size=(layers, heads, tokens, tokens))
    return (scores / scores.sum(axis=-1, keepdims=True)).astype(np.float32)


def words(tokens: int) -> list[str]:
    """Return this many tokens of typical length."""
    return [f"token{i}" for i in range(tokens)]


def milliseconds(action: Action) -> list[float]:
    """Return how long each of a few calls takes."""
    return [1000 * taken for (taken,) in rounds([action], 5)]


def measure_in_browser() -> tuple[list[float], list[float]]:
    """Return the milliseconds of hovers and of changes of the head, in an explorer of 8 heads."""
    view = AttentionExplorer(random_weights(1, 8, TOKENS), words(TOKENS))
    with running_browser() as browser:
        page = browser.new_page()
        page.set_content(f"<!doctype html>{view._repr_mimebundle_()[0]['text/html']}")
        page.wait_for_selector("canvas")
        canvas = page.locator("canvas")
        return canvas.evaluate(HOVER, HOVERS), canvas.evaluate(CHANGE_HEAD)


def redraw_with_seaborn() -> None:
    """Draw one map to pixels, as a kernel does when a slider moves."""
    figure, axes = plt.subplots(figsize=(6, 5))
    sns.heatmap(random_weights(1, 1, TOKENS)[0, 0], cmap="viridis", ax=axes)
    figure.canvas.draw()
    plt.close(figure)


def show(title: str, taken: list[float], most: float | None = None) -> None:
    """Print the median and the 99th percentile of some times, of which ``most`` is promised."""
    p99 = float(np.percentile(taken, 99))
    median = f"median {statistics.median(taken):.2f} ms"
    promise(f"{title}, 99th percentile", p99, most=most, unit="ms", detail=median)


def main() -> None:
    """Print all."""
    plt.switch_backend("agg")
    hovers, changes = measure_in_browser()
    show(f"a hover over a map of {TOKENS} by {TOKENS}", hovers, most=16)
    show("a change of its head", changes)
    show("seaborn's drawing of such a map", milliseconds(redraw_with_seaborn))

    weights, tokens = random_weights(6, 8, 64), words(64)
    made = milliseconds(lambda: AttentionExplorer(weights, tokens))
    show("making a map of 6 layers, 8 heads and 64 tokens", made)
    big = AttentionExplorer(weights, tokens)
    show("making what a notebook stores of it", milliseconds(big._repr_mimebundle_))
    size = len(json.dumps(big._repr_mimebundle_()))
    title = "a map of 6 layers, 8 heads and 64 tokens in a notebook"
    numbers = len(json.dumps(weights.tolist())) / 1e6
    told = f"its weights as decimal numbers: {numbers:.1f} MB"
    promise(title, size / 1e6, most=1, unit="MB", detail=told)


if __name__ == "__main__":
    run(main)
