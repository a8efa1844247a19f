"""``python -m authoring.weight``: what all hand-written text weighs, by room, and what it may.

A room is a folder to which ``CHANGELOG.md`` gives a limit; what lies in none of them is "all else".
Limits stand nowhere else, so that a room grows by a line that says for whom.
"""

import re
import subprocess
import sys
from collections import Counter, defaultdict
from fnmatch import fnmatch
from pathlib import PurePosixPath

from authoring import named
from authoring.environment import ROOT

REST = "all else"
# Derived from what is weighed, recorded from runs, or other people's text.
STORED = (
    "*.ipynb",
    "*/data/*",
    "*/results/*",
    "LICENSE",
    "evidence/README.md",
    "evidence/figures/*",
    "evidence/pages/*",
    "exercises/*",
    "requirements.*",
    "tests/pretrained/*/*",
    "transformer_checks/catalogue/solutions/*",
)
KINDS = {".py": "Python", ".toml": "TOML", ".tsv": "tables", ".txt": "text", ".md": "prose"}
KINDS |= {".js": "scripts", ".css": "styles", ".html": "templates", ".jinja": "templates"}
COLUMNS = [*dict.fromkeys(KINDS.values()), "other"]
LONG = 400  # lines of a file of Python

Weights = dict[str, Counter[str]]


def weighed() -> dict[str, bytes]:
    """All text that git tracks and that is not ``STORED``, whatever its name ends in."""
    listed = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, encoding="utf-8")
    paths = [ROOT / name for name in listed.split("\0") if name and not is_stored(name)]
    texts = {path: path.read_bytes() for path in paths if path.is_file()}
    return {
        path.relative_to(ROOT).as_posix(): text for path, text in texts.items() if b"\0" not in text
    }


def is_stored(name: str) -> bool:
    """Say whether a file is not weighed."""
    return any(fnmatch(name, pattern) for pattern in STORED)


def limits(changes: str) -> dict[str, int]:
    """The kB that each room may weigh: of all that the changelog says of it, the topmost."""
    found: dict[str, int] = {}
    for line in re.findall(r"may weigh, in kB: (.*)", changes):
        for room, most in re.findall(rf"(`[\w/]+`|{REST}) ([\d,]+)", line):
            found.setdefault(room.strip("`"), int(most.replace(",", "")))
    return found


def by_room(texts: dict[str, bytes], rooms: dict[str, int]) -> Weights:
    """The bytes of each kind in each room; a file counts in the innermost that holds it."""
    found: Weights = defaultdict(Counter)
    for name, text in texts.items():
        path = PurePosixPath(name)
        room = next((str(folder) for folder in path.parents if str(folder) in rooms), REST)
        found[room][KINDS.get(path.suffix, "other")] += len(text)
    return found


def heavy(weights: Weights, rooms: dict[str, int]) -> list[str]:
    """The rooms that weigh more than they may."""
    return [room for room, kinds in weights.items() if kinds.total() > 1000 * rooms.get(room, 0)]


def table(weights: Weights, rooms: dict[str, int]) -> str:
    """The weights in kB, one line a room, with its limit."""
    lines = [["", *COLUMNS, "kB", "may"]]
    every = [(room, weights[room], rooms.get(room, 0)) for room in sorted(weights)]
    every.append(("together", sum(weights.values(), Counter()), sum(rooms.values())))
    for room, kinds, most in every:
        numbers = [*(kinds[kind] for kind in COLUMNS), kinds.total(), 1000 * most]
        lines.append([room, *(f"{number / 1000:,.0f}" if number else "" for number in numbers)])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join([name.ljust(widths[0]), *map(str.rjust, cells, widths[1:])])
        for name, *cells in lines
    )


def long_files(texts: dict[str, bytes]) -> list[str]:
    """The files of Python that are hard to read for their length."""
    counts = {name: text.count(b"\n") for name, text in texts.items() if name.endswith(".py")}
    return [f"{name}: {count} lines" for name, count in counts.items() if count > LONG]


def main() -> int:
    """Print the table; return 1 if a room is too heavy."""
    texts = weighed()
    rooms = limits((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    weights = by_room(texts, rooms)
    print(table(weights, rooms))
    for line in long_files(texts):
        print(f"long: {line}")
    over = heavy(weights, rooms)
    if over:
        print(f"Too heavy: {', '.join(over)}. Take out what nobody needs, or say in CHANGELOG.md")
        print("for whom the room grows, with its new limit.")
    return 1 if over else 0


if __name__ == "__main__":
    named(__doc__, most=0)
    sys.exit(main())
