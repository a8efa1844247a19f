"""A real JupyterLab with its own settings, in a temporary folder."""

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import nbformat
from nbformat import NotebookNode
from playwright.sync_api import BrowserContext, Page

from authoring.commands import CONTENTS
from authoring.environment import SETTINGS

from .pages import script

PATIENCE_S = 90
RUN_ALL = script("run_all")
# JupyterLab attaches a cell to the page when it comes into view.
SCROLL_TO = """async index => {
  const notebook = jupyterapp.shell.currentWidget.content;
  await notebook.scrollToItem(index);
}"""
PYTHON = script("python")


class Lab(NamedTuple):
    """A running JupyterLab: its address, its token, and the folder that it shows."""

    url: str
    token: str
    folder: Path
    environment: dict[str, str]

    def address(self, name: str) -> str:
        """Return the address of the notebook ``name``, with no other notebook open beside it."""
        return f"{self.url}/lab/tree/{name}?reset&token={self.token}"

    def put(self, notebook: NotebookNode, name: str, *, trusted: bool = False) -> None:
        """Store ``notebook`` in the folder, signed as the learner's own if ``trusted``."""
        path = self.folder / name
        nbformat.write(notebook, path)
        if trusted:
            command = [sys.executable, "-m", "nbformat.sign", str(path)]
            subprocess.run(command, env=self.environment, check=True, capture_output=True)


@contextmanager
def running_lab(home: Path) -> Iterator[Lab]:
    """Start JupyterLab with all its files under ``home``; end it and its kernels at the end.

    Raises:
        RuntimeError: if it does not answer; with the end of its log.
    """
    folder = home / "notebooks"
    folder.mkdir()
    lab = Lab(_free_url(), secrets.token_hex(8), folder, _environment(home))
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", CONTENTS]
    # Lets the tests run JupyterLab's commands by name.
    command += ["--expose-app-in-browser", f"--ServerApp.root_dir={lab.folder}"]
    command += [f"--IdentityProvider.token={lab.token}", "--ServerApp.port_retries=0"]
    command += [f"--ServerApp.port={urlsplit(lab.url).port}"]
    log = home / "lab.log"
    with log.open("wb") as sink:
        process = subprocess.Popen(
            command, env=lab.environment, stdout=sink, stderr=sink, start_new_session=True
        )
    try:
        _wait_until_it_answers(lab, process, log)
        yield lab
    finally:
        _end(process)


@contextmanager
def opened(context: BrowserContext, lab: Lab, name: str) -> Iterator[tuple[Page, list[str]]]:
    """Open a notebook: its page and the hosts that it contacts. Shut its kernel down at the end."""
    hosts: list[str] = []
    context.on("request", lambda request: hosts.append(urlsplit(request.url).hostname or "page"))
    page = context.new_page()
    page.goto(lab.address(name))
    page.wait_for_selector(".jp-NotebookPanel .jp-Cell", timeout=60_000)
    page.evaluate("() => jupyterapp.shell.currentWidget.revealed")
    yield page, hosts
    # A test may have followed a link: then the page still loads, or nothing is open in it.
    page.wait_for_function("() => window.jupyterapp?.shell")
    page.evaluate("() => jupyterapp.shell.currentWidget?.sessionContext.shutdown()")


def _end(process: subprocess.Popen[bytes]) -> None:
    # Terminated, not killed, so that it ends its kernels, which have process groups of their own.
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _environment(home: Path) -> dict[str, str]:
    for name, values in SETTINGS.items():
        extension, plugin = name.split(":")
        folder = home / "settings" / extension
        folder.mkdir(parents=True)
        (folder / f"{plugin}.jupyterlab-settings").write_text(json.dumps(values))
    folders = {
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "IPYTHONDIR": "ipython",
    }
    return {**os.environ, **{name: str(home / folder) for name, folder in folders.items()}}


def _free_url() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


def _wait_until_it_answers(lab: Lab, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{lab.url}/api?token={lab.token}", timeout=5):
                return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.2)
    raise RuntimeError(f"JupyterLab does not answer at {lab.url}:\n{log.read_text()[-2000:]}")
