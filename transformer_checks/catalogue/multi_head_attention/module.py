"""heads.module: multi-head attention as an nn.Module, self- and cross-, under a mask."""

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Build, Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, gapped, normal, some, spread, tidy


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str,
        draw: Draw,
        shape: tuple[int, int, int, int, int],
        mask: Tensor,
        *,
        gradients: bool = False,
        training: bool = False,
        apart: float = 0.0,
    ) -> Case:
        batch, queries, keys, d_model, num_heads = shape
        weights = {}
        for name in ("query", "key", "value", "output"):
            weights[f"{name}_projection.weight"] = draw(generator, d_model, d_model)
            weights[f"{name}_projection.bias"] = draw(generator, d_model)
        weights["query_projection.bias"] += apart  # queries and keys point in opposite directions
        weights["key_projection.bias"] -= apart
        inputs = {
            "query": draw(generator, batch, queries, d_model),
            "key": draw(generator, batch, keys, d_model),
            "value": draw(generator, batch, keys, d_model),
            "mask": mask,
        }
        build = Build({"d_model": d_model, "num_heads": num_heads}, weights, training)
        return Case(label, inputs, gradients=gradients, build=build)

    itself = torch.eye(2).bool()
    everything = torch.ones(3, 3).bool()
    by_head = torch.stack([everything.tril(), everything.triu()])
    lengths = torch.tensor([4, 1, 3])
    padding = (torch.arange(4) < lengths[:, None])[:, None, None, :]
    empty = torch.tensor([[True, True, False], [False, False, False]])
    cases = [
        case("3 tokens, d_model 4, 2 heads, everything allowed", tidy, (1, 3, 3, 4, 2), everything),
        case("a causal mask", tidy, (1, 3, 3, 4, 2), everything.tril()),
        case("5 keys, 3 heads of width 1", normal, (2, 2, 5, 3, 3), some(generator, 2, 5)),
        case("3 sentences, padded", normal, (3, 2, 4, 12, 4), padding),
        case("a mask for each head", normal, (2, 3, 4, 6, 3), some(generator, 2, 3, 3, 4)),
        case("a query that may attend to nothing", tidy, (1, 2, 3, 4, 2), empty),
        case("gradients", normal, (2, 3, 4, 6, 2), some(generator, 3, 4), gradients=True),
        case("training mode", tidy, (1, 2, 2, 4, 2), itself, training=True),
        case("scores around -500", tidy, (1, 2, 2, 4, 2), itself, apart=19.0),
        case("scores far below -10,000", tidy, (1, 2, 2, 4, 2), itself, apart=200.0),
        case("gradients beside an empty row", normal, (1, 2, 3, 4, 2), empty, gradients=True),
        case("one head, one query", normal, (3, 1, 4, 6, 1), some(generator, 1, 1, 1, 4)),
        case("one key, a mask of keys alone", normal, (2, 3, 1, 4, 2), torch.ones(1).bool()),
        case("2 heads, each with a mask for all sentences", normal, (2, 3, 3, 4, 2), by_head),
        case("everything hidden", tidy, (1, 2, 3, 4, 2), torch.zeros(2, 3).bool()),
    ]
    sizes, weights = spread(34), {}
    for name in ("query", "key", "value", "output"):
        inputs_of = torch.ones(34) if name == "output" else sizes
        weights[f"{name}_projection.weight"] = normal(generator, 34, 34) / (4 * inputs_of)
        weights[f"{name}_projection.bias"] = normal(generator, 34)
    many = {
        "query": normal(generator, 2, 18, 34) * sizes,
        "key": normal(generator, 2, 20, 34) * sizes,
        "value": normal(generator, 2, 20, 34) * sizes,
        "mask": some(generator, 18, 20),
    }
    build = Build({"d_model": 34, "num_heads": 17}, weights)
    label = "18 queries, 20 keys, 17 heads, numbers of many sizes"
    one_head = torch.stack([torch.ones(2, 3).bool(), empty])
    return [
        *cases,
        Case(label, many, build=build),
        case("a row empty in one head alone", tidy, (1, 2, 3, 4, 2), one_head),
        case("a query, a key and a value of zeros", gapped, (1, 3, 3, 4, 2), everything),
    ]


CHECK = Check(
    name="heads.module",
    lesson="03_multi_head_attention",
    title="Multi-head attention as a module",
    answer="MultiHeadAttention",
    returns=("output",),
    draw=_draw,
    points=3,
    difficulty=4,
    importance=5,
    minutes=20,
    forbidden=frozenset({"attention"}),
    atol=1e-4,  # the gradient of the key bias is 0: rounding is all there is of it
)
