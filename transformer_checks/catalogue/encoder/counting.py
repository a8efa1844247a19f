"""encoder.parameters: where the parameters of a block are."""

from collections.abc import Callable

import torch
from torch import Generator

from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Misconception

Counts = tuple[int, int, int, int]


def _attention(d_model: int) -> int:
    return sum(d_model * d_model + d_model for _ in ("query", "key", "value", "output"))


def _feed_forward(d_model: int, d_ff: int, *, gated: bool) -> int:
    up = d_model * d_ff + d_ff
    return (2 if gated else 1) * up + d_ff * d_model + d_model


def _norms(d_model: int) -> int:
    return 2 * (d_model + d_model)


def _reference(d_model: int, num_heads: int, d_ff: int, gated: bool) -> Counts:
    return _with(d_model, d_ff, gated)


def _with(
    d_model: int,
    d_ff: int,
    gated: bool,
    *,
    attention: int | None = None,
    feed_forward: int | None = None,
    norms: int | None = None,
) -> Counts:
    parts = (
        _attention(d_model) if attention is None else attention,
        _feed_forward(d_model, d_ff, gated=gated) if feed_forward is None else feed_forward,
        _norms(d_model) if norms is None else norms,
    )
    return (*parts, sum(parts))


def _draw(generator: Generator) -> list[Case]:
    def inputs(d_model: int, num_heads: int, d_ff: int, gated: bool) -> dict[str, Value]:
        return {"d_model": d_model, "num_heads": num_heads, "d_ff": d_ff, "gated": gated}

    d_head, d_ff = torch.randint(3, 40, (2,), generator=generator).tolist()
    return [
        Case("d_model 4, 2 heads, d_ff 6", inputs(4, 2, 6, False)),
        Case("d_model 4, 2 heads, d_ff 6, gated", inputs(4, 2, 6, True)),
        Case("d_model 6, 3 heads, d_ff 5", inputs(6, 3, 5, False)),
        Case("the paper's block", inputs(512, 8, 2048, False)),
        Case("odd sizes, gated", inputs(5 * d_head, 5, d_ff, True)),
        Case("odd sizes", inputs(3 * d_head, 3, d_ff, False)),
    ]


def _slip(change: Callable[[int, int, int, bool], dict[str, int]]) -> Callable[..., Counts]:
    def answer(d_model: int, num_heads: int, d_ff: int, gated: bool) -> Counts:
        return _with(d_model, d_ff, gated, **change(d_model, num_heads, d_ff, gated))

    return answer


def _no_biases(d_model: int, num_heads: int, d_ff: int, gated: bool) -> dict[str, int]:
    return {
        "attention": 4 * d_model**2,
        "feed_forward": (3 if gated else 2) * d_model * d_ff,
    }


def _total_of_two(d_model: int, num_heads: int, d_ff: int, gated: bool) -> Counts:
    attention, feed_forward, norms, total = _reference(d_model, num_heads, d_ff, gated)
    return attention, feed_forward, norms, total - norms


PARAMETERS = Check(
    name="encoder.parameters",
    lesson="05_encoder",
    title="Count the parameters of a block",
    answer="block_parameters",
    returns=("attention", "feed_forward", "norms", "total"),
    points=1,
    difficulty=2,
    importance=3,
    minutes=8,
    draw=_draw,
    reference=_reference,
    rtol=0.0,  # a count is right or wrong
    slips=(
        Misconception(
            "biases forgotten",
            _slip(_no_biases),
            "the biases are missing",
            "A linear layer from a to b numbers has a · b weights. And?",
        ),
        Misconception(
            "times the number of heads",
            _slip(lambda d, h, f, g: {"attention": h * _attention(d)}),
            "the attention is counted once for each head",
            "Each head is d_model / num_heads wide: together they are as wide as one.",
        ),
        Misconception(
            "one head only",
            _slip(lambda d, h, f, g: {"attention": 3 * (d + 1) * (d // h) + d * d + d}),
            "query, key and value are counted for one head only",
            "num_heads slices of width d_head make d_model again.",
        ),
        Misconception(
            "no output projection",
            _slip(lambda d, h, f, g: {"attention": 3 * (d * d + d)}),
            "the attention has a fourth matrix",
            "What mixes the heads after they are put side by side?",
        ),
        Misconception(
            "half a feed-forward",
            _slip(lambda d, h, f, g: {"feed_forward": (d + 1) * f * (2 if g else 1)}),
            "the feed-forward goes up and never comes down",
            "What comes out must be d_model wide again.",
        ),
        Misconception(
            "the same bias twice",
            _slip(lambda d, h, f, g: {"feed_forward": (3 if g else 2) * (d * f + f)}),
            "every bias of the feed-forward is counted as d_ff wide",
            "A bias is as wide as what comes *out* of its layer. How wide is that of `down`?",
        ),
        Misconception(
            "gate forgotten",
            _slip(lambda d, h, f, g: {"feed_forward": _feed_forward(d, f, gated=False)}),
            "the gate is not counted",
            "A gated feed-forward has three linear layers.",
        ),
        Misconception(
            "gate always counted",
            _slip(lambda d, h, f, g: {"feed_forward": _feed_forward(d, f, gated=True)}),
            "a gate is counted where there is none",
            "Look at `gated`.",
        ),
        Misconception(
            "gate without bias",
            _slip(
                lambda d, h, f, g: {"feed_forward": _feed_forward(d, f, gated=g) - (f if g else 0)}
            ),
            "the gate's bias is missing",
            "It is a linear layer like `up`.",
        ),
        Misconception(
            "half of the norms",
            _slip(lambda d, h, f, g: {"norms": 2 * d}),
            "only half of what the norms hold is counted",
            "There are two norms in a block. Each has a gain and a shift, d_model numbers each.",
        ),
        Misconception(
            "norms not counted",
            _slip(lambda d, h, f, g: {"norms": 0}),
            "the norms have parameters too",
            "A gain and a shift for each column.",
        ),
        Misconception(
            "total without the norms",
            _total_of_two,
            "the parts are right, but the norms are missing from the total",
            "Add all three.",
        ),
    ),
    hints=(
        "A linear layer from a to b numbers has a · b + b parameters.",
        "Four of them in attention, from d_model to d_model. Two in the feed-forward, three with a "
        "gate. Two norms with a gain and a shift each.",
        "The number of heads changes nothing.",
    ),
)
