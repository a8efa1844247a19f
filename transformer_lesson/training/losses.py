"""What training makes small: cross-entropy over tokens, shifted by one."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from transformer_lesson.validation import arguments

Loss = tuple[Tensor, int]
Objective = Callable[[nn.Module, Any], Loss]


def summed_cross_entropy(
    logits: Tensor, targets: Tensor, *, padding_id: int | None = None, label_smoothing: float = 0.0
) -> Loss:
    """Return the sum of the losses of all targets that are not padding, and their number.

    A sum, not a mean: batches with different numbers of tokens are added before the division.

    Args:
        logits: ``(..., vocab_size)``, floating point.
        targets: ids ``(...)``, integers.
        padding_id: target that costs nothing, and that no smoothing makes likely.
        label_smoothing: share of the wanted probability that is spread evenly over the vocabulary
            without the padding, the target among them (Szegedy et al. 2016, section 7).

    Returns:
        A 0-dim float32 tensor, 0 if all is padding, and a whole number.

    Raises:
        ValueError: the shapes do not fit, ``padding_id`` is no id of the vocabulary, or
            ``label_smoothing`` is not from 0 up to 1.
    """
    if logits.shape[:-1] != targets.shape:
        raise ValueError(
            f"the logits have shape {tuple(logits.shape)} and the targets {tuple(targets.shape)}; "
            "expected (..., vocab_size) and (...)."
        )
    arguments.check_padding(padding_id, logits.shape[-1])
    arguments.check_smoothing(label_smoothing)
    smoothed = label_smoothing > 0
    classes = logits.shape[-1] - (padding_id is not None)
    normalizer, wanted, spread = _Sums.apply(logits.float(), targets, smoothed, padding_id)
    losses = normalizer - wanted
    if smoothed:
        losses = losses.lerp(normalizer - spread / classes, label_smoothing)
    if padding_id is not None:
        losses = losses[targets != padding_id]
    return losses.sum(), losses.numel()


def next_token(*, padding_id: int | None = None, label_smoothing: float = 0.0) -> Objective:
    """Objective of a ``DecoderOnly`` for batches of ids ``(batch, tokens)``: each token's next.

    Raises:
        ValueError: ``label_smoothing`` is not from 0 up to 1.
    """
    return _objective(lambda tokens: ((), tokens), padding_id, label_smoothing)


def translation(*, padding_id: int | None = None, label_smoothing: float = 0.0) -> Objective:
    """Objective of an ``EncoderDecoder`` for pairs of ids (source, target).

    The target begins with its start token and ends with its end token: the decoder reads all but
    the last and is to say all but the first.

    Raises:
        ValueError: ``label_smoothing`` is not from 0 up to 1.
    """
    return _objective(lambda pair: (pair[:1], pair[1]), padding_id, label_smoothing)


def _objective(
    parted: Callable[[Any], tuple[Any, Tensor]], padding_id: int | None, label_smoothing: float
) -> Objective:
    """``parted`` tells what a model reads of a batch from what it is to say, each token's next."""
    arguments.check_smoothing(label_smoothing)
    how: dict[str, Any] = {"padding_id": padding_id, "label_smoothing": label_smoothing}

    def loss(model: nn.Module, batch: Any) -> Loss:
        sources, said = parted(batch)
        return summed_cross_entropy(model(*sources, said[:, :-1]), said[:, 1:], **how)

    return loss


class _Sums(torch.autograd.Function):
    """Of each row of scores: log-sum-exp, the target's score, the sum without padding (or None).

    The scores are the largest tensors of a step. Autograd would make one for the gradient of each
    sum and add them up; here all go into one, in autograd's order, to the same bits.
    """

    @staticmethod
    def forward(
        scores: Tensor, targets: Tensor, spread: bool, padding_id: int | None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        wanted = scores.gather(-1, targets[..., None]).squeeze(-1)
        total = scores.sum(-1) if spread else None
        if total is not None and padding_id is not None:
            total = total - scores[..., padding_id]
        return scores.logsumexp(-1), wanted, total

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        scores, targets, _, ctx.padding_id = inputs
        ctx.save_for_backward(scores, targets, output[0])

    @staticmethod
    def backward(
        ctx: Any, of_normalizer: Tensor, of_wanted: Tensor, of_spread: Tensor | None
    ) -> tuple[Tensor, None, None, None]:
        scores, targets, normalizer = ctx.saved_tensors
        probability = (scores - normalizer[..., None]).exp_()
        gradient = probability * of_normalizer[..., None]
        at, added = targets[..., None], of_wanted if of_spread is None else of_spread + of_wanted
        at_target = probability.gather(-1, at) * of_normalizer[..., None] + added[..., None]
        if of_spread is not None:
            gradient += of_spread[..., None]
            if (padding := ctx.padding_id) is not None:
                gradient[..., padding] = probability[..., padding] * of_normalizer
        return gradient.scatter_(-1, at, at_target), None, None, None
