"""Names of people and files: one spelling for each, and what is added to the name of a copy.

What a product adds stands beside it in ``_BEHIND``. Its words are in the languages that the product
speaks; " 2" (Safari, Finder) is no such mark, because teams are called so.
"""

import re
import unicodedata
from hashlib import sha256

from notebook_judge.sanitize import sanitize_line

_LONGEST = 255  # letters of a name: no file system has longer ones
_WORDS = "copy|kopie|copie|copia|cópia|kopia|kópia|kopi|kopio|копия|копія|コピー|副本|拷贝|복사본"
NUMBERED = r" ?\(\d{1,3}\)"
# Colab and Google Drive, "Copy of x"; older versions of Windows, "Copy (2) of x".
_BEFORE = rf"(?:{_WORDS})(?: \(\d+\))? (?:of|von|de|di|van|av|af) |копия "
_BEHIND = "|".join(
    (
        NUMBERED,  # Chrome, Edge, Firefox, Google Drive, Android, Windows: "x (1)", "x(1)"
        # JupyterLab and Jupyter Notebook: "x-Copy1"; Windows: "x - Copy (2)"; Finder, Dolphin, VS
        # Code: "x copy 2"; by hand: "x_copy".
        rf"[ _\u2013\u2014-]+(?:{_WORDS})(?:[ _]*\(\d{{1,3}}\)|[ _]?\d{{1,3}})?",
        # Files of GNOME: "x (copy)", "x (another copy)", "x (3rd copy)", "x (Copy 2)"; Thunar:
        # "x (copy 1)"; Dropbox: "x (Anna's conflicted copy 2030-03-01)".
        rf" ?\((?:[^()]*\W)?(?:{_WORDS})(?:\W[^()]*)?\)",
        r" ?[の的]?(?:コピー|副本)\d{0,3}",  # Google Drive, Finder
        r"[ _-]+final\d{0,3}",  # by hand
    )
)
MARKS = f"(?i:{_BEHIND})*+"  # possessive: a name of nothing but marks would be tried for ever
_ALL_BEFORE, _ALL_BEHIND = re.compile(f"(?i:^(?:{_BEFORE})+)"), re.compile(f"{MARKS}$")
# A browser saves as ``x.ipynb.txt`` or ``x.ipynb.json`` what it takes for text or JSON.
_END = re.compile(rf"(?i:\.ipynb)({MARKS})(?i:\.txt|\.json)?$")


def composed(text: str) -> str:
    """The same text with accents in one of the two forms that Unicode has for them."""
    return unicodedata.normalize("NFC", text)


def tidy(name: str) -> str:
    """A learner's name as it is compared and shown; two long names stay two."""
    name = composed(name.strip())
    if len(name) > _LONGEST:
        name = f"{name[: _LONGEST - 9]}…{sha256(name.encode(errors='replace')).hexdigest()[:8]}"
    return sanitize_line(name)


def key(name: str) -> str:
    """A name or a number without what folders and gradebooks write differently."""
    kept = (c for c in unicodedata.normalize("NFKC", name) if unicodedata.category(c)[0] in "LMN")
    return "".join(kept).casefold()


def stem(name: str) -> str:
    """A notebook's name without its end, as shells, mail, browsers and Windows spell it."""
    return _END.sub(r"\1", name)


def original(name: str) -> str:
    """A name without what is added to that of a second download or a copy; never empty."""
    name = composed(name)
    return _ALL_BEHIND.sub("", _ALL_BEFORE.sub("", name)).strip() or name
