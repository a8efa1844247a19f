"""The palette is the one place for colors."""

import re
from pathlib import Path

import pytest
from matplotlib import colormaps
from matplotlib.colors import CSS4_COLORS, to_hex

from notebook_judge.palette import PANELS
from transformer_lesson.palette import COLORS, VIRIDIS
from transformer_lesson.widgets.view import HERE, style

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("transformer_lesson", "transformer_checks", "notebook_judge")
TEXTS = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
    for folder in FOLDERS
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in (".py", ".js", ".css", ".jinja")
}
NAMES = "|".join(sorted({*CSS4_COLORS} - {"black", "white"}))
LITERAL = re.compile(
    # In hexadecimal, as a function, as the argument of a drawing, or as a value in CSS.
    r"#[0-9a-f]{3,8}\b|\b(?:rgb|hsl)a?\("
    rf"|colou?r=\"(?:{NAMES})\"|^\s*[\w-]+:.*(?<![\w-])(?:{NAMES})\b.*;$",
    re.IGNORECASE | re.MULTILINE,
)


@pytest.mark.parametrize("line", ['color="gray"', "  fill: tomato;", '"#fff"', "rgba(0, 0, 0, 1)"])
def test_a_literal_is_found_however_it_is_written(line: str) -> None:
    assert LITERAL.search(line)


def test_no_color_stands_outside_the_palette() -> None:
    found = {name: LITERAL.findall(text) for name, text in TEXTS.items()}
    assert not {name: colors for name, colors in found.items() if colors}


def test_views_use_every_color_and_no_other() -> None:
    uses = {".css": r"var\(--lesson-([a-z-]+)\)", ".js": r"\bCOLORS\.([a-z]+)"}
    uses[".py"] = r"\bCOLORS\[\"([a-z-]+)\""
    used = [
        re.findall(uses[Path(name).suffix], text)
        for name, text in TEXTS.items()
        if Path(name).suffix in uses
    ]
    assert {color for colors in used for color in colors} == {*COLORS}
    for name, color in COLORS.items():
        assert f"  --lesson-{name}: {color};\n" in style("any")


def test_every_custom_property_is_defined() -> None:
    sheets = style("any", *(path.name for path in HERE.glob("*.css")))
    assert set(re.findall(r"var\((--(?!jp-)[\w-]+)\)", sheets)) <= {
        *re.findall(r"(--[\w-]+):", sheets),
        *("--cell-width", "--cell-height", "--doubt"),  # set by the script
    }


def test_viridis_is_that_of_matplotlib() -> None:
    places = [min(16 * stop, 255) for stop in range(len(VIRIDIS))]
    assert [to_hex(colormaps["viridis"](place)) for place in places] == VIRIDIS


def test_panels_keep_three_to_one_against_light_and_dark() -> None:
    def luminance(color: str) -> float:
        channels = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for color in PANELS.values():
        assert 1.05 / (luminance(color) + 0.05) >= 3
        # The page of JupyterLab's dark theme.
        assert (luminance(color) + 0.05) / (luminance("#212121") + 0.05) >= 3
