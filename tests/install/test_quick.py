"""``make quick``: the tests and the notebook of what changed, and what a failure does."""

import subprocess
from pathlib import Path

import pytest

from authoring import changed, quick, sample
from tests.fixtures import Capture, Patch

RMS = "transformer_checks/catalogue/encoder/rms_norm.py"


@pytest.mark.parametrize(
    ("file", "tests"),
    [
        ("transformer_lesson/flash/softmax.py", "tests/flash/test_softmax.py"),  # its name
        ("transformer_lesson/widgets/heads.js", "tests/widgets/test_heads.py"),
        ("tests/test_cache.py", "tests/test_cache.py"),
        ("tests/toys.py", "tests/a/test_user.py"),  # who imports it
        ("transformer_lesson/flash/traffic.py", "tests/flash"),  # its folder
        (RMS, "tests/checks/test_catalogue.py"),  # what is said of it
        ("transformer_lesson/palette.py", "tests/test_models.py tests/test_parity.py"),
        ("transformer_lesson/palette.toml", "tests/widgets/test_palette.py"),  # data, its name
        ("Makefile", "tests/install tests/notebooks/test_map.py"),
        ("tests/browser/test_site.py", ""),  # left to make test
    ],
)
def test_a_file_has_its_tests(file: str, tests: str, tmp_path: Path, monkeypatch: Patch) -> None:
    names = ["test_cache", "flash/test_softmax", "widgets/test_heads", "widgets/test_palette"]
    names.append("a/test_user")
    for name in names:
        made = tmp_path / "tests" / f"{name}.py"
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_text("import torch\nfrom tests import other, toys\n" if "user" in name else "")
    monkeypatch.setattr(changed, "ROOT", tmp_path)
    assert changed.tests_of(file) == tests.split()


def test_every_folder_of_the_course_has_tests_that_exist() -> None:
    files = {str(Path(file).parent): file for file in changed._git("ls-files")}
    chosen = {file: changed.tests_of(file) for file in files.values()}
    assert len(chosen) > 50
    assert [file for file in chosen if not chosen[file] and changed.BROWSER not in file] == []
    missing = {t for tests in chosen.values() for t in tests if not (changed.ROOT / t).exists()}
    assert missing == set()


def test_an_exercise_brings_its_gate_and_its_notebook() -> None:
    assert changed.exercises_of([RMS, "authoring/styles/encoder/layer.py", "README.md"]) == [
        "encoder.layer",
        "encoder.rms_norm",
    ]
    assert changed.exercises_of([RMS.replace(".py", ".toml")]) == ["encoder.rms_norm"]
    assert changed.notebook_of([RMS], "") == "solutions/05_encoder.ipynb"
    assert changed.notebook_of([RMS, "notebooks/02_x.ipynb"], "") == "notebooks/02_x.ipynb"
    assert changed.notebook_of(["README.md"], "short") == "short"


def test_what_changed_is_committed_edited_or_new(tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.setattr(changed, "ROOT", tmp_path)
    names = ("kept", "committed", "edited", "deleted")
    for name in names:
        (tmp_path / name).write_text("1")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(tmp_path)]

    def commit(*first: str) -> None:
        for words in (*([first] if first else []), ("add", "-A"), ("commit", "-qm", "x")):
            subprocess.run([*git, *words], check=True)

    commit("init", "-q", "-b", "main")
    (tmp_path / "begun").write_text("1")
    assert changed.changed() == ["begun"]  # and not what the last commit brought
    (tmp_path / "begun").unlink()
    subprocess.run([*git, "checkout", "-q", "-b", "mine"], check=True)
    (tmp_path / "committed").write_text("2")
    commit()
    (tmp_path / "edited").write_text("2")
    (tmp_path / "deleted").unlink()
    (tmp_path / "neu \u2013 übung").write_text("2")
    assert changed.changed() == ["committed", "edited", "neu \u2013 übung"]
    subprocess.run([*git, "branch", "--quiet", "-D", "main"], check=True)
    assert changed.changed() == ["committed", "edited", "neu \u2013 übung"]  # since the last commit


@pytest.mark.parametrize(
    ("codes", "code", "told"),
    [
        ([0], 0, "All passed."),
        ([sample.CUT_SHORT], sample.CUT_SHORT, "The time was up: what ran has passed"),
        ([1], 1, "Failed: tests"),
    ],
)
def test_what_was_cut_short_has_an_exit_code_of_its_own(
    codes: list[int], code: int, told: str, monkeypatch: Patch, capsys: Capture
) -> None:
    monkeypatch.setattr(quick, "lint", list)
    monkeypatch.setattr(quick, "changed", lambda: ["README.md"])
    monkeypatch.setattr(quick, "live", lambda words: codes.pop())
    assert quick.main() == code
    assert told in capsys.readouterr().out
