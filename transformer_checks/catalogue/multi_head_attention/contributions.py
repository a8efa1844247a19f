"""heads.contributions: what each head adds to the output of the layer."""

from torch import Generator

from transformer_checks.catalogue.draws import Draw, normal, spread, tidy
from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw, batch: int, num_heads: int, length: int, d_head: int, d_model: int
    ) -> dict[str, Value]:
        return {"heads": draw(generator, batch, num_heads, length, d_head),
                "w_output": draw(generator, num_heads * d_head, d_model)}

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


_BLOCKS = "w_output.view(num_heads, d_head, -1)"
_PARTS = f"heads @ {_BLOCKS}"
_WHOLE = "(merge_heads(heads) @ w_output)[:, None].expand(-1, num_heads, -1, -1)"

CHECK = Check(
    name="heads.contributions", lesson="03_multi_head_attention",
    title="What each head contributes",
    answer="head_contributions", returns=("contributions",), draw=_draw,
    points=2, difficulty=3, importance=4, minutes=10, forbidden=frozenset({"attention"}),
    slips=(
        Slip("the first block for every head", {_BLOCKS: "w_output[:d_head]"},
             "every head is multiplied by the block of head 0",
             "Head h stands at h · d_head in the concatenation; so does its block."),
        Slip("blocks interleaved",
             {_BLOCKS: "w_output.view(d_head, num_heads, -1).transpose(0, 1)"},
             "a head is multiplied by every num_heads-th row of w_output",
             "In the concatenation the numbers of one head stand side by side."),
        Slip("columns instead of rows", {_BLOCKS: "w_output.T.unflatten(0, (num_heads, -1))"},
             "the blocks are cut from the transposed matrix",
             "The concatenation multiplies *rows* of w_output. "
             "(An nn.Linear keeps the transpose: there they are columns.)"),
        Slip("the whole output for each head", {_PARTS: _WHOLE},
             "each head is given the output of the whole layer",
             "Only the rows of w_output that meet this head's numbers count for it."),
        Slip("the output without the head", {_PARTS: f"{_WHOLE} - {_PARTS}"},
             "this is what is left when the head is taken away",
             "The exercise asks for the other part: what the head adds."),
        Slip("running sums", {_PARTS: f"({_PARTS}).cumsum(1)"},
             "each head has the sum of all heads up to it",
             "One head at a time; the sum over heads is then the output."),
        Slip("already summed", {_PARTS: f"({_PARTS}).sum(1)"},
             "the contributions are already added up",
             "Keep the axis of heads: (batch, heads, tokens, d_model)."),
        Slip("not projected",
             {_PARTS: "(torch.eye(num_heads)[:, None, :, None] * heads[..., None, :]).flatten(3)"},
             "w_output is not used: the head's numbers stand in their own columns, the rest is 0",
             "A head writes into all of d_model, through its block of w_output."),
        Slip("blocks in the reverse order", {_BLOCKS: f"{_BLOCKS}.flip(0)"},
             "head 0 is multiplied by the last block, the last head by the first",
             "Head h stands at h · d_head in the concatenation; so does its block."),
        Slip("the mean block for every head", {_BLOCKS: f"{_BLOCKS}.mean(0)"},
             "every head is multiplied by the mean of all blocks",
             "Head h stands at h · d_head in the concatenation; so does its block."),
    ),
)
