"""Every exercise: figures in their ranges, and inputs that its seed alone decides.

That right answers pass and wrong ones are named is proved by the author's gate.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from notebook_judge import slips
from notebook_judge.checks.cases import Case, LanguageModel, Value
from notebook_judge.checks.exercise import Check, Slip
from transformer_checks import COURSE
from transformer_checks.catalogue import CHECKS

FOLDER = COURSE.catalogue
FAMILIES = slips.families(FOLDER)


def _all_inputs(case: Case) -> list[Value]:
    values = [*case.inputs.values(), *(case.build.weights.values() if case.build else ())]
    tables = [value.table if isinstance(value, LanguageModel) else value for value in values]
    return [value for value in tables if value is not None and not isinstance(value, str)]


def _flat(value: Any) -> Any:
    """A list of lists of unequal lengths, which make no tensor, as one list."""
    if not isinstance(value, list):
        return value
    return [
        number for part in value for number in (_flat(part) if isinstance(part, list) else [part])
    ]


@pytest.mark.parametrize("check", CHECKS.values(), ids=lambda check: check.name)
def test_difficulty_and_importance_are_of_five(check: Check) -> None:
    assert 1 <= check.difficulty <= 5
    assert 1 <= check.importance <= 5


@pytest.mark.parametrize("check", CHECKS.values(), ids=lambda check: check.name)
def test_cases_repeat_with_the_seed_and_differ_without(check: Check) -> None:
    def numbers(seed: int) -> list[float]:
        return [
            float(torch.as_tensor(_flat(value), dtype=torch.float64).nan_to_num().sum())
            for case in check.cases(seed)
            for value in _all_inputs(case)
        ]

    assert numbers(3) == numbers(3)
    assert any(numbers(3) != numbers(seed) for seed in range(4, 10))


def test_a_hint_loads_what_it_shows_alone(tmp_path: Path) -> None:
    code = """
import sys
from transformer_lesson.checks import hint
assert "IPython" not in sys.modules
hint("attention.softmax")
assert "IPython" in sys.modules
prefix = "transformer_checks.catalogue."
print({name for name, module in sys.modules.items() if prefix in name and hasattr(module, "CHECK")})
"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "{'transformer_checks.catalogue.self_attention.softmax'}"


def read(folder: Path, text: str) -> tuple[Slip, ...]:
    path = folder / "scores.toml"
    path.write_text(text, encoding="utf-8")
    return slips.read(path, FAMILIES)


def test_slips_are_read_in_their_order_with_words_of_their_own_or_of_a_family(
    tmp_path: Path,
) -> None:
    text = """
["no root"]
edits = [['''
    two
lines''', 'x["a"]'], ['b', '']]
says = "there is no root"
lead = "Which root?"
["not scaled"]
edits = [['/ root', '']]
"""
    own = Slip("no root", {"    two\nlines": 'x["a"]', "b": ""}, "there is no root", "Which root?")
    family = Slip("not scaled", {"/ root": ""}, **FAMILIES["not scaled"])
    found = read(tmp_path, text)
    assert found == (own, family)
    assert [*found[0].edits] == [*own.edits]


WORDS = 'says = "it is wrong"\nlead = "Look."\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[not scaled]", "scores.toml is no TOML: .*line 1"),
        (f"['one']\nedits = [['a', 'b']]\n{WORDS}['one']", "scores.toml is no TOML: .*twice"),
        ("one = 1", "scores.toml, slip 'one': it is a table"),
        ("['not scale']\nedits = [['a', 'b']]", "slip 'not scale': no family .*'not scaled'"),
        ("['one']\nedits = [['a', 'b']]\nsays = 'no'", "slip 'one': says and lead are two"),
        ("['one']\nedits = [['a', 'b']]\nsays = 1\nlead = 'x'", "says and lead are two strings"),
        (f"['one']\nedit = [['a', 'b']]\n{WORDS}", "unknown key 'edit'; .*edits, says, lead"),
        (f"['one']\n{WORDS}", "slip 'one': edits must be a list of pairs"),
        (f"['one']\nedits = []\n{WORDS}", "edits must be a list of pairs"),
        (f"['one']\nedits = ['a', 'b']\n{WORDS}", "edits must be a list of pairs"),
        (f"['one']\nedits = [['a']]\n{WORDS}", "edits must be a list of pairs"),
        (f"['one']\nedits = [['a', 1]]\n{WORDS}", "edits must be a list of pairs"),
        (f"['one']\nedits = [['a', 'b'], ['a', 'c']]\n{WORDS}", "each of another text"),
    ],
)
def test_a_slip_that_is_written_wrongly_is_named_with_its_file(
    text: str, told: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=told):
        read(tmp_path, text)


def test_a_file_of_no_exercise_is_named_where_that_of_one_is_missing(tmp_path: Path) -> None:
    for name in ("softmax.py", "softmax.toml", "scors.toml"):
        (tmp_path / name).touch()
    with pytest.raises(ValueError, match=r"scores.toml is missing.*; of no exercise: scors.toml\."):
        slips.read(tmp_path / "scores.toml", FAMILIES)


def test_every_file_of_slips_belongs_to_an_exercise() -> None:
    files = {path.relative_to(FOLDER).with_suffix("").parts for path in FOLDER.glob("*/*.toml")}
    places = ((check.lesson[3:], check.name.partition(".")[2]) for check in CHECKS.values())
    assert files == set(places)


def test_every_family_has_a_slip() -> None:
    known = [slip for check in CHECKS.values() for slip in check.slips]
    used = {
        slip.name
        for slip in known
        if FAMILIES.get(slip.name) == {"says": slip.says, "lead": slip.lead}
    }
    assert used == FAMILIES.keys()
