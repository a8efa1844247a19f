"""attention.which_bug: which of five versions made these weights, and with which divisor."""

import math
from itertools import combinations

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, redrawn, spread, tidy

CLEAR = 0.05  # what two versions differ by in some weight, and two products of a query or key
VERSIONS = 5
LONG = 10  # tokens
SURE = 18.0  # by how much the score of a first token for itself is raised


def _versions(scores: Tensor) -> Tensor:
    """The weights (versions, tokens, tokens), as the lines of the exercise's table make them."""
    every = torch.ones_like(scores, dtype=torch.bool)
    causal = every.tril()

    def over(seen: Tensor, dim: int = -1) -> Tensor:
        return scores.masked_fill(~seen, -math.inf).softmax(dim)

    late = scores.softmax(-1) * causal
    return torch.stack([over(causal), over(causal, 0), over(every.tril(1)), late, over(causal.mT)])


def _sentence(
    generator: Generator, draw: Draw, tokens: int, d_head: int, divisor: float, sure: float = 0.0
) -> tuple[Tensor, Tensor, Tensor]:
    """Query, key and the weights of all versions: redrawn until every two can be told apart.

    The score of the first query and the first key grows by ``sure``.
    """

    def attempt() -> tuple[Tensor, Tensor, Tensor] | None:
        query, key = draw(generator, tokens, d_head), draw(generator, tokens, d_head)
        query[0] += sure * divisor * key[0] / key[0].square().sum().clamp(min=0.1)
        products = query @ key.mT
        made = _versions(products / divisor)
        # Of many tokens those at the ends: no draw keeps all products of them all apart.
        ends = slice(None) if tokens < LONG else [0, -1]
        compared = torch.cat([products[ends], products.mT[ends]])
        gaps = compared.sort().values.diff()
        apart = [(one - other).abs().max() for one, other in combinations(made, 2)]
        # Columns that share out nearly whole rows could be rows of another divisor.
        apart.append((made[1].sum(-1) - 1).abs().max())
        settled = made[1, 0, 0] > 0.9999 and made[3, 0, 0] > 0.9999  # in lines 1 and 3
        told = min(gaps.min(), *apart) > CLEAR and (settled or not sure)
        return (query, key, made) if told else None

    return redrawn(attempt)


def _misleading(generator: Generator) -> tuple[Tensor, Tensor, Tensor]:
    """As ``_sentence``: with √d_head for the divisor another line comes nearest to line 1."""

    def attempt() -> tuple[Tensor, Tensor, Tensor] | None:
        query, key, made = _sentence(generator, _large, 4, 4, 20.0)
        off = (_versions(query @ key.mT / 2.0) - made[1]).abs().flatten(1)
        misleads = off.sum(1).argmin() != 1 and off.square().sum(1).argmin() != 1
        return (query, key, made) if misleads else None

    return redrawn(attempt)


def _draw(generator: Generator) -> list[Case]:
    sizes = [(3, 2), (3, 4), (3, 1), (4, 2), (3, 5), (4, 6), (5, 3), (4, 9), (6, 7), (5, 8)]
    bugs = torch.randperm(len(sizes), generator=generator) % VERSIONS
    scales = torch.randperm(len(sizes), generator=generator) % 5
    cases = []
    for (tokens, d_head), bug, scale in zip(sizes, bugs.tolist(), scales.tolist(), strict=True):
        divisor = (math.sqrt(d_head), float(d_head), 1.5, math.sqrt(3 * d_head), 0.5)[scale]
        draw = tidy if tokens * d_head < 12 else normal
        query, key, made = _sentence(generator, draw, tokens, d_head, divisor)
        inputs = {"query": query, "key": key, "weights": made[bug]}
        cases.append(Case(f"{tokens} tokens, d_head {d_head}", inputs))
    # Its row and its column are right but for a thousandth; what it sees besides has small weights.
    for bug in range(1, VERSIONS):
        query, key, made = _sentence(generator, normal, 4, 5, 1.5, SURE)
        inputs = {"query": query, "key": key, "weights": made[bug]}
        cases.append(Case(f"4 tokens, the first sure of itself, line {bug}", inputs))
    for bug, tokens, d_head in ((0, 18, 19), (1, 20, 17)):
        query, key, made = _sentence(generator, _with_zeros, tokens, d_head, 6.0)
        factors = spread(d_head)
        inputs = {"query": query * factors, "key": key / factors, "weights": made[bug]}
        cases.append(Case(f"{tokens} tokens, numbers of many sizes, line {bug}", inputs))
    query, key, made = _misleading(generator)
    inputs = {"query": query, "key": key, "weights": made[1]}
    cases.append(Case("4 tokens, a divisor far from √d_head, line 1", inputs))
    # Its second query sees the last token too, as in line 4.
    query, key, made = _sentence(generator, tidy, 3, 3, 1.5)
    inputs = {"query": query, "key": key, "weights": made[2]}
    return [*cases, Case("3 tokens, line 2", inputs)]


def _large(generator: Generator, *shape: int) -> Tensor:
    return 2 * normal(generator, *shape)


def _with_zeros(generator: Generator, *shape: int) -> Tensor:
    return 2 * normal(generator, *shape) * (torch.rand(shape, generator=generator) > 0.1)


CHECK = Check(
    name="attention.which_bug",
    lesson="02_self_attention",
    title="Which bug made these weights?",
    answer="which_bug",
    returns=("bug", "divisor"),
    draw=_draw,
    points=2,
    difficulty=4,
    importance=4,
    minutes=20,
    forbidden=frozenset({"attention"}),
)
