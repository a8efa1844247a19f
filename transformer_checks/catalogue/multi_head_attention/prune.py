"""heads.prune: cut heads out of the matrices."""

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Misconception

Result = tuple[Tensor, Tensor]


def _reference(w_value: Tensor, w_output: Tensor, num_heads: int, kept: list[int]) -> Result:
    columns, rows = w_value.chunk(num_heads, dim=1), w_output.chunk(num_heads, dim=0)
    return torch.cat([columns[h] for h in kept], 1), torch.cat([rows[h] for h in kept], 0)


def _draw(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw, d_model: int, num_heads: int, d_head: int, kept: list[int]
    ) -> dict[str, Value]:
        return {
            "w_value": draw(generator, d_model, num_heads * d_head),
            "w_output": draw(generator, num_heads * d_head, d_model),
            "num_heads": num_heads,
            "kept": kept,
        }

    return [
        Case("2 heads of width 2, head 1 kept", inputs(tidy, 4, 2, 2, [1])),
        Case("3 heads of width 2, heads 0 and 2 kept", inputs(tidy, 6, 3, 2, [0, 2])),
        Case("4 heads of width 3, heads 0 and 3 kept", inputs(normal, 12, 4, 3, [0, 3])),
        Case("d_model 5, not heads · d_head", inputs(normal, 5, 3, 4, [0, 1])),
        Case("all kept", inputs(normal, 6, 3, 2, [0, 1, 2])),
        Case("heads 2 and 0 kept, in this order", inputs(normal, 6, 3, 2, [2, 0])),
        Case("one of five kept", inputs(normal, 10, 5, 2, [3])),
    ]


def _columns(w_value: Tensor, num_heads: int, kept: list[int]) -> Tensor:
    d_head = w_value.shape[1] // num_heads
    return torch.cat([torch.arange(d_head) + head * d_head for head in kept])


def _zeroed(w_value: Tensor, w_output: Tensor, num_heads: int, kept: list[int]) -> Result:
    hidden = torch.ones(w_value.shape[1], dtype=torch.bool)
    hidden[_columns(w_value, num_heads, kept)] = False
    return w_value.masked_fill(hidden, 0.0), w_output.masked_fill(hidden[:, None], 0.0)


def _single_columns(w_value: Tensor, w_output: Tensor, num_heads: int, kept: list[int]) -> Result:
    return w_value[:, kept], w_output[kept]


def _others_kept(w_value: Tensor, w_output: Tensor, num_heads: int, kept: list[int]) -> Result:
    others = [head for head in range(num_heads) if head not in kept]
    if not others:
        return w_value[:, :0], w_output[:0]
    return _reference(w_value, w_output, num_heads, others)


def _first_heads(w_value: Tensor, w_output: Tensor, num_heads: int, kept: list[int]) -> Result:
    return _reference(w_value, w_output, num_heads, list(range(len(kept))))


def _from_one(w_value: Tensor, w_output: Tensor, num_heads: int, kept: list[int]) -> Result:
    return _reference(w_value, w_output, num_heads, [head - 1 for head in kept])


def _interleaved(w_value: Tensor, w_output: Tensor, num_heads: int, kept: list[int]) -> Result:
    numbers = torch.arange(w_value.shape[1])
    own = torch.isin(numbers % num_heads, torch.tensor(kept))
    return w_value[:, own], w_output[own]


def _output_columns(w_value: Tensor, w_output: Tensor, num_heads: int, kept: list[int]) -> Result:
    columns = _columns(w_value, num_heads, kept)
    return w_value[:, columns], w_output[:, columns]


def _output_left(w_value: Tensor, w_output: Tensor, num_heads: int, kept: list[int]) -> Result:
    return w_value[:, _columns(w_value, num_heads, kept)], w_output


def _rescaled(w_value: Tensor, w_output: Tensor, num_heads: int, kept: list[int]) -> Result:
    value, output = _reference(w_value, w_output, num_heads, kept)
    return value, output * num_heads / len(kept)


PRUNE = Check(
    name="heads.prune",
    lesson="03_multi_head_attention",
    title="Cut heads out of the matrices",
    answer="prune_heads",
    returns=("w_value", "w_output"),
    points=2,
    difficulty=3,
    importance=3,
    minutes=10,
    draw=_draw,
    reference=_reference,
    forbidden=frozenset({"attention"}),
    slips=(
        Misconception(
            "silenced, not removed",
            _zeroed,
            "the heads are set to zero but still there: they cost as much as before",
            "Leave their columns and rows out; the matrices become smaller.",
        ),
        Misconception(
            "single columns",
            _single_columns,
            "the numbers in `kept` are used as columns; they are heads",
            "Head h has d_head columns, from h · d_head on.",
        ),
        Misconception(
            "the others kept",
            _others_kept,
            "the heads in `kept` are removed and the others stay",
            "`kept` names the heads that stay.",
        ),
        Misconception(
            "the first heads kept",
            _first_heads,
            "as many heads as asked for are kept, but the first ones",
            "Which heads stay is up to `kept`, not only how many.",
        ),
        Misconception(
            "heads counted from 1",
            _from_one,
            "head h is taken to be the head before it",
            "Heads are counted from 0: head h begins at column h · d_head.",
        ),
        Misconception(
            "results swapped",
            lambda *a: _reference(*a)[::-1],
            "the two matrices come back in the wrong order",
            "Return w_value first, then w_output.",
        ),
        Misconception(
            "order of the heads ignored",
            lambda v, o, num_heads, kept: _reference(v, o, num_heads, sorted(kept)),
            "the heads stand in their old order, not in that of `kept`",
            "Go through `kept` and take one head after the other.",
        ),
        Misconception(
            "heads interleaved",
            _interleaved,
            "a head is taken to be every num_heads-th column",
            "The columns of one head stand side by side.",
        ),
        Misconception(
            "columns of the output projection",
            _output_columns,
            "columns of w_output are removed; with them goes a part of every token",
            "A head meets w_output in its *rows*. The output stays d_model wide.",
        ),
        Misconception(
            "output projection left whole",
            _output_left,
            "w_output still has the rows of the removed heads: the shapes no longer fit",
            "The merged heads are narrower now. What multiplies them must follow.",
        ),
        Misconception(
            "scaled up",
            _rescaled,
            "the remaining heads are scaled up, as dropout does",
            "The output is a sum over heads. The terms that stay do not change.",
        ),
    ),
    hints=(
        "Which columns of w_value make the value of head h? Which rows of w_output meet it?",
        "`chunk(num_heads, dim=1)` cuts a matrix into one piece for each head.",
        "Pick the pieces in `kept` and join them with `torch.cat`, along the axis they were cut.",
    ),
)
