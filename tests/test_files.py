"""A file is replaced whole or not at all."""

import os
from pathlib import Path

import pytest

from careful_io import replacing
from tests.fixtures import Patch


def test_a_file_is_made_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for text in ("one", "two"):
        with replacing(path, sync=True) as new:
            new.write_text(text)
            assert not path.exists() or path.read_text() == "one"
        assert path.read_text() == text
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("interrupted", [False, True])
def test_where_it_fails_the_old_file_stays(
    tmp_path: Path, monkeypatch: Patch, interrupted: bool
) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def refuse(*_: object) -> None:
        raise OSError("full")

    if not interrupted:
        monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(KeyboardInterrupt if interrupted else OSError), replacing(path) as new:
        new.write_text("half")
        if interrupted:
            raise KeyboardInterrupt
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_unfinished_file_may_stand_elsewhere(tmp_path: Path) -> None:
    path, folder = tmp_path / "file", tmp_path / "unfinished"
    folder.mkdir()
    with replacing(path, folder=folder) as new:
        assert new.parent == folder
        new.write_text("whole")
    assert (path.read_text(), list(folder.iterdir())) == ("whole", [])


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_permissions_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch(0o640)
    path.chmod(0o640)
    with replacing(path, sync=True) as new:
        new.touch()
    assert path.stat().st_mode & 0o777 == 0o640


def test_another_program_may_hold_the_file_for_a_moment(tmp_path: Path, monkeypatch: Patch) -> None:
    replace, refusals = os.replace, [PermissionError(), PermissionError()]

    def refuse_twice(source: Path, target: Path) -> None:
        if refusals:
            raise refusals.pop()
        replace(source, target)

    monkeypatch.setattr(os, "replace", refuse_twice)
    with replacing(tmp_path / "file") as new:
        new.write_text("whole")
    assert (tmp_path / "file").read_text() == "whole"
