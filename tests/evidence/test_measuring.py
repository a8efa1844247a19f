"""Making the runs: each is stored at once, none is made twice, and a fault costs its own claim."""

from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from evidence import measuring, results
from evidence.__main__ import main
from evidence.claim import Claim, Condition, Runs, Verdict
from evidence.claims import claims
from evidence.figure import spread
from evidence.results import Results
from tests.fixtures import Capture, Patch


def measure(seed: int, factor: float) -> dict[str, float]:
    return {"number": factor * seed}


def decide(runs: Runs) -> Verdict:
    return Verdict("true", f"{runs.median('twice', 'number'):.0f}")


CLAIM = Claim(
    name="numbers.double",
    lesson="00_start_here",
    says="Twice a number is more.",
    title="Twice a number is more than once",
    source="anybody",
    measure=measure,
    conditions=(Condition("twice", {"factor": 2.0}), Condition("once", {"factor": 1.0}, "control")),
    runs=3,
    metric="number",
    label="a number",
    criterion="It is more in all runs.",
    decide=decide,
)


def stored(folder: Path, *, seeds: int = 3) -> None:
    made = Results()
    for condition in CLAIM.conditions:
        for seed in range(seeds):
            made.add(condition, seed, measure(seed, **condition.settings), seconds=1.0)
    results.save(CLAIM, made, folder)


def test_what_was_stored_is_not_missing_and_is_read_in_the_order_of_seeds(tmp_path: Path) -> None:
    stored(tmp_path, seeds=2)
    loaded = results.load(CLAIM, tmp_path)
    assert [(c.name, seed) for c, seed in loaded.missing(CLAIM)] == [("twice", 2), ("once", 2)]
    with pytest.raises(ValueError, match="2 runs are missing, the first of them 'twice'"):
        loaded.runs(CLAIM)
    stored(tmp_path)
    runs = results.load(CLAIM, tmp_path).runs(CLAIM)
    assert runs.values("twice", "number") == [0, 2, 4]
    assert runs.count(lambda value: value > 0, "once", "number") == 2
    assert CLAIM.decide(runs) == Verdict("true", "2")


def test_a_condition_of_fewer_runs_takes_the_first_seeds(tmp_path: Path) -> None:
    twice, once = CLAIM.conditions
    few = replace(CLAIM, conditions=(twice, replace(once, runs=2)))
    stored(tmp_path, seeds=2)
    loaded = results.load(few, tmp_path)
    assert [(c.name, seed) for c, seed in loaded.missing(few)] == [("twice", 2)]
    assert few.made == 5
    stored(tmp_path)
    assert results.load(few, tmp_path).runs(few).values("once", "number") == [0, 1]


def test_two_processes_lose_no_run_of_each_other(tmp_path: Path) -> None:
    one, other = Results(), Results()
    for made, seed in ((one, 0), (other, 1)):
        made.add(CLAIM.conditions[0], seed, {"number": float(seed)}, seconds=1.0)
        results.save(CLAIM, made, tmp_path)
    assert set(results.load(CLAIM, tmp_path).measured["twice"]) == {0, 1}


def test_other_settings_seeds_or_another_measurement_make_other_runs(
    tmp_path: Path, monkeypatch: Patch
) -> None:
    stored(tmp_path)
    other = Condition("once", {"factor": 1.5}, "control")
    changed = replace(CLAIM, conditions=(CLAIM.conditions[0], other))
    missing = results.load(changed, tmp_path).missing(changed)
    assert {condition.name for condition, _ in missing} == {"once"}
    later = results.load(changed := replace(CLAIM, first=1), tmp_path).missing(changed)
    assert [(c.name, seed) for c, seed in later] == [("twice", 3), ("once", 3)]
    monkeypatch.setattr(results, "fingerprint", lambda measure: "another")
    assert results.load(CLAIM, tmp_path).measured == {}
    shown = results.load_to_show(CLAIM, tmp_path)
    assert shown.values("twice", "number") == [0, 2, 4], "a lesson shows them all the same"


def test_a_run_that_fails_costs_its_claim_alone(tmp_path: Path, capsys: Capture) -> None:
    # The processes know no claim of this name.
    failed = measuring.measure_all([CLAIM], 1, Console(), tmp_path)
    assert failed == {CLAIM.name}
    assert "KeyError" in capsys.readouterr().out


def test_a_shift_takes_other_seeds(tmp_path: Path) -> None:
    claim = claims()["attention.diagonal"]
    assert measuring.measure_all([claim], 1, Console(), tmp_path, shift=7) == set()
    condition = claim.conditions[0].name
    found = results.load(claim, tmp_path).measured[condition]
    assert set(found) == set(claim.seeds)
    assert found[0] == measuring.one_run(claim.name, condition, 7)[0]
    assert found[0] != measuring.one_run(claim.name, condition, 0)[0]


def test_an_unknown_claim_is_an_error_that_lists_all(capsys: Capture) -> None:
    assert main(["no such claim"]) == 2
    assert next(iter(claims())) in capsys.readouterr().out
    with pytest.raises(KeyError, match="there is no claim 'nothing'"):
        spread("nothing")
