"""The view reads what is typed, and doubts, as Python does."""

import json
import shutil
import subprocess

import pytest

from transformer_lesson.translation.doubt import Calibration
from transformer_lesson.translation.typed import as_read
from transformer_lesson.widgets.view import HERE

ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ\u00e90123456789 .,!?'\"-"
TEXTS = [
    "I WAS THERE. WERE YOU?", "i think he's late. am i?", "USA", "123!", "",
    "It\u2019s \u201cfine\u201d \u2013 really\u2026", "Krzy\u017canowska", "non\u00a0stop \u2603",
    '"hello," she said. "i know."', "\u00e9t\u00e9 i_x 2i",
]  # fmt: skip


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_it_does_what_python_does() -> None:
    calibration = Calibration((0.1, 0.4, 0.9), (0.2, 0.3, 0.95))
    shares = [0.0, 0.1, 0.25, 0.4, 0.7, 0.9, 1.0]
    code = (
        (HERE / "sentence_typed.js").read_text(encoding="utf-8")
        + f"""
      const alphabet = new Set({json.dumps(ALPHABET)});
      const calibration = {{ probabilities: [0.1, 0.4, 0.9], shares: [0.2, 0.3, 0.95] }};
      console.log(JSON.stringify([{json.dumps(TEXTS)}.map((text) => asRead(text, alphabet)),
        {shares}.map((p) => shareOf(calibration, p))]));"""
    )
    done = subprocess.run(["node", "-e", code], capture_output=True, text=True, check=True)
    read, told = json.loads(done.stdout)
    assert read == [as_read(text, frozenset(ALPHABET)) for text in TEXTS]
    assert told == pytest.approx([calibration.share(p) for p in shares])
