"""Every color of the panels and reports; to change one, edit ``palette.toml``."""

import tomllib
from pathlib import Path

_ALL = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
PANELS: dict[str, str] = _ALL["panels"]
REPORTS: dict[str, dict[str, str]] = _ALL["reports"]
