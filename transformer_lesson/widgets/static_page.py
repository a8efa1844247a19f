"""A view as HTML that needs neither kernel nor network."""

import base64
import html
import json
from pathlib import Path
from string import Template
from typing import Any

SCRIPT = (Path(__file__).parent / "static_page.js").read_text(encoding="utf-8")

# The picture stands until the script has drawn the live view in its place. Where scripts do not
# run, sanitizers drop scripts with their contents and leave the picture. Some leave the contents
# of a style element as text, so the style travels in a script. There are no ids, so that several
# views fit in one page.
PAGE = Template("""\
<div class="$kind-page">
<div class="$kind-view">
<img src="data:image/png;base64,$picture" alt="$alt_text">
</div>
<script type="application/json">$content</script>
<script type="module">
$script
startPages("$kind");
</script>
</div>
""")


def static_page(
    *,
    kind: str,
    script: str,
    style: str,
    state: dict[str, Any],
    picture: bytes,
    alt_text: str,
) -> str:
    """Return one view as a piece of HTML.

    Args:
        kind: the CSS class of the view.
        script: its module, which has a function ``render``.
        style: its CSS.
        state: its synced values by name; numbers packed as bytes are named ``data``.
        picture: a PNG.
        alt_text: what the picture shows, in words.
    """
    content = {**state, "style": style}
    if "data" in state:
        content["data"] = base64.b64encode(state["data"]).decode()
    return PAGE.substitute(
        kind=kind,
        picture=base64.b64encode(picture).decode(),
        alt_text=html.escape(alt_text),
        # A token such as </script> may not end the element.
        content=json.dumps(content).replace("<", "\\u003c"),
        script=script + SCRIPT,
    )
