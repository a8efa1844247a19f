"""The picture of a live view where no script runs: the machine, and a text that it has answered."""

from collections.abc import Sequence
from textwrap import wrap

import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from transformer_lesson.models import EncoderOnly, recorded_weights
from transformer_lesson.palette import COLORS
from transformer_lesson.widgets.machine import draw
from transformer_lesson.widgets.machine_parts import KINDS, Scene
from transformer_lesson.widgets.sentence_models import TypedModel
from transformer_lesson.widgets.static_figure import blank

LINE = 34  # characters of a text above the machine; half as many below each half
MOST_LINES = 3
FAINTEST = 0.1  # weight that still gets a line


def printed(typed: TypedModel, drawn: Scene, examples: Sequence[tuple[str, str]]) -> Figure:
    """Draw the machine between the first text and its answer, and one layer of its attention.

    Args:
        typed: the model.
        drawn: the scene of the half that it has, or of both.
        examples: texts with their answers; where there are none, the machine stands alone.
    """
    figure = blank(8.4 if examples else 4.4, 5.6)
    left, *right = figure.subfigures(1, 2 if examples else 1, squeeze=False)[0]
    machine = left.subplots()
    draw(machine, drawn, dict.fromkeys(KINDS, "built"))
    if examples:
        text, answer = examples[0]
        # Of the part of the figure, for which room is kept: of the machine it would be cut.
        left.suptitle(_cut(answer), fontsize=11, weight="bold")
        if typed.translates:
            first = typed.vocabulary.all_pieces()[typed.marks.start or 0]
            _draw_read(machine, drawn, {"encoder": text, "decoder": f"{first} {answer}"})
        else:
            _draw_read(machine, drawn, dict.fromkeys(("encoder", "decoder"), text))
        _draw_attention(right[0].subplots(), typed, text, answer)
    return figure


def _draw_read(axes: Axes, drawn: Scene, texts: dict[str, str]) -> None:
    """Write below the embedding of each half the text that it reads."""
    for part in drawn.parts:
        if part.kind == "embedding" and part.kept:
            left, _, width, _ = part.box
            words = _cut(texts[part.half], LINE // 2)
            axes.text(left + width / 2, drawn.height + 6, words, ha="center", va="top", fontsize=9)


def _draw_attention(axes: Axes, typed: TypedModel, text: str, answer: str) -> None:
    """Draw the mean of the heads in the last layer that reads the text, as lines between pieces."""
    name, weights, queries, keys = _attention(typed, text, answer)
    pieces = weights[:, :-1] if typed.marks.source_end is not None else weights  # no end mark
    row, column = divmod(int(pieces.argmax()), pieces.shape[1])
    finding = f"“{queries[row]}” looks most at “{keys[column]}”: {pieces[row, column]:.2f}"
    rows = max(len(queries), len(keys))
    axes.set(xlim=(-1.4, 2.4), ylim=(max(rows, 8) - 0.5, -0.6))
    axes.set_axis_off()
    axes.set_title(f"{finding}\n{name}, the last layer", fontsize=10)
    size = min(10, 180 / rows)
    for row, query in enumerate(queries):
        axes.text(-0.05, row, query, ha="right", va="center", fontsize=size)
        for column in (weights[row] > FAINTEST).nonzero()[:, 0].tolist():
            weight = float(weights[row, column])
            axes.plot([0, 1], [row, column], color=COLORS["blue"], lw=0.4 + 3 * weight,
                      alpha=0.2 + 0.8 * min(1, weight))  # fmt: skip
    for column, key in enumerate(keys):
        axes.text(1.05, column, key, va="center", fontsize=size)


@torch.no_grad()
def _attention(
    typed: TypedModel, text: str, answer: str
) -> tuple[str, Tensor, list[str], list[str]]:
    """Return the name, the weights (queries, keys) and the pieces of what ``printed`` shows."""
    model, marks, most = typed.model, typed.marks, typed.model.config.max_tokens
    source = typed.encode(text)
    read: list[list[int]]
    if typed.translates:
        written = [marks.start or 0, *typed.vocabulary.encode(answer)]
        end = [] if marks.source_end is None else [marks.source_end]
        read = [source + end, written]
    elif isinstance(model, EncoderOnly):
        read = [source]
    else:
        read = [[] if marks.start is None else [marks.start]]
        read[0] += typed.vocabulary.encode(answer)
    kind = "cross" if typed.translates else "self"
    device, training = model.embedding.weight.device, model.training
    with recorded_weights(model.eval()) as weights:
        model(*(torch.tensor([ids[:most]], device=device) for ids in read))
    model.train(training)
    shown = [map_ for name, map_ in weights.items() if f"{kind}_attention" in name][-1]
    pieces = typed.vocabulary.all_pieces()
    keys, queries = ([pieces[i] for i in ids[:most]] for ids in (read[0], read[-1]))
    return f"{kind}-attention", shown[0].mean(0).cpu(), queries, keys


def _cut(text: str, width: int = LINE) -> str:
    lines = wrap(text, width)
    return "\n".join([*lines[: MOST_LINES - 1], "…"] if len(lines) > MOST_LINES else lines)
