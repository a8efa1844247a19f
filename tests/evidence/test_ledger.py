"""What is stored of the claims: complete, told as measured, and repeated by a new run."""

import html
import re
from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from authoring.times import prose_of
from evidence.claim import WORDS, Claim, Condition
from evidence.claims import claims
from evidence.effects import drawn_together
from evidence.figure import alternative, drawn, lines
from evidence.measuring import one_run
from evidence.results import FOLDER, load
from evidence.table import (
    EFFECTS,
    FIGURES,
    PAGE,
    PAGES,
    all_effects,
    anchor,
    cited,
    claim_page,
    figure_of,
    page,
    said_together,
)

ROOT = Path(__file__).resolve().parents[2]
CLAIMS = pytest.mark.parametrize("claim", claims().values(), ids=lambda claim: claim.name)
QUICK = 3.0  # seconds of a run that is made again here; `make evidence` makes all of them
VERDICT = "**Verdict"
# A verdict rests on runs, or on a count or a proof that needs none.
TOLD = re.compile(
    r"\*\*Verdict: ([a-z ]+)\*\* "
    r"\((?:exact|\[\d+ runs\]\((?:\.\./)+evidence/README\.md#(\w+)\))\)"
)


@CLAIMS
def test_every_run_of_a_claim_is_stored(claim: Claim) -> None:
    assert not load(claim).missing(claim), f"run `python -m evidence {claim.name}`"
    assert claim.runs >= 5
    assert claim.decide(load(claim).runs(claim)).word in WORDS


@CLAIMS
def test_a_figure_says_what_it_found(claim: Claim) -> None:
    assert 20 < len(claim.title) <= 70
    assert not claim.title.endswith(".")
    runs = load(claim).runs(claim)
    figure = drawn(claim, runs)
    assert figure.get_suptitle() == claim.title
    assert alternative(claim, runs).startswith(claim.title)
    [axes] = figure.axes
    assert axes.get_xlabel()
    named = {text.get_text().replace("\n", " ") for text in (*axes.texts, *axes.get_yticklabels())}
    assert {line.name for line in lines(claim, runs) if line.name} <= named
    if lines(claim, runs):  # no name stands on a line
        drawn_lines = [axes.transData.transform_path(line.get_path()) for line in axes.lines]
        for box in (text.get_window_extent() for text in axes.texts):
            assert not any(path.intersects_bbox(box, filled=False) for path in drawn_lines)
    plt.close(figure)


@CLAIMS
def test_somebody_said_it(claim: Claim) -> None:
    """A source has a name and a place, or the claim is the course's own question."""
    assert re.search(r"[12]\d{3}|the course's own question", claim.source), claim.source
    assert not re.search("many guides|often said|common belief|people", claim.source)


def test_a_place_in_a_paper_that_was_not_read_again_is_marked() -> None:
    claim = replace(claims()["beam.width"], source="Koehn & Knowles 2017, section 3.6")
    assert cited(claim).endswith("(this place is cited from memory)")
    assert cited(replace(claim, looked_up=True)) == claim.source
    assert cited(replace(claim, source="Press et al. 2022")) == "Press et al. 2022"


def test_claims_that_share_runs_store_them_once() -> None:
    sharing = [claim for claim in claims().values() if claim.runs_of]
    assert sharing
    for claim in sharing:
        owner = claims()[claim.runs_of]
        assert (claim.file, claim.conditions) == (owner.file, owner.conditions)
        assert not (FOLDER / f"{claim.name}.json").exists()


def quickest(claim: Claim) -> tuple[Condition, float]:
    """The condition whose runs take least, and the seconds of one: 0 where none is stored."""
    seconds = load(claim).seconds
    condition = min(claim.conditions, key=lambda condition: seconds.get(condition.name, 0.0))
    return condition, seconds.get(condition.name, 0.0)


# Measured again here; `make evidence` measures all. What is timed is no matter for a test.
SAMPLE = [claim for claim in claims().values() if not claim.timed and quickest(claim)[1] <= QUICK]


def test_most_claims_have_a_run_that_can_be_made_again_here() -> None:
    assert len(SAMPLE) > len(claims()) / 2


@pytest.mark.sampled(4)
@pytest.mark.parametrize("claim", SAMPLE, ids=lambda claim: claim.name)
def test_a_new_run_lies_within_the_stored_spread(claim: Claim) -> None:
    condition, _ = quickest(claim)
    stored = load(claim).runs(claim).values(condition.name, claim.metric)
    # Another processor rounds differently, and a training may then take another course.
    room = max(stored) - min(stored)
    again = one_run(claim.name, condition.name, seed=claim.first)[0][claim.metric]
    assert min(stored) - room <= again <= max(stored) + room


def test_the_table_is_made_of_the_results() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `make evidence`"
    assert {path.stem for path in PAGES.iterdir()} == claims().keys()


@CLAIMS
def test_a_claim_has_its_page_and_its_figure(claim: Claim) -> None:
    own = (PAGES / f"{claim.name}.md").read_text(encoding="utf-8")
    assert own == "\n".join(claim_page(claim)) + "\n", f"run `python -m evidence {claim.name}`"
    told = html.escape(alternative(claim, load(claim).runs(claim)), quote=False)
    picture = (FIGURES / figure_of(claim)).read_text(encoding="utf-8")
    assert told in picture, f"it shows other runs: run `python -m evidence {claim.name}`"


def test_the_figure_of_all_effects_shows_each() -> None:
    effects = all_effects()
    told = html.escape(said_together(effects), quote=False)
    assert told in (FIGURES / EFFECTS).read_text(encoding="utf-8"), "run `make evidence`"
    figure = drawn_together(effects)
    named = {text.get_text() for axes in figure.axes for text in axes.get_yticklabels()}
    assert named == {f"{e.claim.name} ({e.word})" for e in effects if e.unit != "level"}
    plt.close(figure)


def test_an_effect_compares_sides_that_are_there() -> None:
    for one in all_effects():
        assert {*one.sides} <= {condition.name for condition in one.claim.conditions}
        assert one.size.low <= one.size.middle <= one.size.high


def pages() -> list[tuple[Path, str]]:
    """Every lesson and lab with its prose."""
    return [(path, prose_of(path)) for path in sorted((ROOT / "notebooks").rglob("*.ipynb"))]


def test_a_verdict_is_in_the_ledger_or_exact() -> None:
    for path, prose in pages():
        if path.name[:2] != "00":
            assert prose.count(VERDICT) == len(TOLD.findall(prose)), path
            assert all(word in WORDS for word, _ in TOLD.findall(prose)), path


def test_a_lesson_gives_the_verdict_of_the_ledger() -> None:
    by_anchor = {anchor(claim): claim for claim in claims().values()}
    told: dict[str, tuple[str, str]] = {}
    for path, prose in pages():
        lesson = path.relative_to(ROOT / "notebooks").with_suffix("").as_posix()
        told |= {name: (lesson, word) for word, name in TOLD.findall(prose) if name}
    for name, claim in by_anchor.items():
        word = claim.decide(load(claim).runs(claim)).word
        assert told.get(name) == (claim.lesson, word), f"{claim.name} is not told as measured"
    assert not told.keys() - by_anchor.keys(), "a lesson links to a claim that is not there"
