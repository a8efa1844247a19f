"""tokens.tied_model: one matrix that reads words and writes them."""

import torch
from torch import Generator

from transformer_checks.catalogue.draws import Draw, normal, tidy, uneven, whole
from transformer_checks.checks.cases import Build, Case
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str, draw: Draw, shape: tuple[int, int], vocab_size: int, d_model: int,
        gradients: bool = False, training: bool = False, scale: float = 1.0,
        positions: Draw | None = None,
    ) -> Case:
        ids = torch.randint(vocab_size, shape, generator=generator)
        ids[-1, -1], ids[0, 0] = 0, vocab_size - 1  # words like any other: no padding
        inputs = {"ids": ids, "positions": (positions or draw)(generator, shape[1], d_model)}
        weights = {"embedding.weight": scale * draw(generator, vocab_size, d_model)}
        build = Build({"vocab_size": vocab_size, "d_model": d_model}, weights, training)
        return Case(label, inputs, gradients=gradients, build=build)

    return [
        case("2 tokens, vocabulary 3, d_model 2", tidy, (1, 2), 3, 2),
        case("3 tokens, vocabulary 5, d_model 3, training mode", tidy, (1, 3), 5, 3, training=True),
        # Whole numbers, and a width whose root is one: float32 holds them to the last digit.
        case("batch 2, 4 tokens, vocabulary 7, d_model 9, long rows", whole, (2, 4), 7, 9,
             scale=5.0),
        case("gradients", normal, (3, 2), 5, 4, gradients=True),
        case("3 texts of one token", normal, (3, 1), 4, 3),
        case("17 texts of 18 tokens, vocabulary 24, d_model 20, positions of many sizes", normal,
             (17, 18), 24, 20, scale=0.1, positions=uneven),
    ]


_ROOT = "math.sqrt(matrix.shape[1])"
_ROWS = "self.embedding(ids)"
_LOGITS = "hidden @ matrix.T"

CHECK = Check(
    name="tokens.tied_model", lesson="01_tokens_and_embeddings", title="One matrix, two jobs",
    answer="TiedModel", returns=("logits",), draw=_draw,
    points=2, difficulty=3, importance=4, minutes=10,
    slips=(
        Slip("not multiplied", {f" * {_ROOT}": ""}, "the rows are not multiplied by √d_model",
             "Small rows are drowned by the positions."),
        Slip("positions multiplied too",
             {f"{_ROWS} * {_ROOT} + positions": f"({_ROWS} + positions) * {_ROOT}"},
             "the positions are multiplied by √d_model as well",
             "First multiply, then add: the positions already have the right size."),
        Slip("divided by √d_model", {f"* {_ROOT}": f"/ {_ROOT}"},
             "the rows are divided by √d_model",
             "Attention divides its scores; an embedding is multiplied."),
        Slip("multiplied by d_model", {_ROOT: "matrix.shape[1]"},
             "the rows are multiplied by d_model, not by its root",
             "A spread of 1/√d_model should become 1."),
        Slip("root rounded down", {_ROOT: "math.isqrt(matrix.shape[1])"},
             "the root is rounded down to a whole number",
             "math.isqrt and int() drop what stands behind the point: √3 is 1.73, not 1."),
        Slip("half of d_model", {_ROOT: "matrix.shape[1] ** 1/2"},
             "the rows are multiplied by half of d_model, not by its root",
             "A power comes before a division: d ** 1/2 is (d ** 1) / 2. Write d ** 0.5."),
        Slip("root of the vocabulary", {_ROOT: "math.sqrt(matrix.shape[0])"},
             "the rows are multiplied by √vocab_size",
             "Which width belongs under the root: the number of rows, or the length of one?"),
        Slip("positions missing", {" + positions": ""}, "the positions are not added",
             "What goes into the model is word + position."),
        Slip("positions subtracted", {"+ positions": "- positions"}, "the positions are subtracted",
             "What goes into the model is word + position."),
        Slip("one position for all", {"+ positions": "+ positions[0]"},
             "every token gets the row of position 0",
             "positions has a row for each token. It broadcasts over the batch by itself."),
        Slip("output of the rows alone", {_LOGITS: f"{_ROWS} @ matrix.T"},
             "the logits are made from the rows of the table, without factor and positions",
             "Multiply what went into the model, not the rows that were looked up."),
        Slip("row 0 taken for padding",
             {"vocab_size, d_model)": "vocab_size, d_model, padding_idx=0)"},
             "the numbers are right, but row 0 gets no gradient from its use at the input",
             "Nothing here says that id 0 is padding: leave out padding_idx."),
    ),
)
