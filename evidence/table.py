"""What was found, as pages to read: evidence/README.md, and a page and a figure for each claim.

All are made from the results, the words of the claims and ``methods.md``.
"""

import html
import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath
from statistics import median
from typing import Any, cast

import matplotlib.pyplot as plt

from evidence.claim import Claim
from evidence.claims import claims
from evidence.effects import Effect, drawn_together, effect
from evidence.exchange import compared, differing, watched
from evidence.figure import alternative, drawn
from evidence.longer import later, told
from evidence.results import AND, Results, load

FOLDER = Path(__file__).parent
PAGE, PAGES, FIGURES = FOLDER / "README.md", FOLDER / "pages", FOLDER / "figures"
METHODS = FOLDER / "methods.md"
EFFECTS = "all.svg"
PLACE = re.compile(r"\b(section|figure|table|theorem|lemma|equation)\b")  # in a paper
# Text stays text, and what is drawn again without a change is the same file.
STYLE = {"svg.fonttype": "none", "svg.hashsalt": "claims"}


def page(*, rows: bool = True) -> str:
    """Return the page of all claims; without ``rows`` only its title and what follows the table."""
    found = [(claim, load(claim)) for claim in claims().values()]
    made = sum(c.made for c in claims().values() if not c.runs_of)
    before, after = METHODS.read_text(encoding="utf-8").split("{claims}\n")
    lines = [before.format(count=len(found), runs=f"{made:,}")]
    if not rows:
        lines = [before.partition("\n")[0], ""]
    else:
        lines += ["| claim | verdict | effect, with its 95 % interval | runs | lesson |"]
        lines += ["|---|---|---|---|---|", *(_row(claim, results) for claim, results in found), ""]
    return "\n".join([*lines, after.format(processors=_processors(found), longer=told())])


def write(chosen: Iterable[Claim] | None = None) -> None:
    """Make all pages anew, and the figures of all claims or of those that are given."""
    PAGES.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
    for claim in claims().values():
        place = PAGES / f"{claim.name}.md"
        place.write_text("\n".join(claim_page(claim)) + "\n", encoding="utf-8")
    draw(claims().values() if chosen is None else chosen)


def draw(chosen: Iterable[Claim]) -> None:
    """Draw the runs of the measured ones of some claims, and the effects of all."""
    FIGURES.mkdir(exist_ok=True)
    with plt.rc_context(cast(Any, STYLE)):  # its type lists each parameter
        for claim in chosen:
            if not load(claim).missing(claim):
                runs = load(claim).runs(claim)
                _save(drawn(claim, runs), FIGURES / figure_of(claim), alternative(claim, runs))
        effects = all_effects()
        _save(drawn_together(effects), FIGURES / EFFECTS, said_together(effects))


def _save(figure: Any, place: Path, words: str) -> None:
    about = {"Date": None, "Description": words}
    figure.savefig(place, bbox_inches="tight", metadata=about)
    plt.close(figure)


def all_effects() -> list[Effect]:
    """Return the effect of each measured claim."""
    return [effect(c, load(c).runs(c)) for c in claims().values() if not load(c).missing(c)]


def said_together(effects: list[Effect]) -> str:
    """Return the figure of all effects in words."""
    return "All effects. " + "; ".join(f"{one.claim.name}: {one}" for one in effects) + "."


def figure_of(claim: Claim) -> str:
    """Return the name of a claim's figure."""
    return f"{claim.name.replace('.', '-').replace('_', '-')}.svg"


def anchor(claim: Claim) -> str:
    """Return the name of a claim's row as a link on the page of all."""
    return claim.name.replace(".", "")


def module(claim: Claim) -> str:
    """Return the file that measures a claim, as a path within the repository."""
    return f"{claim.measure.__module__.replace('.', '/')}.py"


def deciding(claim: Claim) -> str:
    """Return which seeds decide where a criterion was changed, if nobody had seen them."""
    first, last = claim.seeds[0], claim.seeds[-1]
    return f"Seeds {first} to {last} decide." if first else ""


def spreads(claim: Claim, results: Results) -> Iterator[tuple[str, str, str]]:
    """Yield for each condition its name, its median with the range, and the seconds of a run.

    Of conditions that many claims share only those that this one shows or reads.
    """
    read = {name for names in watched(claim).read.values() for name in names}
    names = {*claim.shown, *read}
    names |= {f"{name}{claim.longer}" for one in later(claim) for name in one.pair}
    kept = [c for c in claim.conditions if not claim.shown or c.name in names]
    for condition in kept:
        values = results.runs(claim).values(condition.name, claim.metric)
        spread = f"{median(values):.3g} ({min(values):.3g} to {max(values):.3g})"
        few = f" ({condition.runs} runs)" if condition.runs else ""
        yield condition.name + few, spread, f"{results.seconds[condition.name]:.1f}"


def _processors(found: list[tuple[Claim, Results]]) -> str:
    told = (results.about["processor"].split(AND) for _, results in found if results.about)
    return AND.join(sorted({processor for processors in told for processor in processors}))


def _lesson(claim: Claim, up: str) -> str:
    place = PurePath(claim.lesson)
    name = f"{place.name[:2]}{' lab' * (len(place.parts) > 1)}"
    return f"[{name}]({up}notebooks/{place}.ipynb)"


def _row(claim: Claim, results: Results) -> str:
    word, found = "not measured yet", ""
    if not results.missing(claim):
        word = claim.decide(results.runs(claim)).word
        found = str(effect(claim, results.runs(claim)))
    says = f'<a id="{anchor(claim)}"></a>[{claim.says}](pages/{claim.name}.md)'
    return f"| {says} | **{word}** | {found} | {claim.runs} | {_lesson(claim, '../')} |"


def cited(claim: Claim) -> str:
    """Return the source of a claim; where a place in it was not read again, it says so."""
    if claim.looked_up or not PLACE.search(claim.source):
        return claim.source
    return f"{claim.source} (this place is cited from memory)"


def claim_page(claim: Claim) -> Iterator[str]:
    """Yield the lines of a claim's own page."""
    yield f"# {claim.says}"
    yield ""
    results = load(claim)
    if results.missing(claim):
        yield "Not measured yet."
        return
    runs = results.runs(claim)
    verdict = claim.decide(runs)
    yield f"**Verdict: {verdict.word}.** {verdict.because}"
    yield ""
    words = html.escape(alternative(claim, runs)).replace("[", "(").replace("]", ")")
    yield f"![{words}](../figures/{figure_of(claim)})"
    yield ""
    yield f"**Who says so.** {cited(claim)}"
    yield ""
    yield f"**Criterion.** {claim.criterion}"
    yield ""
    if claim.revised:
        yield f"**Changed after numbers had been seen.** {claim.revised} {deciding(claim)}".rstrip()
        yield ""
    yield f"| {claim.runs} runs each | {claim.label}: median (range) | seconds a run |"
    yield "|---|---|---|"
    for row in spreads(claim, results):
        yield f"| {' | '.join(row)} |"
    yield ""
    if pairs := compared(claim):
        yield "**What differs** between the sides that the criterion compares:"
        yield ""
        for one, other in pairs:
            yield f"- {one} | {other}: {'; '.join(differing(claim, (one, other)))}"
        yield ""
    if found := later(claim):
        gains = "; ".join(map(str, found))
        yield f"**Longer{claim.longer}**, the first two seeds, at the same rates. Gained: {gains}."
        yield ""
    yield (
        f"[How it is measured](../../{module(claim)}) · [every run](../results/{claim.file}) · "
        f"lesson {_lesson(claim, '../../')} · [all claims](../README.md) · "
        f"torch {results.about['torch']}, {results.about['processor']}"
    )
