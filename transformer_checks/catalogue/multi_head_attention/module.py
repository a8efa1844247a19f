"""heads.module: multi-head attention as an nn.Module, self- and cross-, under a mask."""

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, half, normal, tidy
from transformer_checks.catalogue.ordinary import as_case, inputs_of, ordinary


def _draw(generator: Generator) -> list[Case]:
    axes = {
        "query": "batch queries +heads*d_head",
        "key": "batch keys +heads*d_head",
        "value": "batch keys +heads*d_head",
        "mask": "bool? batch heads queries keys",
        "d_model": "=heads*d_head",
        "num_heads": "=heads",
    }
    for name in ("query", "key", "value", "output"):
        read = "heads*d_head" if name == "output" else "-heads*d_head"
        axes[f"{name}_projection.weight"] = f"heads*d_head {read}"
        axes[f"{name}_projection.bias"] = "heads*d_head"

    def case(
        label: str,
        sizes: tuple[int, int, int, int, int],
        mask: Tensor,
        draw: Draw = tidy,
        *,
        gradients: bool = False,
        training: bool = False,
        apart: float = 0.0,
    ) -> Case:
        given = inputs_of(generator, axes, draw, *sizes) | {"mask": mask}
        given["query_projection.bias"] += apart  # queries and keys point in opposite directions
        given["key_projection.bias"] -= apart
        return as_case(label, given, gradients=gradients, training=training)

    few, square = (1, 2, 2, 2, 2), (1, 3, 2, 2, 3)
    itself = torch.eye(2).bool()
    everything = torch.ones(3, 3).bool()
    by_head = torch.stack([everything.tril(), everything.triu()])
    lengths = torch.tensor([4, 1, 3])
    padding = (torch.arange(4) < lengths[:, None])[:, None, None, :]
    empty = torch.tensor([[True, True, False], [False, False, False]])
    return [
        case("3 tokens, d_model 4, 2 heads, everything allowed", square, everything),
        case("a causal mask", square, everything.tril()),
        case("3 sentences, padded", (3, 2, 4, 3, 4), padding, normal),
        case("a query that may attend to nothing", (1, 2, 2, 2, 3), empty),
        case("training mode", few, itself, training=True),
        case("scores around -500", few, itself, apart=19.0),
        case("scores far below -10,000", few, itself, apart=200.0),
        case("gradients beside an empty row", (1, 2, 2, 2, 3), empty, normal, gradients=True),
        case("one key, a mask of keys alone", (2, 3, 2, 2, 1), torch.ones(1).bool(), normal),
        case("2 heads, each with a mask for all sentences", (2, 3, 2, 2, 3), by_head, normal),
        case("everything hidden", (1, 2, 2, 2, 3), torch.zeros(2, 3).bool()),
        *ordinary(generator, half, axes=axes),
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
