"""The shipped translator as a script, which a page may load that was opened from a disk."""

import base64
import json
from pathlib import Path

from transformer_lesson.translation.translator import CONFIG, MODEL, SHIPPED, VOCABULARY

NAME = "model.js"


def write_model(folder: Path, model: Path = SHIPPED) -> None:
    """Write ``model.js`` into the new folder: what ``sentence_weights.js`` reads."""
    folder.mkdir(parents=True)
    content = {
        "config": (model / CONFIG).read_text(encoding="utf-8"),
        "vocabulary": (model / VOCABULARY).read_text(encoding="utf-8"),
        "weights": base64.b64encode((model / MODEL).read_bytes()).decode(),
    }
    (folder / NAME).write_text(f"lessonModel = {json.dumps(content)};\n", encoding="utf-8")
