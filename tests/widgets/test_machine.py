"""The drawing of the machine, without a browser."""

from pathlib import Path

import nbformat
import pytest

from transformer_lesson.widgets import Machine
from transformer_lesson.widgets.machine import TODAY, VARIANTS
from transformer_lesson.widgets.machine_parts import KINDS, LESSONS, Kind, Scene, scene

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
SCENES = {
    "whole": scene(),
    "post": scene(norm="post"),
    "encoder": scene("encoder"),
    "decoder": scene("decoder"),
    "today": TODAY,
}


@pytest.mark.parametrize("drawn", SCENES.values(), ids=SCENES)
def test_parts_stand_within_the_drawing_and_apart(drawn: Scene) -> None:
    boxes = [p.box for p in drawn.parts if p.kind not in ("encoder", "decoder", "stream")]
    for left, top, width, height in boxes:
        assert min(width, height) >= 24  # for a finger
        assert left >= 0 and left + width <= drawn.width
        assert top >= 0 and top + height <= drawn.height
        for x, y, w, h in boxes:
            apart = x >= left + width or left >= x + w or y >= top + height or top >= y + h
            assert apart or (x, y, w, h) == (left, top, width, height)


@pytest.mark.parametrize(
    ("name", "kept", "left_out"),
    [
        ("encoder", {"attention", "probabilities", "encoder"}, {"masked", "cross", "memory"}),
        ("decoder", {"masked", "probabilities", "decoder"}, {"attention", "cross", "memory"}),
        ("whole", {"attention", "masked", "cross", "memory"}, set()),
    ],
)
def test_a_half_keeps_what_it_needs(name: str, kept: set[str], left_out: set[str]) -> None:
    kinds = {part.kind for part in SCENES[name].parts if part.kept}
    assert kept <= kinds
    assert not left_out & kinds


def test_the_norm_moves_onto_the_stream() -> None:
    def at_stream(drawn: Scene) -> int:
        return sum(part.kind == "norm" and part.box[0] < 2 for part in drawn.parts)

    assert (at_stream(SCENES["whole"]), at_stream(SCENES["post"])) == (1, 2)


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_lights_its_parts_and_fills_those_before(lesson: str) -> None:
    view = Machine(lesson)
    shown = {part["kind"] for *_, drawn in view.variants for part in drawn["parts"]}
    assert {kind for kind in shown if view.states[kind] == "lit"}
    for kind, state in view.states.items():
        if state != "lit":
            assert (state == "built") == (KINDS[kind].lesson < lesson)
    assert all(name in view._alt_text() for name, *_ in VARIANTS.get(lesson, [])[1:])


@pytest.mark.parametrize(("kind", "known"), KINDS.items(), ids=KINDS)
def test_parts_lead_to_sections_that_are_there(kind: str, known: Kind) -> None:
    lesson = nbformat.read(NOTEBOOKS / f"{LESSONS[known.lesson][0]}.ipynb", as_version=4)
    told = [cell.source for cell in lesson.cells if cell.cell_type == "markdown"]
    assert f"## {known.section}" in [line for text in told for line in text.splitlines()]


def test_there_is_no_other_lesson() -> None:
    with pytest.raises(ValueError, match="lesson='13'; choose one of 01, 02"):
        Machine("13")
