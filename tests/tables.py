"""Tables of what nobody should write, each row with the words of its error."""

import re
from collections.abc import Callable

import pytest

Act = Callable[[], object]
Refused = list[tuple[Act, str]]


def each(rows: Refused) -> pytest.MarkDecorator:
    """One test for each row, called by the words of its error."""
    named = [pytest.param(act, words, id=words) for act, words in rows]
    return pytest.mark.parametrize(("act", "words"), named)


def refuses(kind: type[Exception], act: Act, words: str) -> None:
    """``act`` raises an error of exactly this kind, with these words ("…": some more)."""
    pattern = ".*".join(map(re.escape, words.split("…")))
    with pytest.raises(kind, match=f"(?s){pattern}") as caught:
        act()
    assert caught.type is kind
