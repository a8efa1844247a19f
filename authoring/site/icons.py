"""The few icons that the pages show, in a style sheet in place of the theme's script of all."""

import re
from pathlib import Path

SCRIPT = Path("_static/scripts/fontawesome.js")
TAG = re.compile(r'<script[^>]* src="([^"]*_static/)scripts/fontawesome\.js[^"]*"></script>')
USED = re.compile(r'class="[^"]*\bfa(?:s|r|b|-solid|-regular|-brands) fa-([\w-]+)')
# Of what the script knows of an icon: its name, width, height, other names, letter and outline.
KNOWN = re.compile(r'"?([\w-]+)"?:\[(\d+),(\d+),\[([^]]*)\],"\w+","([^"]+)"\]')
STYLE = """\
/* Icons of Font Awesome Free, fontawesome.com, under CC BY 4.0 */
:is(.fas, .far, .fab, .fa-solid, .fa-regular, .fa-brands) {
  --fa-family: sans-serif; /* whose fonts need not be loaded */
}
:is(.fas, .far, .fab, .fa-solid, .fa-regular, .fa-brands)::before {
  display: inline-block;
  width: 1.25em;
  height: 1em;
  content: "";
  background: currentcolor;
  mask: var(--icon) center / contain no-repeat;
}
"""
RULE = """\
.fa-{name} {{
  --icon: url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' \
viewBox='0 0 {width} {height}'%3E%3Cpath d='{outline}'/%3E%3C/svg%3E");
}}
"""


def write_icons(site: Path) -> None:
    """Put the style sheet into a finished site, and take the script out.

    Raises:
        KeyError: a page shows an icon that the script does not know.
    """
    shapes = {}
    for name, width, height, others, outline in KNOWN.findall((site / SCRIPT).read_text("utf-8")):
        # Of several styles the last is the solid one.
        for known in (name, *re.findall(r'"([\w-]+)"', others)):
            shapes[known] = (width, height, outline)
    used: set[str] = set()
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        used.update(USED.findall(text))
        path.write_text(TAG.sub(r'<link rel="stylesheet" href="\1icons.css">', text), "utf-8")
    rules = []
    for name in sorted(used):
        width, height, outline = shapes[name]
        rules.append(RULE.format(name=name, width=width, height=height, outline=outline))
    (site / "_static/icons.css").write_text("".join([STYLE, *rules]), encoding="utf-8")
    (site / SCRIPT).unlink()
