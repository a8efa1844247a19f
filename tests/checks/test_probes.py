"""What is said of wrong numbers that no known mistake explains."""

import pytest
import torch
from torch import Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.common_factor import told_apart
from notebook_judge.checks.probes import diagnose

RIGHT_NUMBERS = (0.7, 1.3, 2.9)


@pytest.mark.parametrize(
    ("factor", "shift", "says"),
    [
        (torch.tensor([[2.0], [3.0]]), 0.0, "each row of `output` is right but for a factor"),
        (1.0, torch.tensor([[2.0], [3.0]]), "each row of `output` is shifted by a number"),
        (2.0, 0.0, "`output` is 2 times what it should be"),
    ],
)
def test_rows_may_differ_each_in_its_own_way(
    factor: Tensor | float, shift: Tensor | float, says: str
) -> None:
    expected = torch.tensor([[1.0, -2.0, 0.5], [0.3, 1.5, -0.7]])
    found = diagnose("output", factor * expected + shift, expected, Case("two rows", {}))
    assert found and found[0].startswith(says)


@pytest.mark.parametrize(
    ("got", "says"),
    [
        (0.0, "`sum` is 0 where it should be -∞"),
        (torch.nan, "`sum` holds NaN"),
        (torch.inf, "`sum` holds infinity"),
    ],
)
def test_what_stands_in_the_place_of_infinity_is_said(got: float, says: str) -> None:
    expected = torch.tensor([1.0, -torch.inf])
    found = diagnose("sum", torch.tensor([1.0, got]), expected, Case("an empty row", {}))
    assert found and found[0] == says


@pytest.mark.parametrize(
    ("got", "says", "lead"),
    [
        ([4, 7, 7, 1], "`ids` is 1 too long", "Where should it have stopped?"),
        ([4, 7], "`ids` is 1 too short", "What ends it too early?"),
        ([4, 8], "`ids` is 1 too short, and differs after the first 1", "Work out by hand"),
        ([], "`ids` is empty", "Which step finds nothing"),
    ],
)
def test_a_row_of_another_length_is_compared_as_far_as_it_goes(
    got: list[int], says: str, lead: str
) -> None:
    row = torch.tensor(got, dtype=torch.long)
    found = diagnose("ids", row, torch.tensor([4, 7, 7]), Case("three ids", {}))
    assert found and found[0].startswith(says) and found[1].startswith(lead)


def test_a_softmax_is_not_seen_in_ids() -> None:
    found = diagnose("word", torch.tensor([0, 1]), torch.tensor([17, 42]), Case("two ids", {}))
    assert found is None
    scores = torch.tensor([0.5, 1.5])
    found = diagnose("output", scores.softmax(0), scores, Case("two scores", {}))
    assert found and found[0].startswith("a softmax over axis 0")


def test_a_factor_is_not_seen_in_ids() -> None:
    expected = torch.tensor([[1, 0, 0], [1, 7, 5]])
    got = expected * torch.tensor([[2], [1]])
    found = diagnose("inputs", got, expected, Case("two rows of ids", {}))
    assert found and found[0].startswith("`inputs` is wrong at index 0")


def test_what_is_nearly_right_is_told_nothing_else() -> None:
    expected = torch.tensor([[1.0, -2.0, 0.5], [0.3, 1.5, -0.7]])
    found = diagnose("output", expected.half().float() * 1.0005, expected, Case("two rows", {}))
    assert found and found[0].startswith("`output` is nearly right: off by up to 0.001")
    assert "small beside the others" in found[1]  # as an optimizer's move is, beside the weight


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ([2 * right for right in RIGHT_NUMBERS], "2 times what it should be"),
        ([right + 0.5 for right in RIGHT_NUMBERS], "0.5 too large"),
        ([0.25] * 3, "0.25 in every case that is wrong"),
        ([3 * 0.7, 4 * 1.3, 5 * 2.9], "(x.shape[-1]) times what it should be"),
        ([3 * 0.7, 4 * 1.3, 2.0], "expected 0.7"),
    ],
)
def test_single_numbers_have_something_in_common_in_three_cases(
    wrong: list[float], words: str
) -> None:
    cases = [Case(str(size), {"x": torch.zeros(size)}) for size in (3, 4, 5)]
    got, expected = (list(map(torch.tensor, numbers)) for numbers in (wrong, RIGHT_NUMBERS))
    samples = list(zip(got, expected, cases, strict=True))
    longer = (torch.tensor([0.5]), torch.zeros(4), Case("of another shape", {}))
    # What is 0.25 in every case that is wrong cannot be 0.5 in one of them.
    beside = [] if "every case" in words else [longer]
    found = diagnose("loss", *samples[0], [*samples, *beside])
    assert found is not None
    assert words in found[0]
    alone = diagnose("loss", *samples[0], samples[:2])
    assert alone is not None
    assert "expected 0.7" in alone[0]


def test_what_is_so_in_some_cases_is_not_said_of_all() -> None:
    kinds = [torch.tensor([0.0]), torch.tensor([0.0]), torch.tensor([0.0]), torch.tensor([0.0, 1])]
    right = [torch.tensor([1.0]), torch.tensor([2.0]), torch.tensor([3.0]), torch.tensor([1.0, 2])]
    samples = list(zip(kinds, right, [Case("", {})] * 4, strict=True))
    found = diagnose("kinds", *samples[0], samples)
    assert found is not None and "every case" not in found[0]
    x, y = torch.tensor([1.0, 2.0, 3.0, 5.0]), torch.tensor([4.0, 1.0, 7.0, 0.0])
    returned, changed = (x, y, Case("", {"x": x})), (2 * y.roll(1) + x, y, Case("", {"x": x}))
    alone, beside = (diagnose("y", *returned, list(others)) for others in ([], [changed]))
    assert alone and "`x` as it was" in alone[0]
    assert not (beside and "`x` as it was" in beside[0])


@pytest.mark.parametrize(
    ("one", "other", "read"),
    [
        (0.5, 2.0, ("0.5", "2")),
        (1.0000004, 1.0, ("1.0000004", "1")),
        (202_356_000.0, 202_356_001.0, ("202356000", "202356001")),
    ],
)
def test_numbers_that_differ_never_read_the_same(
    one: float, other: float, read: tuple[str, str]
) -> None:
    assert told_apart(one, other, 3) == read


def test_a_place_is_right_where_the_check_calls_it_right() -> None:
    expected = torch.tensor([[1.0, -2.0, 0.5], [0.3, 1.5, -0.7]])
    got = expected + torch.tensor([[5e-4, 0.0, 0.0], [0.0, 0.5, 0.0]])
    found = diagnose("output", got, expected, Case("two rows", {}))
    assert found and found[0] == "`output` is wrong at index 0, 1 of axis 1 only, of 3"
