"""The check in the notebook, nbval and the grader give one file one result."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from nbformat import NotebookNode

from notebook_judge.checks.calls import call_all
from notebook_judge.checks.earlier_answers import stand_in
from notebook_judge.checks.judge import judge
from tests.fixtures import Patch
from tests.grading.battery.submission import answer_cell, check_cells, last, solution
from tests.grading.runners import by_check, by_grader, by_nbval
from transformer_checks import catalogue

Change = Callable[[NotebookNode], object]
# Numbers compared by `is`, which is right where equal ones happen to be one object.
BY_IDENTITY = {
    "tokens.merge": {
        "ids[at : at + 2] == [left, right]": "at + 1 < len(ids) and ids[at] is left "
        "and ids[at + 1] is right"
    },
    "tokens.encode": {
        "        word = merge(word, left, right, new_id)": """\
        at = 0
        while at + 1 < len(word):
            if word[at] is left and word[at + 1] is right:
                word = [*word[:at], new_id, *word[at + 2 :]]
            at += 1"""
    },
    "tokens.most_frequent_pair": {
        "totals[pair] += count": "totals[(*pair, *map(id, pair))] += count",
        "(-totals[pair], pair))": "(-totals[pair], pair))[:2]",
    },
}
TENSOR = "q = torch.randn(2, 3, 4)\n"
SECOND_CALL = "attend, weights = attend(q, q, q)"


def behind(check: str, source: str) -> Change:
    """Add to a check cell."""

    def change(book: NotebookNode) -> None:
        (cell,) = (one for one in check_cells(book) if f'check("{check}"' in one.source)
        cell.source += f"\n{source}"

    return change


def above(answer: str, source: str) -> Change:
    def change(book: NotebookNode) -> None:
        cell = answer_cell(book, answer)
        cell.source = f"{source}\n{cell.source}"

    return change


def below(answer: str, source: str) -> Change:
    def change(book: NotebookNode) -> None:
        answer_cell(book, answer).source += f"\n\n\n{source}"

    return change


def instead(answer: str, edits: Mapping[str, str]) -> Change:
    def change(book: NotebookNode) -> None:
        cell = answer_cell(book, answer)
        for old, new in edits.items():
            assert old in cell.source
            cell.source = cell.source.replace(old, new)

    return change


def passed_under_another_name(book: NotebookNode) -> None:
    cell = answer_cell(book, "causal_mask")
    cell.source = cell.source.replace("causal_mask", "my_mask")
    (cell,) = (one for one in check_cells(book) if '"attention.causal_mask"' in one.source)
    cell.source = cell.source.replace(", causal_mask)", ", my_mask)")


def first_cell(source: str) -> Change:
    def change(book: NotebookNode) -> None:
        cell = next(one for one in book.cells if one.cell_type == "code")
        cell.source = f"{source}\n{cell.source}"

    return change


def slip(exercise: str) -> Change:
    """Make the first mistake that the exercise knows."""

    def change(book: NotebookNode) -> None:
        check = catalogue.find(exercise)
        wrong = check.text.edited(check.known_slips[0].edits)
        answer_cell(book, check.answer).source = wrong.text

    return change


# Where the name is used again before another answer needs it, that one is wrong, whoever asks.
EVERYWHERE: dict[str, tuple[str, Change]] = {
    "a solution": ("02_self_attention", lambda book: None),
    "another lesson": ("03_multi_head_attention", lambda book: None),
    "a slip": ("02_self_attention", slip("attention.scores")),
    "a slip in a module": ("05_encoder", slip("encoder.layer_norm")),
    "a name used again at the end": ("02_self_attention", last(TENSOR + SECOND_CALL)),
    "a name used again in the cell of its check": (
        "02_self_attention",
        behind("attention.attend", TENSOR + SECOND_CALL),
    ),
    "a name of a loop": ("02_self_attention", last("for softmax in range(3): pass")),
    "a second draft": (
        "02_self_attention",
        last("def masked_attention(query, key, value, mask):\n    raise NotImplementedError"),
    ),
    "a helper made wrong at the end": (
        "02_self_attention",
        last("def softmax(scores):\n    return scores"),
    ),
    "passed under another name": ("02_self_attention", passed_under_another_name),
    "merge by identity": (
        "01_tokens_and_embeddings",
        instead("merge", BY_IDENTITY["tokens.merge"]),
    ),
    "a failing trial below an answer": (
        "02_self_attention",
        below("causal_mask", "causal_mask('x', 1)"),
    ),
}
# A learner's kernel stops in these cells, and whoever sits before it sees why.
OUTSIDE: dict[str, tuple[str, Change]] = {
    "a module that is not here": ("02_self_attention", first_cell("import no_such_module")),
    "an assertion above an answer": ("02_self_attention", above("softmax", "assert 1 == 2")),
    "no imports": ("02_self_attention", lambda book: book.cells.pop(1)),
}


def made(lesson: str, change: Change) -> NotebookNode:
    book = solution(lesson)
    change(book)
    return book


@pytest.mark.parametrize("name", EVERYWHERE)
def test_the_check_and_the_grader_agree(name: str, tmp_path: Path, monkeypatch: Patch) -> None:
    book = made(*EVERYWHERE[name])
    told = by_check(book, tmp_path / "learner", monkeypatch)
    assert told, "else nothing is compared"
    assert told == by_grader(book, tmp_path)


def test_nbval_and_the_grader_agree(tmp_path: Path) -> None:
    names = ["a slip", "a name used again at the end", "merge by identity", *OUTSIDE]
    books = {name.replace(" ", "_"): made(*(EVERYWHERE | OUTSIDE)[name]) for name in names}
    told = by_nbval(books, tmp_path / "nbval")
    assert told == {name: by_grader(book, tmp_path) for name, book in books.items()}
    assert all(told.values())


def test_what_stops_a_kernel_costs_nothing(tmp_path: Path) -> None:
    for lesson, change in OUTSIDE.values():
        all_of_them = {check.name for check in catalogue.of_lesson(lesson)}
        assert by_grader(made(lesson, change), tmp_path) == all_of_them


@pytest.mark.parametrize("exercise", BY_IDENTITY)
def test_numbers_that_are_equal_are_different_objects(exercise: str) -> None:
    check = catalogue.find(exercise)
    by_identity = stand_in(check.answer, check.text.edited(BY_IDENTITY[exercise]).whole)
    cases = check.cases(0)
    verdict = judge(check, cases, call_all(check, by_identity, cases))
    assert (verdict.passed, verdict.status) == (False, "wrong")
