"""Speculative decoding: the same distribution, fewer calls, caches that forget what is not kept."""

from collections import Counter
from itertools import product
from math import prod
from typing import Any

import pytest
import torch

from tests.decoders import END, Table, ids, small, toy
from transformer_lesson import seeded
from transformer_lesson.decoding import greedy, likely
from transformer_lesson.speculation import speculative_sample

SURE = [[0.1, 0.6, 0.3], [0.5, 0.25, 0.25], [0.05, 0.15, 0.8]]
UNSURE = [[0.4, 0.3, 0.3], [0.2, 0.2, 0.6], [0.3, 0.4, 0.3]]


def calls_of(model: Any) -> list[int]:
    """A list that grows by one with each call of ``model``."""
    calls: list[int] = []
    model.register_forward_hook(lambda *_: calls.append(1))
    return calls


@pytest.mark.parametrize("limits", [{}, {"temperature": 0.7, "top_k": 2}])
@pytest.mark.parametrize("guesses", [1, 3])
def test_texts_follow_the_models_distribution_in_fewer_calls(
    guesses: int, limits: dict[str, Any]
) -> None:
    model, draft, generator = Table(SURE), Table(UNSURE), seeded(0)
    calls, start, texts = calls_of(model), torch.tensor([[0]]), 1000
    counts: Counter[tuple[int, ...]] = Counter()
    for _ in range(texts):
        options = {"guesses": guesses, "max_tokens": 4, "generator": generator, **limits}
        counts[tuple(speculative_sample(model, draft, start, **options)[0].tolist())] += 1
    table = likely(model.log_probability, **limits).softmax(-1)
    expected = {
        (0, *rest): texts * prod(table[a, b].item() for a, b in zip((0, *rest), rest, strict=False))
        for rest in product(range(3), repeat=3)
    }
    assert all(expected[text] > 0 for text in counts)
    possible = [text for text in expected if expected[text] > 0]
    chi = sum((counts[text] - expected[text]) ** 2 / expected[text] for text in possible)
    freedom = torch.tensor((len(possible) - 1) / 2)
    assert torch.special.gammaincc(freedom, torch.tensor(chi / 2)) > 0.01
    assert len(calls) < 0.9 * 3 * texts


@pytest.mark.parametrize("source", [False, True])
@pytest.mark.parametrize("positions", ["learned", "rotary"])
def test_the_narrowest_choice_is_greedy_whatever_the_draft(source: bool, positions: str) -> None:
    model, draft = (toy(12, seed, source=source, positions=positions) for seed in (0, 1))
    texts = ids(1, 5) if source else None
    for first in range(3, 12):
        prompt = torch.tensor([[1, first]])
        for end_id in (None, END):
            told: dict[str, Any] = {"source": texts, "max_tokens": 14, "end_id": end_id}
            expected = greedy(model, prompt, **told)
            got = speculative_sample(model, draft, prompt, top_k=1, **told)
            assert torch.equal(got, expected)


def test_a_draft_that_is_the_model_is_always_right() -> None:
    model = small(source=False)
    calls = calls_of(model)
    written = speculative_sample(model, model, torch.tensor([[1]]), guesses=4, max_tokens=16)
    assert written.shape == (1, 16)
    assert len(calls) == 3 * (4 + 1)  # 15 tokens in rounds of 4 guesses and one more
