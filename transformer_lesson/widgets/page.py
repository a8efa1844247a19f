"""An explorer as HTML that needs neither kernel nor network."""

import base64
import html
import json
from pathlib import Path
from string import Template
from typing import Any

HERE = Path(__file__).parent

# The picture stands until the script has drawn the live view in its place. Where scripts do not
# run, sanitizers drop scripts with their contents and leave the picture. Some leave the contents
# of a style element as text, so the style travels in a script. There are no ids, so that several
# explorers fit in one page.
PAGE = Template("""\
<div class="attention-explorer-page">
<div class="attention-explorer-view">
<img src="data:image/png;base64,$picture" alt="$alternative">
</div>
<script type="application/json">$content</script>
<script type="module">
$script
</script>
</div>
""")


def static_page(*, state: dict[str, Any], data: bytes, picture: bytes, alternative: str) -> str:
    """Return one explorer as a piece of HTML.

    Args:
        state: the explorer's synced values by name, but for the weights.
        data: the weights, as the explorer sends them to the browser.
        picture: a PNG.
        alternative: what the picture shows, in words.
    """
    style = (HERE / "explorer.css").read_text(encoding="utf-8")
    content = {**state, "data": base64.b64encode(data).decode(), "style": style}
    return PAGE.substitute(
        picture=base64.b64encode(picture).decode(),
        alternative=html.escape(alternative),
        # A token such as </script> may not end the element.
        content=json.dumps(content).replace("<", "\\u003c"),
        script="".join(
            (HERE / name).read_text(encoding="utf-8") for name in ("explorer.js", "page.js")
        ),
    )
