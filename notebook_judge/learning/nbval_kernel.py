"""What nbval's kernel does before the first cell of an exercise notebook, as the worker does it."""

from importlib import import_module

from IPython.core.getipython import get_ipython

from notebook_judge.grading.sandbox.going_on import GoingOn

# What the kernel is sent; it leaves no name behind.
BEGIN = f"__import__({__name__!r}, fromlist=['begin']).begin({{given!r}}, {{first!r}})"


def begin(given: tuple[str, ...], first: str) -> None:
    """Go on in cells that raise, and have the course's given cells stand in for missing ones.

    Args:
        given: those cells.
        first: see ``Course.first``.
    """
    if first:
        module, _, function = first.partition(":")
        getattr(import_module(module), function)()
    GoingOn(get_ipython()).first(given)
