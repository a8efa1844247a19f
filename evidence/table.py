"""The table of all claims, verdicts and spreads: evidence/README.md, made from the results."""

from collections.abc import Iterator
from pathlib import Path, PurePath
from statistics import median

from evidence.claim import Claim
from evidence.claims import claims
from evidence.results import Results, load

PAGE = Path(__file__).parent / "README.md"
INTRODUCTION = """# What people say about the Transformer, measured

Each claim below is put to the test in a lesson, with one or two runs that you can watch. What its
verdict rests on is here: every run, its controls, chance, and the code. `make evidence` measures
what is missing, `python -m evidence NAME` one claim; delete a file in `results/` to measure it
again.

A verdict is *true*, *false*, *half true*, *true here* (it depends on the size, the task or the
machine) or *not decided*. Spreads are the median of all runs and, in brackets, the smallest and the
largest. The criterion was written before the numbers; where it was changed after some had been
seen, the claim says so, and which seeds have decided since. Claims that had come out half true were
later split or worded anew; the same runs decide them, by their old bounds. Where the new sentence
needed a rule of its own, written when the runs were known, fresh seeds decided (from 5000 on, on 25
November 2026). They gave the same word for `tokens.stems`, `embeddings.analogies`,
`heads.diagonal`, `positions.rotary_longer`, `positions.relative_longer`, `positions.none_longer`,
`cache.text_shows_slips` and, with a clock that other work disturbed, `architectures.waiting`.
`attention.cost_width` and `encoder.order` have another rule since, and say why.
"""


def page() -> str:
    """Return the whole page."""
    stored = [(claim, load(claim)) for claim in claims().values()]
    rows = [INTRODUCTION, "| claim | verdict | lesson |", "|---|---|---|"]
    rows += [_row(claim, results) for claim, results in stored]
    for claim, results in stored:
        rows += ["", *_section(claim, results)]
    return "\n".join(rows) + "\n"


def write() -> None:
    """Make the page anew, of the claims that are measured."""
    PAGE.write_text(page(), encoding="utf-8")


def anchor(claim: Claim) -> str:
    """Return the name of a claim's section as a link on the page."""
    return claim.name.replace(".", "")


def module(claim: Claim) -> str:
    """Return the file that measures a claim, as a path within the repository."""
    return f"{claim.measure.__module__.replace('.', '/')}.py"


def deciding(claim: Claim) -> str:
    """Return which seeds decide where a criterion was changed, if nobody had seen them."""
    first, last = claim.seeds[0], claim.seeds[-1]
    return f"Seeds {first} to {last}, not seen before, decide since." if first else ""


def spreads(claim: Claim, results: Results) -> Iterator[tuple[str, str, str]]:
    """Yield for each condition its name, its median with the range, and the seconds of a run."""
    for condition in claim.conditions:
        values = results.runs(claim).values(condition.name, claim.metric)
        spread = f"{median(values):.3g} ({min(values):.3g} to {max(values):.3g})"
        yield condition.name, spread, f"{results.seconds[condition.name]:.1f}"


def _row(claim: Claim, results: Results) -> str:
    verdict = "not measured yet"
    if not results.missing(claim):
        verdict = claim.decide(results.runs(claim)).word
    place = PurePath(claim.lesson)
    lesson = f"[{place.name[:2]}{' lab' * (len(place.parts) > 1)}](../notebooks/{place}.ipynb)"
    return f"| [{claim.says}](#{anchor(claim)}) | **{verdict}** | {lesson} |"


def _section(claim: Claim, results: Results) -> Iterator[str]:
    yield f"## {claim.name}"
    yield ""
    yield f"{claim.says} ({claim.source})"
    yield ""
    yield f"**Criterion.** {claim.criterion}"
    yield ""
    if claim.revised:
        yield f"**Changed after numbers had been seen.** {claim.revised} {deciding(claim)}".rstrip()
        yield ""
    if results.missing(claim):
        yield "Not measured yet."
        return
    verdict = claim.decide(results.runs(claim))
    yield f"**Verdict: {verdict.word}.** {verdict.because}"
    yield ""
    yield f"| {claim.runs} runs each | {claim.label} | seconds a run |"
    yield "|---|---|---|"
    for row in spreads(claim, results):
        yield f"| {' | '.join(row)} |"
    yield ""
    about = results.about
    yield (
        f"[How](../{module(claim)}) · [every run](results/{claim.file}) · "
        f"torch {about['torch']}, {about['processor']}"
    )
