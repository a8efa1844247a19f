"""translation.greedy: a batch of translations, each with a limit of its own."""

import torch
from torch import Generator

from transformer_checks.catalogue import families
from transformer_checks.catalogue.decoder.tables import model, renamed
from transformer_checks.checks.cases import Case, LanguageModel
from transformer_checks.checks.exercise import Check, Slip

PADDING, START, END = 0, 1, 2

# `python -m authoring.bases translation.greedy` finds them: rows that end where the labels say.
BASES = (390, 390, 390, 398, 391, 391, 396)


def _draw(generator: Generator) -> list[Case]:
    def case(
        base: int, label: str, sources: list[int], limits: list[int],
        ids: tuple[int, int, int] = (0, 1, 2), before: tuple[int, ...] = (),
    ) -> Case:
        """``ids`` are those of padding, start and end; ``before`` opens every prompt."""
        others = [word for word in range(8) if word not in ids]
        names = torch.tensor([*ids, *others])[renamed(generator, 8, special=3)]
        return Case(label, {
            "model": model(base, names, generator, spread=2.0, low=(PADDING, START)),
            "prompts": names[torch.tensor([[*before, source, START] for source in sources])],
            "limits": limits, "end_id": ids[END], "padding_id": ids[PADDING],
        })

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
        case(BASES[1], "end id 0", [3, 4, 5], [9, 9, 9], (1, 2, 0)), _many(generator),
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
    return Case("18 sentences, 23 words, prompts of 19 tokens", {
        "model": LanguageModel(logits), "prompts": prompts,
        "limits": torch.randint(1, 20, (18,), generator=generator).tolist(), "end_id": end,
        "padding_id": padding,
    })


def _short(label: str, sources: list[int], limits: list[int], padding_id: int = PADDING) -> Case:
    """Source 3 becomes nothing at all, and source 4 becomes 5, 3, 4."""
    follows = {(3, START): END, (4, START): 5, (START, 5): 3, (5, 3): 4, (3, 4): END}
    table = torch.full((6, 6, 6), -20.0)
    table[..., 5] = 0.0
    for (before, last), word in follows.items():
        table[before, last, word] = 10.0
    return Case(label, {
        "model": LanguageModel(table),
        "prompts": torch.tensor([[source, START] for source in sources]), "limits": limits,
        "end_id": END, "padding_id": padding_id,
    })


_LIMIT = "torch.tensor(limits)"
_NO_END = "    written = written.masked_fill(written == end_id, padding_id)\n"
_ENDED = "any(0)], ended"
# As the last hint has it: as many columns as the longest translation has words. The solution goes
# by columns, which differs once padding stands between words.
_CUT = {"(written != padding_id).any(0)": ": (written != padding_id).sum(1).max()"}

CHECK = Check(
    name="translation.greedy", lesson="10_translation", title="Greedy translations that stop",
    answer="translate_greedily", returns=("tokens", "finished"), draw=_draw,
    points=2, difficulty=3, importance=5, minutes=15,
    slips=(
        Slip("an end token in the prompt", {"torch.zeros(len(prompts), dtype=torch.bool)":
                                            "(prompts == end_id).any(1)"},
             "an end token in the prompt counts as the row's own: it writes nothing",
             "A prompt may hold the end of its source. Look at what was written."),
        Slip("never stops", {"ended | (step >= limit)": "step >= limit", **_CUT},
             "each row writes on to its limit, whatever has ended",
             "A row stops when it has written end_id."),
        families.stops_when_the_first_row_ends({"stopped.all()": "stopped.all() or ended.any()"}),
        Slip("forgets who has ended", {"ended |=": "ended =", **_CUT},
             "only rows that end in the last step count as ended; earlier ones write on",
             "Once ended, always ended: add to it, do not replace it."),
        Slip("prompt kept", {"tokens[:, prompts.shape[1] :]": "tokens"},
             "the prompt stands before the translation", "Return only what was written."),
        Slip("filled with the end token", {"stopped, padding_id": "stopped, end_id", _NO_END: ""},
             "the translation is followed by end tokens", "Fill up with padding_id."),
        Slip("largest limit for all", {_LIMIT: "max(limits)"},
             "the largest limit holds for all rows: a model that does not end babbles on in the "
             "short ones",
             "limits[i] belongs to row i."),
        Slip("limit counts the prompt", {_LIMIT: f"{_LIMIT} - prompts.shape[1]"},
             "the prompt is counted against the limit", "limits[i] tokens may be *written*."),
        Slip("one token beyond the limit",
             {"step >= limit": "step > limit", "range(max(limits))": "range(max(limits) + 1)"},
             "a row may write one token more than its limit",
             "The end token, if there is one, is among the limits[i] tokens."),
        Slip("cut off counts as finished", {_ENDED: "any(0)], torch.ones_like(ended)"},
             "rows that were cut off at their limit count as finished",
             "`finished` says that the model itself wrote the end."),
        Slip("an end at the limit is none", {"& ~stopped": "& ~stopped & (step < limit - 1)"},
             "a row whose last token is the end counts as cut off",
             "The end token is among the limits[i] tokens."),
    ),
)
