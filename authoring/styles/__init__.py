"""Right answers by another hand: what a check must accept, whoever writes it.

``styles/<lesson>/<exercise>.py`` mirrors ``transformer_checks/catalogue/`` and holds ``STYLES``:
for each exercise an independent right answer, whose name says what is different. What it is made
of, ``authoring.wrappings`` changes. A second one stands where the file says what it alone finds.
"""

import pkgutil
from collections.abc import Callable
from importlib import import_module
from typing import Any

Answer = Callable[..., Any]


def styles() -> dict[str, tuple[Answer, ...]]:
    """Collect the styles of every exercise: name of the exercise -> answers.

    Raises:
        ValueError: two files hold styles of the same exercise.
    """
    found: dict[str, tuple[Answer, ...]] = {}
    for part in pkgutil.walk_packages(__path__, f"{__name__}."):
        for name, answers in getattr(import_module(part.name), "STYLES", {}).items():
            if name in found:
                raise ValueError(f"{part.name} holds styles of {name}, which has some already")
            found[name] = answers
    return found
