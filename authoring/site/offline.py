"""Let whoever has opened the site once read it without a network, by a service worker."""

import hashlib
import json
from pathlib import Path

SCRIPT = Path(__file__).with_suffix(".js")
WORKER = "offline.js"
# What no page loads: sources to download, and what developers of the theme debug with.
LEFT_OUT = ("_sources", ".buildinfo", "objects.inv")


def write_worker(site: Path) -> None:
    """Write the service worker of a finished site: the list of its files, and what it does."""
    files = {
        path.relative_to(site).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        for path in sorted(site.rglob("*"))
        if path.is_file() and path != site / WORKER and not _is_left_out(path.relative_to(site))
    }
    text = f"const FILES = {json.dumps(files, indent=1)};\n\n{SCRIPT.read_text(encoding='utf-8')}"
    (site / WORKER).write_text(text, encoding="utf-8")


def _is_left_out(path: Path) -> bool:
    return path.parts[0] in LEFT_OUT or path.suffix == ".map"
