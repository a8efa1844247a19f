import math

import pytest
import torch
from torch.nn import functional as F

from tests.training.small import SENTENCES, small_model
from transformer_lesson import seeded
from transformer_lesson.config import ModelConfig
from transformer_lesson.models import EncoderDecoder
from transformer_lesson.training import next_token, summed_cross_entropy, translation


def drawn(seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    logits = torch.randn(3, 5, 7, generator=seeded(seed), requires_grad=True)
    return logits, torch.randint(0, 7, (3, 5), generator=seeded(seed + 1))


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.5])
def test_equals_pytorch_with_gradients(smoothing: float) -> None:
    logits, targets = drawn()
    total, count = summed_cross_entropy(logits, targets, label_smoothing=smoothing)
    wanted = F.cross_entropy(
        logits.flatten(0, 1), targets.flatten(), reduction="sum", label_smoothing=smoothing
    )
    assert count == 15
    torch.testing.assert_close(total, wanted)
    (ours,) = torch.autograd.grad(total, logits, retain_graph=True)
    (theirs,) = torch.autograd.grad(wanted, logits)
    torch.testing.assert_close(ours, theirs)


def by_autograd(scores: torch.Tensor, targets: torch.Tensor, smoothing: float) -> torch.Tensor:
    """The same loss, padded with 0, without a gradient of our own."""
    normalizer = scores.logsumexp(-1)
    losses = normalizer - scores.gather(-1, targets[..., None]).squeeze(-1)
    if smoothing:
        spread = scores.sum(-1) - scores[..., 0]
        losses = losses.lerp(normalizer - spread / (scores.shape[-1] - 1), smoothing)
    return losses[targets != 0].sum()


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_gradients_are_those_of_autograd_bit_for_bit_and_can_be_derived(smoothing: float) -> None:
    logits, targets = drawn()
    losses = (
        summed_cross_entropy(logits, targets, padding_id=0, label_smoothing=smoothing)[0],
        by_autograd(logits, targets, smoothing),
    )
    firsts = [torch.autograd.grad(loss / 3, logits, create_graph=True)[0] for loss in losses]
    assert torch.equal(*firsts)
    seconds = [torch.autograd.grad(first.square().sum(), logits)[0] for first in firsts]
    assert seconds[1].any()
    torch.testing.assert_close(*seconds)


def test_padding_costs_nothing_and_gets_no_mass() -> None:
    logits, targets = drawn()
    targets[0, 2:] = 0
    total, count = summed_cross_entropy(logits, targets, padding_id=0, label_smoothing=0.1)
    assert count == int((targets != 0).sum())
    (gradient,) = torch.autograd.grad(total, logits)
    assert not gradient[targets == 0].any()
    # The gradient is softmax minus the wanted distribution: on the padding that is softmax alone.
    real = targets != 0
    torch.testing.assert_close(gradient[real][:, 0], logits.softmax(-1)[real][:, 0])


def test_smoothing_is_least_at_its_own_distribution() -> None:
    wanted = torch.tensor([0.0, 0.1 / 3, 0.9 + 0.1 / 3, 0.1 / 3])
    logits = wanted.clamp_min(1e-30).log()[None]
    total, _ = summed_cross_entropy(logits, torch.tensor([2]), padding_id=0, label_smoothing=0.1)
    entropy = -(wanted[1:] * wanted[1:].log()).sum()
    torch.testing.assert_close(total, entropy)


def test_only_padding_is_nothing() -> None:
    total, count = summed_cross_entropy(
        torch.randn(2, 3), torch.zeros(2, dtype=torch.long), padding_id=0
    )
    assert (total.item(), count) == (0.0, 0)


def test_large_logits_stay_finite() -> None:
    total, _ = summed_cross_entropy(torch.tensor([[1e4, 0.0, -1e4]]), torch.tensor([2]))
    assert total.item() == pytest.approx(2e4)


def test_a_model_that_knows_nothing_costs_the_log_of_its_vocabulary() -> None:
    model = small_model().eval()
    with torch.no_grad():
        model.embedding.weight.zero_()
        total, count = next_token()(model, torch.tensor(SENTENCES[:1]))
    assert count == len(SENTENCES[0]) - 1
    assert total.item() / count == pytest.approx(math.log(16), rel=1e-5)


def test_translation_is_shifted_by_one() -> None:
    model = EncoderDecoder(ModelConfig(vocab_size=9, d_model=8, num_heads=2, d_ff=16))
    source, target = torch.tensor([[3, 4, 2]]), torch.tensor([[1, 5, 6, 2, 0]])
    total, count = translation(padding_id=0)(model, (source, target))
    wanted, _ = summed_cross_entropy(model(source, target[:, :3]), target[:, 1:4])
    assert count == 3
    torch.testing.assert_close(total, wanted)
