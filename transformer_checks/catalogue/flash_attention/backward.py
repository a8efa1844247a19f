"""flash.row_term and flash.key_gradients: the backward pass, one tile at a time."""

import math
from collections.abc import Callable

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import Draw, normal, some, tidy
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception

Gradients = tuple[Tensor, Tensor]


def _row_reference(output: Tensor, d_output: Tensor) -> Tensor:
    return torch.einsum("...d,...d->...", output, d_output)


def _rows(output: Tensor, d_output: Tensor) -> dict[str, Tensor]:
    return {"output": output, "d_output": d_output}


def _draw_rows(generator: Generator) -> list[Case]:
    g = generator
    expanded = normal(g, 2, 1, 1).expand(2, 4, 3)
    many = normal(g, 300, 4), normal(g, 300, 4)
    return [
        Case("2 queries, width 3", _rows(tidy(g, 2, 3), tidy(g, 2, 3))),
        Case("3 queries, width 3", _rows(tidy(g, 3, 3), tidy(g, 3, 3))),
        Case(
            "batch 2, heads 3, 5 queries, width 4",
            _rows(normal(g, 2, 3, 5, 4), normal(g, 2, 3, 5, 4)),
        ),
        Case(
            "an expanded gradient, as sum().backward() gives",
            _rows(normal(g, 2, 4, 3), expanded),
        ),
        Case("300 queries", _rows(*many), most_numbers=10_000),
    ]


def _diagonal_of_all(output: Tensor, d_output: Tensor) -> Tensor:
    return (output @ d_output.mT).diagonal(dim1=-2, dim2=-1)


ROW_TERM = Check(
    name="flash.row_term",
    lesson="09_flash_attention",
    title="The row term",
    answer="row_term",
    returns=("row_term",),
    points=1,
    difficulty=2,
    importance=4,
    minutes=6,
    draw=_draw_rows,
    reference=_row_reference,
    slips=(
        Misconception(
            "sum over the queries",
            lambda output, d_output: (output * d_output).sum(-2),
            "the sum runs over the queries: there is one number for each column",
            "The softmax runs within a row, so there is one number for each query.",
        ),
        Misconception(
            "mean instead of sum",
            lambda output, d_output: (output * d_output).mean(-1),
            "the products are averaged over the width",
            "Follow the two sums that were swapped: neither has a divisor.",
        ),
        Misconception(
            "the gradient alone",
            lambda output, d_output: d_output.sum(-1),
            "only the incoming gradient is summed: the output is missing",
            "Insert dP = dO Vᵀ into the sum of P ∘ dP, and see what becomes of P and V.",
        ),
        Misconception(
            "the output's own square",
            lambda output, d_output: (output * output).sum(-1),
            "the output is multiplied by itself",
            "The row term says how much of the incoming gradient a row passes on.",
        ),
        Misconception(
            "scaled by √d_head",
            lambda output, d_output: (output * d_output).sum(-1) / math.sqrt(output.shape[-1]),
            "the sum is divided by √d_head, whose place is in the scores",
            "The scale comes in where the gradient of the scores meets queries and keys.",
        ),
        Misconception(
            "summed over everything",
            lambda output, d_output: (output * d_output).sum(),
            "all rows are summed into one number",
            "One number for each query.",
        ),
        Misconception(
            "all pairs of queries",
            _diagonal_of_all,
            "a matrix of all pairs of queries is made, and only its diagonal is used",
            "Multiply element by element instead, then sum each row.",
        ),
    ),
    hints=(
        "Section 16 of the lesson ends with it: two tensors of the same shape, one sum.",
        "Multiply `output` and `d_output` element by element and sum over the last axis.",
    ),
)


def _key_reference(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    d_output: Tensor,
    log_sum_exp: Tensor,
    row_term: Tensor,
    seen: Tensor,
) -> Gradients:
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    scores = torch.where(seen, scores - torch.where(seen.any(-1), log_sum_exp, 0.0)[:, None], -1e9)
    weights = scores.exp()
    d_scores = weights * (d_output @ value.mT - row_term[:, None])
    return d_scores.mT @ query / math.sqrt(query.shape[-1]), weights.mT @ d_output


def _tile(
    generator: Generator, draw: Draw, queries: int, keys: int, seen: Tensor | None = None
) -> dict[str, Tensor]:
    """A tile of ``keys`` keys out of keys + 3, and all that its backward pass is given."""
    width = 4 if draw is normal else 2
    query = draw(generator, queries, width)
    key, value = draw(generator, keys + 3, width), draw(generator, keys + 3, width)
    d_output = draw(generator, queries, width)
    if seen is None:
        seen = torch.ones(queries, keys + 3, dtype=torch.bool)
    scores = (query @ key.mT / math.sqrt(width)).masked_fill(~seen, -torch.inf)
    output = scores.softmax(-1).nan_to_num(0.0) @ value
    return {
        "query": query,
        "key": key[:keys],
        "value": value[:keys],
        "d_output": d_output,
        "log_sum_exp": scores.logsumexp(-1),
        "row_term": (output * d_output).sum(-1),
        "seen": seen[:, :keys],
    }


def _draw_keys(generator: Generator) -> list[Case]:
    g = generator
    causal = torch.ones(4, 7, dtype=torch.bool).tril()
    empty = some(g, 3, 5)
    empty[1] = False
    expanded = _tile(g, tidy, 3, 2)
    return [
        Case("2 queries, a tile of 3 keys", _tile(g, tidy, 2, 3)),
        Case("a diagonal tile: 4 queries, 4 keys", _tile(g, tidy, 4, 4, causal)),
        Case("3 queries, 2 keys", expanded),
        Case("7 queries, 13 keys", _tile(g, normal, 7, 13, some(g, 7, 16))),
        Case("77 queries, 16 keys", _tile(g, normal, 77, 16)),
        Case("a query that sees no key at all", _tile(g, tidy, 3, 2, empty)),
    ]


def _with(
    *,
    term: bool = True,
    times: int = 1,
    mask: str = "before",
    transposed: bool = True,
    again: bool = False,
    weights_of_values: bool = True,
    added: bool = False,
    output_for_query: bool = False,
) -> Callable[..., Gradients]:
    def answer(
        query: Tensor,
        key: Tensor,
        value: Tensor,
        d_output: Tensor,
        log_sum_exp: Tensor,
        row_term: Tensor,
        seen: Tensor,
    ) -> Gradients:
        scale = 1 / math.sqrt(query.shape[-1])
        scores = query @ key.mT * scale
        if mask == "before":
            weights = (scores - log_sum_exp[:, None]).masked_fill(~seen, -torch.inf).exp()
        elif mask == "arithmetic":
            weights = (scores.masked_fill(~seen, -torch.inf) - log_sum_exp[:, None]).exp()
        else:
            weights = (scores - log_sum_exp[:, None]).exp()
        if again:
            weights = scores.masked_fill(~seen, -torch.inf).softmax(-1).nan_to_num(0.0)
        d_weights = d_output @ value.mT
        offset = row_term[:, None] if term else 0.0
        d_scores = weights * (d_weights + offset if added else d_weights - offset)
        if not transposed:
            d_scores = d_scores.mT if d_scores.shape[0] == d_scores.shape[1] else d_scores
        d_key = d_scores.mT @ (d_output if output_for_query else query) * scale**times
        d_value = (weights if weights_of_values else d_scores).mT @ d_output
        return d_key, d_value

    return answer


KEY_GRADIENTS = Check(
    name="flash.key_gradients",
    lesson="09_flash_attention",
    title="Gradients of a tile of keys and values",
    answer="key_gradients",
    returns=("d_key", "d_value"),
    points=3,
    difficulty=4,
    importance=4,
    minutes=20,
    draw=_draw_keys,
    reference=_key_reference,
    forbidden=frozenset({"softmax", "attention"}),
    slips=(
        Misconception(
            "row term missing",
            _with(term=False),
            "the row term is not taken off",
            "When one weight of a row rises, the others fall. Which number says by how much?",
        ),
        Misconception(
            "row term added",
            _with(added=True),
            "the row term is added instead of taken off",
            "The gradient of the scores sums to zero over a whole row. Check it.",
        ),
        Misconception(
            "scale missing in dK",
            _with(times=0),
            "the scale 1/√d_head is missing in dK",
            "The scores are q·k times the scale, so the gradient of k is q times the scale.",
        ),
        Misconception(
            "scale twice in dK",
            _with(times=2),
            "the scale 1/√d_head comes in twice in dK",
            "It belongs once into the scores, and once into the gradient that leaves them.",
        ),
        Misconception(
            "mask ignored",
            _with(mask="never"),
            "hidden pairs take part: the mask has no effect on the way back",
            "Weights that are computed again must be masked again.",
        ),
        Misconception(
            "dK without its transpose",
            _with(transposed=False),
            "the gradient of the scores is not transposed where the tile is square",
            "dK has a row for each key, and sums over the queries.",
        ),
        Misconception(
            "softmax over the tile",
            _with(again=True),
            "the weights are normalised over this tile alone",
            "The log-sum-exp knows the whole row: exp(score - log_sum_exp) is the weight.",
        ),
        Misconception(
            "gradient of the scores for dV",
            _with(weights_of_values=False),
            "dV is computed from the gradient of the scores instead of the weights",
            "The output is weights @ value: what multiplies dO on the way back to the values?",
        ),
        Misconception(
            "dO in place of the queries",
            _with(output_for_query=True),
            "dK is computed from the incoming gradient instead of the queries",
            "The scores are query @ keyᵀ: what multiplies dS on the way back to the keys?",
        ),
        Misconception(
            "-inf minus -inf",
            _with(mask="arithmetic"),
            "a query that sees no key makes NaN: its log-sum-exp is -inf",
            "Mask after the subtraction, or set the weights of hidden pairs to 0 at the end.",
        ),
    ),
    hints=(
        "First the weights again: exp(scores - log_sum_exp), and 0 for hidden pairs.",
        "d_value = weightsᵀ @ d_output. For the scores: weights ∘ (d_output @ valueᵀ - row_term).",
        "d_key = (gradient of the scores)ᵀ @ query, times the scale. `torch.where(seen, …, 0.0)` "
        "for the weights is safe for an empty row too.",
    ),
)
