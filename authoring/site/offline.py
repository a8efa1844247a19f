"""Let whoever asks for it read the site without a network, by a service worker."""

import hashlib
import json
from pathlib import Path

from authoring.site.weights import NAME as SCRIPT_OF_MODEL

SCRIPT = Path(__file__).with_suffix(".js")
WORKER = "offline.js"
# What no page with an address loads: sources to download, what developers of the theme debug with,
# and, left out below, the model for pages that were opened from a disk.
LEFT_OUT = ("_sources", ".buildinfo", "objects.inv")
TOLD = "KEPT_MB"  # in the landing page, for how much that is


def write_worker(site: Path) -> None:
    """Write the service worker of a finished site: the list of its files, and what it does."""
    paths = [
        path
        for path in sorted(site.rglob("*"))
        if path.is_file() and path != site / WORKER and not _is_left_out(path.relative_to(site))
    ]
    size = sum(path.stat().st_size for path in paths)
    start = site / "index.html"
    text = start.read_text(encoding="utf-8").replace(TOLD, f"{size / 1e6:.0f}")
    start.write_text(text, encoding="utf-8")
    files = {
        path.relative_to(site).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        for path in paths
    }
    text = f"const FILES = {json.dumps(files, indent=1)};\n\n{SCRIPT.read_text(encoding='utf-8')}"
    (site / WORKER).write_text(text, encoding="utf-8")


def _is_left_out(path: Path) -> bool:
    return path.parts[0] in LEFT_OUT or path.suffix == ".map" or path.name == SCRIPT_OF_MODEL
