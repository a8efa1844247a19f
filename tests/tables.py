"""Tables of what nobody should write, each row with the words of its error."""

import re
from collections.abc import Callable

import pytest

Refused = list[tuple[Callable[[], object], str]]


def refusing(kind: type[Exception], rows: Refused) -> Callable[..., None]:
    """Return a test for each row: this kind of error, with these words ("…": some more)."""

    @pytest.mark.parametrize(
        ("act", "words"), [pytest.param(act, words, id=words) for act, words in rows]
    )
    def test(act: Callable[[], object], words: str) -> None:
        pattern = ".*".join(map(re.escape, words.split("…")))
        with pytest.raises(kind, match=f"(?s){pattern}") as caught:
            act()
        assert caught.type is kind

    return test
