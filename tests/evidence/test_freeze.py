"""Criteria stand in a commit before their runs, as far as history tells."""

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from evidence import freeze
from evidence.claim import Condition
from evidence.claims import claims
from evidence.freeze import Freeze
from evidence.results import Results
from tests.fixtures import Patch


def test_no_criterion_came_after_its_runs_untold() -> None:
    if reason := freeze.why_unknown():
        pytest.skip(reason)
    found = [freeze.freeze(claim) for claim in claims().values()]
    late = [one.claim.name for one in found if one and not one.holds]
    assert not late, f"write in `revised` what was changed, and seen: {late}"


@pytest.fixture
def history(tmp_path: Path, monkeypatch: Patch) -> Iterator[Path]:
    """A repository of its own, in which this check is the first commit."""
    monkeypatch.setattr(freeze, "ROOT", tmp_path)
    for found in (freeze._rule, freeze._texts):
        found.cache_clear()
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / "evidence/results").mkdir(parents=True)
    (tmp_path / "evidence/claims/encoder").mkdir(parents=True)
    commit(tmp_path, "evidence/freeze.py", "pass")
    yield tmp_path
    for found in (freeze._rule, freeze._texts):
        found.cache_clear()


def commit(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text, encoding="utf-8")
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    subprocess.run(["git", "add", "-A"], cwd=folder, check=True)
    subprocess.run(["git", *who, "commit", "-qm", "a"], cwd=folder, check=True)


def found() -> Freeze:
    claim = replace(claims()["encoder.stream"], criterion="More than half.", revised="")
    one = freeze.freeze(claim)
    assert one
    return one


CRITERION = ("evidence/claims/encoder/stream.py", '"""More than\n    half."""')
RUNS = ("evidence/results/encoder.stream.json", '{"measured": {\n   "0": {"a": 1}\n}}')


def test_a_criterion_before_its_runs_holds(history: Path) -> None:
    commit(history, *CRITERION)
    commit(history, *RUNS)
    assert found().under_the_rule
    assert found().stood_before
    assert found().holds


def test_one_that_comes_with_or_after_its_runs_does_not(history: Path) -> None:
    commit(history, *RUNS)
    commit(history, *CRITERION)
    assert not found().stood_before
    assert not found().holds
    assert replace(found(), claim=replace(found().claim, revised="The bar was moved.")).holds


def test_another_digest_or_a_run_put_back_is_no_new_run(history: Path) -> None:
    commit(history, *CRITERION)
    commit(history, *RUNS)
    first = found().commit
    commit(history, RUNS[0], RUNS[1].replace("{", '{"about": 1, ', 1))
    commit(history, RUNS[0], "{}")
    commit(history, *RUNS)
    assert found().commit == first


def test_runs_beside_a_verdict_are_no_new_runs_of_it(history: Path, monkeypatch: Patch) -> None:
    commit(history, *RUNS)
    commit(history, *CRITERION)
    more = RUNS[1].replace('"0": {"a": 1}', '"0": {"a": 1},\n   "0": {"a": 2}')
    commit(history, RUNS[0], more)
    assert found().stood_before, "it decides now"
    claim = replace(claims()["encoder.stream"], conditions=(Condition("later", runs=1),))
    monkeypatch.setattr(freeze, "load", lambda _: Results({"later": {0: {"a": 2}}}))
    beside = freeze.freeze(replace(claim, criterion="More than half.", revised=""))
    assert beside and not beside.stood_before


def test_without_the_whole_history_nothing_is_said(tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.setattr(freeze, "ROOT", tmp_path)
    assert "cannot be checked" in freeze.why_unknown()
    assert freeze.main() == 0
