import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from transformer_lesson.training import TokenBatches


def pairs(count: int) -> list[tuple[list[int], list[int]]]:
    return [([1 + k % 7] * (3 + k % 9), [1 + k % 5] * (2 + k % 10)) for k in range(count)]


def rows_of(batch: Tensor) -> list[list[int]]:
    return [[token for token in row if token] for row in batch.tolist()]


@settings(max_examples=30, deadline=None)
@given(
    lengths=st.lists(st.integers(1, 12), min_size=8, max_size=60),
    batch_tokens=st.integers(12, 40),
    seed=st.integers(0, 5),
)
def test_each_epoch_holds_every_example_once_within_the_limit(
    lengths: list[int], batch_tokens: int, seed: int
) -> None:
    examples = [[index + 1] * length for index, length in enumerate(lengths)]
    if len(examples) * max(lengths) < batch_tokens:
        return
    batches = TokenBatches(examples, batch_tokens, seed=seed)
    for epoch in range(2):
        seen: list[list[int]] = []
        for turn in range(batches.per_epoch):
            batch = batches(epoch * batches.per_epoch + turn)
            assert isinstance(batch, Tensor) and batch.numel() <= batch_tokens
            seen += rows_of(batch)
        assert sorted(seen) == sorted(examples)


def test_a_batch_depends_on_its_number_alone() -> None:
    first, second = (TokenBatches(pairs(200), 128, seed=3) for _ in range(2))
    numbers = [70, 3, 3, 12, 0, 70]
    wanted = {number: first(number) for number in sorted(set(numbers))}
    for number in numbers:
        for one, two in zip(second(number), wanted[number], strict=True):
            assert one.equal(two)


def test_epochs_and_seeds_differ() -> None:
    batches, other = TokenBatches(pairs(200), 128, seed=0), TokenBatches(pairs(200), 128, seed=1)
    epoch = [str(batches(number)) for number in range(batches.per_epoch)]
    again = [str(batches(number + batches.per_epoch)) for number in range(batches.per_epoch)]
    assert epoch != again
    assert epoch != [str(other(number)) for number in range(batches.per_epoch)]


def test_the_padding_share_is_what_the_batches_hold() -> None:
    batches = TokenBatches(pairs(300), 100)
    ids = padding = 0
    for number in range(batches.per_epoch):
        for side in batches(number):
            ids += side.numel()
            padding += int((side == 0).sum())
    assert batches.padding_share == pytest.approx(padding / ids)
    assert 0 < batches.padding_share < 0.25


def test_each_text_is_checked_against_its_own_vocabulary() -> None:
    batches = TokenBatches([([9, 9], [4]), ([8], [4])] * 3, 4)
    batches.check_vocabulary(10)
    batches.check_vocabulary(5, 10)
    with pytest.raises(ValueError, match=r"token id 9 .* to 8"):
        batches.check_vocabulary(5, 9)
    with pytest.raises(ValueError, match=r"token id 9 .* to 4"):
        batches.check_vocabulary(5)
    with pytest.raises(ValueError, match=r"token id 4 .* to 3"):
        batches.check_vocabulary(4, 10)
