"""The environment of the course, ``.venv``: make what is missing of it, step by step.

Standard library only: it runs in any Python that the course allows, before there is anything else.
"""

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from authoring.surroundings import ALL_FILES, OWN_JUPYTER, of_pip

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
LOG = VENV / "setup.log"
WINDOWS = os.name == "nt"
# With a CPU build of torch the environment takes 2.4 GB (measured) and its downloads 0.5 GB.
NEEDED_GB, FETCHED = 3, "about 0.5 GB"
# What pip fetches for Linux brings CUDA: 2.7 GB, estimated at twice that unpacked, beside 1.5 GB.
CUDA_GB, FETCHED_WITH_CUDA = 10, "about 3 GB if PyTorch brings its GPU libraries, 0.5 GB if not"
SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    # Views are saved with their notebook, and are there when it is opened without a kernel.
    "@jupyter-widgets/jupyterlab-manager:plugin": {"saveState": True},
}
# What authors have installed beside the course shows no menus of its own to whoever learns.
PAGE = {"disabledExtensions": {"@jupyter/nbgrader": True, "jupyterlab-jupytext": True}}
_OF_NBGRADER = ("assignment_list", "course_list", "formgrader", "validate_assignment")
_UNUSED = {f"nbgrader.server_extensions.{part}": False for part in _OF_NBGRADER}
SERVER = {"ServerApp": {"jpserver_extensions": _UNUSED}}


OWN_PATH = (
    "import os, sys; sys.path[:] = [p for p in sys.path if os.path.exists(os.path.join(p, "
    "'course.py')) or p not in map(os.path.abspath, filter(None, os.environ.get('PYTHONPATH', '')"
    ".split(os.pathsep)))]\n"
)


class Stop(Exception):
    """A step cannot go on: what happened, what to do about it, and where the details are."""

    def __init__(self, happened: str, remedy: str, log: Path | None = None) -> None:
        super().__init__(f"{happened}. {remedy}")
        self.happened, self.remedy, self.log = happened, remedy, log


def step(title: str, command: Sequence[str | Path], log: Path, **variables: str) -> tuple[int, str]:
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
            # Setuptools writes the folder's name, whatever the locale; CAUSES knows English alone.
            env={**os.environ, **variables, "PYTHONUNBUFFERED": "1", "LC_ALL": "C.UTF-8"},
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
        "Use 64-bit Linux, macOS or Windows, and a complete index: see `pip config list`.",
    ),
    (
        r"Permission denied|Errno 13|Access is denied",
        "a file may not be written",
        "Make the folder of the course your own, then run the same command again.",
    ),
)


def set_up(extra: str) -> None:
    """Make .venv hold the course (``extra`` "base") or all that authors need too ("dev")."""
    if is_ready(extra):
        return
    with alone():
        if not is_ready(extra):  # by the command that was waited for
            make(extra)


def make(extra: str) -> None:
    """Make what is missing, step by step."""
    size = FETCHED_WITH_CUDA if platform.system() == "Linux" else FETCHED
    print("Setting up (once; takes minutes).", end=" ")
    if is_ready("base"):
        print("It adds what tests the course and builds its site.", flush=True)
    else:
        print("It downloads PyTorch, JupyterLab and what they need:")
        print(f"  {size}, all of it into .venv", flush=True)
    for name in ("base", "dev"):
        stamp(name).unlink(missing_ok=True)
    if not is_sound():
        make_environment()
    install(extra)
    register_kernel()
    if platform.system() != "Linux":
        print("  Triton is made for Linux: here the kernels of lesson 09 are read, not run.")
    stamp(extra).write_text(fingerprint(), encoding="utf-8")


@contextmanager
def alone() -> Iterator[None]:
    """Keep a second command out of .venv while one makes it. The lock ends with its process."""
    with (ROOT / ".setup.lock").open("ab") as file:
        told = False
        while not _locked(file.fileno()):
            if not told:
                print("Another command is setting up this folder: waiting for it.", flush=True)
            told = True
            time.sleep(0.3)
        yield


def _locked(file: int) -> bool:
    """Try to lock an open file."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:  # a file system that has no locks
        return True
    return True


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
    else:
        pip: list[str | Path] = [tool("python"), "-m", "pip"]
        quietly = ["--progress-bar", "off", "--no-input", "--disable-pip-version-check"]
        # Not as a step, whose log would keep the passwords that an index may have.
        told = {**os.environ, **ALL_FILES}
        listed = subprocess.run([*pip, "config", "list"], env=told, capture_output=True, text=True)
        if listed.returncode:
            raise explain("reading pip's settings", listed.stderr)
        must("installing with pip", [*pip, "install", *quietly, *what], **of_pip(listed.stdout))
    # Python reads this file in the encoding of the locale, where not every folder can be named.
    packages = "Lib/site-packages" if WINDOWS else "lib/*/site-packages"
    for path in VENV.glob(f"{packages}/__editable__*.pth"):
        path.write_text(os.path.relpath(ROOT, path.parent), encoding="ascii")
        # Read after it: nothing of a PYTHONPATH, for whatever starts this Python (an editor, too).
        path.with_name("course_own_path.pth").write_text(OWN_PATH, encoding="ascii")


def register_kernel() -> None:
    """Register the kernel that the notebooks name, and write the settings of ``make lab``."""
    words = ["-m", "ipykernel", "install", "--prefix", str(VENV), "--name", "python3"]
    name = ["--display-name", "Python 3 (Transformer course)"]
    must("registering the kernel", [tool("python"), *words, *name])
    for file, settings in (
        ("share/jupyter/lab/settings/overrides.json", SETTINGS),
        (OWN_JUPYTER / "labconfig/page_config.json", PAGE),
        (OWN_JUPYTER / "jupyter_server_config.json", SERVER),
    ):
        (VENV / file).parent.mkdir(parents=True, exist_ok=True)
        (VENV / file).write_text(json.dumps(settings), encoding="utf-8")


def must(title: str, command: Sequence[str | Path], **variables: str) -> None:
    """Run one step of the set-up; raise Stop if it fails."""
    code, printed = step(title, command, LOG, **variables)
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


def report(problem: Stop) -> None:
    """Print what happened, what to do, and where the details are."""
    print(f"\nStopped: {problem.happened}.\n  {problem.remedy}")
    if problem.log:
        print(f"  Details: {problem.log.relative_to(ROOT)}")
