#!/usr/bin/env python3
"""Set up the course and run it: ``python course.py lab`` makes what is missing and opens it.

Standard library only, and in syntax that an old Python can read, so that it can say what is wrong.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
LOG = VENV / "setup.log"
WINDOWS = os.name == "nt"
OLDEST_PYTHON, NEWEST_PYTHON = (3, 11), (3, 14)  # those that the tests have passed with
# With a CPU build of torch the environment takes 2.4 GB (measured) and its downloads 0.5 GB.
NEEDED_GB = 3
# What pip fetches for Linux brings CUDA: 2.7 GB, estimated at twice that unpacked, beside 1.5 GB.
CUDA_GB = 10
FIRST_NOTEBOOK = "notebooks/00_start_here.ipynb"
SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    # Views are saved with their notebook, and are there when it is opened without a kernel.
    "@jupyter-widgets/jupyterlab-manager:plugin": {"saveState": True},
}
CONTENTS = "--ServerApp.contents_manager_class=transformer_checks.learning.opening.CourseContents"


class Stop(Exception):
    """A step cannot go on: what happened, what to do about it, and where the details are."""

    def __init__(self, happened: str, remedy: str, log: Path | None = None) -> None:
        super().__init__(happened)
        self.happened, self.remedy, self.log = happened, remedy, log


def step(title: str, command: Sequence[str | Path], log: Path) -> tuple[int, str]:
    """Run ``command`` under one line of progress; return its exit code and what it printed.

    All output goes to the end of ``log``; on a terminal the line shows the newest of it.
    """
    start = time.monotonic()
    with log.open("ab") as sink:
        begin = sink.tell()
        process = subprocess.Popen(
            [str(word) for word in command],
            cwd=str(ROOT),
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        try:
            while process.poll() is None:
                _show(title, _printed(log, begin), time.monotonic() - start)
                _pause(process, 0.3)
        finally:
            _end(process)
    _finish(title, "ok" if process.returncode == 0 else "FAILED", time.monotonic() - start)
    return process.returncode, _printed(log, begin)


def live(command: Sequence[str | Path], environment: dict[str, str] | None = None) -> int:
    """Run ``command`` with its output in view and return its exit code."""
    process = subprocess.Popen([str(word) for word in command], env=environment)
    try:
        return process.wait()
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """After Ctrl-C, which the process got too, let it tidy up for a moment and then end it."""
    _pause(process, 5)
    if process.poll() is None:
        process.terminate()
        process.wait()


def _pause(process: subprocess.Popen[bytes], seconds: float) -> None:
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)


def _printed(log: Path, begin: int) -> str:
    return log.read_bytes()[begin:].decode(errors="replace")


def _show(title: str, printed: str, seconds: float) -> None:
    if sys.stdout.isatty():
        newest = (printed.strip().splitlines() or [""])[-1].strip()
        line = f"  {title} ... {seconds:.0f} s  {newest}"
        width = shutil.get_terminal_size().columns - 1
        print("\r" + line[:width].ljust(width), end="", flush=True)


def _finish(title: str, verdict: str, seconds: float) -> None:
    line = f"  {title} ... {verdict}, {seconds:.1f} s"
    if sys.stdout.isatty():
        line = "\r" + line.ljust(shutil.get_terminal_size().columns - 1)
    print(line, flush=True)


# How a failed installation is recognised in its log: pattern, what happened, what to do.
CAUSES = (
    (
        r"No space left|Errno 28|not enough space",
        "the disk is full",
        "Free some space (also where TMPDIR points), then run the same command again.",
    ),
    (
        r"ensurepip",
        "this Python cannot make environments: its module ensurepip is missing",
        "On Debian and Ubuntu: sudo apt-get install python3-venv",
    ),
    (
        r"CERTIFICATE_VERIFY_FAILED|invalid peer certificate|UnknownIssuer",
        "the certificate of the package index was not accepted",
        "Behind a company proxy, give pip its certificate: set PIP_CERT (uv: SSL_CERT_FILE).",
    ),
    (
        r"NewConnectionError|name resolution|[Tt]imed ?out|Connection refused|unreachable"
        r"|ProxyError|dns error|tcp connect error|error sending request",
        "the package index cannot be reached",
        "Check the network (and the proxy settings), then run the same command again.",
    ),
    (
        r"DO NOT MATCH THE HASHES|[Hh]ash mismatch",
        "a package arrived damaged",
        "Run the same command again; if it happens again, run `pip cache purge` first.",
    ),
    (
        r"(?:No matching distribution found for|there is no version of) ([\w.\-]+)",
        "the package index has no {} that fits this Python and this machine",
        "Use 64-bit Linux, macOS or Windows, and a complete index.",
    ),
    (
        r"Permission denied|Errno 13|Access is denied",
        "a file may not be written",
        "Make the folder of the course your own, then run the same command again.",
    ),
)


def set_up(extra: str) -> None:
    """Make .venv hold the course (``extra`` "base") or all that authors need too ("dev")."""
    check_python()
    if is_ready(extra):
        return
    print("Setting up (once; takes minutes):")
    for name in ("base", "dev"):
        stamp(name).unlink(missing_ok=True)
    if not is_sound():
        make_environment()
    install(extra)
    register_kernel()
    if platform.system() != "Linux":
        print("  Triton is made for Linux: here the kernels of lesson 09 are read, not run.")
    stamp(extra).write_text(fingerprint(), encoding="utf-8")


def check_python(version: tuple[int, ...] = tuple(sys.version_info[:3])) -> None:
    """Raise Stop if Python is older or newer than those that the course runs on."""
    if not OLDEST_PYTHON <= version[:2] <= NEWEST_PYTHON:
        oldest, newest = (".".join(map(str, end)) for end in (OLDEST_PYTHON, NEWEST_PYTHON))
        raise Stop(
            f"this is Python {'.'.join(map(str, version))}; the course needs {oldest} to {newest}",
            f"Name one: `python{newest} course.py lab`, or `make lab PYTHON=python{newest}`.",
        )


def stamp(extra: str) -> Path:
    """Return the file that says that the set-up of ``extra`` came to its end."""
    return VENV / f"ready-{extra}"


def fingerprint() -> str:
    """Condense what the environment depends on: change any of it and it is made anew."""
    parts = [(ROOT / name).read_bytes() for name in ("pyproject.toml", "requirements.lock")]
    place = f"{sys.version_info[:2]} {ROOT}".encode()
    return hashlib.sha256(b"\0".join([*parts, place])).hexdigest()


def is_ready(extra: str) -> bool:
    """Say whether .venv holds ``extra``; the authors' set holds the learners' too."""
    now = fingerprint()
    stamps = [stamp(name) for name in {extra, "dev"} if tool("python").exists()]
    return any(file.exists() and file.read_text(encoding="utf-8") == now for file in stamps)


def tool(name: str) -> Path:
    """Return the path of a program in .venv."""
    return VENV / "Scripts" / f"{name}.exe" if WINDOWS else VENV / "bin" / name


def is_sound() -> bool:
    """Say whether .venv can be built on: it has a pip that works, for the Python that runs this. It
    has none if it was half made, was moved, or has lost its Python to an upgrade."""
    ask = [str(tool("python")), "-c", "import pip, sys; print(*sys.version_info[:2])"]
    with suppress(OSError):
        told = subprocess.run(ask, capture_output=True, text=True).stdout
        return told.split() == [str(part) for part in sys.version_info[:2]]
    return False


def make_environment() -> None:
    """Make an empty .venv, in place of a broken one if there is one."""
    check_disk()
    if VENV.exists():
        print("  .venv is not complete, or of another Python: making it anew")
        shutil.rmtree(str(VENV))
    VENV.mkdir()
    # The Python behind this one: this one may have lived in the .venv that was just removed.
    python: str = getattr(sys, "_base_executable", sys.executable)
    command: list[str | Path] = [python, "-m", "venv", VENV]
    if shutil.which("uv"):
        command = ["uv", "venv", "--seed", "--allow-existing", "--python", python, VENV]
    must("making .venv", command)


def check_disk() -> None:
    """Raise Stop if the environment cannot fit, and warn if it may not."""
    free = shutil.disk_usage(str(ROOT)).free / 1e9
    if free < NEEDED_GB:
        happened = f"only {free:.1f} GB are free on this disk; the environment needs {NEEDED_GB} GB"
        raise Stop(happened, "Free some space, then run the same command again.")
    if free < CUDA_GB and platform.system() == "Linux":
        print(f"  {free:.0f} GB free: a torch with CUDA may need up to {CUDA_GB} GB")


def install(extra: str) -> None:
    """Install the course and its locked dependencies into .venv."""
    what = ["-e", "." if extra == "base" else f".[{extra}]", "-c", "requirements.lock"]
    if shutil.which("uv"):
        must("installing with uv", ["uv", "pip", "install", "--python", tool("python"), *what])
        return
    quietly = ["--progress-bar", "off", "--no-input", "--disable-pip-version-check"]
    must("installing with pip", [tool("python"), "-m", "pip", "install", *quietly, *what])


def register_kernel() -> None:
    """Register the kernel that the notebooks name, and write JupyterLab's settings."""
    words = ["-m", "ipykernel", "install", "--prefix", str(VENV), "--name", "python3"]
    name = ["--display-name", "Python 3 (Transformer course)"]
    must("registering the kernel", [tool("python"), *words, *name])
    settings = VENV / "share" / "jupyter" / "lab" / "settings"
    settings.mkdir(parents=True, exist_ok=True)
    (settings / "overrides.json").write_text(json.dumps(SETTINGS), encoding="utf-8")


def must(title: str, command: Sequence[str | Path]) -> None:
    """Run one step of the set-up; raise Stop if it fails."""
    code, printed = step(title, command, LOG)
    if code:
        raise explain(title, printed)


def explain(title: str, printed: str) -> Stop:
    """Turn what a failed step printed into one line of what happened and one of what to do."""
    for pattern, happened, remedy in CAUSES:
        found = re.search(pattern, printed)
        if found:
            return Stop(f"{title}: {happened.format(*found.groups())}", remedy, LOG)
    lines = printed.strip().splitlines() or ["it ended without a word"]
    errors = [line for line in lines if line.lower().startswith("error")] or lines
    remedy = "Read the log; then run the same command again."
    return Stop(f"{title}: {errors[-1].strip()}", remedy, LOG)


def lab(arguments: list[str]) -> int:
    """open the course in JupyterLab (further arguments go to JupyterLab)"""
    if not (ROOT / FIRST_NOTEBOOK).exists():
        raise Stop(f"{FIRST_NOTEBOOK} is missing", "Fetch it again: git checkout -- notebooks")
    set_up("base")
    # Not as a file to open: JupyterLab would serve its folder alone, without the exercises.
    page = f"--LabApp.default_url=/lab/tree/{FIRST_NOTEBOOK}"
    command = [str(tool("python")), "-m", "jupyterlab", page, CONTENTS, *arguments]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        print("Running as root, so JupyterLab gets --allow-root. An ordinary user is safer.")
        command.append("--allow-root")
    print("Starting JupyterLab (Ctrl-C ends it)", flush=True)
    os.chdir(str(ROOT))
    if WINDOWS:
        return live(command)
    os.execv(command[0], command)


def test(arguments: list[str]) -> int:
    """run everything that CI runs, or the parts named: lint gate unit browser grading notebooks"""
    return author("authoring.ci", *arguments)


def grade(arguments: list[str]) -> int:
    """grade exercise notebooks: grade FILES..., all of exercises/ if none are named"""
    set_up("base")
    return live([tool("transformer-lesson"), "grade", *(arguments or [str(ROOT / "exercises")])])


def notebooks(arguments: list[str]) -> int:
    """run all lessons and solutions, or those named, and store their outputs"""
    return author("authoring.execute", *map(os.path.abspath, arguments))


def exercises(arguments: list[str]) -> int:
    """derive exercises/ from solutions/"""
    return author("authoring.derive")


def author(module: str, *arguments: str) -> int:
    """Run one of the authors' modules from the root of the course."""
    set_up("dev")
    os.chdir(str(ROOT))
    return live([tool("python"), "-m", module, *arguments])


def evidence(arguments: list[str]) -> int:
    """measure what the verdicts rest on: evidence [CLAIM...]; goes on where it was stopped"""
    return author("evidence", *arguments)


def site(arguments: list[str]) -> int:
    """build the course as a static site in build/site"""
    return author("authoring.site", *arguments)


def bench(arguments: list[str]) -> int:
    """run the benchmarks that need no GPU (one of them sets up a second copy: minutes)"""
    return author("benchmarks")


def clean(arguments: list[str]) -> int:
    """remove .venv, caches and build products; never notebooks or exercises"""
    made = (".venv", ".hypothesis", ".benchmarks", "build", "dist", ".*_cache", "*.egg-info")
    for folder in [path for name in (*made, "**/__pycache__") for path in ROOT.glob(name)]:
        if folder.is_dir():
            shutil.rmtree(str(folder))
    return 0


COMMANDS = {
    command.__name__: command
    for command in (lab, test, grade, notebooks, exercises, evidence, site, bench, clean)
}
PASSED_ON = ("lab", "test", "grade", "notebooks", "evidence", "site")  # those that take arguments


def main(words: list[str]) -> int:
    """Run one command and return the exit code."""
    if not words or words[0] in ("-h", "--help", "help"):
        print(usage())
        return 0
    if words[0] not in COMMANDS:
        print(f"Unknown command: {words[0]}\n\n{usage()}")
        return 2
    if words[1:] and words[0] not in PASSED_ON:
        print(f"{words[0]} takes no arguments; got: {' '.join(words[1:])}\n\n{usage()}")
        return 2
    if not WINDOWS and not os.access(os.path.expanduser("~"), os.W_OK):
        os.environ["HOME"] = tempfile.mkdtemp(prefix="transformer-lesson-")
        print(f"The home folder cannot be written: settings go to {os.environ['HOME']}.")
    try:
        return COMMANDS[words[0]](words[1:])
    except Stop as problem:
        report(problem)
    except KeyboardInterrupt:
        print("\nStopped. Run the same command again to go on.")
        return 130
    except OSError as problem:
        report(Stop(str(problem), "Is there free space, and is the folder of the course yours?"))
    return 1


def usage() -> str:
    """List the commands, one line each."""
    lines = [f"  {name:<10} {run.__doc__}" for name, run in COMMANDS.items()]
    return "\n".join(["python course.py COMMAND", *lines])


def report(problem: Stop) -> None:
    """Print what happened, what to do, and where the details are."""
    print(f"\nStopped: {problem.happened}.\n  {problem.remedy}")
    if problem.log:
        print(f"  Details: {problem.log.relative_to(ROOT)}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
