"""translation.beam: which text wins, and when the search may stop."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case, LanguageModel
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.decoder.tables import model, renamed

PADDING, START, END = 0, 1, 2

# `python -m authoring.bases translation.beam` finds them: each slip shows in one of the cases.
BASES = (129, 95, 130, 137, 0, 149, 31, 263, 263, 35, 3, 472, 17, 95)

# Label, prompt, width, limit, alpha, and the first of the ids of padding, start and end.
SIZES: tuple[tuple[str, list[int], int, int, float, int], ...] = (
    ("width 2, alpha 0: no penalty", [4, 1], 2, 6, 0.0, 0),
    ("width 2, alpha 1", [4, 1], 2, 7, 1.0, 0),
    ("width 3, alpha 0.6", [5, 1], 3, 8, 0.6, 0),
    ("a longer prompt", [3, 6, 4, 1], 2, 8, 1.0, 0),
    ("a text that does not end within the limit", [4, 1], 3, 3, 0.6, 0),
    ("width 3, alpha 2", [6, 1], 3, 8, 2.0, 0),
    ("a long way to the limit", [3, 1], 2, 16, 0.6, 0),
    ("width 3, end id 5", [4, 1], 3, 6, 0.6, 3),
    ("width 3, where width 2 finds another text", [4, 1], 3, 6, 0.6, 0),
    ("width 1, where width 2 finds another text", [4, 1], 1, 8, 0.6, 0),
    ("a limit of one token", [4, 1], 2, 1, 0.6, 0),
    ("a text ends, and a better one does not", [4, 1], 2, 4, 1.0, 0),
    ("no text ends within the limit", [4, 1], 2, 3, 0.6, 0),
    ("an end token in the prompt", [5, 2, 4, 1], 2, 7, 1.0, 0),
)


def _draw(generator: Generator) -> list[Case]:
    def case(base: int, size: tuple[str, list[int], int, int, float, int]) -> Case:
        label, prompt, width, limit, alpha, first_id = size
        names = (renamed(generator, 7, special=3) + first_id) % 7
        return Case(
            label,
            {
                "model": model(base, names, generator, spread=1.5, low=(PADDING, START)),
                "prompt": names[torch.tensor(prompt)].tolist(),
                "width": width,
                "limit": limit,
                "end_id": first_id + END,
                "alpha": alpha,
            },
        )

    return [
        *(case(base, size) for base, size in zip(BASES, SIZES, strict=True)),
        _tie(),
        _last(generator),
        _late(generator),
        _long(),
    ]


def _tie() -> Case:
    """The end and one word are equally probable: what runs on may draw level, but not win."""
    return _steady("a tie: what still runs can at most be as good", [0.0, 0.0], 4)


def _last(generator: Generator) -> Case:
    """What wins begins with the last of the 18 words that a beam of this width keeps."""
    end = 21
    words = torch.randperm(end - 2, generator=generator) + 2
    logits = 0.3 * torch.randn(24, 24, 24, generator=generator)
    logits[..., [PADDING, START, end]] = -20.0
    prompt = [*words[:4].tolist() * 4, int(words[0]), START]
    logits[prompt[-2], START, words] = 10 - 0.05 * torch.arange(len(words))
    logits[START, words[17], end] = 10.0
    return Case(
        "width 18, where width 17 finds another text, a prompt of 18 tokens",
        {
            "model": LanguageModel(logits),
            "prompt": prompt,
            "width": 18,
            "limit": 4,
            "end_id": end,
            "alpha": 0.65,
        },
    )


def _late(generator: Generator) -> Case:
    """One word leads to the next, and the end comes after 17 of them."""
    words = [START, *(torch.randperm(21, generator=generator)[:17] + 2).tolist(), 0]
    logits = torch.randn(23, 23, 23, generator=generator)
    logits[..., [0, START]] = -20.0
    logits[:, words[:-1], words[1:]] = 8.0
    return Case(
        "18 tokens until the end, whose id is 0",
        {
            "model": LanguageModel(logits),
            "prompt": [5, START],
            "width": 2,
            "limit": 20,
            "end_id": 0,
            "alpha": 1.0,
        },
    )


def _long() -> Case:
    """The end is improbable at every step, and one word nearly certain: it goes on for long."""
    return _steady("a limit of 130 tokens, which one text reaches", [-4.0, 0.0], 130)


def _steady(label: str, end_and_word: list[float], limit: int) -> Case:
    """At every step the end and one word have these logits, and nothing else is probable."""
    logits = torch.full((4, 4, 4), -20.0)
    logits[..., END:] = torch.tensor(end_and_word)
    return Case(
        label,
        {
            "model": LanguageModel(logits),
            "prompt": [START],
            "width": 2,
            "limit": limit,
            "end_id": END,
            "alpha": 0.0,
        },
    )


CHECK = Check(
    name="translation.beam",
    lesson="10_translation",
    title="Which text wins, and when to stop",
    answer="search",
    returns=("tokens", "score", "steps"),
    draw=_draw,
    points=3,
    difficulty=4,
    importance=4,
    minutes=25,
)
