"""heads.attend: multi-head self-attention from four weight matrices."""

from torch import Generator

from transformer_checks.catalogue import families
from transformer_checks.catalogue.draws import Draw, gapped, half, normal, spread, tidy, whole
from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw, batch: int, length: int, d_model: int, num_heads: int, d_value: int = 0
    ) -> dict[str, Value]:
        width = num_heads * (d_value or d_model // num_heads)
        return {"tokens": draw(generator, batch, length, d_model),
                "w_query": draw(generator, d_model, d_model),
                "w_key": draw(generator, d_model, d_model),
                "w_value": draw(generator, d_model, width),
                "w_output": draw(generator, width, d_model), "num_heads": num_heads}

    cases = [
        Case("1 sentence, 3 tokens, d_model 4, 2 heads", inputs(tidy, 1, 3, 4, 2)),
        Case("1 sentence, 2 tokens, d_model 6, 3 heads", inputs(tidy, 1, 2, 6, 3)),
        Case("2 sentences, 5 tokens, d_model 12, 3 heads", inputs(half, 2, 5, 12, 3)),
        Case("values wider than queries and keys", inputs(normal, 2, 4, 6, 3, d_value=5)),
        Case("one head", inputs(normal, 2, 3, 4, 1)),
        Case("3 sentences of one token", inputs(normal, 3, 1, 4, 2)),
        Case("gradients", inputs(normal, 2, 3, 6, 2), gradients=True),
        # Beside small results what large scores round is no matter.
        Case("large scores",
             inputs(whole, 2, 4, 8, 2) | {"w_output": tidy(generator, 8, 8) / 1000}),
    ]
    sizes, of_values = spread(34), spread(51)
    many: dict[str, Value] = {
        "tokens": normal(generator, 2, 18, 34) * sizes,
        "w_query": normal(generator, 34, 34) / (4 * sizes[:, None]),
        "w_key": normal(generator, 34, 34) / (4 * sizes[:, None]),
        "w_value": normal(generator, 34, 51) * of_values / (16 * sizes[:, None]),
        "w_output": normal(generator, 51, 34) / of_values[:, None], "num_heads": 17,
    }
    zero = inputs(tidy, 1, 3, 4, 2) | {"tokens": gapped(generator, 1, 3, 4)}
    return [
        *cases,
        Case("2 sentences, 18 tokens, 17 heads, numbers of many sizes", many),
        Case("a token of zeros", zero),
    ]


_SPLIT = "split_heads(tokens @ w, num_heads)"
_BY_VIEW = {_SPLIT: "(tokens @ w).view(len(tokens), num_heads, tokens.shape[1], -1)"}
_FLAT = {"merge_heads(weights @ value)": "(weights @ value).reshape(*tokens.shape[:2], -1)"}

CHECK = Check(
    name="heads.attend", lesson="03_multi_head_attention",
    title="Multi-head self-attention from matrices",
    answer="multi_head_attention", returns=("output", "weights"), draw=_draw,
    points=2, difficulty=3, importance=5, minutes=12, forbidden=frozenset({"attention"}),
    slips=(
        Slip("heads split by a view", _BY_VIEW,
             "the heads are split by a view alone: each head holds pieces of other tokens",
             "Your `split_heads` has passed its check. Is it the one that is used here?"),
        families.heads_merged_without_a_transpose(_FLAT),
        families.heads_split_and_merged_by_a_view(_BY_VIEW | _FLAT),
        Slip("heads interleaved",
             {_SPLIT: "(tokens @ w).unflatten(-1, (-1, num_heads)).permute(0, 3, 1, 2)"},
             "a head takes every num_heads-th column of the projections",
             "The columns of a head stand side by side."),
        Slip("pieces of the embedding", {
                 _SPLIT:
                     "split_heads(tokens, num_heads) @ torch.stack(["
                     "rows.chunk(num_heads, 1)[h] for h, rows in enumerate(w.chunk(num_heads))"
                     "])",
             },
             "each head sees a piece of the embedding: "
             "only the blocks on the diagonal of the matrices are used",
             "Project the whole token first, then split the projection."),
        families.scaled_by_root_of_d_model({"query.shape": "tokens.shape"}),
        families.not_scaled({" / math.sqrt(query.shape[-1])": ""}),
        families.root_forgotten({"math.sqrt(query.shape[-1])": "query.shape[-1]"}),
        families.power_before_division({"math.sqrt(query.shape[-1])": "query.shape[-1] ** 1/2"}),
        families.softmax_over_queries({"dim=-1": "dim=-2"}),
        families.softmax_over_heads({"dim=-1": "dim=1"}),
        Slip("no output projection", {" @ w_output": ""}, "w_output is not used",
             "The merged heads still go through the output projection."),
        families.one_projection_for_query_and_key(
            {"(w_query, w_key, w_value)": "(w_query, w_query, w_value)"}),
        Slip("output projection transposed", {"@ w_output": "@ w_output.mT"},
             "w_output is transposed",
             "It stands to the right of the merged heads. F.linear wants its weight the other "
             "way round."),
        Slip("queries and keys swapped", {"(w_query, w_key, w_value)": "(w_key, w_query, w_value)"},
             "query and key are exchanged",
             "Rows of the scores belong to queries: those are `tokens @ w_query`."),
        families.fixed_width(64, {"query.shape[-1]": "64"}),
        families.value_projected_as_key({
            "(w_query, w_key, w_value)":
                "(w_query, w_key, w_key if w_key.shape == w_value.shape else w_value)",
        }),
    ),
)
