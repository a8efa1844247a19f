"""The command line: what it prints, what it writes, and how it ends."""

import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from notebook_judge.grading import pool
from notebook_judge.grading.results import NotebookResult
from notebook_judge.grading.sandbox import isolation, launch
from tests.grading.fakes import notebook
from tests.grading.tiny_course import RIGHT, save
from transformer_checks.cli import main


def test_a_class_is_graded_and_reported(
    tiny: None, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    long = "def total(x):\n    raise ValueError('" + "a long story " * 20 + "')"
    save(tmp_path / "class/anna/02.ipynb", [RIGHT["double"], long])
    save(tmp_path / "class/[b]ben/02.ipynb", ["def double(x):\n    ..."])
    (tmp_path / "class/[b]ben/zzz.ipynb").write_text("no notebook")
    out = tmp_path / "deep/out"

    code = main(["grade", str(tmp_path / "class"), "--out", str(out), "--seed", "7"])

    printed, written = capsys.readouterr().out, json.loads((out / "grades.json").read_text())
    assert code == 3
    assert "1 of 3 files could not be graded; their lines say why." in printed
    assert "\x1b" not in printed
    assert "[b]ben" in printed
    assert "unreadable: it is not JSON" in printed
    assert " ".join(printed.split()).count("a long story") >= 15
    assert "seed 7" in printed
    assert written["seed"] == 7
    anna, ben, broken = written["notebooks"]
    assert [e["status"] for e in ben["exercises"]] == ["not attempted"] * 4
    assert broken["status"] == "unreadable"
    assert [e["status"] for e in anna["exercises"][:3]] == ["passed", "error", "not attempted"]
    assert anna["points"] == 1
    assert (out / "gradescope/anna_02/results.json").exists()


@pytest.mark.parametrize(
    ("options", "ahead"),
    [
        ([], True),
        (["--isolation", "auto"], True),
        (["--out", "limits"], True),
        (["--isolation", "limits"], False),
        (["--isolation=limits"], False),
    ],
)
def test_what_loads_pytorch_behind_walls_starts_first(
    tiny: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], ahead: bool
) -> None:
    started: list[bool] = []
    monkeypatch.setattr(launch, "load_ahead", lambda: started.append(True))
    monkeypatch.chdir(tmp_path)
    save(tmp_path / "02.ipynb", [RIGHT["double"]])

    main(["grade", "02.ipynb", *options])

    assert bool(started) is ahead


def test_help_starts_nothing_and_names_the_exit_codes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(launch, "load_ahead", lambda: pytest.fail("a server was started"))
    with pytest.raises(SystemExit):
        main(["grade", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    for words in ("exit codes:", "130 stopped by Ctrl-C", "after an interruption", "nobody else's"):
        assert words in said


@pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux alone")
def test_a_server_that_loads_is_not_started_twice() -> None:
    server = launch.ForkServer("none")
    try:
        server.launch()
        loading = server._process
        server.launch()
        assert server._process is loading
    finally:
        server.close()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["missing.ipynb"], "there is no file or folder 'missing.ipynb'"),
        (["empty"], "no notebook in 'empty'"),
        (["a.ipynb", "--out", "a.ipynb"], "cannot write to 'a.ipynb'"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    arguments: list[str],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    save(tmp_path / "a.ipynb", ())
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    assert main(["grade", *arguments]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize(
    "given",
    [
        *(f"--seed={seed}" for seed in ("-1", "one", "1.5", 2**63)),
        *(f"--jobs={jobs}" for jobs in ("0", "-1", "two", "1000", "²")),
        *(f"--carried={share}" for share in ("-1", "101", "half")),
    ],
)
def test_a_number_that_cannot_be_is_refused(given: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["grade", "x.ipynb", given])
    assert stopped.value.code == 2
    assert f"'{given.partition('=')[2]}' is not a whole number from" in capsys.readouterr().err


def test_isolation_that_cannot_be_had_is_refused_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def choose(name: str) -> isolation.Isolation:
        assert name == "require"
        raise isolation.NotIsolated("this machine cannot isolate notebooks: no namespaces")

    monkeypatch.setattr(isolation, "choose", choose)
    path, out = save(tmp_path / "a.ipynb", ()), tmp_path / "out"
    assert main(["grade", str(path), "--out", str(out), "--isolation", "require"]) == 2
    assert "this machine cannot isolate notebooks" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize(("chosen", "code"), [("auto", 4), ("limits", 0)])
def test_a_machine_without_walls_says_so_loudly(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    chosen: str,
    code: int,
) -> None:
    monkeypatch.setattr(pool, "grade_notebook", lambda path, name, *_, **__: notebook(name))
    monkeypatch.setattr(isolation, "_as_superuser", lambda: False)
    monkeypatch.setattr(isolation, "_strongest", lambda: (isolation.LIMITS, "no namespaces"))
    path = save(tmp_path / "a.ipynb", ())
    assert main(["grade", str(path), "--out", str(tmp_path), "--isolation", chosen]) == code
    said = " ".join(capsys.readouterr().out.split())
    assert "WARNING: nothing isolates the notebooks' code." in said
    assert "delete" in said


def test_nobodys_code_runs_as_the_superuser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(isolation, "_as_superuser", lambda: True)
    path, out = save(tmp_path / "a.ipynb", ()), tmp_path / "out"
    assert main(["grade", str(path), "--out", str(out), "--isolation", "limits"]) == 2
    assert "would run as the superuser" in capsys.readouterr().err
    assert not out.exists()


def test_several_jobs_keep_the_order_of_the_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [f"n{number}" for number in range(8)]
    under_way = threading.Barrier(4)

    def graded(path: Path, name: str, seed: int, **_: object) -> NotebookResult:
        under_way.wait(timeout=30)  # else fewer than four are graded at a time
        time.sleep(0.02 * (8 - int(name[1])))
        return notebook(name, path=name)

    for name in names:
        save(tmp_path / f"class/{name}.ipynb", ())
    monkeypatch.setattr(pool, "grade_notebook", graded)
    monkeypatch.setattr(isolation, "_as_superuser", lambda: False)
    command = ["grade", str(tmp_path / "class"), "--out", str(tmp_path / "out"), "--jobs", "4"]
    assert main([*command, "--isolation", "limits"]) == 0
    said = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert [line for line in said if line in names] == names
    written = json.loads((tmp_path / "out/grades.json").read_text())
    assert [one["name"] for one in written["notebooks"]] == names


def test_the_worker_module_does_not_load_the_references() -> None:
    code = (
        "import sys, notebook_judge.grading.sandbox.worker; "
        "names = ' '.join(sys.modules); sys.exit('checks.exercise' in names or 'IPython' in names)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
