"""The claims as a page to browse: what its template shows."""

from collections import Counter
from typing import Any

from docutils.nodes import make_id

from authoring.onward import title_of
from authoring.site.pages import inline
from authoring.times import NOTEBOOKS, parts_of
from evidence.claim import WORDS, Claim
from evidence.claims import claims
from evidence.figure import alternative
from evidence.results import load
from evidence.table import deciding, module, spreads

UNDECIDED = "not measured yet"


def shown() -> dict[str, Any]:
    """Return all claims as the template reads them, and what readers may filter them by."""
    entries = [_entry(claim) for claim in claims().values()]
    counts = Counter(entry["verdict"] for entry in entries)
    return {
        "claims": entries,
        "verdicts": [(word, counts[word]) for word in (*WORDS, UNDECIDED) if counts[word]],
        "lessons": {entry["lesson"]: entry["chapter"] for entry in entries},
        "runs": sum(c.made for c in claims().values() if not c.runs_of),
    }


def _entry(claim: Claim) -> dict[str, Any]:
    results = load(claim)
    path = NOTEBOOKS / f"{claim.lesson}.ipynb"
    entry = {
        "anchor": make_id(claim.name),
        "name": claim.name,
        "file": claim.file,
        "says": inline(claim.says),
        "source": inline(claim.source),
        "criterion": inline(claim.criterion),
        "revised": inline(f"{claim.revised} {deciding(claim)}".strip()),
        "lesson": path.name[:2],
        "chapter": title_of(parts_of(path.name[:2])[0]),
        "told_in": title_of(path),
        "page": f"notebooks/{claim.lesson}.html",
        "runs": claim.runs,
        "label": claim.label,
        "module": module(claim),
        "verdict": UNDECIDED,
    }
    if results.missing(claim):
        return entry
    verdict = claim.decide(results.runs(claim))
    return entry | {
        "verdict": verdict.word,
        "because": inline(verdict.because),
        "rows": list(spreads(claim, results)),
        "alternative": alternative(claim, results.runs(claim)),
    }
