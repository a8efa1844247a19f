"""attention.padding_mask: no query reads padding."""

import torch
from torch import Generator

from transformer_checks.catalogue import families
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, tokens: list[list[int]], padding_id: int = 0) -> Case:
        return Case(label, {"tokens": torch.tensor(tokens), "padding_id": padding_id})

    long = torch.randint(10, 20, (4, 7), generator=generator)
    lengths = torch.randint(1, 8, (4,), generator=generator).tolist()
    for row, length in enumerate(lengths):
        long[row, length:] = 0
    return [
        case("two sentences, padding id 0", [[5, 8, 2], [7, 0, 0]]),
        case("padding id 3, with smaller and larger ids beside it", [[1, 9, 2, 4], [6, 0, 3, 3]],
             3),
        case("padding on the left", [[0, 0, 6, 4, 2], [0, 9, 8, 1, 7]]),
        case("one sentence", [[4, 2, 0]]),
        case("padding between tokens", [[3, 0, 5, 4], [0, 6, 0, 2]]),
        case("four sentences of seven tokens", long.tolist()),
        case("a row of padding", [[4, 2], [1, 1]], 1),
        case("ids of a large vocabulary", [[340, 50255, 80], [11, 50256, 50256]], 50256),
        case("three sentences of one token", [[4], [0], [7]]),
        case("18 sentences of 20 tokens, padding id 2",
             torch.randint(6, (18, 20), generator=generator).tolist(), 2),
    ]


_REAL = "(tokens != padding_id)"
_AXES = "[:, None, None, :]"

CHECK = Check(
    name="attention.padding_mask", lesson="02_self_attention", title="The padding mask",
    answer="padding_mask", returns=("mask",), draw=_draw,
    points=1, difficulty=2, importance=4, minutes=8,
    slips=(
        families.mask_inverted({"!=": "=="}),
        families.padding_id_fixed({"!= padding_id": "!= 0"}),
        Slip("every larger id is a token", {"!=": ">"}, "ids below the padding id are hidden too",
             "A token is real when its id differs from the padding id."),
        Slip("no axes for heads and queries", {_AXES: ""},
             "the mask has no axes for heads and queries, so it will not line up with the scores",
             "The scores are (batch, heads, queries, keys). Which two axes have size 1 here?"),
        Slip("one axis missing", {_AXES: "[:, None, :]"},
             "the mask has three axes: against (batch, heads, queries, keys) its batch lands on "
             "the heads",
             "The scores are (batch, heads, queries, keys). Which two axes have size 1 here?"),
        families.hides_queries({_AXES: "[:, None, :, None]"}),
        families.hides_queries_too({_AXES: f"{_AXES} & {_REAL}[:, None, :, None]"}),
        Slip("everything after the first padding", {_REAL: f"{_REAL}.cumprod(dim=-1).bool()"},
             "everything after the first padding is hidden",
             "Sentences may be padded on the left. Judge each token by itself."),
        Slip("counts tokens",
             {_REAL: f"(torch.arange(tokens.shape[-1]) < {_REAL}.sum(dim=-1, keepdim=True))"},
             "the real tokens are counted and taken to come first",
             "Sentences may be padded on the left. Judge each token by itself."),
        Slip("a row of padding left open",
             {_REAL: "((tokens != padding_id) | (tokens == padding_id).all(-1, keepdim=True))"},
             "a row that holds nothing but padding is left open",
             "Nobody may attend to padding, there neither. What comes of it is for the attention "
             "to settle."),
        families.mask_of_integers({_AXES: f"{_AXES}.int()"}),
    ),
)
