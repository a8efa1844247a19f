"""heads.contributions: what each head adds to the output of the layer."""

from torch import Generator

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, spread, tidy


def _draw(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw, batch: int, num_heads: int, length: int, d_head: int, d_model: int
    ) -> dict[str, Value]:
        return {
            "heads": draw(generator, batch, num_heads, length, d_head),
            "w_output": draw(generator, num_heads * d_head, d_model),
        }

    cases = [
        Case("2 heads, 1 token, d_head 1", inputs(tidy, 1, 2, 1, 1, 2)),
        Case("2 heads, 3 tokens, d_head 2", inputs(tidy, 1, 2, 3, 2, 4)),
        Case("batch 2, 3 heads, 4 tokens, d_head 5", inputs(normal, 2, 3, 4, 5, 15)),
        Case("d_model 11, not heads · d_head", inputs(normal, 2, 3, 4, 2, 11)),
        Case("one head", inputs(normal, 2, 1, 3, 4, 4)),
        Case("batch 3, 2 heads", inputs(normal, 3, 2, 3, 4, 8)),
        Case("gradients", inputs(normal, 2, 3, 2, 2, 6), gradients=True),
    ]
    heads = normal(generator, 2, 2, 18, 17) * spread(17)
    heads[..., 5, :] = 0.0
    w_output = normal(generator, 34, 19) / spread(17).repeat(2)[:, None]
    label = "18 tokens, one of them 0, d_head 17, numbers of many sizes"
    return [*cases, Case(label, {"heads": heads, "w_output": w_output})]


CHECK = Check(
    name="heads.contributions",
    lesson="03_multi_head_attention",
    title="What each head contributes",
    answer="head_contributions",
    returns=("contributions",),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=4,
    minutes=10,
    forbidden=frozenset({"attention"}),
)
