"""What the families share: notebooks made from solutions, and what is expected of them."""

import json
import os
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from transformer_checks.checks.cases import Outcome
from transformer_checks.grading.limits import Limits
from transformer_checks.grading.sandbox import protocol

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

Build = Callable[[Path], Path]
Change = Callable[[NotebookNode], object]


@dataclass(frozen=True)
class Submission:
    """A file that somebody hands in.

    Attributes:
        name: what is special about it.
        build: writes it into an empty folder and returns its path.
        expected: by the answer's name, the verdict of each exercise that does not pass.
        slips: by the answer's name, the slip that a wrong answer must be told.
        unreadable: words of the reason, where there is no verdict on exercises at all.
        lesson: that its exercises belong to.
        limits: seconds that things may take.
        isolated: whether only a worker without sight of the file system is judged rightly.
    """

    name: str
    build: Build
    expected: Mapping[str, str] = field(default_factory=dict)
    slips: Mapping[str, str] = field(default_factory=dict)
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


def read(family: str) -> dict[str, Any]:
    """What the file of a family holds.

    ``@PID@`` is the name of the tests' own PID namespace, ``@OUTCOME@`` what a worker would reply.
    """
    text = Path(__file__).with_name(f"{family}.toml").read_text("utf-8")
    pid = Path("/proc/self/ns/pid")
    text = text.replace("@PID@", os.readlink(pid) if pid.exists() else "")
    reply = json.dumps(protocol.pack_outcome(Outcome()))
    return tomllib.loads(text.replace("@OUTCOME@", reply))


def stored(family: str) -> tuple[Submission, ...]:
    """The submissions to lesson 02 that the file of a family holds, each a table of ``KEYS``."""
    return tuple(map(_stored, read(family)["submission"]))


KEYS = {
    "name": "what is special about it",
    "gets": "the verdict of each answer that does not pass, or of all",
    "slips": "that wrong answers must be told",
    "quick": "whether it must be stopped",
    "isolated": "whether only a worker without sight of the file system is judged rightly",
    "alone": "false where answers build on one another",
    "first": "cells above all others",
    "last": "cells below all others",
    "before": "what causal_mask does before it returns what is right",
    "answers": "other answers",
}


def _stored(one: Mapping[str, Any]) -> Submission:
    assert one.keys() <= KEYS.keys(), one
    sources = dict(one.get("answers", {}))
    if "before" in one:
        body = ("import os, sys, time, threading, signal", one["before"], f"return {RIGHT}")
        lines = "\n".join(body).replace("\n", "\n    ")
        sources["causal_mask"] = f"def causal_mask(queries, keys):\n    {lines}"
    changes = [answers(**sources), first(*one.get("first", ())), last(*one.get("last", ()))]
    gets = one.get("gets", {})
    return Submission(
        one["name"],
        edited(*([alone] if one.get("alone", True) else []), *changes),
        all_of(gets) if isinstance(gets, str) else gets,
        one.get("slips", {}),
        limits=QUICK if one.get("quick") else CALM,
        isolated=one.get("isolated", False),
    )


RIGHT = "torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries"
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
