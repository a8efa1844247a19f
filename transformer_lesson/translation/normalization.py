"""Text made equal: what looks the same is the same, wherever it comes from."""

import re
import unicodedata

# Soft hyphens, and signs without a width: joiners, marks of direction, U+FEFF.
_INVISIBLE = re.compile(
    "[\xad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
_SPACE = re.compile("[\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
# Ligatures, Roman figures, letters as wide as Chinese ones, and the bold ones of mathematics.
_STYLED = re.compile("[\u0132\u0133\u2160-\u217f\ufb00-\ufb06\uff01-\uff5e\U0001d400-\U0001d7ff]+")


def normalized(text: str) -> str:
    """Return ``text`` in NFC, without invisible signs, with plain spaces and letters.

    All text comes in through here: what is typed, trained on and scored.
    """
    if text.isascii():
        return text
    text = _SPACE.sub(" ", _INVISIBLE.sub("", text))
    text = _STYLED.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
    return unicodedata.normalize("NFC", text)
