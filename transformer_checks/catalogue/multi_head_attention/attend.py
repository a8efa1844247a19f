"""heads.attend: multi-head self-attention from four weight matrices."""

from torch import Generator

from transformer_checks.catalogue.draws import Draw, gapped, half, normal, spread, tidy, whole
from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Slip


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

    cases = [
        Case("1 sentence, 3 tokens, d_model 4, 2 heads", inputs(tidy, 1, 3, 4, 2)),
        Case("1 sentence, 2 tokens, d_model 6, 3 heads", inputs(tidy, 1, 2, 6, 3)),
        Case("2 sentences, 5 tokens, d_model 12, 3 heads", inputs(half, 2, 5, 12, 3)),
        Case("values wider than queries and keys", inputs(normal, 2, 4, 6, 3, d_value=5)),
        Case("one head", inputs(normal, 2, 3, 4, 1)),
        Case("3 sentences of one token", inputs(normal, 3, 1, 4, 2)),
        Case("gradients", inputs(normal, 2, 3, 6, 2), gradients=True),
        # Beside small results what large scores round is no matter.
        Case(
            "large scores", inputs(whole, 2, 4, 8, 2) | {"w_output": tidy(generator, 8, 8) / 1000}
        ),
    ]
    sizes, of_values = spread(34), spread(51)
    many: dict[str, Value] = {
        "tokens": normal(generator, 2, 18, 34) * sizes,
        "w_query": normal(generator, 34, 34) / (4 * sizes[:, None]),
        "w_key": normal(generator, 34, 34) / (4 * sizes[:, None]),
        "w_value": normal(generator, 34, 51) * of_values / (16 * sizes[:, None]),
        "w_output": normal(generator, 51, 34) / of_values[:, None],
        "num_heads": 17,
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

# fmt: off
CHECK = Check(
    name="heads.attend", lesson="03_multi_head_attention",
    title="Multi-head self-attention from matrices",
    answer="multi_head_attention", returns=("output", "weights"), draw=_draw,
    points=2, difficulty=3, importance=5, minutes=12, forbidden=frozenset({"attention"}),
    slips=(
        Slip("heads split by a view", _BY_VIEW,
             "the heads are split by a view alone: each head holds pieces of other tokens",
             "Your `split_heads` has passed its check. Is it the one that is used here?"),
        Slip("heads merged without a transpose", _FLAT,
             "the heads are merged without moving the token axis back",
             "Your `merge_heads` has passed its check. Is it the one that is used here?"),
        Slip("heads split and merged by a view", _BY_VIEW | _FLAT,
             "heads are split and merged by views: each head is a part of the sentence",
             "Change one token: does every row of the output move?"),
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
        Slip("scaled by √d_model", {"query.shape": "tokens.shape"},
             "the divisor is √d_model; the dot product within a head has d_head terms",
             "How wide is the query of one head?"),
        Slip("not scaled", {" / math.sqrt(query.shape[-1])": ""},
             "the scores are not scaled",
             "What are the scores divided by, and does it depend on the number of heads?"),
        Slip("root forgotten", {"math.sqrt(query.shape[-1])": "query.shape[-1]"},
             "the scores are divided by d_head, not by its root",
             "The spread of a dot product grows like √d_head."),
        Slip("power before division", {"math.sqrt(query.shape[-1])": "query.shape[-1] ** 1/2"},
             "the dot products are divided by d_head, and then by 2",
             "A power comes before a division: d ** 1/2 is (d ** 1) / 2. Write d ** 0.5."),
        Slip("half of d_head", {"math.sqrt(query.shape[-1])": "(query.shape[-1] ** 1/2)"},
             "the divisor is half of d_head",
             "A power comes before a division: d ** 1/2 is (d ** 1) / 2. Write d ** 0.5."),
        Slip("softmax over the queries", {"dim=-1": "dim=-2"},
             "the softmax runs over the queries",
             "Each query shares out one unit of attention over the keys, in every head."),
        Slip("softmax over the heads", {"dim=-1": "dim=1"},
             "the softmax runs over the heads: the heads share one unit for each pair",
             "Every head has a unit of its own for each query."),
        Slip("no output projection", {" @ w_output": ""},
             "w_output is not used",
             "The merged heads still go through the output projection."),
        Slip("weights averaged over the heads", {"w_output, weights": "w_output, weights.mean(1)"},
             "the weights are averaged over the heads",
             "Return a map for each head: (batch, heads, tokens, tokens)."),
        Slip("one map for all heads",
             {"dim=-1)": "dim=-1).mean(1, keepdim=True).expand_as(scores)"},
             "all heads use the same map, the mean of theirs",
             "What is the point of several heads if they all look at the same thing?"),
        Slip("the first head's columns for all",
             {"@ w,": "@ w.chunk(num_heads, dim=1)[0].repeat(1, num_heads),"},
             "every head uses the columns of head 0",
             "Head h owns the columns from h · d_head up to (h + 1) · d_head."),
        Slip("one projection for query and key",
             {"(w_query, w_key, w_value)": "(w_query, w_query, w_value)"},
             "the keys are projected with w_query: every score is symmetric",
             "What a token asks and what it answers to are two different things."),
        Slip("values as wide as keys", {
                 _SPLIT:
                     "(tokens @ w).view(*tokens.shape[:2], num_heads, tokens.shape[2] // num_heads)"
                     ".transpose(1, 2)",
             },
             "the values are split as if they were as wide as queries and keys",
             "The width of a head's value is what w_value has columns for: divide its own width."),
        Slip("scaled by √num_heads", {"query.shape[-1]": "num_heads"},
             "the divisor is the root of the number of heads",
             "How many terms does the dot product within one head have?"),
        Slip("scaled by the number of tokens", {"query.shape[-1]": "query.shape[-2]"},
             "the divisor is the root of the number of tokens",
             "How many terms does the dot product within one head have?"),
        Slip("scaled by √d_value", {"query.shape[-1]": "value.shape[-1]"},
             "the divisor is the root of the width of a head's value",
             "Values take no part in the scores. Whose width counts?"),
        Slip("a fixed width of 4", {"query.shape[-1]": "4"},
             "the divisor is always 2, right for d_head 4 alone",
             "Read the width from the query's shape."),
        Slip("a fixed width of 64", {"query.shape[-1]": "64"},
             "the divisor is always 8 = √64",
             "Read the width from the query's shape."),
        Slip("softmax over the batch", {"dim=-1": "dim=0"},
             "the softmax runs over the sentences of the batch",
             "Each query shares out one unit of attention over the keys, in every head."),
        Slip("no softmax", {"torch.softmax(scores, dim=-1)": "scores"},
             "the scores are used as weights: they may be negative and sum to anything",
             "Between the scores and the average one step is missing."),
        Slip("no maximum of the row subtracted",
             {"torch.softmax(scores, dim=-1)":
                  "scores.exp() / scores.exp().sum(dim=-1, keepdim=True)"},
             "large scores overflow or vanish: no row's own maximum is subtracted from it",
             "Use the softmax of exercises 02, or torch.softmax."),
        Slip("output projection transposed",
             {"@ w_output": "@ w_output.mT"},
             "w_output is transposed",
             "It stands to the right of the merged heads. F.linear wants its weight the other "
             "way round."),
        Slip("projections transposed", {"tokens @ w": "tokens @ w.mT"},
             "w_query, w_key and w_value are transposed",
             "They stand to the right of the tokens. F.linear wants its weight the other way "
             "round."),
        Slip("queries and keys swapped",
             {"(w_query, w_key, w_value)": "(w_key, w_query, w_value)"},
             "query and key are exchanged",
             "Rows of the scores belong to queries: those are `tokens @ w_query`."),
        Slip("value projected as key", {
                 "(w_query, w_key, w_value)":
                     "(w_query, w_key, w_key if w_key.shape == w_value.shape else w_value)",
             },
             "the values are projected with w_key",
             "Values have a projection of their own: w_value."),
        Slip("values of the first head for all",
             {"weights @ value": "weights @ value[:, :1].expand_as(value)"},
             "all heads average the values of head 0",
             "Each head has values of its own."),
        Slip("a causal mask",
             {"softmax(scores": "softmax(scores.masked_fill(torch.ones_like(scores).triu(1).bool(),"
                                " -math.inf)"},
             "no token sees those that come after it: a causal mask was added",
             "No mask is asked for here: every token may look at every other."),
        Slip("residual added", {"@ w_output, weights": "@ w_output + tokens, weights"},
             "the tokens are added to the output",
             "Residual connections come in lesson 05."),
    ),
    hints=(
        "Project the tokens with three whole matrices; only then split each into heads.",
        "With an axis for heads, `query @ key.transpose(-2, -1)` does all heads at once.",
        "Split, attend, merge, and multiply by w_output. "
        "The softmax runs over the last axis and the divisor is the root of the width of one head.",
    ),
)
