"""What is compared: each edit added alone to GPT-2's block, and taken alone from that of today."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from evidence.claims.since_2017.trained import EDITS, GPT2, TODAY

# Of the words of a side ``trained`` gets its arguments.
Side = Mapping[str, Any]


def _without(edit: str) -> Side:
    return {"config": replace(TODAY, **{name: getattr(GPT2, name) for name in EDITS[edit]})}


EXPERTS: Mapping[str, Any] = {
    "num_experts": 8,
    "experts_per_token": 2,
}  # each half as wide: the work stays the same

# From the paper's start of the embedding to that of GPT-2, rows of 0.02 that nothing multiplies,
# and back, which leaves of GPT-2's start the matrices alone.
NARROW = {"rows": 0.02 * GPT2.d_model**0.5, "scale": GPT2.d_model**-0.5}
WIDE = {name: 1 / factor for name, factor in NARROW.items()}

SIDES: Mapping[str, Side] = {
    "GPT-2": {"config": GPT2},
    "today": {"config": TODAY},
    "GPT-2, post-norm": {"config": replace(GPT2, norm="post")},
    "today, post-norm": {"config": replace(TODAY, norm="post")},
    **{f"GPT-2 + {edit}": {"config": replace(GPT2, **change)} for edit, change in EDITS.items()},
    **{f"today - {edit}": _without(edit) for edit in EDITS},
    "GPT-2 + Muon": {"config": GPT2, "muon": True},
    "today + Muon": {"config": TODAY, "muon": True},
    "GPT-2 + Muon, half the work": {"config": GPT2, "muon": True, "work": 0.5},
    "today + Muon, half the work": {"config": TODAY, "muon": True, "work": 0.5},
    "GPT-2 + stable, decay": {"config": GPT2, "schedule": "stable"},
    "today + stable, decay": {"config": TODAY, "schedule": "stable"},
    "GPT-2 + experts": {"config": replace(GPT2, d_ff=128, **EXPERTS)},
    "today + experts": {"config": replace(TODAY, d_ff=86, **EXPERTS)},
    "today + experts, no balance": {"config": replace(TODAY, d_ff=86, **EXPERTS), "balance": 0.0},
    "GPT-2, narrow start": {"config": replace(GPT2, initialization="gpt2")},
    "today, narrow start": {"config": replace(TODAY, initialization="gpt2")},
    "GPT-2, narrow embedding": {"config": GPT2, "embedding": NARROW},
    "GPT-2, narrow matrices": {"config": replace(GPT2, initialization="gpt2"), "embedding": WIDE},
    "today, windows of 4": {"config": replace(TODAY, window=4)},
    "today, windows of 4 in half": {"config": replace(TODAY, window=4, full_every=2)},
}
