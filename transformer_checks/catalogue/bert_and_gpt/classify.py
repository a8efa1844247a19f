"""bert.classify: a small head on the hidden states."""

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception


def _mean(hidden: Tensor, real: Tensor) -> Tensor:
    """Mean over the real tokens of each text; zeros where there is none."""
    kept = torch.where(real[..., None], hidden, 0)
    return kept.sum(1) / real.sum(1, keepdim=True).clamp(min=1)


def _classify(pooled: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return pooled @ weight.mT + bias


def _reference(
    hidden: Tensor, tokens: Tensor, weight: Tensor, bias: Tensor, padding_id: int, pool: str
) -> Tensor:
    pooled = hidden[:, 0] if pool == "first" else _mean(hidden, tokens != padding_id)
    return _classify(pooled, weight, bias)


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str,
        lengths: tuple[int, ...],
        sizes: tuple[int, int],
        pool: str,
        padding_id: int = 0,
        *,
        draw: Draw = normal,
        loud: float = 1.0,
        gradients: bool = False,
    ) -> Case:
        d_model, classes = sizes
        shape = (len(lengths), max(lengths))
        tokens = torch.randint(10, 20, shape, generator=generator)
        hidden = draw(generator, *shape, d_model)
        for row, states, length in zip(tokens, hidden, lengths, strict=True):
            row[length:] = padding_id
            states[length:] *= loud
        inputs = {
            "hidden": hidden,
            "tokens": tokens,
            "weight": draw(generator, classes, d_model),
            "bias": 0.5 + draw(generator, classes),
            "padding_id": padding_id,
            "pool": pool,
        }
        return Case(label, inputs, gradients)  # type: ignore[arg-type]

    return [
        case("one text, its first token", (2,), (3, 2), "first", draw=tidy),
        case("one text, the mean", (2,), (3, 2), "mean", draw=tidy),
        case("two texts, the second with padding, mean", (3, 2), (4, 3), "mean"),
        case("padding id 7, mean", (4, 1, 3), (5, 2), "mean", 7),
        case("a million in the states of padding, mean", (2, 5), (4, 3), "mean", loud=1e6),
        case("a text without tokens, mean", (3, 0), (4, 2), "mean"),
        case("three texts, first token", (5, 2, 4), (3, 4), "first"),
        case("gradients of the mean", (3, 2), (4, 3), "mean", gradients=True),
    ]


def _pooled(way):  # type: ignore[no-untyped-def]
    """The head with another mean: ``way(hidden, real)`` gives ``(batch, d_model)``."""

    def answer(
        hidden: Tensor, tokens: Tensor, weight: Tensor, bias: Tensor, padding_id: int, pool: str
    ) -> Tensor:
        real = tokens != padding_id
        pooled = hidden[:, 0] if pool == "first" else way(hidden, real)
        return _classify(pooled, weight, bias)

    return answer


def _max(hidden: Tensor, real: Tensor) -> Tensor:
    lowest = hidden.masked_fill(~real[..., None], -torch.inf).amax(1)
    return torch.where(real.any(1, keepdim=True), lowest, 0)


def _without_first(hidden: Tensor, real: Tensor) -> Tensor:
    return _mean(hidden[:, 1:], real[:, 1:])


def _last_real(hidden: Tensor, real: Tensor) -> Tensor:
    return hidden[torch.arange(len(hidden)), real.sum(1).sub(1).clamp(min=0)]


CLASSIFY = Check(
    name="bert.classify",
    lesson="08_bert_and_gpt",
    title="A classification head",
    answer="classify",
    returns=("logits",),
    points=2,
    difficulty=2,
    importance=4,
    minutes=10,
    draw=_draw,
    reference=_reference,
    atol=1e-4,
    slips=(
        Misconception(
            "padding in the mean",
            _pooled(lambda hidden, real: hidden.mean(1)),
            "the mean runs over the padding too: the same text gets other logits in a longer batch",
            "Sum over the real tokens, divide by their number.",
        ),
        Misconception(
            "divided by the padded length",
            _pooled(lambda hidden, real: torch.where(real[..., None], hidden, 0).mean(1)),
            "padding is set to zero, but the sum is divided by the padded length",
            "Divide by the number of real tokens of each text.",
        ),
        Misconception(
            "a sum",
            _pooled(lambda hidden, real: torch.where(real[..., None], hidden, 0).sum(1)),
            "this is the sum over the tokens: long texts get louder",
            "Divide by the number of real tokens of each text.",
        ),
        Misconception(
            "divided by all tokens of the batch",
            _pooled(
                lambda hidden, real: torch.where(real[..., None], hidden, 0).sum(1) / real.sum()
            ),
            "every text is divided by the number of tokens of the whole batch",
            "Each text has its own number of real tokens: sum with keepdim.",
        ),
        Misconception(
            "largest instead of mean",
            _pooled(_max),
            "this takes the largest number of each feature, not the mean",
            "pool is 'mean'.",
        ),
        Misconception(
            "always the first token",
            lambda hidden, tokens, weight, bias, padding_id, pool: _classify(
                hidden[:, 0], weight, bias
            ),
            "the first token is taken, whatever pool says",
            "pool decides between the two.",
        ),
        Misconception(
            "always the mean",
            lambda hidden, tokens, weight, bias, padding_id, pool: _reference(
                hidden, tokens, weight, bias, padding_id, "mean"
            ),
            "the mean is taken, whatever pool says",
            "pool decides between the two.",
        ),
        Misconception(
            "the other way round",
            lambda hidden, tokens, weight, bias, padding_id, pool: _reference(
                hidden, tokens, weight, bias, padding_id, "mean" if pool == "first" else "first"
            ),
            "'first' takes the mean, and 'mean' the first token",
            "pool says what it is.",
        ),
        Misconception(
            "mean without the first token",
            _pooled(_without_first),
            "the first token is left out of the mean",
            "All tokens that are no padding count.",
        ),
        Misconception(
            "the last real token",
            _pooled(_last_real),
            "this takes the last real token: right for GPT, but not asked for here",
            "pool is 'mean'.",
        ),
        Misconception(
            "no bias",
            lambda hidden, tokens, weight, bias, padding_id, pool: _reference(
                hidden, tokens, weight, 0 * bias, padding_id, pool
            ),
            "the bias is missing",
            "A head is a linear layer: pooled · weightᵀ + bias.",
        ),
        Misconception(
            "probabilities",
            lambda hidden, tokens, weight, bias, padding_id, pool: _reference(
                hidden, tokens, weight, bias, padding_id, pool
            ).softmax(-1),
            "these are probabilities, not logits: the loss would do a second softmax",
            "Return the logits as they are.",
        ),
        Misconception(
            "padding id fixed at 0",
            lambda hidden, tokens, weight, bias, padding_id, pool: _reference(
                hidden, tokens, weight, bias, 0, pool
            ),
            "the padding id is taken to be 0",
            "The id is an argument: use it.",
        ),
        Misconception(
            "nothing divided by nothing",
            _pooled(
                lambda hidden, real: (
                    torch.where(real[..., None], hidden, 0).sum(1) / real.sum(1, keepdim=True)
                )
            ),
            "a text without tokens gives 0/0",
            "Its mean is zero, its logits the bias. Keep the divisor away from 0.",
        ),
        Misconception(
            "the last position",
            lambda hidden, tokens, weight, bias, padding_id, pool: (
                _classify(hidden[:, -1], weight, bias)
                if pool == "first"
                else _reference(hidden, tokens, weight, bias, padding_id, pool)
            ),
            "'first' takes the last position",
            "[cls] stands at position 0.",
        ),
    ),
    hints=(
        "First pool (batch, tokens, d_model) to (batch, d_model), then one linear layer.",
        "`real = (tokens != padding_id)[..., None]` lines up with the hidden states.",
        "`(hidden * real).sum(1) / real.sum(1).clamp(min=1)`.",
    ),
)
