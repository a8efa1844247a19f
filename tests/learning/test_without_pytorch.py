"""Commands that compute nothing answer at once: they never load PyTorch, which takes seconds."""

import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from notebook_judge.catalogue import catalogue
from notebook_judge.checks.card import Card

COMMANDS = ("exercises", "watch", "hint", "reset", "solution", "grade")
WITHOUT = "import sys; sys.modules['torch'] = None; from transformer_checks.cli import main; "


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("--help", 0),
        *((f"{name} --help", 0) for name in COMMANDS),
        ("exercises", 0),
        ("exercises 2", 0),
        ("exercises 99", 2),
        ("hint softmax", 0),
        ("hint softmax 3", 0),
        ("hint sofmax", 2),
        ("watch 99", 2),
        ("watch elsewhere/02.ipynb", 2),
        ("solution softmax --yes", 0),
        ("reset softmax --yes", 0),
    ],
)
def test_a_command_that_computes_nothing_loads_no_pytorch(
    words: str, code: int, course: Path
) -> None:
    command = [sys.executable, "-c", f"{WITHOUT}sys.exit(main(sys.argv[1:]))", *words.split()]
    done = subprocess.run(command, cwd=course, capture_output=True, text=True)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr


@pytest.mark.parametrize("name", catalogue().lesson_of)
def test_a_card_that_is_read_says_what_its_exercise_says(name: str) -> None:
    read, loaded = catalogue().card(name), catalogue().checks[name]
    for one in fields(Card):
        assert getattr(read, one.name) == getattr(loaded, one.name), one.name
