"""The grader's side of worker processes: how they are started, and how they are ended."""

import atexit
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import asdict
from threading import Lock
from typing import IO, Any, Protocol

from notebook_judge.course import course
from notebook_judge.grading.limits import Limits
from notebook_judge.grading.sandbox.supervisor import how_it_ended

_WORKER = "notebook_judge.grading.sandbox.worker"
_SERVER = "notebook_judge.grading.sandbox.fork_server"
_MESSAGE_BYTES = 2**16
_START_SECONDS = 120.0  # until the fork server has loaded everything, on a busy machine


class StartFailed(RuntimeError):
    """A worker did not even start: a fault of the installation, not of a submission."""


class WorkerProcess(Protocol):
    """A worker, ready to be talked with."""

    @property
    def requests(self) -> IO[bytes]:
        """Where requests are written to."""

    @property
    def replies(self) -> IO[bytes]:
        """Where replies are read from."""

    def end(self, wait: float) -> str:
        """Kill it with everything it started, and remove its folder. May be called more than once.

        Args:
            wait: seconds in which it may end by itself.

        Returns:
            How it ended by itself, continuing the sentence "the cell …"; empty if it did not.
        """

    def complaint(self) -> str:
        """What it wrote where it could not start."""


def _environment() -> dict[str, str]:
    """What Python and PyTorch need to start, and nothing else of the grader's environment."""
    kept = ("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT")
    inherited = {name: os.environ[name] for name in kept if name in os.environ}
    if os.name == "posix":  # the teacher's tells where programs lie
        inherited["PATH"] = f"{os.path.dirname(sys.executable)}:/usr/local/bin:/usr/bin:/bin"
    return inherited | {
        # Memory in large pages: a fork, which copies the table of pages, takes half as long.
        "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
        "LANG": "C.UTF-8",
        "MPLBACKEND": "Agg",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PIP_NO_INDEX": "1",  # there is no network: fail at once
        "PYTHONDONTWRITEBYTECODE": "1",
        # Otherwise calls inside a function under torch.jit.script go unseen.
        "PYTORCH_JIT": "0",
        "TORCHDYNAMO_DISABLE": "1",  # what is compiled runs as it was written: see checks.calls
        "TRITON_INTERPRET": "1",  # PyTorch's compiler, loaded in advance, loads Triton
        # The working directory is not ours, so say where the packages are.
        "PYTHONPATH": os.pathsep.join({str(folder.parent): "" for folder in course().folders}),
        "USER": "learner",
    }


class FreshWorker:
    """A worker in a Python process of its own, started afresh."""

    def __init__(self, limits: Limits) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the worker
        self._home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        home = self._home.name
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", _WORKER, json.dumps(asdict(limits)), course().dump()],
            cwd=home,
            env=_environment() | {"HOME": home, "IPYTHONDIR": os.path.join(home, ".ipython")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,  # so that it can be killed with all that it started
        )
        assert self._process.stdin and self._process.stdout
        self.requests, self.replies = self._process.stdin, self._process.stdout

    def end(self, wait: float) -> str:
        try:
            words = how_it_ended(self._process.wait(timeout=wait))
        except subprocess.TimeoutExpired:
            words = ""
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError, PermissionError):  # nothing of it is left
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()
        self._process.wait()
        self._home.cleanup()
        return words

    def complaint(self) -> str:
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace").strip()


class ForkServer:
    """The process that forks workers, started when it is first needed, and again if it is lost.

    Several threads may ask at the same time.
    """

    def __init__(self, mode: str) -> None:
        """``mode``: see ``fork_server.main``."""
        self._mode = mode
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._loaded = False

    def launch(self) -> None:
        """Let it load while this process does something else."""
        with self._lock:
            if self._process is None:
                self._launch()

    def start(self, limits: Limits) -> "ForkedWorker":
        """Make a worker.

        Raises:
            StartFailed: the server does not start, or refuses.
        """
        home = None if self._mode != "none" else tempfile.mkdtemp()
        request = {"do": "start", "limits": asdict(limits), "home": home}
        ours, theirs = socket.socketpair()
        try:
            with self._lock:
                self._begin()
                try:
                    reply = self._exchange(request | {"grader": os.getpid()}, theirs)
                except OSError:  # it was killed: try once more, with a new one
                    self._stop()
                    self._begin()
                    reply = self._exchange(request | {"grader": os.getpid()}, theirs)
                serving = self._process
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        if "failed" in reply:
            ours.close()
            raise StartFailed(f"the fork server cannot make a process: {reply['failed']}")
        assert serving
        return ForkedWorker(self, serving, reply["worker"], ours, home)

    def end(self, serving: subprocess.Popen[bytes], worker: int, wait: float) -> str:
        """End a worker of the server process ``serving``: see ``WorkerProcess.end``."""
        with self._lock:
            if self._process is not serving:
                return "lost the process that had started it"
            try:
                reply = self._exchange({"do": "end", "worker": worker, "wait": wait})
                return str(reply.get("words", ""))
            except OSError:
                self._stop()
                return "ended the process that had started it"

    def close(self) -> None:
        """End the server with all workers."""
        with self._lock:
            self._stop()

    def _begin(self) -> None:
        if not self._process or (self._loaded and self._process.poll() is not None):
            self._stop()
            self._launch()
        if self._loaded:
            return
        try:
            self._received()
            self._loaded = True
        except OSError:
            self._stop()
            self._errors.seek(0)
            lines = self._errors.read().decode(errors="replace").strip().splitlines()
            said = lines[-1] if lines else "It said nothing."
            raise StartFailed(f"the fork server did not start: {said}") from None
        finally:
            self._errors.close()

    def _launch(self) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - until the server has loaded
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-P",
                    "-m",
                    _SERVER,
                    str(theirs.fileno()),
                    self._mode,
                    course().dump(),
                ],
                cwd="/",
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,  # Ctrl-C in a terminal is for the grader alone
            )
        self._control.settimeout(_START_SECONDS)
        self._loaded = False

    def _exchange(self, request: dict[str, Any], channel: socket.socket | None = None) -> Any:
        message = json.dumps(request).encode()
        socket.send_fds(self._control, [message], [channel.fileno()] if channel else [])
        return self._received()

    def _received(self) -> Any:
        message = self._control.recv(_MESSAGE_BYTES)
        if not message:
            raise ConnectionResetError("the fork server is gone")
        return json.loads(message)

    def _stop(self) -> None:
        if self._process is None:
            return
        self._control.close()
        if not self._loaded:  # it would not notice
            self._process.kill()
        try:
            self._process.wait(timeout=10)  # it ends all workers first
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None


class ForkedWorker:
    """A worker that the fork server made."""

    def __init__(
        self,
        server: ForkServer,
        serving: subprocess.Popen[bytes],
        number: int,
        channel: socket.socket,
        home: str | None,
    ) -> None:
        self._server, self._serving, self._number = server, serving, number
        self._channel, self._home = channel, home
        self.requests, self.replies = channel.makefile("wb"), channel.makefile("rb")
        self._words: str | None = None

    def end(self, wait: float) -> str:
        if self._words is None:
            self._words = self._server.end(self._serving, self._number, wait)
            with suppress(OSError):
                self._channel.shutdown(socket.SHUT_RDWR)  # wakes a thread that still reads
            self._channel.close()
            if self._home:
                shutil.rmtree(self._home, ignore_errors=True)
        return self._words

    def complaint(self) -> str:
        return ""


def load_ahead() -> None:
    """Start the server that grading will most likely ask for, and do not wait for it."""
    if sys.platform == "linux":
        fork_server("namespaces" if os.geteuid() == 0 else "user-namespaces").launch()


_servers: dict[str, ForkServer] = {}
_servers_lock = Lock()


def fork_server(mode: str) -> ForkServer:
    """The server that isolates workers in this way; it lives until the grader ends."""
    with _servers_lock:
        if mode not in _servers:
            _servers[mode] = ForkServer(mode)
            atexit.register(_servers[mode].close)
        return _servers[mode]
