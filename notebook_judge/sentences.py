"""Sentences with `code` in them, as a learner reads them in a panel, a terminal or on a page."""

from markupsafe import Markup

from notebook_judge.sanitize import sanitize


def sentence(text: str) -> str:
    """Begin with a capital, unless with a name in code; end with a full stop.

    Args:
        text: a clause, or a sentence already. It may hold anything: it is made harmless.
    """
    text = sanitize(text).strip()
    if not _in_code(text.partition(" ")[0].rstrip(".,:;")):
        text = text[:1].upper() + text[1:]
    return text if not text or text[-1] in ".?!…" else text + "."


def as_html(text: str) -> Markup:
    """The sentence as HTML, with what stands between backquotes as code."""
    text = sentence(text)
    pieces = text.split("`")
    if len(pieces) % 2 == 0:  # one that is never closed
        pieces = [text]
    marked = (Markup("<code>{}</code>").format(p) if i % 2 else p for i, p in enumerate(pieces))
    # Its direction does not spread to what stands around it.
    return Markup("<bdi>{}</bdi>").format(Markup("").join(marked))


def _in_code(word: str) -> bool:
    """Whether a word is code by its looks: `d_model`, `torch.zeros`, `x`, `dV`, `2**i`."""
    odd = any(letter in "_`.=*+(" or letter.isdigit() or not letter.isascii() for letter in word)
    return odd or (len(word) == 1 and word != "a") or word[1:] != word[1:].lower()
