"""Every exercise of the course, by lesson.

``attention.softmax`` of lesson ``02_self_attention`` stands in ``self_attention/softmax.py``, which
is read when the exercise is first asked for; its hints, which are prose, in
``self_attention/hints.md``.
"""

import re
from collections import UserDict
from dataclasses import replace
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any

from transformer_checks.checks.exercise import Check, cell_id

# The exercises of each lesson, in their order.
# fmt: off
LESSONS: dict[str, tuple[str, ...]] = {
    "01_tokens_and_embeddings": (
        "tokens.most_frequent_pair", "tokens.merge", "tokens.encode", "tokens.pad",
        "tokens.embedding_gradient", "tokens.nearest", "tokens.tied_model", "tokens.separating",
    ),
    "02_self_attention": (
        "attention.softmax", "attention.scores", "attention.attend", "attention.self_attention",
        "attention.causal_mask", "attention.padding_mask", "attention.masked",
        "attention.repaired_heads", "attention.which_bug",
    ),
    "03_multi_head_attention": (
        "heads.split", "heads.merge", "heads.attend", "heads.module", "heads.pytorch_mask",
        "heads.contributions", "heads.prune", "heads.grouped",
    ),
    "04_positional_encoding": (
        "positions.sinusoidal", "positions.rotation", "positions.add",
        "positions.relative_bias", "positions.rotary", "positions.alibi", "positions.reach",
    ),
    "05_encoder": (
        "encoder.layer_norm", "encoder.rms_norm", "encoder.feed_forward", "encoder.layer",
        "encoder.stack", "encoder.parameters", "encoder.sentence_vector", "encoder.which_stack",
    ),
    "06_decoder": (
        "decoder.mask", "decoder.cross_attention", "decoder.layer", "decoder.greedy",
        "decoder.cached_step", "decoder.beam_search", "decoder.repaired_generation",
        "decoder.nucleus", "decoder.speculative",
    ),
    "07_training": (
        "training.shift", "training.cross_entropy", "training.label_smoothing",
        "training.schedule", "training.adam", "training.accumulate", "training.clip",
        "training.repaired", "training.loop", "training.floors",
    ),
    "08_bert_and_gpt": (
        "bert.mask", "bert.corrupt", "bert.loss", "bert.pair", "bert.classify", "bert.which_run",
    ),
    "09_flash_attention": (
        "flash.safe_softmax", "flash.log_sum_exp", "flash.online_step", "flash.merge",
        "flash.visible_tiles", "flash.tiled_forward", "flash.traffic", "flash.row_term",
        "flash.key_gradients", "flash.kernel", "flash.attention_tile",
    ),
    "10_translation": (
        "translation.batches", "translation.pairs", "translation.loss", "translation.greedy",
        "translation.beam", "translation.bleu", "translation.alignment", "translation.paired",
        "translation.beat",
    ),
}
# fmt: on
# What can be said of an exercise without reading it.
LESSON_OF = {name: lesson for lesson, names in LESSONS.items() for name in names}
BY_CELL_ID = {cell_id(name): name for name in LESSON_OF}


class _Catalogue(UserDict[str, Check]):
    """Exercises by name; what has not been asked for yet stands there as the name of its module."""

    data: dict[str, Any]

    def __getitem__(self, name: str) -> Check:
        if isinstance(self.data[name], str):
            written: Check = import_module(self.data[name]).CHECK
            self.data[name] = replace(written, hints=_hints(written))
        check: Check = self.data[name]
        return check


def _module(lesson: str, name: str) -> str:
    return f"{__name__}.{lesson.partition('_')[2]}.{name.partition('.')[2]}"


def _hints(check: Check) -> tuple[str, ...]:
    """The numbered paragraphs below the exercise's heading, each as one line."""
    page = Path(__path__[0], check.lesson.partition("_")[2], "hints.md").read_text("utf-8")
    _, _, section = page.partition(f"\n## {check.name}\n")
    paragraphs = re.split(r"^\d+\. ", section.partition("\n## ")[0], flags=re.MULTILINE)
    return tuple(" ".join(paragraph.split()) for paragraph in paragraphs[1:])


CHECKS = _Catalogue()
CHECKS.data = {name: _module(lesson, name) for name, lesson in LESSON_OF.items()}


def find(name: str) -> Check:
    """Return the check called ``name``.

    Raises:
        KeyError: there is none; the message names the nearest.
        TypeError: the name is no string.
    """
    if not isinstance(name, str):
        raise TypeError(
            f"the name of an exercise is a string, such as 'attention.softmax'; got {name!r}. "
            "Write check(name, answer), in this order."
        )
    if name not in CHECKS:
        near = get_close_matches(name, CHECKS, n=1)
        lessons = "progress('02_self_attention') lists the exercises of a lesson."
        advice = f"Did you mean {near[0]!r}?" if near else lessons
        raise KeyError(f"there is no exercise {name!r}. {advice}")
    return CHECKS[name]


def of_lesson(lesson: str) -> list[Check]:
    """Return the checks of a lesson in their order.

    Raises:
        KeyError: the lesson has none.
    """
    if lesson not in LESSONS:
        lessons = ", ".join(LESSONS)
        raise KeyError(f"no exercise belongs to lesson {lesson!r}. Lessons: {lessons}.")
    return [CHECKS[name] for name in LESSONS[lesson]]
