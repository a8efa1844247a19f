"""The words of an English or a French text: what an alignment counts."""

import re

_ENGLISH = re.compile(r"o'clock|[A-Za-zÀ-ÿœŒ]+n't|'s\b|[\wÀ-ÿ]+(?:-[\wÀ-ÿ]+)*|[^\w\s]")
_AFTER_VERB = r"-(?:t-)?(?:je|tu|ils?|elles?|on|nous|vous|moi|toi|les?|la|lui|leur)(?![-\w])"
_FRENCH = re.compile(
    rf"{_AFTER_VERB}|aujourd'hui|\w+(?:(?!{_AFTER_VERB})-\w+)*'?|[^\w\s]", re.IGNORECASE
)
_WORD = {"en": _ENGLISH, "fr": _FRENCH}


def words(text: str, language: str) -> list[str]:
    """Split a text into words.

    Punctuation marks are words; so are French elided forms (*l'*, *qu'*), a pronoun that follows
    its verb (*-t-il*, *-moi*) and English *'s*; *doesn't*, *o'clock* and *grand-père* are one word
    each.

    Args:
        text: English or French.
        language: ``"en"`` or ``"fr"``.

    Raises:
        ValueError: another language.
    """
    if language not in _WORD:
        raise ValueError(f"language={language!r} is neither 'en' nor 'fr'")
    return _WORD[language].findall(text.replace("\u2019", "'"))
