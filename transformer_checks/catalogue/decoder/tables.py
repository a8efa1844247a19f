"""Next-token models for cases: the same up to the names of the words and a little noise.

Whether a slip shows depends on the model: on which text ends first, on which beginning leads into
a worse end. Such models are rare, so each stands by the number it is drawn from, which
``authoring.bases`` finds; the seed of the case renames its words and moves its logits a little.
"""

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import LanguageModel
from transformer_lesson import seeded


def renamed(generator: Generator, vocab_size: int, special: int) -> Tensor:
    """New names ``(vocab_size,)`` of the words; the first ``special`` ids keep theirs."""
    names = torch.randperm(vocab_size - special, generator=generator) + special
    return torch.cat([torch.arange(special), names])


def model(
    base: int, names: Tensor, generator: Generator, *, spread: float, low: tuple[int, ...]
) -> LanguageModel:
    """Return the model that belongs to ``base``, under other names.

    Args:
        base: which model.
        names: from ``renamed``.
        generator: source of the noise.
        spread: standard deviation of the logits.
        low: ids that are never written, such as the padding.
    """
    size = len(names)
    logits = spread * torch.randn(size, size, size, generator=seeded(base))
    logits[..., list(low)] = -20.0
    logits += 0.002 * torch.rand(logits.shape, generator=generator)
    old = names.argsort()
    return LanguageModel(logits[old][:, old][:, :, old])
