"""decoder.greedy: the most probable token at each step, for a batch, until the end."""

import torch
from torch import Generator

from transformer_checks.catalogue import families
from transformer_checks.catalogue.decoder.tables import model, renamed
from transformer_checks.catalogue.draws import normal
from transformer_checks.checks.cases import Case, LanguageModel, Value
from transformer_checks.checks.exercise import Check, Slip

# `python -m authoring.bases decoder.greedy` finds them: rows that end where the labels say.
BASES = (1, 37, 4, 86, 20, 93, 16, 15)


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str, base: int, prompt: list[list[int]], max_tokens: int, end_id: int = 2,
        padding_id: int = 0, *, pads: bool = False,
    ) -> Case:
        """``pads``: whether the model may write the padding id, as it may any other."""
        names = renamed(generator, 7, special=max(3, end_id + 1))
        low = (1,) if pads else (padding_id, 1)
        return Case(label, {
            "model": model(base, names, generator, spread=2.0, low=low),
            "prompt": names[torch.tensor(prompt)], "max_tokens": max_tokens, "end_id": end_id,
            "padding_id": padding_id,
        })

    def long() -> dict[str, Value]:
        return {"model": LanguageModel(normal(generator, 24, 24, 24)),
                "prompt": torch.randint(24, (17, 18), generator=generator), "max_tokens": 40,
                "end_id": 19, "padding_id": 22}

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


_STOP = " and not finished.all()"
_FILL = ".masked_fill(finished, padding_id)"

CHECK = Check(
    name="decoder.greedy", lesson="06_decoder", title="Greedy generation that stops",
    answer="greedy", returns=("tokens",), draw=_draw,
    points=2, difficulty=3, importance=5, minutes=15,
    slips=(
        Slip("never stops", {_STOP: "", _FILL: ""},
             "it writes on to max_tokens, whatever has ended",
             "A row is finished once it has written end_id. Who keeps track of that?"),
        families.finished_rows_write_on({_FILL: ""}),
        families.stops_when_the_first_row_ends({"finished.all()": "finished.any()"}),
        Slip("looks at the first row only", {"finished.all()": "finished[0]"},
             "the batch stops when its first row ends",
             "Each row ends by itself. Keep one truth value for each."),
        Slip("forgets who has finished", {"finished = finished | ": "finished = "},
             "only rows that end in this very step count as finished; earlier ones are forgotten",
             "Once finished, always finished: add to `finished`, do not replace it."),
        Slip("stops one step late",
             {f"{_STOP}:": ":\n        last = finished.all()",
              "    return tokens": "        if last:\n            break\n    return tokens"},
             "one more column of padding is written after the last row has ended",
             "Look at `finished` again after the step in which the last row ends."),
        Slip("filled with the end token", {"finished, padding_id": "finished, end_id"},
             "finished rows are filled up with end_id", "One end token, then padding."),
        Slip("end token dropped",
             {"chosen[:, None]": "chosen.masked_fill(chosen == end_id, padding_id)[:, None]"},
             "the end token itself is replaced by padding",
             "The end token belongs to the text. When does a row become finished?"),
        Slip("an end token in the prompt counts",
             {"torch.zeros(len(prompt), dtype=torch.bool)": "(prompt == end_id).any(dim=1)"},
             "a row counts as finished because its prompt holds end_id",
             "Only an end token that was *written* ends a row."),
        Slip("filled with 0", {"finished, padding_id": "finished, 0"},
             "finished rows are filled up with 0, whatever padding_id says", "Use the argument."),
    ),
)
