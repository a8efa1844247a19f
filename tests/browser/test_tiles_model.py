"""The tiles of flash attention as the page computes them: right, and broken."""

import math
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from playwright.sync_api import BrowserContext, Page
from torch import Tensor
from torch.nn.functional import pad

from tests.widgets.tile_walks import D_HEAD, D_VALUE, RIGHT, SHAPES, explorer, inputs, walks
from transformer_lesson.flash.tiled import tiled_backward, tiled_forward
from transformer_lesson.widgets import TileExplorer
from transformer_lesson.widgets.tiles_model import TABLES, Row, Walk
from transformer_lesson.widgets.view import HERE, script

from .pages import script as function

MODEL = script("tiles_model.js", **TABLES)
WALK = function("tiles")


@dataclass
class Browsed:
    """What the page computes of a view: ``rows[row]`` of a step is the state of a row."""

    page: Page

    def __call__(self, view: TileExplorer) -> dict[str, Any]:
        walk = view.walk()
        numbers = [x for part in walk.given[:3] for x in part.flatten().tolist()]
        given = [view.shape, numbers, view.scale, walk.rules._asdict()]
        return dict(self.page.evaluate(WALK, given))


@pytest.fixture
def browsed(context: BrowserContext) -> Browsed:
    page = context.new_page()
    page.on("pageerror", lambda error: pytest.fail(f"a script failed: {error}"))
    page.add_script_tag(content=MODEL)
    return Browsed(page)


def close(numbers: Any, tolerance: float = 1e-4) -> Any:
    """Numbers that compare equal up to rounding, which differs between Python and the browser."""
    return pytest.approx(numbers, rel=1e-3, abs=tolerance)


def numbers_of(row: Row) -> list[float]:
    states = [
        [*map(float, state[:2]), *state.weighted.tolist()] for state in (row.before, row.after)
    ]
    vectors = (row.so_far, row.exact, row.end, row.end_exact)
    return [*states[0], *states[1], row.factor, *(x for vector in vectors for x in vector.tolist())]


def numbers_in(row: dict[str, Any]) -> list[float]:
    """The same of a row of the browser."""
    states = [[x["maximum"], x["sum"], *x["accumulator"]] for x in (row["before"], row["after"])]
    vectors = (row["soFar"], row["exact"], row["end"]["end"], row["end"]["exact"])
    return [*states[0], *states[1], row["factor"], *(x for vector in vectors for x in vector)]


def tiles_of(walk: Walk) -> dict[str, Any]:
    ends = [[[part.start, part.stop] for part in tile[:2]] for tile in walk.steps]
    return {
        "tiles": [[*both, tile.partly] for both, tile in zip(ends, walk.steps, strict=True)],
        "skipped": [[[part.start, part.stop] for part in tile[:2]] for tile in walk.skipped],
    }


@pytest.mark.parametrize("shape", [(7, 10), (10, 7), (1, 1)])
def test_the_browser_computes_what_python_computes(
    browsed: Browsed, shape: tuple[int, int]
) -> None:
    for view in walks(*shape):
        walk, found = view.walk(), browsed(view)
        steps = found.pop("steps")
        assert found == tiles_of(walk), walk.rules
        for step, got in enumerate(steps):
            read, written = walk.moved(step)
            assert (got["read"], got["written"]) == (dict(read), dict(written)), walk.rules
            assert got["held"] == walk.held(step)
            assert got["finished"] == walk.finished(step)
            for index, row in enumerate(got["rows"] if walk.plain else []):
                expected = walk.row(index, step)
                assert sum(row["seen"]) == expected.keys_seen
                if row["inside"]:
                    assert numbers_in(row) == close(numbers_of(expected)), walk.rules


@pytest.mark.parametrize("shape", SHAPES)
def test_every_right_walk_ends_as_the_tiles_of_the_package(
    browsed: Browsed, shape: tuple[int, int]
) -> None:
    query, key, value = (tensor.double()[None, None] for tensor in inputs(*shape))
    # The package needs values as wide as the keys.
    value = pad(value, (0, D_HEAD - D_VALUE))
    rows = torch.arange(1.0, shape[0] + 1).double()[:, None]
    upstream = pad(rows.expand(-1, D_VALUE), (0, D_HEAD - D_VALUE))[None, None]
    ends: dict[tuple[str, bool], Tensor] = {}
    for causal in (False, True):
        options: dict[str, Any] = {"causal": causal, "scale": D_HEAD**-0.5}
        output, log_sum_exp = tiled_forward(query, key, value, **options)
        found = tiled_backward(query, key, value, output, log_sum_exp, upstream, **options)
        ends["forward", causal] = output[0, 0, :, :D_VALUE]
        ends["backward", causal] = found[0][0, 0]
    for view in walks(*shape, RIGHT):
        steps = browsed(view)["steps"]
        for row, end in zip(
            steps[-1]["rows"], ends[view.direction, view.causal].tolist(), strict=True
        ):
            assert row["end"]["end"] == close(end), view.walk().rules
        # Also on the way each row is right for the keys that it has seen.
        assert all(row["error"] < 1e-4 for step in steps for row in step["rows"])
        assert steps[-1]["largest"] < 1e-4


def test_the_walks_reach_every_branch_of_the_browsers_model(context: BrowserContext) -> None:
    page = context.new_page()
    profiler = context.new_cdp_session(page)
    profiler.send("Profiler.enable")
    profiler.send("Profiler.startPreciseCoverage", {"callCount": True, "detailed": True})
    page.add_script_tag(content=f"{MODEL}//# sourceURL=tiles_model.js")
    for view in walks(10, 7):
        Browsed(page)(view)
    scripts = profiler.send("Profiler.takePreciseCoverage")["result"]
    [functions] = [one["functions"] for one in scripts if one["url"] == "tiles_model.js"]
    begin = len(MODEL) - len((HERE / "tiles_model.js").read_text("utf-8"))
    missed = [
        MODEL[part["startOffset"] : part["endOffset"]]
        for function in functions
        for part in function["ranges"]
        if not part["count"] and part["startOffset"] >= begin
    ]
    assert not missed


def test_without_rescaling_the_error_grows(browsed: Browsed) -> None:
    view = TileExplorer(torch.arange(8.0).expand(8, 8), causal=False)
    view.tile_keys, view.rescaling = 2, False
    steps = browsed(view)["steps"][:4]
    errors = [step["rows"][0]["error"] for step in steps]
    assert errors[0] < 1e-6
    assert errors[1:] == sorted(errors[1:])
    assert errors[3] > 1
    assert steps[1]["rows"][0]["due"] == close(math.exp(-2))
    assert steps[3]["largest"] == errors[3]


def test_without_a_maximum_large_scores_overflow(browsed: Browsed) -> None:
    view = TileExplorer(torch.full((4, 4), 2.0), causal=False)
    view.maximum = "none"
    assert browsed(view)["steps"][0]["largest"] < 1e-6
    view.times = 100  # exp(200) overflows float32
    assert math.isnan(browsed(view)["steps"][0]["largest"])


def test_a_maximum_that_starts_at_0_loses_rows_of_small_scores(browsed: Browsed) -> None:
    view = TileExplorer(torch.full((4, 4), -2.0), causal=False)
    view.maximum = "zero"
    assert browsed(view)["steps"][0]["largest"] < 1e-6
    view.times = 100
    end = browsed(view)["steps"][0]["rows"][0]["end"]
    assert (end["end"], end["exact"]) == ([0.0], [1.5])


def test_a_finite_mask_counts_until_a_larger_maximum_comes(browsed: Browsed) -> None:
    view = explorer(last_first=True, minus_million=True, tile_keys=2)
    # Rows 0 and 1 see none of keys 2 and 3, which come first.
    first, second = (step["rows"][0] for step in browsed(view)["steps"][:2])
    assert (first["after"]["maximum"], first["after"]["sum"]) == (-1e6, 2.0)
    assert first["error"] > 0.01
    assert second["factor"] == 0
    assert second["error"] < 1e-6
    view.rescaling = False
    assert browsed(view)["steps"][1]["rows"][0]["error"] > 0.01


def test_a_finite_mask_gives_an_output_to_rows_without_keys(browsed: Browsed) -> None:
    view = explorer(8, 6, minus_million=True)
    end = browsed(view)["steps"][0]["rows"][1]["end"]
    assert end["end"] == close(view.walk().given.value[:4].mean(0).tolist())
    assert set(end["exact"]) == {0}
    view.minus_million = False
    assert set(browsed(view)["steps"][0]["rows"][1]["end"]["end"]) == {0}
