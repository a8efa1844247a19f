"""In runs with nbval, show exercises and points in place of cells."""

import pytest

import transformer_checks  # noqa: F401 - hands the course over


def pytest_configure(config: pytest.Config) -> None:
    """Add the course's plugin where notebooks are to be run."""
    if config.getoption("nbval", False) or config.getoption("nbval_lax", False):
        from notebook_judge.learning.nbval_plugin import Exercises

        config.pluginmanager.register(Exercises(config))
