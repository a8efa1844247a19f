"""Pages of HTML in which every text is text unless it was made here."""

from collections.abc import Iterable, Sequence
from html import escape
from importlib import resources

from transformer_checks.sanitize import sanitize

_LONE = {"meta"}


class Markup(str):
    """HTML that needs no escaping: what ``element`` made."""


def element(tag: str, *children: str, **attributes: str) -> Markup:
    """An element.

    Args:
        tag: its name.
        children: elements, which stand as they are, and texts, which are escaped.
        attributes: ``class_`` for ``class``, ``aria_label`` for ``aria-label``.
    """
    words = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(sanitize(value))}"'
        for name, value in attributes.items()
    )
    end = "" if tag in _LONE else f"</{tag}>"
    return Markup(f"<{tag}{words}>{''.join(map(_inside, children))}{end}")


def _inside(child: str) -> str:
    return child if isinstance(child, Markup) else escape(sanitize(child))


def together(*parts: str) -> Markup:
    """Several elements and texts in a row."""
    return Markup("".join(map(_inside, parts)))


def submitted(text: str) -> Markup:
    """A short text from a submission: its direction does not spread to what stands around it."""
    return element("bdi", text)


def prose(text: str) -> Markup:
    """A sentence: a capital first, a full stop last, and what is between backquotes as code."""
    text = sanitize(text).strip()
    text = text[:1].upper() + text[1:]
    text += "" if not text or text[-1] in ".?!…" else "."
    parts = text.split("`")
    if len(parts) % 2 == 0:  # one that is never closed
        return submitted(text)
    pieces = [element("code", p) if i % 2 else p for i, p in enumerate(parts)]
    return element("bdi", *pieces)


def table(
    caption: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numbers: Sequence[str] = (),
    kind: str = "plain",
) -> Markup:
    """A table whose first column names its rows.

    Args:
        caption: what the table shows.
        columns: their headings.
        rows: as many cells each as there are columns.
        numbers: headings of columns that are set flush right.
        kind: how the page's style calls tables of this sort.
    """
    sides = ["number" if column in numbers else "text" for column in columns]
    head = [
        element("th", column, scope="col", class_=side)
        for column, side in zip(columns, sides, strict=True)
    ]
    body = [_row(row, sides) for row in rows]
    whole = element(
        "table",
        element("caption", caption),
        element("thead", element("tr", *head)),
        element("tbody", *body),
        class_=kind,
    )
    # On a narrow screen the table scrolls, not the page; from the keyboard too.
    return element("div", whole, class_="wide", role="region", aria_label=caption, tabindex="0")


def _row(cells: Sequence[str], sides: Sequence[str]) -> Markup:
    first, *rest = cells
    named = element("th", first, scope="row", class_=sides[0])
    others = [element("td", cell, class_=side) for cell, side in zip(rest, sides[1:], strict=True)]
    return element("tr", named, *others)


def bar(share: float) -> Markup:
    """A share from 0 to 1 as a length; the number must stand beside it."""
    inner = element("span", style=f"width:{100 * min(max(share, 0), 1):.1f}%")
    return element("span", inner, class_="bar", aria_hidden="true")


def facts(pairs: Iterable[tuple[str, str]]) -> Markup:
    """Names and what they stand for."""
    return element(
        "dl", *(element("div", element("dt", name), element("dd", what)) for name, what in pairs)
    )


def page(title: str, *body: str) -> str:
    """A whole page: no scripts, nothing from elsewhere, and a rule that forbids both."""
    style = (
        resources.files("transformer_checks.grading.reports")
        .joinpath("page.css")
        .read_text(encoding="utf-8")
    )
    rule = "default-src 'none'; style-src 'unsafe-inline'"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=rule),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="robots", content="noindex"),
        element("title", title),
        Markup(f"<style>\n{style}</style>"),
    )
    whole = element("html", head, "\n", element("body", *body), lang="en")
    return f"<!doctype html>\n{whole}\n"


def lesson_title(lesson: str) -> str:
    """``02_self_attention`` as a heading."""
    number, _, name = lesson.partition("_")
    words = name.replace("_", " ")
    return f"{number} · {words[:1].upper()}{words[1:]}" if words else lesson


def count(number: int, one: str, many: str = "") -> str:
    """``1 notebook``, ``2 notebooks``."""
    return f"{number} {one if number == 1 else many or one + 's'}"
