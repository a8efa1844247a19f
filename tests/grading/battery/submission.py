"""What the families share: notebooks made from solutions, and what is expected of them."""

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import jupytext
import nbformat
from nbformat import NotebookNode

from notebook_judge.checks.cases import Outcome
from notebook_judge.grading.limits import Limits
from notebook_judge.grading.sandbox import protocol
from tests.grading import tiny_course

ROOT = Path(__file__).parents[3]
LESSON = "02_self_attention"
ANSWERS = (
    "softmax",
    "attention_scores",
    "attend",
    "self_attention",
    "causal_mask",
    "padding_mask",
    "masked_attention",
    "repaired_heads",
    "which_bug",
)
CALM = Limits()  # for notebooks that end by themselves, however busy the machine is
QUICK = Limits(cell=4.0, exercise=3.0, far=2.0, grace=1.0)  # for those that must be stopped
REPLY = json.dumps(protocol.pack_outcome(Outcome()))

Build = Callable[[Path], Path]
Change = Callable[[NotebookNode], object]


@dataclass(frozen=True)
class Submission:
    """A file that somebody hands in.

    Attributes:
        name: what is special about it.
        build: writes it into an empty folder and returns its path.
        expected: by the answer's name, the verdict of each exercise that does not pass; "a or b"
            where that is chance.
        slips: by the answer's name, the slip that a wrong answer must be told.
        says: by the answer's name, words of which the headline holds one.
        unreadable: words of the reason, where there is no verdict on exercises at all.
        lesson: that its exercises belong to.
        limits: seconds that things may take.
        isolated: whether only a worker without sight of the file system is judged rightly.
    """

    name: str
    build: Build
    expected: Mapping[str, str] = field(default_factory=dict)
    slips: Mapping[str, str] = field(default_factory=dict)
    says: Mapping[str, Sequence[str]] = field(default_factory=dict)
    unreadable: str = ""
    lesson: str = LESSON
    limits: Limits = CALM
    isolated: bool = False


@lru_cache
def _solution(lesson: str) -> NotebookNode:
    return nbformat.read(ROOT / "solutions" / f"{lesson}.ipynb", as_version=4)


def solution(lesson: str = LESSON) -> NotebookNode:
    """A copy of a lesson's solutions."""
    return deepcopy(_solution(lesson))


def save(book: Mapping[str, object], folder: Path, name: str = "02.ipynb") -> Path:
    """Write a notebook as it is, right or not."""
    path = folder / name
    path.write_text(json.dumps(book), encoding="utf-8")
    return path


def edited(*changes: Change, lesson: str = LESSON, name: str = "02.ipynb") -> Build:
    """The solutions of a lesson, after some changes."""

    def build(folder: Path) -> Path:
        book = solution(lesson)
        for change in changes:
            change(book)
        return save(book, folder, name)

    return build


def code(source: str) -> NotebookNode:
    """A code cell."""
    return nbformat.v4.new_code_cell(source)


def first(*sources: str) -> Change:
    """Put cells in front of all others."""
    return lambda book: book.cells.__setitem__(slice(0, 0), map(code, sources))


def last(*sources: str) -> Change:
    """Put cells behind all others."""
    return lambda book: book.cells.extend(map(code, sources))


def answers(**sources: str) -> Change:
    """Put other answers in the places of those of the solutions."""

    def change(book: NotebookNode) -> None:
        for name, source in sources.items():
            answer_cell(book, name).source = source

    return change


def answer_cell(book: NotebookNode, name: str) -> NotebookNode:
    """The cell that defines an answer."""
    starts = (f"def {name}(", f"class {name}(")
    (cell,) = (
        c
        for c in book.cells
        if c.metadata.get("nbgrader", {}).get("solution") and any(s in c.source for s in starts)
    )
    return cell


def check_cells(book: NotebookNode) -> list[NotebookNode]:
    """The cells that call ``check``."""
    return [cell for cell in book.cells if cell.metadata.get("nbgrader", {}).get("grade")]


def all_of(status: str, names: Iterable[str] = ANSWERS) -> dict[str, str]:
    """The same verdict for several answers."""
    return dict.fromkeys(names, status)


def alone(book: NotebookNode) -> None:
    """Make every answer of lesson 02 stand alone, so that a wrong one fails no other."""
    answers(**ALONE)(book)


def instead(**sources: str) -> Build:
    """Solutions of lesson 02 that stand alone, some of them replaced."""
    return edited(alone, answers(**sources))


def around(sources: Sequence[str]) -> Build:
    """Solutions of lesson 02 that stand alone behind some cells."""
    return edited(alone, first(*sources))


@dataclass(frozen=True)
class Written:
    """A notebook as a file of ``notebooks/`` holds it: a heading, a list, and cells.

    Attributes:
        name: the heading.
        told: the list: what stands behind a colon by what stands before it.
        cells: title and source of each; what is no Python stands there as a raw cell.
    """

    name: str
    told: Mapping[str, str]
    cells: list[tuple[str, str]]

    def titled(self, title: str) -> list[str]:
        """The sources of the cells of this title."""
        return [source for named, source in self.cells if named == title]


@lru_cache
def written(family: str) -> dict[str, Written]:
    """The notebooks of a file, by their names.

    ``"@PID@"`` is the name of the tests' own PID namespace, ``"@OUTCOME@"`` what a worker would
    reply.
    """
    pid = Path("/proc/self/ns/pid")
    known = {"PID": os.readlink(pid) if pid.exists() else "", "OUTCOME": REPLY}
    text = (Path(__file__).parent / "notebooks" / f"{family}.py").read_text("utf-8")
    for name, value in known.items():
        text = text.replace(f'"@{name}@"', repr(value))
    found: list[Written] = []
    for cell in jupytext.reads(text, "py:percent").cells:
        if cell.cell_type != "markdown":
            found[-1].cells.append((cell.metadata.get("title", ""), cell.source))
        elif cell.source.startswith("## "):
            name, *lines = cell.source.removeprefix("## ").splitlines()
            items = [line[2:].partition(": ") for line in lines if line.startswith("- ")]
            found.append(Written(name, {key: value for key, _, value in items}, []))
    by_name = {one.name: one for one in found}
    assert len(by_name) == len(found), f"two notebooks of {family} have one heading"
    return by_name


# What the list of a notebook says, beside ``answer: verdict, slip`` of each answer that does not
# pass and ``answer says: words of the headline``.
TOLD = {
    "all": "the verdict of all answers",
    "all say": "words of the headline of those that do not pass",
    "quick": "it must be stopped",
    "tight": "it may take little",
    "a second of computing": "and no more",
    "isolated": "only a worker without sight of the file system is judged rightly",
    "as they are": "the solutions, some of which build on one another",
    "after": "the part that it begins with",
}
LIMITS = {
    LESSON: {"quick": QUICK},
    tiny_course.LESSON: {
        "quick": tiny_course.QUICK,
        "tight": tiny_course.TIGHT,
        "a second of computing": Limits(cpu=1),
    },
}


def stored(family: str, lesson: str = LESSON) -> tuple[Submission, ...]:
    """The submissions that a file of ``notebooks/`` holds.

    Cells without a title stand above all others, those called ``last`` below, and one that bears
    the name of an answer in the place of that answer.
    """
    return tuple(_stored(one, lesson) for one in written(family).values())


def _stored(one: Written, lesson: str) -> Submission:
    known = ANSWERS if lesson == LESSON else tuple(tiny_course.RIGHT)
    verdicts = {answer: one.told[answer].partition(", ") for answer in known if answer in one.told}
    says = {
        answer: one.told.get(f"{answer} says", one.told.get("all say", "")) for answer in verdicts
    }
    told = one.told.keys() - verdicts.keys() - {f"{answer} says" for answer in says}
    assert told <= TOLD.keys(), one
    assert {title for title, _ in one.cells} <= {"", "last", *known}, one
    limits = [LIMITS[lesson][key] for key in told if key in LIMITS[lesson]]
    return Submission(
        one.name,
        _built(one, lesson),
        {a: v for a, (v, _, _) in verdicts.items()} or all_of(one.told.get("all", "passed"), known),
        {a: slip for a, (_, _, slip) in verdicts.items() if slip},
        {answer: words.split(" or ") for answer, words in says.items()},
        lesson=lesson,
        limits=limits[0] if limits else CALM,
        isolated="isolated" in told,
    )


def _built(one: Written, lesson: str) -> Build:
    part = one.told.get("after")
    above = (written("parts")[part].titled("") if part else []) + one.titled("")
    others = {title: source for title, source in one.cells if title not in ("", "last")}
    if lesson == LESSON:
        start = [] if "as they are" in one.told else [alone]
        return edited(*start, answers(**others), first(*above), last(*one.titled("last")))
    right = tiny_course.RIGHT | others
    cells = [tiny_course.IMPORTS, *above, *right.values(), *one.titled("last")]
    return lambda folder: tiny_course.save(folder / "tiny.ipynb", cells)


ALONE = {
    "attend": """def attend(query, key, value):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights""",
    "self_attention": """def self_attention(tokens, w_query, w_key, w_value):
    query, key, value = tokens @ w_query, tokens @ w_key, tokens @ w_value
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    return torch.softmax(scores, dim=-1) @ value""",
    "masked_attention": """def masked_attention(query, key, value, mask):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1).masked_fill(~mask, 0.0)
    return weights @ value, weights""",
    "repaired_heads": """def repaired_heads(tokens, w_qkv, w_out, num_heads):
    batch, length, d_model = tokens.shape
    qkv = (tokens @ w_qkv).view(batch, length, 3, num_heads, d_model // num_heads)
    query, key, value = (part.transpose(1, 2) for part in qkv.unbind(2))
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    heads = torch.softmax(scores, dim=-1) @ value
    return heads.transpose(1, 2).reshape(batch, length, d_model) @ w_out""",
}
