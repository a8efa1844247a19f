"""A shipped model beside the pages: its files, and a script for pages opened from a disk."""

import base64
import json
import shutil
from pathlib import Path

from transformer_lesson.translation.stored import CONFIG, MODEL, VOCABULARY
from transformer_lesson.translation.translator import SHIPPED

NAME = "model.js"


def write_model(folder: Path, model: Path = SHIPPED) -> None:
    """Write into the new folder what ``sentence_weights.js`` reads.

    A page that has an address fetches the three files; one that was opened from a disk may fetch
    nothing, and loads the script that holds them.
    """
    folder.mkdir(parents=True)
    for name in (CONFIG, VOCABULARY, MODEL):
        shutil.copy(model / name, folder)
    content = {
        "config": (model / CONFIG).read_text(encoding="utf-8"),
        "vocabulary": (model / VOCABULARY).read_text(encoding="utf-8"),
        "weights": base64.b64encode((model / MODEL).read_bytes()).decode(),
    }
    (folder / NAME).write_text(f"lessonModel = {json.dumps(content)};\n", encoding="utf-8")
