"""Every colour of the views, figures, panels and reports; to change one, edit ``palette.toml``.

The style of a view begins with these colours as custom properties (``--lesson-blue``) and its
script with the same names as constants; see ``widgets/view.py``.
"""

import tomllib
from pathlib import Path

_ALL = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
COLOURS: dict[str, str] = _ALL["views"]
PANELS: dict[str, str] = _ALL["panels"]
FIGURES: dict[str, str] = _ALL["figures"]
REPORTS: dict[str, dict[str, str]] = _ALL["reports"]
VIRIDIS: list[str] = _ALL["viridis"]
BLUE_ORANGE: list[str] = _ALL["blue_orange"]
