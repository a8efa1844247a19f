"""What was done is kept beside the notebooks, and nothing that happens to it does any harm."""

import json
import os
import threading
from pathlib import Path

import pytest

from notebook_judge.learning.record import FOLDER, Entry, Record

NAME = "attention.softmax"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "02_self_attention.ipynb").write_text("{}")
    return tmp_path


def test_another_process_knows_what_was_done(folder: Path) -> None:
    record = Record(folder)
    record.note_status(NAME, "wrong")
    record.note_hints(NAME, 2)
    found = Record(folder).entry(NAME)
    assert (found.status, found.state) == ("wrong", "tried")
    assert (found.hints, found.passed_once) == (2, False)
    record.note_status(NAME, "passed")
    record.note_status(NAME, "error")
    found = Record(folder).entry(NAME)
    assert (found.state, found.hints, found.passed_once) == ("tried", 2, True)


def test_an_empty_stub_leaves_no_trace(folder: Path) -> None:
    Record(folder).note_status(NAME, "not attempted")
    Record(folder).forget(NAME)
    assert not (folder / FOLDER).exists()


def test_what_was_forgotten_is_open_again(folder: Path) -> None:
    Record(folder).note_status(NAME, "passed")
    Record(folder).forget(NAME)
    assert Record(folder).entry(NAME) == Entry(passed_once=True)


def test_a_kernel_goes_on_knowing_after_the_files_are_deleted(folder: Path) -> None:
    record = Record(folder)
    record.note_status(NAME, "passed")
    for file in (folder / FOLDER).iterdir():
        file.unlink()
    (folder / FOLDER).rmdir()
    assert record.entry(NAME).state == "done"
    assert Record(folder).entry(NAME) == Entry()
    record.note_status("attention.scores", "passed")
    assert Record(folder).entry("attention.scores").state == "done"


@pytest.mark.parametrize(
    "damaged", ["", "{", "[]", "null", '{"status": 7, "hints": "two", "when": [], "more": 1}', "\0"]
)
def test_a_damaged_file_tells_nothing_and_is_mended(folder: Path, damaged: str) -> None:
    Record(folder).note_status(NAME, "passed")
    (folder / FOLDER / f"{NAME}.json").write_text(damaged)
    assert Record(folder).entry(NAME) == Entry()
    Record(folder).note_status(NAME, "passed")
    assert Record(folder).entry(NAME).state == "done"


def test_two_notebooks_at_once_lose_nothing(folder: Path) -> None:
    names = [f"topic.exercise_{number}" for number in range(20)]

    def work(mine: list[str]) -> None:
        record = Record(folder)
        for name in mine:
            record.note_status(name, "wrong")
            record.note_status(name, "passed")

    threads = [threading.Thread(target=work, args=(names[start::2],)) for start in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(entry.state == "done" for entry in Record(folder).entries(names).values())
    kept = {file.name for file in (folder / FOLDER).iterdir()}
    assert kept == {f"{name}.json" for name in names}


def test_where_nothing_can_be_written_it_says_so_and_remembers(folder: Path) -> None:
    (folder / FOLDER).write_text("a file in the way")
    record = Record(folder)
    record.note_status(NAME, "passed")
    assert record.entry(NAME).state == "done"
    assert f"Progress cannot be kept in {folder}" in record.trouble
    (folder / FOLDER).unlink()
    record.note_status(NAME, "passed")
    assert record.trouble == ""


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_named(folder: Path) -> None:
    folder.chmod(0o555)
    record = Record(folder)
    record.note_status(NAME, "passed")
    assert "Permission denied" in record.trouble
    assert record.entry(NAME).state == "done"


@pytest.mark.parametrize("name", ["solutions", "notebooks"])
def test_the_courses_own_notebooks_are_nobodys_progress(tmp_path: Path, name: str) -> None:
    for made in (name, "exercises"):
        (tmp_path / made).mkdir()
        (tmp_path / made / "02_self_attention.ipynb").write_text("{}")
    Record(tmp_path / name).note_status(NAME, "passed")
    assert not (tmp_path / name / FOLDER).exists()


def test_a_learner_may_call_a_folder_notebooks(tmp_path: Path) -> None:
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks/mine.ipynb").write_text("{}")
    Record(tmp_path / "notebooks").note_status(NAME, "passed")
    kept = json.loads((tmp_path / "notebooks" / FOLDER / f"{NAME}.json").read_text())
    assert kept["status"] == "passed"


def test_a_folder_without_notebooks_is_left_alone(tmp_path: Path) -> None:
    record = Record(tmp_path)
    record.note_status(NAME, "passed")
    assert (record.entry(NAME).state, record.trouble, list(tmp_path.iterdir())) == ("done", "", [])
