"""positions.add: positions onto embeddings, from wherever the text goes on."""

from torch import Generator, Tensor

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, tidy, uneven


def _draw(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw, batch: int, tokens: int, d_model: int, max_tokens: int, start: int
    ) -> dict[str, Value]:
        return {
            "embeddings": draw(generator, batch, tokens, d_model),
            "table": draw(generator, max_tokens, d_model),
            "start": start,
        }

    blank = inputs(normal, 3, 3, 4, 9, 4)
    assert isinstance(blank["embeddings"], Tensor)
    blank["embeddings"][1, 2] = 0.0
    return [
        Case("2 tokens, the first at position 0", inputs(tidy, 1, 2, 3, 4, 0)),
        Case("2 tokens after one that is cached", inputs(tidy, 1, 2, 3, 5, 1)),
        Case("1 new token at position 3", inputs(tidy, 2, 1, 2, 5, 3)),
        Case("batch 3, tokens 3, from position 4, one embedding 0", blank),
        Case("batch 2, 5 tokens, up to the last row", inputs(normal, 2, 5, 7, 8, 3)),
        Case("gradients", inputs(normal, 2, 3, 4, 6, 2), gradients=True),
        Case("18 tokens from position 21, rows of many sizes", inputs(uneven, 2, 18, 19, 41, 21)),
        Case("gradients of every row", inputs(normal, 2, 3, 4, 3, 0), gradients=True),
    ]


CHECK = Check(
    name="positions.add",
    lesson="04_positional_encoding",
    title="Positions from where the text goes on",
    answer="add_positions",
    returns=("embedded",),
    draw=_draw,
    points=1,
    difficulty=1,
    importance=5,
    minutes=6,
)
