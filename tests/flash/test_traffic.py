"""The fast memory refuses and counts; the kernel moves what the formula says."""

from collections.abc import Callable
from math import ceil

import pytest
import torch
from torch import Tensor

from transformer_lesson import seeded
from transformer_lesson.flash import configs, flash_attention
from transformer_lesson.flash.traffic import (
    FastMemory,
    counted_kernels,
    keys_first,
    queries_first,
    standard,
)

ORDERS = (standard, keys_first, queries_first)


def test_a_memory_that_is_full_says_what_is_in_it() -> None:
    memory = FastMemory(10)
    memory.load("query", torch.zeros(8))
    with pytest.raises(MemoryError, match="key has 3 words; the fast memory holds 10, of which 8"):
        memory.load("key", torch.zeros(3))
    memory.free("query")
    memory.load("key", torch.zeros(3))
    assert (memory.moved, memory.most) == (11, 8)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("capacity", [700, 3000, 10**6])
def test_every_order_is_exact_and_stays_within_the_memory(
    order: Callable[..., Tensor], capacity: int
) -> None:
    query, key, value = torch.randn(3, 45, 16, generator=seeded(0))
    memory = FastMemory(capacity)
    output = order(memory, query, key, value)
    exact = (query @ key.mT / 4).softmax(-1) @ value
    torch.testing.assert_close(output, exact, rtol=1e-4, atol=1e-5)
    assert memory.most <= capacity


def test_a_large_memory_moves_the_compulsory_words_and_a_tiny_one_holds_no_tile() -> None:
    tensors = torch.randn(3, 32, 8, generator=seeded(0))
    memory = FastMemory(10**6)
    queries_first(memory, *tensors)
    assert memory.moved == 4 * 32 * 8
    with pytest.raises(MemoryError, match="holds no tile"):
        queries_first(FastMemory(20), *tensors)


def test_the_kernel_reads_keys_and_values_once_for_each_tile_of_queries() -> None:
    tokens, width = 300, 16
    q, k, v = (torch.randn(1, 1, tokens, width, generator=seeded(i)) for i in range(3))
    with counted_kernels() as words:
        flash_attention(q, k, v, backend="triton")
    tiles = ceil(tokens / configs.INTERPRETER.queries)
    assert words["loaded"] == tokens * width + tiles * 2 * tokens * width
    assert words["stored"] == tokens * width + tokens  # the output and the log-sum-exp
