"""bert.loss: loss and accuracy where something was asked."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, tidy, uneven


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str,
        counts: tuple[int, ...],
        length: int,
        vocabulary: int,
        *,
        draw: Draw = normal,
        spread: float = 2.0,
        copies: bool = True,
        gradients: bool = False,
    ) -> Case:
        shape = (len(counts), length)
        logits = spread * draw(generator, *shape, vocabulary)
        tokens = torch.randint(vocabulary, shape, generator=generator)
        chosen = torch.zeros(shape, dtype=torch.bool)
        for row, count in zip(chosen, counts, strict=True):
            row[torch.randperm(length, generator=generator)[:count]] = True
        if copies:  # as a trained model does: it copies what it sees
            visible = torch.nn.functional.one_hot(tokens, vocabulary) * ~chosen[..., None]
            logits = logits + 6 * visible
        if spread > 50:  # in one place so sure of the right word that its loss is exactly 0
            text, place = chosen.nonzero()[0]
            logits[text, place, tokens[text, place]] = 20 * spread
        return Case(label, {"logits": logits, "tokens": tokens, "chosen": chosen}, gradients)

    logits = torch.zeros(1, 3, 4)
    # Right by so little that its probability is below one half.
    logits[..., 2] = 0.5 + torch.randint(5, (), generator=generator) / 10
    hand = Case(
        "three places, one chosen, all logits 0 but one",
        {
            "logits": logits,
            "tokens": torch.tensor([[1, 2, 3]]),
            "chosen": torch.tensor([[False, True, False]]),
        },
    )
    large = uneven(generator, 18, 20, 23)
    words = torch.randint(23, (18, 20), generator=generator)
    many = {
        "logits": large,
        "tokens": torch.where(words < 12, large.argmax(-1), words),
        "chosen": (torch.rand(18, 20, generator=generator) < 0.4) & large.any(-1),
    }
    return [
        hand,
        case("one text, two places chosen", (2,), 5, 4, draw=tidy),
        case("two texts, one and four places chosen", (1, 4), 6, 5),
        case("one text in which nothing was chosen", (3, 0, 2), 5, 6),
        case("nothing chosen at all", (0, 0), 4, 5),
        case("texts of one token, one of them chosen", (1, 0), 1, 5),
        case("texts of two tokens, all of them chosen", (2, 2, 2), 2, 5),
        case("many places, logits far apart", (5, 3, 7, 1), 20, 7, copies=False, spread=400.0),
        case("gradients", (2, 1), 4, 5, gradients=True),
        Case("18 texts of 20 tokens, 23 words, logits of many sizes", many),
    ]


CHECK = Check(
    name="bert.loss",
    lesson="08_bert_and_gpt",
    title="Loss where something was asked",
    answer="masked_loss",
    returns=("loss", "accuracy"),
    draw=_draw,
    points=2,
    difficulty=2,
    importance=5,
    minutes=10,
    rtol=1e-4,
)
