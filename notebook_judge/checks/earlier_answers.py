"""Answers that build on earlier ones: which they use, and how they do with right ones."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from notebook_judge.checks.exercise import Check
from notebook_judge.checks.solutions import execute


def uses(answer: Any, names: Mapping[str, Any]) -> set[str]:
    """The names that an answer reads, itself or through what it calls, whether they are there.

    Args:
        answer: a function, a class, or code.
        names: what it finds around it, as in a notebook.
    """
    found = set[str]()
    todo = [answer]
    while todo:
        for code in _codes(todo.pop()):
            new = set(code.co_names) - found
            found |= new
            todo += [names[name] for name in new if name in names]
    return found


def builds_on(check: Check, earlier: Sequence[Check]) -> list[Check]:
    """Those earlier exercises of a lesson that the solution of this one calls, however."""
    names = uses(
        _code_of(check.text.text), {one.answer: _code_of(one.text.text) for one in earlier}
    )
    return [one for one in earlier if one.answer in names]


@lru_cache(maxsize=256)
def _code_of(text: str) -> CodeType:
    return compile(text, "<solution>", "exec")


def _codes(thing: Any) -> list[CodeType]:
    """What a function or the methods of a class run, functions inside them included."""
    functions = vars(thing).values() if isinstance(thing, type) else [thing]
    codes = [one.__code__ for one in functions if isinstance(one, FunctionType)]
    codes += [thing] * isinstance(thing, CodeType)
    for code in codes:  # grows
        codes += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return codes


def causes(
    suspects: Sequence[Check],
    passes: Callable[[Sequence[Check]], bool],
    always: Sequence[Check] = (),
) -> list[Check]:
    """Find out from which earlier answers a wrong one follows: from one alone, or from all.

    Args:
        suspects: earlier exercises whose answers are wrong, and which this one uses.
        passes: whether it passes with the solutions of some of them in place of the answers.
        always: those of the suspects that are replaced in any case.

    Returns:
        Those exercises; none if it is wrong in itself.
    """
    others = [one for one in suspects if one not in always]
    groups = [[*always]] * bool(always) + [[*always, one] for one in others]
    groups += [list(suspects)] * (len(others) > 1)
    return next((group for group in groups if passes(group)), [])


def listed(exercises: Sequence[Check]) -> str:
    """``"`attention.softmax` and `attention.scores`"``."""
    return " and ".join(f"`{one.name}`" for one in exercises)


def stand_in(name: str, text: str) -> Any:
    """What a solution's whole text defines under a name, to be called in place of an answer.

    It belongs to no module of the course, whose functions an answer may not call.
    """
    names: dict[str, Any] = {"__name__": "answers"}
    execute(text, f"<{name}>", names)
    return names[name]


@contextmanager
def replaced(names: dict[str, Any], others: Mapping[str, Any]) -> Iterator[None]:
    """Give some names other values inside the block; what it binds anew is undone, too."""
    before = dict(names)
    names.update(others)
    try:
        yield
    finally:
        names.update(before)  # first, for a thread that is at work
        for name in others.keys() - before.keys():
            names.pop(name, None)
