"""heads.grouped: heads that share keys and values, converted from heads that do not."""

from torch import Generator

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, gapped, half, normal, spread, tidy, whole


def _draw(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw, tokens: tuple[int, int, int], heads: tuple[int, int], d_head: int, d_value: int
    ) -> dict[str, Value]:
        d_model, num_heads = tokens[-1], heads[0]
        return {
            "tokens": draw(generator, *tokens),
            "w_query": draw(generator, d_model, num_heads * d_head),
            "w_key": draw(generator, d_model, num_heads * d_head),
            "w_value": draw(generator, d_model, num_heads * d_value),
            "w_output": draw(generator, num_heads * d_value, d_model),
            "num_heads": num_heads,
            "num_kv_heads": heads[1],
        }

    cases = [
        Case("4 heads of width 1, 2 of them for keys", inputs(tidy, (1, 2, 3), (4, 2), 1, 1)),
        Case("2 heads of width 2, 1 for keys", inputs(tidy, (1, 2, 3), (2, 1), 2, 2)),
        Case("6 heads, 2 for keys", inputs(half, (2, 5, 7), (6, 2), 3, 3)),
        Case("6 heads, 3 for keys", inputs(normal, (3, 4, 5), (6, 3), 2, 2)),
        Case("values wider than queries and keys", inputs(normal, (2, 3, 4), (4, 2), 3, 5)),
        Case("8 heads, 1 for keys", inputs(normal, (2, 3, 5), (8, 1), 3, 2)),
        Case("as many heads for keys as for queries", inputs(normal, (2, 4, 6), (3, 3), 2, 2)),
        Case("one head", inputs(normal, (2, 3, 4), (1, 1), 3, 3)),
        Case("a sentence of one token", inputs(normal, (1, 1, 4), (4, 2), 2, 2)),
        Case("gradients", inputs(normal, (2, 3, 4), (4, 2), 2, 3), gradients=True),
        # Beside small results what large scores round is no matter.
        Case(
            "large scores",
            inputs(whole, (2, 4, 6), (4, 2), 4, 3) | {"w_output": tidy(generator, 12, 6) / 1000},
        ),
    ]
    sizes, of_values = spread(19), spread(17).repeat_interleave(6)  # one for both heads of a group
    many: dict[str, Value] = {
        "tokens": normal(generator, 2, 18, 19) * sizes,
        "w_query": normal(generator, 19, 68) / (4 * sizes[:, None]),
        "w_key": normal(generator, 19, 68) / sizes[:, None],
        "w_value": normal(generator, 19, 102) * of_values / (16 * sizes[:, None]),
        "w_output": normal(generator, 102, 19) / of_values[:, None],
        "num_heads": 34,
        "num_kv_heads": 17,
    }
    zero = inputs(tidy, (1, 3, 4), (4, 2), 2, 2) | {"tokens": gapped(generator, 1, 3, 4)}
    return [
        *cases,
        Case("18 tokens, 34 heads, 17 for keys, numbers of many sizes", many),
        Case("a token of zeros", zero),
    ]


CHECK = Check(
    name="heads.grouped",
    lesson="03_multi_head_attention",
    title="Fewer keys than queries",
    answer="grouped_attention",
    returns=("output", "w_key", "w_value"),
    draw=_draw,
    points=2,
    difficulty=4,
    importance=4,
    minutes=18,
    forbidden=frozenset({"attention"}),
)
