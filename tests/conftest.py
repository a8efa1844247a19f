"""What holds for all tests."""

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def ctrl_c_works() -> Iterator[None]:
    """Let tests, and what they start, be interrupted even where Ctrl-C is ignored.

    That is so in a background job of a script: each process inherits it from its parent.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
