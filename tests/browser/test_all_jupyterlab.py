"""Every kind of view in the real JupyterLab, where it shares its state with Python."""

from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import BrowserContext, expect

from authoring.execute import strip

from .lab import PYTHON, RUN_ALL, Lab, opened
from .view import View

KERNEL_MS = 120_000
CODE = """\
import numpy as np
from IPython.display import display
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformer_lesson.widgets import *

words = ["The", "cat", "sat"]
weights = np.stack([np.eye(3), np.eye(3)[::-1]])[None].repeat(2, 0)
heads, attention = HeadsExplorer(weights, words), AttentionExplorer(weights, words)
positions = PositionExplorer(16, 8)
mask = MaskExplorer(np.eye(3), words, num_padding=1)
generation = GenerationExplorer([
    GenerationStep(words[:2], [("sat", 0.5)], computed=2, cached=0),
    GenerationStep(words, [("on", 0.5)], computed=1, cached=2),
])
tiles = TileExplorer(np.eye(8))
training = TrainingExplorer([3.0, 2.0], [(0, np.eye(3)), (2, np.eye(3)[::-1])], words)
schedule = ScheduleExplorer(200, 0.01, 0, "constant")
guesses = [[(word, 0.5)] for word in words]
gap = GapExplorer([Sentence(words, {"masked": guesses, "causal": guesses})])
display(heads, attention, positions, mask, generation, tiles)
display(training, schedule, gap, Machine("05"))
byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False)
tokenizer = Tokenizer(models.BPE())
tokenizer.pre_tokenizer = byte_level
tokenizer.train_from_iterator(["the cat sat"] * 3, trainers.BpeTrainer(
    vocab_size=260, initial_alphabet=byte_level.alphabet(), show_progress=False))
query = QueryExplorer([1, 0], np.eye(3)[:, :2], np.eye(3), tokens=words, axes="ab", features=words)
display(MergeExplorer(tokenizer, "the cat"), query)
"""
CHOSEN = """\
print(heads.layer, heads.pinned, positions.d_model, positions.pair, positions.first)
print(mask.causal, mask.pinned, generation.step)
print(tiles.step, tiles.row, tiles.direction)
print(training.checkpoint, training.pinned, schedule.config().warmup_steps, schedule.schedule)
print(gap.gap, attention.layer, attention.head, attention.pinned)
"""
CHANGE = """\
heads.layer, heads.pinned, positions.d_model, mask.padding, generation.step = 0, 0, 16, True, 0
tiles.tile_keys = 8
training.checkpoint, schedule.steps, gap.gap = 0, 100, 2
attention.head, attention.pinned = 1, 0
"""


def test_python_and_every_view_share_what_is_chosen(
    context: BrowserContext, jupyterlab: Lab
) -> None:
    jupyterlab.put(strip(new_notebook(cells=[new_code_cell(CODE)])), "all.ipynb")
    with opened(context, jupyterlab, "all.ipynb") as (page, hosts):
        page.evaluate(RUN_ALL)
        heads, positions = page.locator(".heads-explorer"), page.locator(".position-explorer")
        mask, generation = page.locator(".mask-explorer"), page.locator(".generation-explorer")
        expect(generation).to_be_visible(timeout=KERNEL_MS)
        heads.get_by_role("combobox").select_option("1")
        heads.get_by_role("application").focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        attention = View(page.locator(".attention-explorer"))
        attention.layer.select_option("1")
        attention.head.select_option("-1")
        attention.click(2, 0)
        positions.get_by_label("width d_model").focus()
        page.keyboard.press("ArrowLeft")
        expect(positions.locator("canvas")).to_have_js_property("width", 7)
        page.keyboard.press("Home")
        # JupyterLab's shortcut for deleting a cell.
        page.keyboard.press("d")
        page.keyboard.press("d")
        positions.get_by_role("application").focus()
        page.keyboard.press("Enter")
        mask.get_by_role("application").focus()
        page.keyboard.press("c")
        page.keyboard.press("Enter")
        generation.get_by_label("step").focus()
        page.keyboard.press("ArrowRight")
        expect(generation.locator(".lesson-status")).to_contain_text("Step 2")
        tiles = page.locator(".tile-explorer")
        tiles.get_by_role("application").focus()
        for key in ("End", "ArrowLeft", "ArrowUp"):
            page.keyboard.press(key)
        tiles.get_by_label("pass").select_option("backward")
        training = page.locator(".training-explorer")
        training.get_by_role("application").focus()
        for key in ("ArrowDown", "Enter", "]"):
            page.keyboard.press(key)
        schedule = page.locator(".schedule-explorer")
        schedule.get_by_label("schedule").select_option("paper")
        gap = page.locator(".gap-explorer")
        gap.get_by_role("listbox").press("Home")
        # Keys that a view uses do nothing to the notebook.
        expect(page.locator(".jp-Cell")).to_have_count(1)
        assert page.evaluate(PYTHON, CHOSEN) == (
            "1 1 4 1 0\nTrue 0 1\n1 2 backward\n1 1 1 paper\n0 1 -1 2\n"
        )

        page.evaluate(PYTHON, CHANGE)
        expect(heads.get_by_role("combobox")).to_have_value("0")
        expect(heads.locator(".lesson-heading")).to_have_text("query The (0), pinned")
        expect(positions.locator("canvas")).to_have_js_property("width", 16)
        expect(mask.get_by_role("checkbox", name="padding")).to_be_checked()
        expect(generation.get_by_label("step")).to_have_value("0")
        expect(tiles.locator(".lesson-status")).to_contain_text("Tile 2 of 2, backward")
        expect(training.locator(".lesson-status")).to_contain_text("Before the first step of 2")
        expect(schedule.locator(".lesson-status")).to_contain_text("of 100:")
        expect(gap.locator(".lesson-status")).to_contain_text("Gap 3 of 3")
        expect(attention.head).to_have_value("1")
        expect(attention.panel.locator(".lesson-heading")).to_have_text("The (0) attends to")
        assert set(hosts) <= {"127.0.0.1", "page"}
