"""What a wheel holds: every file of the packages, and nothing under a name that others may use."""

import subprocess
import sys
import tomllib
from pathlib import Path, PurePath

from setuptools import find_packages

ROOT = Path(__file__).resolve().parents[2]
SETUPTOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
PATTERNS: dict[str, list[str]] = SETUPTOOLS["package-data"]


def test_all_data_of_the_packages_is_shipped() -> None:
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *PATTERNS]
    files = subprocess.check_output(listed, cwd=ROOT, text=True).splitlines()
    left_out = [file for file in files if (ROOT / file).exists() and not shipped(Path(file))]
    assert not left_out


def test_a_clone_has_what_a_wheel_lacks(tmp_path: Path) -> None:
    packages = find_packages(str(ROOT), include=SETUPTOOLS["packages"]["find"]["include"])
    assert {name for name in packages if "." not in name} == PATTERNS.keys()
    # Lessons, which lie in a clone, import it from folders of their own.
    subprocess.run([sys.executable, "-c", "import evidence.figure"], cwd=tmp_path, check=True)


def shipped(file: Path) -> bool:
    """Whether it is a module of a package, or one of the patterns names it."""
    package, inside = file.parts[0], PurePath(*file.parts[1:])
    is_module = file.suffix == ".py" and (ROOT / file.parent / "__init__.py").exists()
    return is_module or any(inside.match(pattern) for pattern in PATTERNS[package])


def test_checks_and_views_need_no_jupyterlab(tmp_path: Path) -> None:
    """As in VS Code and Colab, whose kernels are plain."""
    ask = (
        "import sys\n"
        "names = 'jupyterlab jupyter_server jupyterlab_server notebook nbclient nbconvert'\n"
        "sys.modules.update(dict.fromkeys(names.split()))\n"
        "from transformer_lesson.checks import check, hint, progress\n"
        "from transformer_lesson.widgets import ScheduleExplorer\n"
        "positive = lambda scores: (scores - scores.amax(-1, keepdim=True)).exp()\n"
        "right = lambda scores: positive(scores) / positive(scores).sum(-1, keepdim=True)\n"
        "check('attention.softmax', right)\n"
        "print(hint('attention.softmax'), progress(), *ScheduleExplorer()._repr_mimebundle_()[0])"
    )
    found = subprocess.check_output([sys.executable, "-c", ask], cwd=tmp_path, text=True)
    assert "attention.softmax: passed" in found and "hint 1 of" in found and "text/html" in found
