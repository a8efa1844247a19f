"""The versions: pyproject.toml, environment.yml and requirements.lock say the same."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from course import OLDEST_PYTHON

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT, TOOLS = PYPROJECT["project"], PYPROJECT["tool"]
BASE: list[str] = PROJECT["dependencies"]
DEV: list[str] = PROJECT["optional-dependencies"]["dev"]
LOCK = (ROOT / "requirements.lock").read_text()
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]


def pip_section() -> list[str]:
    (section,) = (entry["pip"] for entry in CONDA if isinstance(entry, dict))
    return list(section)


def locked() -> dict[str, set[str]]:
    """The versions of each name: some have one for old and one for new Pythons."""
    versions: dict[str, set[str]] = {}
    for line in LOCK.splitlines():
        requirement = Requirement(line)
        versions.setdefault(requirement.name, set()).add(str(requirement.specifier))
    return versions


def test_conda_gets_the_pins_of_pyproject() -> None:
    pins = [line for line in pip_section() if not line.startswith("--")]
    assert pins == BASE


def test_conda_installs_the_course_under_the_lock() -> None:
    options = [line for line in pip_section() if line.startswith("--")]
    assert options == ["--constraint requirements.lock", "--editable ."]


def test_the_oldest_python_is_the_same_everywhere() -> None:
    oldest = Requirement(f"python{PROJECT['requires-python']}").specifier
    assert str(oldest) == f">={'.'.join(map(str, OLDEST_PYTHON))}"
    assert TOOLS["mypy"]["python_version"] == str(oldest).removeprefix(">=")
    assert TOOLS["ruff"]["target-version"] == f"py{''.join(map(str, OLDEST_PYTHON))}"
    assert f"Python {str(oldest).removeprefix('>=')} or newer" in (ROOT / "README.md").read_text()


def test_conda_gets_a_python_that_the_course_allows() -> None:
    (python,) = (e for e in CONDA if isinstance(e, str) and e.startswith("python="))
    assert Requirement(f"python{PROJECT['requires-python']}").specifier.contains(python[7:])


@pytest.mark.parametrize("pin", BASE + DEV)
def test_each_pin_is_exact_and_stands_in_the_lock(pin: str) -> None:
    requirement = Requirement(pin)
    assert re.fullmatch(r"==[\w.]+", str(requirement.specifier)), "not one exact version"
    assert locked()[requirement.name] == {str(requirement.specifier)}


def test_the_lock_names_no_host_and_no_path() -> None:
    for line in LOCK.splitlines():
        assert re.fullmatch(r"[\w.-]+==[\w.]+( ; [\w.' =<>!()]+)?", line), line


def test_triton_is_for_linux_alone() -> None:
    (line,) = (line for line in LOCK.splitlines() if line.startswith("triton=="))
    assert line.endswith("sys_platform == 'linux'")
    (pin,) = (pin for pin in BASE if pin.startswith("triton=="))
    assert str(Requirement(pin).marker) == 'sys_platform == "linux"'


def test_triton_is_the_one_that_torch_asks_for() -> None:
    try:
        asked = [Requirement(line) for line in requires("torch") or []]
    except PackageNotFoundError:
        pytest.skip("torch is not installed as a package: it has no metadata to ask")
    wanted = [each for each in asked if each.name == "triton"]
    if not wanted:
        pytest.skip("this build of torch is for the CPU and asks for no triton")
    (pin,) = (Requirement(pin) for pin in BASE if pin.startswith("triton=="))
    version = str(pin.specifier).removeprefix("==")
    assert all(each.specifier.contains(version) for each in wanted)
