"""Print the seconds from a fresh copy of the course to an answering JupyterLab, twice.

The copy holds the files that a clone would hold and starts without an environment. The first
start installs everything, so it measures the network or the package mirror too.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from benchmarks.harness import promise, run

ROOT = Path(__file__).resolve().parents[1]
PROMISED_S = {"from clone to JupyterLab": 240, "starting JupyterLab again": 10}
PATIENCE_S = 1800


def copy_of_course(folder: Path) -> None:
    """Copy to ``folder`` the files that git knows or would take up."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


def seconds_to_answer(folder: Path) -> float:
    """Start ``course.py lab`` in ``folder``, wait for its page, stop it; return the seconds.

    Raises:
        RuntimeError: if it ends or is silent for too long; what it printed stands above.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    start = time.monotonic()
    words = ["lab", "--no-browser", f"--port={port}", "--ServerApp.token=benchmark"]
    process = subprocess.Popen(
        [sys.executable, "course.py", *words],
        cwd=folder,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        while not answers(f"http://127.0.0.1:{port}/lab?token=benchmark"):
            if process.poll() is not None:
                raise RuntimeError(f"`course.py lab` ended with exit code {process.returncode}")
            if time.monotonic() - start > PATIENCE_S:
                raise RuntimeError(f"`course.py lab` was silent for {PATIENCE_S} s")
            time.sleep(0.1)
        return time.monotonic() - start
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
        process.wait()


def answers(url: str) -> bool:
    """Say whether ``url`` gives a page."""
    try:
        with urllib.request.urlopen(url, timeout=5) as page:
            return bool(page.status == 200)
    except (urllib.error.URLError, TimeoutError, ConnectionError):
        return False


def main() -> None:
    """Print both times."""
    with tempfile.TemporaryDirectory() as scratch:
        copy_of_course(Path(scratch))
        for name, most in PROMISED_S.items():
            taken = seconds_to_answer(Path(scratch))
            promise(name, taken, most=most, unit="s")


if __name__ == "__main__":
    run(main)
