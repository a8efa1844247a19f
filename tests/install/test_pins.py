"""The versions: those of requirements.lock and requirements.lowest lie in the ranges."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

from course import NEWEST_PYTHON, OLDEST_PYTHON

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT, TOOLS = PYPROJECT["project"], PYPROJECT["tool"]
BASE: list[str] = PROJECT["dependencies"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
# What stands beside other people's work is given as a range; a teacher's and an author's tools are
# exact.
RANGES = BASE + EXTRAS["ctranslate2"] + EXTRAS["wmt14"]
AUTHORS = [each for each in EXTRAS["dev"] if not each.startswith(PROJECT["name"])]
EXACT = EXTRAS["nbgrader"] + AUTHORS
LOCK = (ROOT / "requirements.lock").read_text()
LOWEST = (ROOT / "requirements.lowest").read_text()
# Named after dates: it has no major versions.
BY_DATE = "regex"
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]


def versions(listed: str) -> dict[str, set[str]]:
    """The versions of each name: some have one for old and one for new Pythons."""
    found: dict[str, set[str]] = {}
    for line in listed.splitlines():
        requirement = Requirement(line)
        version = str(requirement.specifier).removeprefix("==")
        found.setdefault(requirement.name, set()).add(version)
    return found


def test_conda_installs_the_course_under_the_lock() -> None:
    (section,) = (entry["pip"] for entry in CONDA if isinstance(entry, dict))
    assert section == ["--constraint requirements.lock", "--editable ."]


def test_the_oldest_and_the_newest_python_are_the_same_everywhere() -> None:
    oldest = Requirement(f"python{PROJECT['requires-python']}").specifier
    assert str(oldest) == f">={'.'.join(map(str, OLDEST_PYTHON))}"
    assert TOOLS["mypy"]["python_version"] == str(oldest).removeprefix(">=")
    assert TOOLS["ruff"]["target-version"] == f"py{''.join(map(str, OLDEST_PYTHON))}"
    ends = [".".join(map(str, end)) for end in (OLDEST_PYTHON, NEWEST_PYTHON)]
    for page in ("README.md", "authoring/site/templates/landing.html"):
        assert f"Python {' to '.join(ends)}" in (ROOT / page).read_text(encoding="utf-8")
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "nightly.yml").read_text())
    tried = workflow["jobs"]["tests"]["strategy"]["matrix"]["python"]
    assert [tried[0], tried[-1]] == ends


def test_conda_gets_a_python_that_the_course_allows() -> None:
    (python,) = (e for e in CONDA if isinstance(e, str) and e.startswith("python="))
    assert Requirement(f"python{PROJECT['requires-python']}").specifier.contains(python[7:])


@pytest.mark.parametrize("line", RANGES)
def test_a_range_goes_from_what_was_tested_to_the_next_major_version(line: str) -> None:
    requirement = Requirement(line)
    bounds = {each.operator: Version(each.version) for each in requirement.specifier}
    (lowest,) = versions(LOWEST)[requirement.name]
    assert bounds.pop(">=") == Version(lowest)
    (locked,) = versions(LOCK)[requirement.name]
    assert requirement.specifier.contains(locked)
    if requirement.name == BY_DATE:
        assert not bounds
    else:
        assert bounds == {"<": Version(str(Version(locked).major + 1))}


@pytest.mark.parametrize("pin", EXACT)
def test_a_tool_is_exact_and_stands_in_the_lock(pin: str) -> None:
    requirement = Requirement(pin)
    assert re.fullmatch(r"==[\w.]+", str(requirement.specifier)), "not one exact version"
    assert versions(LOCK)[requirement.name] == {str(requirement.specifier).removeprefix("==")}


def test_authors_have_all_that_learners_and_teachers_may_add() -> None:
    (own,) = (Requirement(each) for each in EXTRAS["dev"] if each.startswith(PROJECT["name"]))
    assert own.extras == set(EXTRAS) - {"dev"}


def test_the_lock_names_no_host_and_no_path() -> None:
    for line in LOCK.splitlines():
        assert re.fullmatch(r"[\w.-]+==[\w.]+( ; [\w.' =<>!()]+)?", line), line


def test_triton_is_for_linux_alone() -> None:
    (line,) = (line for line in LOCK.splitlines() if line.startswith("triton=="))
    assert line.endswith("sys_platform == 'linux'")
    (pin,) = (pin for pin in BASE if pin.startswith("triton>="))
    assert str(Requirement(pin).marker) == 'sys_platform == "linux"'


def test_triton_is_the_one_that_torch_asks_for() -> None:
    try:
        asked = [Requirement(line) for line in requires("torch") or []]
    except PackageNotFoundError:
        pytest.skip("torch is not installed as a package: it has no metadata to ask")
    wanted = [each for each in asked if each.name == "triton"]
    if not wanted:
        pytest.skip("this build of torch is for the CPU and asks for no triton")
    (version,) = versions(LOCK)["triton"]
    assert all(each.specifier.contains(version) for each in wanted)
