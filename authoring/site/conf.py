"""Sphinx's settings for the site; ``python -m authoring.site`` gives the pages."""

import os
import sys
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from authoring.onward import LESSONS  # noqa: E402
from authoring.site import colab, landing, ledger, pages  # noqa: E402
from notebook_judge.palette import REPORTS  # noqa: E402

project = "Transformer, built and measured"
author = "the authors of the course"
html_title = project
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
]
# Pages that are data.
exclude_patterns = ["evidence/claims", "evidence/results"]

nb_execution_mode = "off"
myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# Attributes that a docstring explains are fields of their class, not entries of their own.
napoleon_use_ivar = True
# What a package passes on is documented once, where it is defined.
autodoc_default_options = {"ignore-module-all": True}
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"

templates_path = ["templates"]
# As readers have set their system; without this line the theme complains on every page.
html_context = {"default_mode": "auto"}
html_theme = "sphinx_book_theme"
html_static_path = ["static", str(pages.mathjax())]
html_css_files = ["course.css"]
html_js_files = ["course.js"]
mathjax_path = pages.mathjax().name
html_show_copyright = False
html_theme_options = {
    "use_download_button": True,
    "use_fullscreen_button": False,
    "home_page_in_toc": False,
    "show_navbar_depth": 1,
    "navbar_persistent": [],
    "secondary_sidebar_items": {"**": ["page-toc"], "evidence/README": []},
    # The theme's own style of code has too little contrast.
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
if repository := os.environ.get("COURSE_REPOSITORY"):
    html_theme_options |= {
        "repository_url": f"https://github.com/{repository}",
        "repository_branch": "main",
        "use_repository_button": True,
        "launch_buttons": {
            "binderhub_url": "https://mybinder.org",
            "colab_url": "https://colab.research.google.com",
            "notebook_interface": "jupyterlab",
        },
    }


def setup(app: Sphinx) -> None:
    """Put labs and exercises below their lessons in the table of contents; mend links."""
    lessons = {f"notebooks/{path.stem}": path.name[:2] for path in LESSONS}

    def lead_on(app: Sphinx, name: str, text: list[str]) -> None:
        text[0] = pages.with_claims(name, pages.with_anchors(text[0]))
        if lesson := lessons.get(name):
            text[0] = pages.with_parts(lesson, text[0])

    def open_copies(
        app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: object
    ) -> None:
        """The theme has one branch for all its links; the notebooks for Colab have their own."""
        for group in context["header_buttons"]:
            for button in group.get("buttons", []):
                if button["text"] == "Colab":
                    button["url"] = button["url"].replace("/blob/main/", f"/blob/{colab.BRANCH}/")

    def dress(
        app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: object
    ) -> str | None:
        """Give the pages that differ their templates, what these show, and their scripts."""
        context["favicon_url"] = "data:,"  # none, and no page asks for one
        if name == "index":
            context.update(landing.shown(), palette=REPORTS, repository=repository)
            context.update(ledger.shown())
            return "landing.html"
        if name == "evidence/README":
            context.update(ledger.shown())
            return "claims.html"
        if name == "search":
            app.add_js_file("search.js", loading_method="defer")
        return None

    app.connect("source-read", lead_on)
    app.connect("html-page-context", dress)
    # After the theme has made its buttons.
    app.connect("html-page-context", open_copies, priority=502)
