"""Build the static site of the course in ``build/site``, from what the repository holds.

``python -m authoring.site`` runs no notebook and needs no network: the pages show the outputs that
are stored, and everything they load lies beside them. The notebooks that their links to Colab open
are written to ``build/site-colab``.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from authoring.execute import ROOT
from authoring.site import colab, pages
from authoring.site.icons import write_icons
from authoring.site.offline import write_worker
from authoring.site.weights import write_model
from transformer_lesson.translation import translator, writer

SITE = ROOT / "build" / "site"
ON_GITHUB = re.compile(r"github\.com[:/]([\w.-]+/[\w.-]+?)(?:\.git)?/?$")


def build(site: Path, repository: str | None) -> int:
    """Build the site in an empty folder and return Sphinx's exit code: not 0 after any warning.

    Args:
        site: is made anew.
        repository: "owner/name" on GitHub, for the links to Colab and Binder; None: no such links.
    """
    source = site.with_name(f"{site.name}-source")
    # What Sphinx remembers is no part of the site.
    memory = site.with_name(f"{site.name}-memory")
    for_colab = site.with_name(f"{site.name}-colab")
    for folder in (site, source, memory, for_colab):
        shutil.rmtree(folder, ignore_errors=True)
    say("gathering the pages")
    pages.gather(source)
    if repository:
        say("writing the notebooks for Colab")
        colab.write(source, for_colab, repository)
    count = sum(path.suffix in (".md", ".ipynb") for path in source.rglob("*"))
    say(f"making {count} pages of them, which takes longest: Sphinx reads all, then writes all")
    options = ["-W", "--keep-going", "-c", str(Path(__file__).parent), "-d", str(memory)]
    if not sys.stdout.isatty():
        options.append("-q")
    command = [sys.executable, "-m", "sphinx", *options, str(source), str(site)]
    environment = {**os.environ, "COURSE_REPOSITORY": repository or ""}
    code = subprocess.run(command, cwd=ROOT, env=environment).returncode
    say("adding the models, icons, what measures the claims, and what keeps all to read offline")
    for part in ("evidence/claims", "evidence/results", "evidence/figures"):
        shutil.copytree(source / part, site / part)
    # Where the views look for it.
    for model in (translator.SHIPPED, writer.SHIPPED):
        write_model(site / "notebooks" / model.name, model)
    for template in (site / "_static").glob("*-macros.html"):  # of the theme, no page
        template.unlink()
    write_icons(site)
    write_worker(site)
    return code


def say(step: str) -> None:
    """Tell what is being done now: the whole takes a minute or more."""
    print(f"site: {step}", flush=True)


def repository_of(remote: str) -> str | None:
    """Return "owner/name" of the address of a repository on GitHub, None of any other."""
    found = ON_GITHUB.search(remote)
    return found[1] if found else None


def origin() -> str:
    """Return the address that this repository was cloned from, "" if there is none."""
    command = ["git", "config", "--get", "remote.origin.url"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.strip()


def main(words: Sequence[str]) -> int:
    """Build the site and say where it is."""
    parser = argparse.ArgumentParser("python -m authoring.site", description=__doc__)
    help_text = "OWNER/NAME on GitHub, for the links to Colab and Binder (default: that of origin)"
    parser.add_argument("--repository", default=repository_of(origin()), help=help_text)
    repository = parser.parse_args(words).repository
    if not repository:
        print(
            "origin is not on GitHub: the pages get no links to Colab and Binder; "
            'make site ARGS="--repository OWNER/NAME" makes them'
        )
    if build(SITE, repository):
        print("The site has faults; they are listed above.")
        return 1
    print(f"Open {SITE / 'index.html'}, or serve it: python -m http.server -d {SITE}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
