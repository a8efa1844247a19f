"""decoder.beam_search: several beginnings at once, for one sentence."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case, LanguageModel, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.decoder.tables import model, renamed
from transformer_checks.catalogue.draws import normal

# `python -m authoring.bases decoder.beam_search` finds them: each slip shows in one of the cases.
BASES = (21, 110, 110, 33, 2, 10, 614, 221, 168, 748, 9, 1977, 44, 44, 2, 431, 1182, 5, 2540)

SIZES: tuple[tuple[str, list[int], int, int, float], ...] = (
    ("width 2, no length penalty", [1], 2, 5, 0.0),
    ("width 2, length penalty 1", [1], 2, 6, 1.0),
    ("width 3, length penalty 0.6", [1], 3, 7, 0.6),
    ("a prompt of three tokens", [1, 3, 4], 2, 8, 1.0),
    ("a text that does not end in time", [1], 3, 4, 0.6),
    ("width 4, length penalty 2", [1], 4, 7, 2.0),
    ("width 3: where a text ends, the next best takes its place", [1], 3, 7, 1.0),
    ("width 3: each text needs more than its three best words", [1], 3, 7, 1.0),
    ("width 2: a text that ends outside the beam", [1], 2, 7, 1.0),
    ("width 2, end id 3: a wider beam would find a better text", [1], 2, 7, 0.6),
    ("a prompt of three tokens, and a text that does not end in time", [1, 3, 4], 3, 6, 0.6),
    ("width 2, where 3 or 4 find other texts", [1], 2, 7, 0.6),
    ("width 1, where 2 or 3 find other texts", [1], 1, 7, 0.6),
    ("width 2: the best text ends at once", [1], 2, 7, 0.6),
    ("a prompt that begins with the end token, logits around 1000", [2, 3], 2, 7, 1.0),
    ("width 2, where a beam of 4 finds another text", [1], 2, 7, 0.6),
    ("width 2, length penalty 2: many texts end before the best one", [1], 2, 8, 2.0),
    ("a long text, all words about equally likely", [1], 1, 90, 0.6),
)
END_IDS = (2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 2, 2, 2, 2, 2, 2, 2)


def _draw(generator: Generator) -> list[Case]:
    def case(base: int, size: tuple[str, list[int], int, int, float], end_id: int) -> Case:
        label, prompt, width, max_tokens, length_penalty = size
        names = renamed(generator, end_id + 4, special=end_id + 1)
        return Case(
            label,
            {
                "model": model(base, names, generator, spread=1.5, low=(0, 1)),
                "prompt": names[torch.tensor([prompt])],
                "width": width,
                "max_tokens": max_tokens,
                "end_id": end_id,
                "length_penalty": length_penalty,
            },
        )

    def wide() -> dict[str, Value]:
        """Of 18 first words the least probable one leads to the best text."""
        logits = 0.2 * normal(generator, 24, 24, 24)
        logits[..., 20] = -6.0  # the end
        prompt = torch.randint(20, (1, 17), generator=generator)
        first = torch.cat([torch.randperm(20, generator=generator), torch.arange(20, 24)])
        *_, before, last = prompt[0].tolist()
        logits[before, last, first] = -0.05 * torch.arange(24)
        logits[last, first[17], 20] = 9.0
        return {
            "model": LanguageModel(logits),
            "prompt": prompt,
            "width": 18,
            "max_tokens": 20,
            "end_id": 20,
            "length_penalty": 0.65,
        }

    def end_0() -> dict[str, Value]:
        logits = normal(generator, 5, 5, 5)
        logits[..., 0] += 1.0
        return {
            "model": LanguageModel(logits),
            "prompt": torch.tensor([[3]]),
            "width": 2,
            "max_tokens": 5,
            "end_id": 0,
            "length_penalty": 0.6,
        }

    cases = [case(*drawn) for drawn in zip(BASES[:-1], SIZES, END_IDS, strict=True)]
    own = ("width 2, an end among the two best words of its own text alone", [1], 2, 7, 1.0)
    large, long = cases[-4].inputs["model"], cases[-1].inputs["model"]
    assert isinstance(large, LanguageModel) and isinstance(long, LanguageModel)
    large.table.add_(1000.0)
    long.table.mul_(0.05)[..., 2] = -20.0  # in float32 the product of its probabilities is 0
    return [
        *cases,
        Case("width 2, end id 0", end_0()),
        Case("width 18, 24 words, end id 20, a prompt of 17 tokens", wide()),
        case(BASES[-1], own, 2),
        case(1, ("a prompt that ends in the end token", [3, 2], 2, 7, 1.0), 2),
        Case("room for one word", {**end_0(), "max_tokens": 2}),
    ]


CHECK = Check(
    name="decoder.beam_search",
    lesson="06_decoder",
    title="Beam search",
    answer="beam_search",
    returns=("tokens", "score"),
    draw=_draw,
    points=3,
    difficulty=4,
    importance=4,
    minutes=25,
)
