"""attention.repaired_heads: find two mistakes in multi-head attention."""

import torch
from torch import Generator

from transformer_checks.catalogue import families
from transformer_checks.catalogue.draws import Draw, half, normal, spread, tidy, whole
from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Repair, Slip


def _draw(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw, batch: int, length: int, d_model: int, num_heads: int
    ) -> dict[str, Value]:
        return {"tokens": draw(generator, batch, length, d_model),
                "w_qkv": draw(generator, d_model, 3 * d_model),
                "w_out": draw(generator, d_model, d_model), "num_heads": num_heads}

    cases = [
        Case("1 sentence, 3 tokens, d_model 4, 2 heads", inputs(tidy, 1, 3, 4, 2)),
        Case("1 sentence, 2 tokens, d_model 6, 3 heads", inputs(tidy, 1, 2, 6, 3)),
        Case("2 sentences, 5 tokens, d_model 12, 3 heads", inputs(half, 2, 5, 12, 3)),
        Case("one head", inputs(normal, 2, 3, 4, 1)),
        Case("3 sentences of one token", inputs(normal, 3, 1, 4, 2)),
        Case("gradients", inputs(normal, 2, 3, 6, 2), gradients=True),
        # Beside small results what large scores round is no matter.
        Case("large scores", inputs(whole, 2, 5, 8, 2) | {"w_out": tidy(generator, 8, 8) / 1000}),
    ]
    sizes = spread(34)
    of_values = torch.cat([torch.ones(68), sizes])
    many: dict[str, Value] = {
        "tokens": normal(generator, 2, 18, 34) * sizes,
        "w_qkv": normal(generator, 34, 102) * of_values / (4 * sizes[:, None]),
        "w_out": normal(generator, 34, 34) / (2 * sizes[:, None]), "num_heads": 17,
    }
    cases.append(Case("2 sentences, 18 tokens, 17 heads, numbers of many sizes", many))
    zero = tidy(generator, 1, 3, 4) * torch.tensor([[1.0], [0.0], [1.0]])
    at_zero = inputs(tidy, 1, 3, 4, 2) | {"tokens": zero}
    return [*cases, Case("1 sentence, 3 tokens, the second zero", at_zero)]


_ATTEND = "heads, _ = attend(query, key, value)"
_SPLIT = "(part.transpose(1, 2) for part in qkv.unbind(2))"
_SPLIT_BY_VIEW = {_SPLIT: "(part.reshape(batch, num_heads, length, -1) for part in qkv.unbind(2))"}
_MERGED_BY_VIEW = {"heads.transpose(1, 2)": "heads"}
_HEADS_ATTEND_TO_HEADS = {_SPLIT: "qkv.unbind(2)"} | _MERGED_BY_VIEW


def _divided_by(divisor: str) -> dict[str, str]:
    """Attention as broken_heads writes it, with a divisor of its own."""
    return {_ATTEND: f"heads = softmax(query @ key.transpose(-2, -1) / {divisor}) @ value"}


CHECK = Check(
    name="attention.repaired_heads", lesson="02_self_attention",
    title="Bug hunt: heads that never mix tokens",
    answer="repaired_heads", returns=("output",), draw=_draw,
    points=3, difficulty=4, importance=4, minutes=20, forbidden=frozenset({"attention"}),
    broken={"repaired_heads": "another", "broken_heads": "repaired_heads"},
    repairs=(
        Repair("each token hears of the others, in every head",
               {"value = qkv.unbind(2)":
                    "value = (part.transpose(1, 2) for part in qkv.unbind(2))",
                "heads.reshape": "heads.transpose(1, 2).reshape"}),
        Repair("the scores are divided by √d_head",
               {"math.sqrt(d_model)": "math.sqrt(query.shape[-1])"}),
    ),
    slips=(
        Slip("unchanged", _HEADS_ATTEND_TO_HEADS | _divided_by("math.sqrt(d_model)"),
             "both mistakes are still there",
             "Change one token and see which others move. Then ask what the divisor should be."),
        Slip("only the scale repaired", _HEADS_ATTEND_TO_HEADS,
             "the scale is right, but still no token hears of another",
             "A matrix product multiplies the last two axes. Which two are they here?"),
        Slip("only the axis repaired", _divided_by("math.sqrt(d_model)"),
             "tokens mix now; the divisor is still √d_model",
             "How many terms does the dot product within one head have?"),
        families.divided_by_d_head(_divided_by("query.shape[-1]")),
        families.fixed_width(64, _divided_by("math.sqrt(64)")),
        Slip("heads merged without a transpose", _MERGED_BY_VIEW,
             "the heads are merged without moving the token axis back: numbers of several tokens "
             "end up in one row",
             "Before the reshape the axes must be (batch, tokens, heads, d_head)."),
        Slip("heads split by a view", _SPLIT_BY_VIEW,
             "the heads are split by a view alone: each head holds pieces of other tokens",
             "A view never moves numbers. Split the last axis first, then transpose."),
        Slip("heads split and merged by a view", _SPLIT_BY_VIEW | _MERGED_BY_VIEW,
             "heads are split and merged by views: the shape is right, the tokens are not",
             "A view never moves numbers. Split the last axis first, then transpose."),
        Slip("heads interleaved", {
                 _SPLIT:
                     "(part.view(batch, length, -1, num_heads).permute(0, 3, 1, 2)"
                     " for part in qkv.flatten(3).unbind(2))",
             },
             "a head takes every num_heads-th column of its third",
             "broken_heads has the columns of a head side by side."),
        Slip("no output projection", {" @ w_out": ""}, "w_out is not used",
             "The merged heads still go through the output projection."),
        families.softmax_over_queries(
            {_ATTEND: "heads = torch.softmax(attention_scores(query, key), dim=-2) @ value"}),
        Slip("scaled by the number of tokens", _divided_by("math.sqrt(length)"),
             "the divisor is the root of the number of tokens",
             "How many terms does the dot product within one head have?"),
        families.fixed_width(4, _divided_by("math.sqrt(4)")),
        Slip("value first", {"query, key, value = (": "value, query, key = ("},
             "the first third of the columns is taken for the value",
             "broken_heads has the three in their order: query, key, value."),
        families.softmax_over_heads(
            {_ATTEND: "heads = torch.softmax(attention_scores(query, key), dim=1) @ value"}),
    ),
)
