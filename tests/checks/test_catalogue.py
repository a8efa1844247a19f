"""Every exercise: figures in their ranges, and inputs that its seed alone decides.

That right answers pass and wrong ones are named is proved by the author's gate.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from transformer_checks.catalogue import CHECKS
from transformer_checks.checks.cases import Case, LanguageModel, Value
from transformer_checks.checks.exercise import Check


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
