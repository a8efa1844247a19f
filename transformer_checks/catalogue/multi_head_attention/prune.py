"""heads.prune: cut heads out of the matrices."""

import torch
from torch import Generator

from transformer_checks.catalogue.draws import Draw, normal, tidy, uneven
from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw, d_model: int, num_heads: int, d_head: int, kept: list[int]
    ) -> dict[str, Value]:
        return {"w_value": draw(generator, d_model, num_heads * d_head),
                "w_output": draw(generator, num_heads * d_head, d_model), "num_heads": num_heads,
                "kept": kept}

    return [
        Case("2 heads of width 2, head 1 kept", inputs(tidy, 4, 2, 2, [1])),
        Case("3 heads of width 2, heads 0 and 2 kept", inputs(tidy, 6, 3, 2, [0, 2])),
        Case("4 heads of width 3, heads 0 and 3 kept", inputs(normal, 12, 4, 3, [0, 3])),
        Case("d_model 5, not heads · d_head", inputs(normal, 5, 3, 4, [0, 1])),
        Case("all kept", inputs(normal, 6, 3, 2, [0, 1, 2])),
        Case("heads 2 and 0 kept, in this order", inputs(normal, 6, 3, 2, [2, 0])),
        Case("one of five kept", inputs(normal, 10, 5, 2, [3])),
        Case("one head, kept", inputs(normal, 4, 1, 3, [0])),
        Case("18 of 20 kept, in any order, rows of many sizes",
             inputs(uneven, 19, 20, 2, torch.randperm(20, generator=generator)[:18].tolist())),
    ]


_ROWS = "torch.cat([rows[head] for head in kept], dim=0)"
_RETURN = f"return kept_columns, {_ROWS}"

CHECK = Check(
    name="heads.prune", lesson="03_multi_head_attention", title="Cut heads out of the matrices",
    answer="prune_heads", returns=("w_value", "w_output"), draw=_draw,
    points=2, difficulty=3, importance=3, minutes=10, forbidden=frozenset({"attention"}),
    rtol=1e-6, atol=1e-6,  # numbers are moved, not computed
    slips=(
        Slip("silenced, not removed",
             {"[head] for head in kept": "[head] * (head in kept) for head in range(num_heads)"},
             "the heads are set to zero but still there: they cost as much as before",
             "Leave their columns and rows out; the matrices become smaller."),
        Slip("single columns", {_RETURN: "return w_value[:, kept], w_output[kept]"},
             "the numbers in `kept` are used as columns; they are heads",
             "Head h has d_head columns, from h · d_head on."),
        Slip("the others kept", {"in kept": "in range(num_heads) if head not in kept"},
             "the heads in `kept` are removed and the others stay",
             "`kept` names the heads that stay."),
        Slip("the first heads kept", {"in kept": "in range(len(kept))"},
             "as many heads as asked for are kept, but the first ones",
             "Which heads stay is up to `kept`, not only how many."),
        Slip("heads counted from 1", {"[head]": "[head - 1]"},
             "head h is taken to be the head before it",
             "Heads are counted from 0: head h begins at column h · d_head."),
        Slip("results swapped", {_RETURN: f"return {_ROWS}, kept_columns"},
             "the two matrices come back in the wrong order",
             "Return w_value first, then w_output."),
        Slip("order of the heads ignored", {"in kept": "in sorted(kept)"},
             "the heads stand in their old order, not in that of `kept`",
             "Go through `kept` and take one head after the other."),
        Slip("heads interleaved", {
                 "w_value.chunk(num_heads, dim=1), w_output.chunk(num_heads, dim=0)":
                     "(\n"
                     "        [w_value[:, head::num_heads] for head in range(num_heads)],\n"
                     "        [w_output[head::num_heads] for head in range(num_heads)],\n"
                     "    )",
             },
             "a head is taken to be every num_heads-th column",
             "The columns of one head stand side by side."),
        Slip("heads interleaved, in their old order", {
                 _RETURN:
                     "own = [n for n in range(w_value.shape[1]) if n % num_heads in kept]\n"
                     "    return w_value[:, own], w_output[own]",
             },
             "a head is taken to be every num_heads-th column, and the order of `kept` is lost",
             "The columns of one head stand side by side. Take the heads as `kept` lists them."),
        Slip("rows of the others",
             {"rows[head] for head in kept": "rows[h] for h in range(num_heads) if h not in kept"},
             "w_value keeps the heads in `kept`, w_output the others",
             "Both matrices keep the same heads."),
    ),
)
