"""attention.self_attention and attention.repaired_heads: attention with its projections."""

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Misconception


def _attend(query: Tensor, key: Tensor, value: Tensor, width: float | None = None) -> Tensor:
    scores = query @ key.transpose(-2, -1) / (width or query.shape[-1]) ** 0.5
    return scores.softmax(-1) @ value


def _reference(tokens: Tensor, w_query: Tensor, w_key: Tensor, w_value: Tensor) -> Tensor:
    return _attend(tokens @ w_query, tokens @ w_key, tokens @ w_value)


def _draw(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw, leading: tuple[int, ...], tokens: int, d_model: int, d_head: int, d_value: int
    ) -> dict[str, Value]:
        return {
            "tokens": draw(generator, *leading, tokens, d_model),
            "w_query": draw(generator, d_model, d_head),
            "w_key": draw(generator, d_model, d_head),
            "w_value": draw(generator, d_model, d_value),
        }

    return [
        Case("3 tokens, d_model 4, d_head 2", inputs(tidy, (), 3, 4, 2, 2)),
        Case("3 tokens, d_model and d_head 2", inputs(tidy, (), 3, 2, 2, 2)),
        Case("d_value 5", inputs(tidy, (), 4, 6, 3, 5)),
        Case("batch 2, 5 tokens", inputs(normal, (2,), 5, 8, 3, 4)),
        Case("gradients", inputs(normal, (2,), 4, 6, 3, 3), gradients=True),
    ]


SELF_ATTENTION = Check(
    name="attention.self_attention",
    lesson="02_self_attention",
    title="Self-attention with projections",
    answer="self_attention",
    returns=("output",),
    points=2,
    difficulty=2,
    importance=5,
    minutes=8,
    draw=_draw,
    reference=_reference,
    forbidden=frozenset({"attention"}),
    slips=(
        Misconception(
            "query, key and value are the input",
            lambda x, wq, wk, wv: _attend(x, x, x),
            "query, key and value are the tokens themselves: the weight matrices are not used",
            "Each of the three is a projection of the tokens, by a matrix of its own.",
        ),
        Misconception(
            "value not projected",
            lambda x, wq, wk, wv: _attend(x @ wq, x @ wk, x),
            "the values are the tokens themselves",
            "Values have a projection too: w_value.",
        ),
        Misconception(
            "one projection for query and key",
            lambda x, wq, wk, wv: _attend(x @ wq, x @ wq, x @ wv),
            "the keys are projected with w_query: every score is symmetric",
            "What a token asks and what it answers to are two different things.",
        ),
        Misconception(
            "value projected as key",
            lambda x, wq, wk, wv: _attend(x @ wq, x @ wk, x @ wk),
            "the values are projected with w_key",
            "Values have a projection of their own: w_value.",
        ),
        Misconception(
            "query and key swapped",
            lambda x, wq, wk, wv: _attend(x @ wk, x @ wq, x @ wv),
            "query and key are swapped: each token is asked by its keys",
            "Rows of the scores belong to queries: those are `tokens @ w_query`.",
        ),
        Misconception(
            "matrices transposed",
            lambda x, wq, wk, wv: _attend(x @ wq.mT, x @ wk.mT, x @ wv.mT),
            "the matrices are transposed; only where they are square does that run at all",
            "Here `w_query` is (d_model, d_head) and stands to the right: `tokens @ w_query`. "
            "nn.Linear keeps its weight the other way round.",
        ),
        Misconception(
            "scaled by √d_model",
            lambda x, wq, wk, wv: _attend(x @ wq, x @ wk, x @ wv, x.shape[-1]),
            "the divisor is √d_model; the dot product has d_head terms",
            "How wide are the vectors whose dot product is taken?",
        ),
        Misconception(
            "divided by d_head",
            lambda x, wq, wk, wv: _attend(x @ wq, x @ wk, x @ wv, wq.shape[-1] ** 2),
            "the scores are divided by d_head, not by its square root",
            "A sum of d_head terms of variance 1 has a spread of √d_head.",
        ),
        Misconception(
            "not scaled",
            lambda x, wq, wk, wv: _attend(x @ wq, x @ wk, x @ wv, 1.0),
            "the scores are not scaled",
            "What does eq. 1 divide the scores by?",
        ),
        Misconception(
            "a fixed width of 64",
            lambda x, wq, wk, wv: _attend(x @ wq, x @ wk, x @ wv, 64),
            "the divisor is always 8 = √64",
            "Read the width from the query's shape.",
        ),
        Misconception(
            "scaled by the number of tokens",
            lambda x, wq, wk, wv: _attend(x @ wq, x @ wk, x @ wv, x.shape[-2]),
            "the divisor is the root of the number of tokens",
            "Which axis does the dot product sum over?",
        ),
        Misconception(
            "tokens added to the output",
            lambda x, wq, wk, wv: _reference(x, wq, wk, wv) + (x @ wv),
            "each token's own value is added on top",
            "Residual connections come in lesson 05. Here the average is the result.",
        ),
    ),
    hints=(
        "Three matrix products make query, key and value out of the same tokens.",
        "Then it is the attention that you have already written. Reuse it.",
        "`attend` returns a pair; this exercise asks for the output alone.",
    ),
)


def _repaired(
    tokens: Tensor, w_qkv: Tensor, w_out: Tensor, num_heads: int, width: int | None = None
) -> Tensor:
    batch, length, d_model = tokens.shape
    qkv = (tokens @ w_qkv).view(batch, length, 3, num_heads, d_model // num_heads)
    query, key, value = (part.transpose(1, 2) for part in qkv.unbind(2))
    mixed = _attend(query, key, value, width)
    return mixed.transpose(1, 2).reshape(batch, length, d_model) @ w_out


def _draw_heads(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw, batch: int, length: int, d_model: int, num_heads: int
    ) -> dict[str, Value]:
        return {
            "tokens": draw(generator, batch, length, d_model),
            "w_qkv": draw(generator, d_model, 3 * d_model),
            "w_out": draw(generator, d_model, d_model),
            "num_heads": num_heads,
        }

    return [
        Case("1 sentence, 3 tokens, d_model 4, 2 heads", inputs(tidy, 1, 3, 4, 2)),
        Case("1 sentence, 2 tokens, d_model 6, 3 heads", inputs(tidy, 1, 2, 6, 3)),
        Case("2 sentences, 5 tokens, d_model 12, 3 heads", inputs(normal, 2, 5, 12, 3)),
        Case("one head", inputs(normal, 2, 3, 4, 1)),
        Case("gradients", inputs(normal, 2, 3, 6, 2), gradients=True),
    ]


def _heads_attend_to_heads(
    tokens: Tensor, w_qkv: Tensor, w_out: Tensor, num_heads: int, width: int
) -> Tensor:
    batch, length, d_model = tokens.shape
    qkv = (tokens @ w_qkv).view(batch, length, 3, num_heads, d_model // num_heads)
    query, key, value = qkv.unbind(2)
    return _attend(query, key, value, width).reshape(batch, length, d_model) @ w_out


def _unchanged(tokens: Tensor, w_qkv: Tensor, w_out: Tensor, num_heads: int) -> Tensor:
    return _heads_attend_to_heads(tokens, w_qkv, w_out, num_heads, tokens.shape[-1])


def _only_the_scale(tokens: Tensor, w_qkv: Tensor, w_out: Tensor, num_heads: int) -> Tensor:
    width = tokens.shape[-1] // num_heads
    return _heads_attend_to_heads(tokens, w_qkv, w_out, num_heads, width)


def _only_the_axis(tokens: Tensor, w_qkv: Tensor, w_out: Tensor, num_heads: int) -> Tensor:
    return _repaired(tokens, w_qkv, w_out, num_heads, tokens.shape[-1])


def _unscaled_heads(tokens: Tensor, w_qkv: Tensor, w_out: Tensor, num_heads: int) -> Tensor:
    return _repaired(tokens, w_qkv, w_out, num_heads, 1)


def _divided_by_width(tokens: Tensor, w_qkv: Tensor, w_out: Tensor, num_heads: int) -> Tensor:
    return _repaired(tokens, w_qkv, w_out, num_heads, (tokens.shape[-1] // num_heads) ** 2)


def _merged_without_transpose(
    tokens: Tensor, w_qkv: Tensor, w_out: Tensor, num_heads: int
) -> Tensor:
    batch, length, d_model = tokens.shape
    qkv = (tokens @ w_qkv).view(batch, length, 3, num_heads, d_model // num_heads)
    query, key, value = (part.transpose(1, 2) for part in qkv.unbind(2))
    return _attend(query, key, value).reshape(batch, length, d_model) @ w_out


def _split_by_view(tokens: Tensor, w_qkv: Tensor, w_out: Tensor, num_heads: int) -> Tensor:
    batch, length, d_model = tokens.shape
    query, key, value = (
        part.reshape(batch, num_heads, length, d_model // num_heads)
        for part in (tokens @ w_qkv).chunk(3, -1)
    )
    return _attend(query, key, value).transpose(1, 2).reshape(batch, length, d_model) @ w_out


def _split_and_merged_by_view(
    tokens: Tensor, w_qkv: Tensor, w_out: Tensor, num_heads: int
) -> Tensor:
    batch, length, d_model = tokens.shape
    query, key, value = (
        part.reshape(batch, num_heads, length, d_model // num_heads)
        for part in (tokens @ w_qkv).chunk(3, -1)
    )
    return _attend(query, key, value).reshape(batch, length, d_model) @ w_out


def _no_output_projection(tokens: Tensor, w_qkv: Tensor, w_out: Tensor, num_heads: int) -> Tensor:
    return _repaired(tokens, w_qkv, torch.eye(len(w_out), dtype=w_out.dtype), num_heads)


def _softmax_over_queries(tokens: Tensor, w_qkv: Tensor, w_out: Tensor, num_heads: int) -> Tensor:
    batch, length, d_model = tokens.shape
    qkv = (tokens @ w_qkv).view(batch, length, 3, num_heads, d_model // num_heads)
    query, key, value = (part.transpose(1, 2) for part in qkv.unbind(2))
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    mixed = scores.softmax(-2) @ value
    return mixed.transpose(1, 2).reshape(batch, length, d_model) @ w_out


REPAIRED_HEADS = Check(
    name="attention.repaired_heads",
    lesson="02_self_attention",
    title="Bug hunt: heads that never mix tokens",
    answer="repaired_heads",
    returns=("output",),
    points=3,
    difficulty=4,
    importance=4,
    minutes=20,
    draw=_draw_heads,
    reference=_repaired,
    forbidden=frozenset({"attention"}),
    slips=(
        Misconception(
            "unchanged",
            _unchanged,
            "both mistakes are still there",
            "Change one token and look which others move. Then ask what the divisor should be.",
        ),
        Misconception(
            "only the scale repaired",
            _only_the_scale,
            "the scale is right; still no token hears of another",
            "A matrix product multiplies the last two axes. Which two are they here?",
        ),
        Misconception(
            "only the axis repaired",
            _only_the_axis,
            "tokens mix now; the divisor is still √d_model",
            "How many terms has the dot product within one head?",
        ),
        Misconception(
            "scale removed",
            _unscaled_heads,
            "tokens mix, but the scores are not scaled",
            "Scale by the root of the width of one head.",
        ),
        Misconception(
            "divided by d_head",
            _divided_by_width,
            "the scores are divided by d_head, not by its square root",
            "A sum of d_head terms of variance 1 has a spread of √d_head.",
        ),
        Misconception(
            "a fixed width of 64",
            lambda x, w_qkv, w_out, heads: _repaired(x, w_qkv, w_out, heads, 64),
            "the divisor is always 8 = √64",
            "Read the width from the query's shape.",
        ),
        Misconception(
            "heads merged without a transpose",
            _merged_without_transpose,
            "the heads are merged without moving the token axis back: numbers of several tokens "
            "end up in one row",
            "Before the reshape the axes must be (batch, tokens, heads, d_head).",
        ),
        Misconception(
            "heads split by a view",
            _split_by_view,
            "the heads are split by a view alone: each head holds pieces of other tokens",
            "A view never moves numbers. Split the last axis first, then transpose.",
        ),
        Misconception(
            "heads split and merged by a view",
            _split_and_merged_by_view,
            "heads are split and merged by views: the shape is right, the tokens are not",
            "A view never moves numbers. Split the last axis first, then transpose.",
        ),
        Misconception(
            "no output projection",
            _no_output_projection,
            "w_out is not used",
            "The merged heads still go through the output projection.",
        ),
        Misconception(
            "softmax over the queries",
            _softmax_over_queries,
            "the softmax runs over the queries",
            "Each query shares out one unit of attention over the keys.",
        ),
    ),
    hints=(
        "Find out what depends on what: change one token of the input and print which rows of the "
        "output change.",
        "Inside broken_heads print the shape of the scores. Which axes should the last two be?",
        "Give each head its own matrix of tokens: `.transpose(1, 2)` after the unbind, and once "
        "more before the heads are merged.",
        "The dot product within a head has d_model / num_heads terms.",
    ),
)
