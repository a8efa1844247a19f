"""A view as a piece of HTML that needs neither a kernel nor a network."""

import base64
import html
import json
from pathlib import Path
from string import Template
from typing import Any

SCRIPT = (Path(__file__).parent / "static_page.js").read_text(encoding="utf-8")

# The script replaces the picture with the live view. Where scripts do not run, sanitizers remove
# them together with their contents, and the picture remains. Some sanitizers turn the contents of a
# style element into visible text, so the style is sent inside a script. There are no ids, so that
# one page can hold several views.
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
    *, kind: str, script: str, style: str, state: dict[str, Any], picture: bytes, alt_text: str
) -> str:
    """Return one view as a piece of HTML.

    Args:
        kind: the CSS class of the view.
        script: its ES module, which has a function ``render``.
        style: its style sheet.
        state: the values of its synced traits by name; bytes may only be in ``data``.
        picture: a PNG of what it shows.
        alt_text: the same in words.
    """
    content = {**state, "style": style}
    if "data" in state:
        content["data"] = base64.b64encode(state["data"]).decode()
    return PAGE.substitute(
        kind=kind,
        picture=base64.b64encode(picture).decode(),
        alt_text=html.escape(alt_text),
        # A token such as </script> must not end the element.
        content=json.dumps(content).replace("<", "\\u003c"),
        script=script + SCRIPT,
    )
