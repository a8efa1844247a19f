"""Where the course can be fetched, once that is known: ``python -m authoring.address OWNER/NAME``.

Puts the address on GitHub into the README's first command and into CITATION.cff, and that of the
site, which a workflow publishes there, into the README.
"""

import re
import sys

from authoring import named
from authoring.environment import ROOT

README, CITATION = ROOT / "README.md", ROOT / "CITATION.cff"
CLONE = re.compile(r"(?<=^git clone )\S.*(?= transformer-lesson &&)", re.MULTILINE)
SITE = re.compile(r"(?<=\[for a workflow to publish\]\()[^)]*")
CODE = re.compile(r"^repository-code: .*\n", re.MULTILINE)


def in_readme(text: str, repository: str) -> str:
    """The README with the addresses of "OWNER/NAME"."""
    owner, name = repository.split("/")
    text = CLONE.sub(f"https://github.com/{repository}", text)
    return SITE.sub(f"https://{owner.lower()}.github.io/{name}/", text)


def in_citation(text: str, repository: str) -> str:
    """CITATION.cff with the address of "OWNER/NAME"."""
    return CODE.sub("", text) + f"repository-code: https://github.com/{repository}\n"


def main() -> int:
    """Write the address into both."""
    repository = "".join(named(__doc__, most=1))
    if not re.fullmatch(r"[\w-]+/[\w.-]+", repository):
        print(f"Expected OWNER/NAME, as in someone/transformer-lesson; got {repository!r}.")
        return 2
    for path, change in ((README, in_readme), (CITATION, in_citation)):
        path.write_text(change(path.read_text("utf-8"), repository), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
