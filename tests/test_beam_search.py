"""Beam search against exhaustive search, and on models whose next token is read from a table."""

import itertools
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from tests.decoders import END, PAD, START, Table, ids, small, toy
from transformer_lesson.decoding import Model, beam_search, greedy


def search(model: Model, prompt: Tensor, **told: Any) -> tuple[Tensor, Tensor]:
    """Search to the end, with two beams if nothing else is told."""
    return beam_search(model, prompt, **{"beam_width": 2, "end_id": END, **told})


def padded(tokens: Tensor, length: int) -> Tensor:
    return F.pad(tokens, (0, length - tokens.shape[1]), value=PAD)


@pytest.mark.parametrize("source", [False, True])
def test_a_beam_of_1_is_greedy(source: bool) -> None:
    for seed in range(5):
        model = toy(5, seed, source=source)
        prompt, sources = ids(4, 2, 5, seed), ids(4, 3, 5, seed) if source else None
        found, _ = search(model, prompt, source=sources, beam_width=1, max_tokens=8)
        alone = greedy(model, prompt, source=sources, max_tokens=8, end_id=END)
        assert torch.equal(found, padded(alone, 8))


def exhaustive(
    model: Model, prompt: Tensor, source: Tensor | None, new: int, penalty: float
) -> tuple[list[int], float]:
    """Score every text that ends with END, or that has ``new`` tokens and none."""
    best: tuple[list[int], float] = ([], -torch.inf)
    for length in range(1, new + 1):
        others = [i for i in range(model.config.vocab_size) if i != END]
        last = range(model.config.vocab_size) if length == new else [END]
        for text in itertools.product(*[others] * (length - 1), last):
            tokens = torch.cat([prompt, torch.tensor([text])], dim=1)
            logits = model(tokens) if source is None else model(source, tokens)
            chosen = logits[0, prompt.shape[1] - 1 : -1].log_softmax(-1)
            total = chosen.gather(-1, torch.tensor(text)[:, None]).sum().item()
            score = total / ((5 + length) / 6) ** penalty
            if score > best[1]:
                best = tokens[0].tolist(), score
    return best


@torch.no_grad()
@pytest.mark.parametrize("penalty", [0.0, 0.6, 1.0, 2.0])
@pytest.mark.parametrize(("source", "vocab_size", "new"), [(False, 4, 3), (True, 3, 4)])
def test_a_wide_beam_finds_what_exhaustive_search_finds(
    source: bool, vocab_size: int, new: int, penalty: float
) -> None:
    for seed in range(3):
        model = toy(vocab_size, seed, source=source)
        prompt = torch.tensor([[START], [vocab_size - 1]])
        sources = torch.tensor([[1, 2, 0], [2, 2, 1]]) if source else None
        told = {"beam_width": vocab_size**new, "max_tokens": new + 1, "length_penalty": penalty}
        found, scores = search(model, prompt, source=sources, **told)
        for i in range(2):
            one = None if sources is None else sources[i : i + 1]
            text, score = exhaustive(model, prompt[i : i + 1], one, new, penalty)
            assert scores[i].item() == pytest.approx(score)
            assert found[i].tolist() == text + [PAD] * (new + 1 - len(text))


@pytest.mark.parametrize("source", [False, True])
@pytest.mark.parametrize("width", [2, 4])
def test_a_batch_finds_what_each_sentence_finds_alone(source: bool, width: int) -> None:
    for seed in range(5):
        model = toy(6, seed, source=source)
        prompt, sources = ids(6, 1, 6, seed), ids(6, 3, 6, seed) if source else None
        told = {"beam_width": width, "max_tokens": 10}
        found, scores = search(model, prompt, source=sources, **told)
        for i in range(6):
            one = None if sources is None else sources[i : i + 1]
            alone, score = search(model, prompt[i : i + 1], source=one, **told)
            assert torch.equal(found[i], alone[0])
            torch.testing.assert_close(scores[i], score[0])


@pytest.mark.parametrize("cached", [True, False])
@pytest.mark.parametrize("source", [False, True])
def test_a_sentence_that_is_done_is_read_no_more(source: bool, cached: bool) -> None:
    """And those that go on find what they find alone."""
    model, read = small(source, tie_embeddings=False).double(), list[int]()
    with torch.no_grad():
        model.get_parameter("output.weight").mul_(3.0)  # the end is likely for some
    told = {"max_tokens": 12, "cached": cached}
    prompt, sources = ids(6, 1), ids(6, 5) if source else None
    hook = model.decoder.register_forward_pre_hook(lambda _, given: read.append(len(given[0])))
    found, scores = search(model, prompt, source=sources, **told)
    hook.remove()
    assert read[:2] == [6, 12]
    assert read[1:] == sorted(read[1:], reverse=True)
    assert len(set(read[1:])) > 2
    for i in range(6):
        one = None if sources is None else sources[i : i + 1]
        alone, score = search(model, prompt[i : i + 1], source=one, **told)
        assert torch.equal(found[i], alone[0])
        torch.testing.assert_close(scores[i], score[0])


# After START: end 0.4, or 3 and then end: 0.6 * 0.9.
TRAP = Table(
    [
        [1.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.4, 0.6, 0.0],
        [1.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.9, 0.0, 0.1],
        [0.0, 0.0, 1.0, 0.0, 0.0],
    ]
)


def test_the_first_text_to_finish_is_not_yet_the_best() -> None:
    found, scores = search(TRAP, torch.tensor([[START]]), max_tokens=4, length_penalty=0.0)
    assert found.tolist() == [[START, 3, END, PAD]]
    assert scores.exp().item() == pytest.approx(0.54)


def test_a_finished_text_wins_against_a_longer_one_that_got_worse() -> None:
    """At the last step 3, 4, end stands at 0.06 and the first that finished at 0.4."""
    cut = TRAP.log_probability.clone()
    cut[3] = torch.tensor([0.0, 0.0, 0.05, 0.05, 0.9]).log()
    cut[4] = torch.tensor([0.0, 0.0, 0.1, 0.45, 0.45]).log()
    worse = Table(cut.exp().tolist())
    found, scores = search(worse, torch.tensor([[START]]), max_tokens=5, length_penalty=0.0)
    assert found.tolist() == [[START, END, PAD, PAD, PAD]]
    assert scores.exp().item() == pytest.approx(0.4)


def test_a_beam_finds_what_greedy_misses() -> None:
    """3 is more probable than 4, but what follows it is anyone's guess."""
    fork = Table(
        [
            [1.0, 0.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, 0.0, 0.6, 0.4],
            [1.0, 0.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, 0.4, 0.3, 0.3],
            [0.0, 0.0, 1.0, 0.0, 0.0],
        ]
    )
    prompt = torch.tensor([[START]])
    assert greedy(fork, prompt, max_tokens=3, end_id=END).tolist() == [[START, 3, END]]
    found, _ = search(fork, prompt, max_tokens=3)
    assert found.tolist() == [[START, 4, END]]


def test_a_longer_text_is_preferred_as_the_length_penalty_grows() -> None:
    """3 for ever with 0.8 against an end at once with 0.2."""
    loop = Table([[1, 0, 0, 0], [0, 0, 0.35, 0.65], [1, 0, 0, 0], [0, 0, 0.2, 0.8]])
    told, lengths = {"beam_width": 3, "max_tokens": 8}, []
    for penalty in (0.0, 1.0, 3.0):
        found, _ = search(loop, torch.tensor([[START]]), length_penalty=penalty, **told)
        lengths.append(found.ne(PAD).sum().item())
    assert lengths == sorted(lengths)
    assert lengths[0] == 2
    assert lengths[-1] == 8


def test_a_source_that_is_all_padding_and_a_source_of_nothing() -> None:
    model = small(True)
    prompt, sources = ids(2, 1), ids(2, 4, seed=1)
    sources[1] = PAD
    for source in (sources, sources[:, :0]):
        found, scores = search(model, prompt, source=source, beam_width=3, max_tokens=6)
        assert scores.isfinite().all()
        assert found.shape == (2, 6)
