"""translation.greedy: a batch of translations, each with a limit of its own."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case, LanguageModel
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.decoder.tables import model, renamed

PADDING, START, END = 0, 1, 2

# `python -m authoring.bases translation.greedy` finds them: rows that end where the labels say.
BASES = (390, 390, 390, 398, 391, 391, 396)


def _draw(generator: Generator) -> list[Case]:
    def case(
        base: int,
        label: str,
        sources: list[int],
        limits: list[int],
        ids: tuple[int, int, int] = (0, 1, 2),
        before: tuple[int, ...] = (),
    ) -> Case:
        """``ids`` are those of padding, start and end; ``before`` opens every prompt."""
        others = [word for word in range(8) if word not in ids]
        names = torch.tensor([*ids, *others])[renamed(generator, 8, special=3)]
        return Case(
            label,
            {
                "model": model(base, names, generator, spread=2.0, low=(PADDING, START)),
                "prompts": names[torch.tensor([[*before, source, START] for source in sources])],
                "limits": limits,
                "end_id": ids[END],
                "padding_id": ids[PADDING],
            },
        )

    return [
        case(BASES[0], "one sentence", [3], [8]),
        case(BASES[1], "three sentences that end one after the other", [3, 4, 5], [9, 9, 9]),
        case(BASES[2], "each with a limit of its own", [3, 4, 5, 6], [2, 8, 4, 7]),
        case(BASES[3], "none ends in time", [3, 4], [2, 3]),
        case(BASES[4], "four sentences, limits that differ", [6, 5, 4, 3], [8, 3, 6, 7]),
        case(BASES[5], "padding id 3, end id 5", [6, 5, 4, 3], [8, 3, 6, 7], (3, 4, 5)),
        case(BASES[6], "two of three never end, a limit of 130", [3, 4, 5], [130, 60, 9]),
        case(BASES[1], "end id 1, prompts of 4 tokens", [3, 4, 5], [9, 9, 9], (4, 6, 1), (5, 3)),
        case(BASES[1], "an end token in every prompt", [3, 4, 5], [9, 9, 9], before=(5, END)),
        case(BASES[1], "end id 0", [3, 4, 5], [9, 9, 9], (1, 2, 0)),
        _many(generator),
        _short("one row ends at once", [3, 4], [6, 5]),
        _short("both rows end at once", [3, 3], [3, 2]),
        _short("the end token fills up as well", [3, 4, 4], [5, 1, 3], padding_id=END),
    ]


def _many(generator: Generator) -> Case:
    padding, start, end = 19, 20, 18
    logits = 2 * torch.randn(23, 23, 23, generator=generator)
    logits[..., [padding, start]] = -20.0
    logits[..., end] += 3.0
    prompts = torch.randint(18, (18, 19), generator=generator)
    prompts[:, -1] = start
    return Case(
        "18 sentences, 23 words, prompts of 19 tokens",
        {
            "model": LanguageModel(logits),
            "prompts": prompts,
            "limits": torch.randint(1, 20, (18,), generator=generator).tolist(),
            "end_id": end,
            "padding_id": padding,
        },
    )


def _short(label: str, sources: list[int], limits: list[int], padding_id: int = PADDING) -> Case:
    """Source 3 becomes nothing at all, and source 4 becomes 5, 3, 4."""
    follows = {(3, START): END, (4, START): 5, (START, 5): 3, (5, 3): 4, (3, 4): END}
    table = torch.full((6, 6, 6), -20.0)
    table[..., 5] = 0.0
    for (before, last), word in follows.items():
        table[before, last, word] = 10.0
    return Case(
        label,
        {
            "model": LanguageModel(table),
            "prompts": torch.tensor([[source, START] for source in sources]),
            "limits": limits,
            "end_id": END,
            "padding_id": padding_id,
        },
    )


CHECK = Check(
    name="translation.greedy",
    lesson="10_translation",
    title="Greedy translations that stop",
    answer="translate_greedily",
    returns=("tokens", "finished"),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=5,
    minutes=15,
)
