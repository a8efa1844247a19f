"""Every exercise of the course, by lesson."""

from difflib import get_close_matches

from transformer_checks.catalogue import (
    bert_and_gpt,
    decoder,
    encoder,
    flash_attention,
    multi_head_attention,
    positional_encoding,
    self_attention,
    tokens_and_embeddings,
    training,
    translation,
)
from transformer_checks.checks.exercise import Check

CHECKS: dict[str, Check] = {
    check.name: check
    for check in (
        *tokens_and_embeddings.CHECKS,
        *self_attention.CHECKS,
        *multi_head_attention.CHECKS,
        *positional_encoding.CHECKS,
        *encoder.CHECKS,
        *decoder.CHECKS,
        *training.CHECKS,
        *bert_and_gpt.CHECKS,
        *flash_attention.CHECKS,
        *translation.CHECKS,
    )
}


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
    checks = [check for check in CHECKS.values() if check.lesson == lesson]
    if not checks:
        lessons = ", ".join(dict.fromkeys(check.lesson for check in CHECKS.values()))
        raise KeyError(f"no exercise belongs to lesson {lesson!r}. Lessons: {lessons}.")
    return checks
