"""A headless Chromium, for the browser tests and for benchmarks."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

from authoring.ci import find_browser


@contextmanager
def running_browser(flags: Sequence[str] = ()) -> Iterator[Browser]:
    """Run a browser without a window; if there is none, an error says what to do."""
    # Chromium refuses to run its sandbox as root.
    as_root = ["--no-sandbox"] if hasattr(os, "getuid") and os.getuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_browser(), args=["--disable-gpu", *flags, *as_root]
        )
        yield browser
        browser.close()
