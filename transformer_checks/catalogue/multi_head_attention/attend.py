"""heads.attend: multi-head self-attention from four weight matrices."""

from collections.abc import Callable

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Misconception

Result = tuple[Tensor, Tensor]
Split = Callable[[Tensor, int], Tensor]


def _split(tokens: Tensor, num_heads: int) -> Tensor:
    return tokens.unflatten(-1, (num_heads, -1)).transpose(1, 2)


def _merge(heads: Tensor) -> Tensor:
    return heads.transpose(1, 2).flatten(2)


def _multi_head(
    tokens: Tensor,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
    w_output: Tensor,
    num_heads: int,
    *,
    split: Split = _split,
    merge: Callable[[Tensor], Tensor] = _merge,
    width: float | None = None,
    axis: int = -1,
) -> Result:
    """Right by default; each option is one slip."""
    query, key, value = (split(tokens @ w, num_heads) for w in (w_query, w_key, w_value))
    scores = query @ key.mT / (width or query.shape[-1]) ** 0.5
    weights = scores.softmax(axis)
    return merge(weights @ value) @ w_output, weights


def _reference(
    tokens: Tensor,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
    w_output: Tensor,
    num_heads: int,
) -> Result:
    output, all_weights = torch.zeros_like(tokens @ w_value @ w_output), []
    columns = (w.chunk(num_heads, dim=1) for w in (w_query, w_key, w_value))
    for query, key, value, out in zip(*columns, w_output.chunk(num_heads, dim=0), strict=True):
        scores = (tokens @ query) @ (tokens @ key).mT / query.shape[1] ** 0.5
        weights = torch.exp(scores - scores.amax(-1, keepdim=True))
        weights = weights / weights.sum(-1, keepdim=True)
        output = output + weights @ (tokens @ value) @ out
        all_weights.append(weights)
    return output, torch.stack(all_weights, dim=1)


def _draw(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw, batch: int, length: int, d_model: int, num_heads: int, d_value: int = 0
    ) -> dict[str, Value]:
        width = num_heads * (d_value or d_model // num_heads)
        return {
            "tokens": draw(generator, batch, length, d_model),
            "w_query": draw(generator, d_model, d_model),
            "w_key": draw(generator, d_model, d_model),
            "w_value": draw(generator, d_model, width),
            "w_output": draw(generator, width, d_model),
            "num_heads": num_heads,
        }

    return [
        Case("1 sentence, 3 tokens, d_model 4, 2 heads", inputs(tidy, 1, 3, 4, 2)),
        Case("1 sentence, 2 tokens, d_model 6, 3 heads", inputs(tidy, 1, 2, 6, 3)),
        Case("2 sentences, 5 tokens, d_model 12, 3 heads", inputs(normal, 2, 5, 12, 3)),
        Case("values wider than queries and keys", inputs(normal, 2, 4, 6, 3, d_value=5)),
        Case("one head", inputs(normal, 2, 3, 4, 1)),
        Case("gradients", inputs(normal, 2, 3, 6, 2), gradients=True),
    ]


def _view_alone(tokens: Tensor, num_heads: int) -> Tensor:
    batch, length, width = tokens.shape
    return tokens.reshape(batch, num_heads, length, width // num_heads)


def _flat(heads: Tensor) -> Tensor:
    batch, num_heads, length, width = heads.shape
    return heads.reshape(batch, length, num_heads * width)


def _interleaved(tokens: Tensor, num_heads: int) -> Tensor:
    return tokens.unflatten(-1, (-1, num_heads)).permute(0, 3, 1, 2)


def _pieces_of_the_embedding(
    x: Tensor, wq: Tensor, wk: Tensor, wv: Tensor, wo: Tensor, num_heads: int
) -> Result:
    def own_block(weight: Tensor) -> Tensor:
        blocks = weight.unflatten(0, (num_heads, -1)).unflatten(2, (num_heads, -1))
        kept = torch.eye(num_heads, dtype=weight.dtype)[:, None, :, None]
        return (blocks * kept).flatten(2).flatten(0, 1)

    return _multi_head(x, own_block(wq), own_block(wk), own_block(wv), wo, num_heads)


def _no_output(x: Tensor, wq: Tensor, wk: Tensor, wv: Tensor, wo: Tensor, num_heads: int) -> Result:
    query, key, value = (_split(x @ w, num_heads) for w in (wq, wk, wv))
    weights = (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
    return _merge(weights @ value), weights


def _mean_weights(
    x: Tensor, wq: Tensor, wk: Tensor, wv: Tensor, wo: Tensor, num_heads: int
) -> Result:
    output, weights = _multi_head(x, wq, wk, wv, wo, num_heads)
    return output, weights.mean(1)


def _one_map(x: Tensor, wq: Tensor, wk: Tensor, wv: Tensor, wo: Tensor, num_heads: int) -> Result:
    weights = _multi_head(x, wq, wk, wv, wo, num_heads)[1].mean(1, keepdim=True)
    weights = weights.expand(-1, num_heads, -1, -1)
    return _merge(weights @ _split(x @ wv, num_heads)) @ wo, weights


def _first_head_for_all(
    x: Tensor, wq: Tensor, wk: Tensor, wv: Tensor, wo: Tensor, num_heads: int
) -> Result:
    query, key, value = (w.chunk(num_heads, 1)[0].repeat(1, num_heads) for w in (wq, wk, wv))
    return _multi_head(x, query, key, value, wo, num_heads)


def _values_as_wide_as_keys(
    x: Tensor, wq: Tensor, wk: Tensor, wv: Tensor, wo: Tensor, num_heads: int
) -> Result:
    batch, length, d_model = x.shape
    shape = (batch, length, num_heads, d_model // num_heads)
    query, key, value = ((x @ w).view(shape).transpose(1, 2) for w in (wq, wk, wv))
    weights = (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
    return _merge(weights @ value) @ wo, weights


ATTEND = Check(
    name="heads.attend",
    lesson="03_multi_head_attention",
    title="Multi-head self-attention from matrices",
    answer="multi_head_attention",
    returns=("output", "weights"),
    points=2,
    difficulty=3,
    importance=5,
    minutes=12,
    draw=_draw,
    reference=_reference,
    forbidden=frozenset({"attention"}),
    slips=(
        Misconception(
            "heads split by a view",
            lambda *a: _multi_head(*a, split=_view_alone),
            "the heads are split by a view alone: each head holds pieces of other tokens",
            "Your `split_heads` has passed its check. Is it the one that is used here?",
        ),
        Misconception(
            "heads merged without a transpose",
            lambda *a: _multi_head(*a, merge=_flat),
            "the heads are merged without moving the token axis back",
            "Your `merge_heads` has passed its check. Is it the one that is used here?",
        ),
        Misconception(
            "heads split and merged by a view",
            lambda *a: _multi_head(*a, split=_view_alone, merge=_flat),
            "heads are split and merged by views: each head is a part of the sentence",
            "Change one token: does every row of the output move?",
        ),
        Misconception(
            "heads interleaved",
            lambda *a: _multi_head(*a, split=_interleaved),
            "a head takes every num_heads-th column of the projections",
            "The columns of a head stand side by side.",
        ),
        Misconception(
            "pieces of the embedding",
            _pieces_of_the_embedding,
            "each head sees a piece of the embedding: only the blocks on the diagonal of the "
            "matrices are used",
            "Project the whole token first, then split the projection.",
        ),
        Misconception(
            "scaled by √d_model",
            lambda x, *a: _multi_head(x, *a, width=x.shape[-1]),
            "the divisor is √d_model; the dot product within a head has d_head terms",
            "How wide is the query of one head?",
        ),
        Misconception(
            "not scaled",
            lambda *a: _multi_head(*a, width=1.0),
            "the scores are not scaled",
            "What are the scores divided by, and does it depend on the number of heads?",
        ),
        Misconception(
            "root forgotten",
            lambda x, wq, *a: _multi_head(x, wq, *a, width=(wq.shape[1] // a[-1]) ** 2),
            "the scores are divided by d_head, not by its root",
            "The spread of a dot product grows like √d_head.",
        ),
        Misconception(
            "softmax over the queries",
            lambda *a: _multi_head(*a, axis=-2),
            "the softmax runs over the queries",
            "Each query shares out one unit of attention over the keys, in every head.",
        ),
        Misconception(
            "softmax over the heads",
            lambda *a: _multi_head(*a, axis=1),
            "the softmax runs over the heads: the heads share one unit for each pair",
            "Every head has a unit of its own for each query.",
        ),
        Misconception(
            "no output projection",
            _no_output,
            "w_output is not used",
            "The merged heads still go through the output projection.",
        ),
        Misconception(
            "weights averaged over the heads",
            _mean_weights,
            "the weights are averaged over the heads",
            "Return a map for each head: (batch, heads, tokens, tokens).",
        ),
        Misconception(
            "one map for all heads",
            _one_map,
            "all heads use the same map, the mean of theirs",
            "What is the point of several heads if they look at the same?",
        ),
        Misconception(
            "the first head's columns for all",
            _first_head_for_all,
            "every head uses the columns of head 0",
            "Head h owns the columns from h · d_head up to (h + 1) · d_head.",
        ),
        Misconception(
            "one projection for query and key",
            lambda x, wq, wk, wv, wo, num_heads: _multi_head(x, wq, wq, wv, wo, num_heads),
            "the keys are projected with w_query: every score is symmetric",
            "What a token asks and what it answers to are two different things.",
        ),
        Misconception(
            "values as wide as keys",
            _values_as_wide_as_keys,
            "the values are split as if they were as wide as queries and keys",
            "The width of a head's value is what w_value has columns for: divide its own width.",
        ),
    ),
    hints=(
        "Project the tokens with three whole matrices; only then split each into heads.",
        "With an axis for heads, `query @ key.transpose(-2, -1)` does all heads at once.",
        "Split, attend, merge, and multiply by w_output. The softmax runs over the last axis and "
        "the divisor is the root of the width of one head.",
    ),
)
