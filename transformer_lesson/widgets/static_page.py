"""A view as a piece of HTML that needs neither a kernel nor a network."""

import base64
import gzip
import html
import json
import re
from pathlib import Path
from string import Template
from typing import Any

SCRIPT = (Path(__file__).parent / "static_page.js").read_text(encoding="utf-8")

# The script replaces the picture with the live view. Where scripts do not run, sanitizers remove
# them together with their contents, and the picture remains. Script and style are packed, to a
# third: a notebook holds them once for each view. There are no ids, so that one page can hold
# several views.
PAGE = Template("""\
<div class="$kind-page">
<div class="$kind-view">
<img src="data:image/png;base64,$picture" alt="$alt_text">
</div>
<script type="application/json">$content</script>
<script type="module">
const packed = "$packed";
const text = atob(packed);
const bytes = new Uint8Array(text.length);
for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
const whole = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
const program = document.createElement("script");
Object.assign(program, { type: "module", textContent: await new Response(whole).text() });
document.head.append(program);
</script>
</div>
""")
# Of a view that would make a notebook too heavy.
STILL = Template("""\
<div class="$kind-still">
<img src="data:image/png;base64,$picture" alt="$alt_text">
<p>$sentence</p>
</div>
""")
MOST = 4_000_000  # bytes of a page; twelve layers of twelve heads on 256 tokens have 25 million
PACKED = re.compile(r'(?<=const packed = ")[^"]+')


def packed(kind: str, script: str, style: str) -> str:
    """Return the program of a page: an ES module that has a function ``render``, and its style."""
    program = f'{script}{SCRIPT}startPages("{kind}", {json.dumps(style)});\n'
    return base64.b64encode(gzip.compress(program.encode(), mtime=0)).decode()


def static_page(
    *, kind: str, program: str, state: dict[str, Any], picture: str, alt_text: str
) -> str:
    """Return one view as a piece of HTML; one of more than ``MOST`` bytes is its picture alone.

    Args:
        kind: the CSS class of the view.
        program: as ``packed`` returns it.
        state: the values of its synced traits by name; bytes may only be in ``data``.
        picture: a PNG of what it shows, in base64.
        alt_text: the same in words.
    """
    if "data" in state:
        state = {**state, "data": base64.b64encode(state["data"]).decode()}
    shown = {"kind": kind, "picture": picture, "alt_text": html.escape(alt_text)}
    # A token such as </script> must not end the element.
    content = json.dumps(state).replace("<", "\\u003c")
    page = PAGE.substitute(shown, content=content, packed=program)
    if len(page) <= MOST:
        return page
    sentence = (
        f"This view would put {len(page) / 1e6:.0f} MB into the notebook, which stores at most "
        f"{MOST / 1e6:.0f} of one view: without a kernel it is this picture. Show fewer layers, "
        "heads or tokens, or run the cell."
    )
    return STILL.substitute(shown, sentence=sentence)


def unpacked(page: str) -> str:
    """Return a page with the programs of its views to read."""
    return PACKED.sub(lambda found: gzip.decompress(base64.b64decode(found[0])).decode(), page)
