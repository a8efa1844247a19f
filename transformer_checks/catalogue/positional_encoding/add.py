"""positions.add: positions onto embeddings, from wherever the text goes on."""

from torch import Generator

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.catalogue.ordinary import ordinary


def _draw(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw, batch: int, tokens: int, d_model: int, max_tokens: int, start: int
    ) -> dict[str, Value]:
        return {
            "embeddings": draw(generator, batch, tokens, d_model),
            "table": draw(generator, max_tokens, d_model),
            "start": start,
        }

    return [
        Case("2 tokens, the first at position 0", inputs(tidy, 1, 2, 3, 4, 0)),
        Case("2 tokens after one that is cached", inputs(tidy, 1, 2, 3, 5, 1)),
        Case("1 new token at position 3", inputs(tidy, 2, 1, 2, 5, 3)),
        Case("batch 2, 5 tokens, up to the last row", inputs(normal, 2, 5, 7, 8, 3)),
        Case("gradients of every row", inputs(normal, 2, 3, 4, 3, 0), gradients=True),
        *ordinary(
            generator, embeddings="batch tokens d_model", table="3*tokens d_model", start="=tokens"
        ),
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
