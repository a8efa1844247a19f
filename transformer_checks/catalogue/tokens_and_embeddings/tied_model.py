"""tokens.tied_model: one matrix that reads words and writes them."""

from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import half, normal, tidy, uneven, whole
from transformer_checks.catalogue.ordinary import as_case, inputs_of, ordinary

AXES = {
    "ids": "<vocab_size texts tokens",
    "positions": "tokens d_model",
    "vocab_size": "=vocab_size",
    "d_model": "=d_model",
    "embedding.weight": "vocab_size d_model",
}


def _draw(generator: Generator) -> list[Case]:
    g = generator
    # Whole numbers, and a width whose root is one: float32 holds them to the last digit.
    long = inputs_of(g, AXES, whole, 7, 2, 4, 9)
    long["embedding.weight"] *= 5
    many = inputs_of(g, AXES, normal, 130, 17, 18, 20)
    many["embedding.weight"] *= 0.1
    many["positions"] = uneven(g, 18, 20)
    return [
        as_case("2 tokens, vocabulary 3, d_model 2", inputs_of(g, AXES, tidy, 3, 1, 2, 2)),
        as_case("3 tokens, training mode", inputs_of(g, AXES, tidy, 5, 1, 3, 3), training=True),
        as_case("batch 2, 4 tokens, vocabulary 7, d_model 9, long rows", long),
        as_case("17 texts of 18 tokens, vocabulary 130, positions of many sizes", many),
        *ordinary(g, half, axes=AXES),
    ]


CHECK = Check(
    name="tokens.tied_model",
    lesson="01_tokens_and_embeddings",
    title="One matrix, two jobs",
    answer="TiedModel",
    returns=("logits",),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=4,
    minutes=10,
)
