"""positions.add: positions onto embeddings, from wherever the text goes on."""

from torch import Generator, Tensor

from transformer_checks.catalogue.draws import Draw, normal, tidy, uneven
from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw, batch: int, tokens: int, d_model: int, max_tokens: int, start: int
    ) -> dict[str, Value]:
        return {"embeddings": draw(generator, batch, tokens, d_model),
                "table": draw(generator, max_tokens, d_model), "start": start}

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


_ROWS = "start : start + embeddings.shape[1]"

CHECK = Check(
    name="positions.add", lesson="04_positional_encoding",
    title="Positions from where the text goes on",
    answer="add_positions", returns=("embedded",), draw=_draw,
    points=1, difficulty=1, importance=5, minutes=6,
    slips=(
        Slip("always from 0", {"start : start +": ":"},
             "the positions start at 0, whatever `start` says: a cached text begins anew",
             "With three tokens read before, where does the next one stand?"),
        Slip("one position for all", {_ROWS: "start"},
             "every token gets the row of position `start`",
             "Only the first token stands there. The others follow."),
        Slip("one too far", {"start : start +": "start + 1 : start + 1 +"},
             "the positions are one too large",
             "`start` is the position of the first new token itself, counted from 0."),
        Slip("start is taken for the last position",
             {_ROWS: "torch.arange(start - embeddings.shape[1], start) + 1"},
             "the last token stands at `start`, not the first",
             "`start` is the position of the first token in this call."),
        Slip("last rows of the table", {_ROWS: "-embeddings.shape[1] :"},
             "the last rows of the table are added",
             "The table is as long as the longest text. This text need not reach its end."),
        Slip("the batch is counted", {"embeddings.shape[1]": "embeddings.shape[0], None"},
             "positions count the sentences of the batch, not the tokens",
             "The axes are (batch, tokens, d_model). Every sentence starts at the same position."),
        Slip("row 0 taken for padding", {
                 f"table[{_ROWS}]":
                     "torch.nn.functional.embedding("
                     f"torch.arange(len(table))[{_ROWS}], table, padding_idx=0)",
             },
             "the numbers are right, but row 0 of the table gets no gradient",
             "Position 0 is a position, and no padding: leave out padding_idx."),
        Slip("multiplied", {"embeddings + table": "embeddings * table"},
             "the embeddings are multiplied by the positions", "Positions are added."),
        Slip("embeddings scaled",
             {"embeddings + table": "embeddings * math.sqrt(embeddings.shape[-1]) + table"},
             "the embeddings were multiplied by √d_model first",
             "That belongs to the embedding, and depends on how it was initialised. Here only "
             "add."),
        Slip("positions alone", {"embeddings + table": "torch.zeros_like(embeddings) + table"},
             "the embeddings are gone", "The result is the embeddings plus the rows."),
        Slip("subtracted", {"embeddings + table": "embeddings - table"},
             "the positions are subtracted", "Positions are added."),
        Slip("rows in the reverse order", {f"table[{_ROWS}]": f"table[{_ROWS}].flip(0)"},
             "the first token gets the row of the last, and the last that of the first",
             "The first token stands at `start`, the next one after it."),
    ),
)
