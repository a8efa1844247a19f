"""decoder.greedy: the most probable token at each step, for a batch, until the end."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case, LanguageModel, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.decoder.tables import model, renamed
from transformer_checks.catalogue.draws import normal

# `python -m authoring.bases decoder.greedy` finds them: rows that end where the labels say.
BASES = (1, 37, 4, 86, 20, 93, 16, 15)


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str,
        base: int,
        prompt: list[list[int]],
        max_tokens: int,
        end_id: int = 2,
        padding_id: int = 0,
        *,
        pads: bool = False,
    ) -> Case:
        """``pads``: whether the model may write the padding id, as it may any other."""
        names = renamed(generator, 7, special=max(3, end_id + 1))
        low = (1,) if pads else (padding_id, 1)
        return Case(
            label,
            {
                "model": model(base, names, generator, spread=2.0, low=low),
                "prompt": names[torch.tensor(prompt)],
                "max_tokens": max_tokens,
                "end_id": end_id,
                "padding_id": padding_id,
            },
        )

    def long() -> dict[str, Value]:
        return {
            "model": LanguageModel(normal(generator, 24, 24, 24)),
            "prompt": torch.randint(24, (17, 18), generator=generator),
            "max_tokens": 40,
            "end_id": 19,
            "padding_id": 22,
        }

    same = "the end token is the padding, too"
    ended = case(same, BASES[1], [[1, 3], [1, 4], [1, 5]], 9).inputs
    return [
        case("one sentence", BASES[0], [[1]], 9),
        case("three sentences that end one after the other", BASES[1], [[1, 3], [1, 4], [1, 5]], 9),
        case("no room to finish", BASES[2], [[1, 3], [1, 4]], 4),
        case("prompts with an end token, within and last", BASES[3], [[4, 2, 3], [1, 5, 2]], 9),
        case("end id 0, padding id 2", BASES[4], [[1, 3], [1, 6], [1, 4]], 9, 0, 2),
        case("no room at all", BASES[0], [[1, 3, 4]], 3),
        case("a prompt of one token, and no room", BASES[0], [[1]], 1),
        case("end id 3, with smaller and larger ids", BASES[5], [[1, 4], [1, 5], [1, 6]], 9, 3),
        case("padding ids that are written", BASES[6], [[1, 3], [1, 4], [1, 5]], 9, pads=True),
        Case("17 prompts of 18 tokens, 24 words, end id 19, padding id 22", long()),
        case("padding ids that are written last", BASES[7], [[1, 3], [1, 4]], 6, pads=True),
        Case(same, {**ended, "padding_id": 2}),
    ]


CHECK = Check(
    name="decoder.greedy",
    lesson="06_decoder",
    title="Greedy generation that stops",
    answer="greedy",
    returns=("tokens",),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=5,
    minutes=15,
)
