"""A save is noticed once, when the file is whole."""

import os
from collections.abc import Callable
from pathlib import Path

from notebook_judge.learning.file_watcher import watch_files


class Clock:
    """Stands in for sleep: at each pause, the next thing happens to the files."""

    def __init__(self, *happens: Callable[[], object]) -> None:
        self._happens = list(happens)
        self.pauses = 0

    def __call__(self, _: float) -> None:
        self.pauses += 1
        if self._happens:
            self._happens.pop(0)()
        elif self.pauses > 200:
            raise KeyboardInterrupt


def nothing() -> None:
    pass


def noticed(files: list[Path], *happens: Callable[[], object]) -> list[tuple[str, str]]:
    found = []
    try:
        for path in watch_files(lambda: files, Clock(*happens)):
            found.append((path.name, path.read_text()))
    except KeyboardInterrupt:
        pass
    return found


def test_each_save_is_noticed_once(tmp_path: Path) -> None:
    one, two = tmp_path / "one.ipynb", tmp_path / "two.ipynb"
    for path in (one, two):
        path.write_text("{}")
    steps = [nothing, lambda: one.write_text('{"a": 1}'), *[nothing] * 5]
    steps += [lambda: two.write_text('{"b": 22}')]
    assert noticed([one, two], *steps) == [("one.ipynb", '{"a": 1}'), ("two.ipynb", '{"b": 22}')]


def test_a_half_saved_file_is_waited_for_and_one_that_stays_damaged_shown(tmp_path: Path) -> None:
    path = tmp_path / "one.ipynb"
    path.write_text("{}")
    steps = [lambda: path.write_text('{"a"'), nothing, nothing, lambda: path.write_text('{"a": 1}')]
    assert noticed([path], *steps) == [("one.ipynb", '{"a": 1}')]
    assert noticed([path], steps[0]) == [("one.ipynb", '{"a"')]


def test_an_editor_may_put_a_new_file_in_its_place(tmp_path: Path) -> None:
    path, new = tmp_path / "one.ipynb", tmp_path / "new"
    path.write_text("{}")
    new.write_text('{"a": 1}')
    steps = [path.unlink, nothing, nothing, lambda: os.replace(new, path)]
    assert noticed([path], *steps) == [("one.ipynb", '{"a": 1}')]


def test_a_notebook_that_appears_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "one.ipynb"
    found = []
    clock = Clock(nothing, lambda: path.write_text("{}"))
    for saved in watch_files(lambda: [p for p in (path,) if p.exists()], clock):
        found.append(saved)
        break
    assert found == [path]
