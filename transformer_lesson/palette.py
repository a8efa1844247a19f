"""Every color of the views and figures; to change one, edit ``palette.toml``.

The style of a view begins with these colors as custom properties (``--lesson-blue``) and its
script with the same names as constants; see ``widgets/view.py``.
"""

import tomllib
from pathlib import Path

_ALL = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
COLORS: dict[str, str] = _ALL["views"]
FIGURES: dict[str, str] = _ALL["figures"]
VIRIDIS: list[str] = _ALL["viridis"]
BLUE_ORANGE: list[str] = _ALL["blue_orange"]
