"""Notebooks that turn on their process, on others, or leave something behind."""

import os

from tests.grading.battery.resources import _mask
from tests.grading.battery.submission import QUICK, Submission, all_of, around, instead

SEGFAULT = "import ctypes\nctypes.string_at(0)"
DAEMON = """import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)"""
FORK_BOMB = """import os, time
for _ in range(5):  # 32 processes: enough to tell, too few to hurt
    os.fork()
time.sleep(600)"""


def _cell(name: str, *cells: str, isolated: bool = False) -> Submission:
    """Cells that do harm, and answers that are right none the less."""
    return Submission(name, around(cells), limits=QUICK, isolated=isolated)


def _answer(name: str, verdict: str, *lines: str) -> Submission:
    return Submission(
        name, instead(causal_mask=_mask(*lines)), all_of(verdict, ["causal_mask"]), limits=QUICK
    )


def _elsewhere(deed: str) -> str:
    """Do something to other processes, but only where the worker has a process table of its own."""
    here = os.readlink("/proc/self/ns/pid") if os.path.exists("/proc/self/ns/pid") else ""
    return (
        "import os, signal\ntry:\n    walled = os.readlink('/proc/self/ns/pid') != "
        f"{here!r}\nexcept OSError:\n    walled = False\nif walled:\n    {deed}"
    )


SUBMISSIONS = (
    _cell("os._exit in a cell", "import os\nos._exit(0)"),
    _cell("sys.exit in a cell", "import sys\nsys.exit(1)", "exit()", "quit()"),
    _cell("SystemExit in a cell", "raise SystemExit", "raise KeyboardInterrupt"),
    _cell("a segfault in a cell", SEGFAULT),
    _cell("abort in a cell", "import os\nos.abort()"),
    _cell("kill -9 itself", "import os\nos.kill(os.getpid(), 9)"),
    _cell("stops itself", "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)"),
    _cell("kills its process group", "import os\nos.killpg(0, 9)"),
    _cell("kills its parent", _elsewhere("os.kill(os.getppid(), 9)"), isolated=True),
    _cell("kills everything", _elsewhere("os.kill(-1, 9)"), isolated=True),
    _cell("another program in its place", "import os\nos.execvp('sleep', ['sleep', '600'])"),
    _cell("forks and goes on", "import os\nos.fork()"),
    _cell("a child that sleeps", "import subprocess\nsubprocess.Popen(['sleep', '600'])"),
    _cell("a daemon", DAEMON),
    _cell("a fork bomb", FORK_BOMB),
    _cell("a shell in the background", "!sleep 600 &", "import os\nos.system('sleep 600 &')"),
    _cell(
        "multiprocessing",
        "import multiprocessing as m\np = m.Process(target=print)\np.start(); p.join()",
    ),
    _cell(
        "threads left running",
        "import threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()",
    ),
    _cell("atexit that hangs", "import atexit, time\natexit.register(time.sleep, 600)"),
    _cell(
        "deaf to all signals",
        "import signal\nfor s in set(signal.Signals) - {9, 19}:\n"
        "    try: signal.signal(s, signal.SIG_IGN)\n    except OSError: pass",
    ),
    _cell("files deleted", "import shutil, os\nshutil.rmtree(os.getcwd())"),
    _cell("closes all files", "import os\nos.closerange(0, 256)"),
    _cell("closes standard files", "import sys\nsys.stdout.close(); sys.stderr = None"),
    _cell("a raised umask and nice", "import os\nos.umask(0o777); os.nice(5)"),
    _cell("an empty environment", "import os\nos.environ.clear()"),
    Submission(
        "no modules", around(["import sys\nsys.modules.clear()"]), all_of("crashed"), limits=QUICK
    ),
    _cell("builtins replaced", "import builtins\nbuiltins.open = builtins.isinstance = None"),
    _cell("on another device", "torch.set_default_device('meta')"),
    _cell("a trace function", "import sys\nsys.settrace(lambda *a: None)"),
    _answer("os._exit in an answer", "crashed", "os._exit(3)"),
    _answer("sys.exit in an answer", "error", "sys.exit(0)"),
    _answer("a segfault in an answer", "crashed", SEGFAULT),
    _answer("kill -9 in an answer", "crashed", "os.kill(os.getpid(), 9)"),
    _answer("files closed in an answer", "crashed", "os.closerange(0, 256)"),
    _answer("stopped in an answer", "timeout", "os.kill(os.getpid(), signal.SIGSTOP)"),
    _answer("another program in an answer", "crashed", "os.execvp('sleep', ['sleep', '600'])"),
    _answer("KeyboardInterrupt in an answer", "error", "raise KeyboardInterrupt"),
    _answer("a generator in an answer", "error", "yield 3"),
    Submission("a fork in an answer", instead(causal_mask=_mask("os.fork()")), limits=QUICK),
)
