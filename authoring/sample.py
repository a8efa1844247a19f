"""What is looked at of much: what changed, and a sample of the rest that the commit draws.

As a pytest plugin, ``-p authoring.sample``, it says at the end how many of how many tests ran:

    --sample marked     of the tests marked ``sampled(n)``, file by file, one in n, and of those
                        marked ``rare``, wherever they stand, one in four
    --sample tests:6    of all tests, file by file, one in six, or as few as they are marked
    --sample files:3    of all files, one in three
    --always TEXT       and each that has this text in its name
    --first PLACE       begins with the tests of this file or folder
    --seconds N         stops after so long; the exit code is then 3
"""

import hashlib
import json
import signal
import subprocess
from _thread import interrupt_main
from collections import defaultdict
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from threading import Timer, main_thread

import pytest

from authoring.environment import ROOT

RARE = 4
CUT_SHORT = 3  # exit code where nothing failed, and the time was up before all had been looked at


def sample(names: Collection[str], one_in: int, always: Collection[str] = ()) -> set[str]:
    """One in so many of the names, at least one, and those with a text of ``always`` in them."""
    drawn = sorted(names, key=lambda name: hashlib.sha256(f"{commit()}{name}".encode()).digest())
    return {*drawn[: -(-len(drawn) // one_in)], *(n for n in names if any(a in n for a in always))}


@lru_cache
def commit() -> str:
    """The digest of the commit; empty where there is none."""
    asked = ["git", "rev-parse", "HEAD"]
    return subprocess.run(asked, cwd=ROOT, capture_output=True, text=True).stdout.strip()


def looked_at(some: int, of: int, what: str) -> str:
    """How every command says it that looks at a part."""
    return f"looked at {some:,} of {of:,} {what}"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("sample")
    group.addoption("--sample", default="", help="marked, tests:N or files:N")
    group.addoption("--always", action="append", default=[], help="text in the name of a test")
    group.addoption("--first", action="append", default=[], help="file or folder to begin with")
    group.addoption("--seconds", type=float, help="stop after so long")
    group.addoption("--tally", type=Path, help="file that gets how many of how many")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # a process of pytest-xdist: the first one counts
        config.pluginmanager.register(_Tally(config))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what is not in the sample, so that it is counted as not looked at."""
    first = config.option.first
    items.sort(key=lambda item: [not item.nodeid.startswith(place) for place in first])
    kind, _, number = config.option.sample.partition(":")
    groups = defaultdict[tuple[str, int], list[str]](list)
    for item in items:
        file, mark = item.nodeid.partition("::")[0], item.get_closest_marker("sampled")
        if kind == "files":
            groups["", int(number)].append(file)
        elif kind == "tests":
            one_in = max(int(number), mark.args[0] if mark else 1)
            groups[file, one_in].append(item.nodeid)
        elif kind == "marked" and item.get_closest_marker("rare"):
            groups["", RARE].append(item.nodeid)
        elif kind == "marked" and mark:
            groups[file, mark.args[0]].append(item.nodeid)
    names = {name for group in groups.values() for name in group}
    drawn = {name for key, group in groups.items() for name in sample({*group}, key[1])}
    for item in items:
        left_out = names & {item.nodeid, item.nodeid.partition("::")[0]} - drawn
        if left_out and not any(text in item.nodeid for text in config.option.always):
            item.add_marker(pytest.mark.skip(reason="not in the sample of this commit"))


def _interrupt() -> None:
    """Press Ctrl-C, also where a test sleeps."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(main_thread().ident or 0, signal.SIGINT)
    else:
        interrupt_main()


class _Tally:
    """Counts the tests that ran, and ends the run in time."""

    def __init__(self, config: pytest.Config) -> None:
        self.option = config.option
        self.failed, self.ran, self.all = 0, 0, 0
        self.timer = Timer(self.option.seconds or 0, _interrupt)
        if self.option.seconds is not None:
            signal.signal(signal.SIGINT, signal.default_int_handler)  # a job of a script ignores it
            self.timer.daemon = True
            self.timer.start()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed += report.failed
        self.ran += report.when == "call" and (not report.skipped or hasattr(report, "wasxfail"))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self.all = session.testscollected
        in_time = self.option.seconds is None or self.timer.is_alive()
        self.timer.cancel()
        if not in_time:
            session.exitstatus = 1 if self.failed else CUT_SHORT
        if self.option.tally:
            self.option.tally.write_text(json.dumps([self.ran, self.all]), encoding="utf-8")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.write_line(looked_at(self.ran, self.all, "tests").capitalize())
