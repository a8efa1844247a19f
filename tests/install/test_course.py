"""course.py: what it says when something is amiss, and what it leaves behind."""

import ast
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from authoring import commands, environment, surroundings
from course import NEWEST_PYTHON, OLDEST_PYTHON
from tests.fixtures import Capture, Patch

ROOT = Path(__file__).resolve().parents[2]
# What runs before there is an environment.
OF_SET_UP = ("__init__", "commands", "environment", "surroundings")
PARTS = ("course.py", "careful_io/__init__.py", *(f"authoring/{name}.py" for name in OF_SET_UP))
Disk = namedtuple("Disk", "total used free")


@pytest.fixture
def stub(tmp_path: Path, monkeypatch: Patch) -> Path:
    """A course of a few small files in an empty folder, which course.py takes for its own."""
    (tmp_path / "authoring").mkdir()
    (tmp_path / "careful_io").mkdir()
    # Without its __init__, Python would take the `authoring` of the real course, and clean that.
    for file in PARTS:
        shutil.copy(ROOT / file, tmp_path / file)
    (tmp_path / "notebooks").mkdir()
    (tmp_path / commands.FIRST_NOTEBOOK).write_text("{}")
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "stub"\nversion = "1"\n')
    (tmp_path / "requirements.lock").write_text("")
    for module in (commands, environment):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(environment, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(environment, "LOG", tmp_path / ".venv" / "setup.log")
    return tmp_path


@pytest.fixture
def steps(stub: Path, monkeypatch: Patch) -> list[str]:
    """Replace the steps of the set-up by ones that only note that they ran."""
    done: list[str] = []

    def make_environment() -> None:
        done.append("environment")
        environment.tool("python").parent.mkdir(parents=True)
        environment.tool("python").touch()

    monkeypatch.setattr(environment, "is_sound", lambda: environment.tool("python").exists())
    monkeypatch.setattr(environment, "make_environment", make_environment)
    monkeypatch.setattr(environment, "install", lambda extra: done.append(f"install {extra}"))
    monkeypatch.setattr(environment, "register_kernel", lambda: done.append("kernel"))
    return done


def run(
    folder: Path, *words: str, code: str = "", **variables: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *(["-c", code] if code else ["course.py"]), *words],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("minor", [OLDEST_PYTHON[1] - 1, NEWEST_PYTHON[1] + 1])
def test_an_unsupported_python_is_named_and_the_fix_too(minor: int) -> None:
    pretend = f"import runpy, sys\nsys.version_info = (3, {minor}, 9)\n"
    told = run(ROOT, code=f"{pretend}runpy.run_path('course.py', run_name='__main__')")
    assert (told.returncode, told.stderr) == (1, "")
    assert told.stdout.startswith(f"Stopped: this is Python 3.{minor}; the course needs 3.11 to ")
    assert f"python3.{NEWEST_PYTHON[1]} course.py lab" in told.stdout


def old_pythons() -> list[str]:
    """Those of this machine that the course does not run on; some of the names may not start."""
    names = ["python2", *(f"python3.{minor}" for minor in range(OLDEST_PYTHON[1]))]
    homes = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    found = [found for name in names for found in homes.glob(f"*/bin/{name}")]
    return [*filter(None, map(shutil.which, names)), *map(str, found)]


def test_a_python_of_long_ago_can_read_the_script() -> None:
    tree = ast.parse((ROOT / "course.py").read_bytes(), feature_version=(3, 4))
    newer = (ast.JoinedStr, ast.FunctionDef, ast.AnnAssign, ast.NamedExpr)
    assert not [part for part in ast.walk(tree) if isinstance(part, newer)]
    for python in old_pythons():
        said = subprocess.run([python, "course.py"], cwd=ROOT, capture_output=True, text=True)
        assert said.returncode == 127 or said.stdout.startswith("Stopped: this is Python "), said


def test_the_set_up_needs_the_standard_library_alone() -> None:
    text = "\n".join((ROOT / file).read_text(encoding="utf-8") for file in PARTS)
    modules = re.findall(r"^ *(?:import|from) (\w+)", text, re.M)
    assert set(modules) <= {*sys.stdlib_module_names, "authoring", "careful_io"}


def test_the_stub_runs_its_own_commands(stub: Path) -> None:
    """And not those of the course around it, whose environment `clean` would remove."""
    shown = run(stub, code="from authoring import commands; print(commands.ROOT)").stdout
    assert Path(shown.strip()) == stub


@pytest.mark.parametrize(
    ("words", "code", "told"), [(["lba"], 2, "Unknown command: lba"), ([], 0, "")]
)
def test_without_a_known_command_the_commands_are_listed(
    words: list[str], code: int, told: str, stub: Path
) -> None:
    result = run(stub, *words)
    assert (result.returncode, result.stderr) == (code, "")
    assert result.stdout.startswith(told)
    assert all(f"  {name} " in result.stdout for name in commands.COMMANDS)


def test_a_command_that_takes_no_arguments_refuses_them(stub: Path) -> None:
    (stub / ".venv").mkdir()
    result = run(stub, "clean", "--help")
    assert result.returncode == 2
    assert result.stdout.startswith("clean takes no arguments; got: --help")
    assert (stub / ".venv").exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps settings elsewhere")
def test_where_the_home_cannot_be_written_programs_get_another(stub: Path, tmp_path: Path) -> None:
    result = run(stub, "clean", HOME=str(tmp_path / "no" / "home"), TMPDIR=str(tmp_path))
    assert result.returncode == 0
    assert f"cannot be written: settings go to {tmp_path}/transformer-lesson-" in result.stdout
    assert run(stub, "clean", HOME=str(tmp_path)).stdout == ""


def test_what_it_starts_reads_utf_8_in_any_locale(stub: Path) -> None:
    shown = "import sys; sys.exit(sys.flags.utf8_mode)"
    start = f"commands.live([sys.executable, '-c', {shown!r}])"
    code = (
        "import sys\nfrom authoring import commands\n"
        f"commands.COMMANDS['clean'] = lambda words: {start}\n"
        "sys.exit(commands.main(['clean']))"
    )
    assert run(stub, code=code, LC_ALL="C.UTF-8").returncode == 1  # by itself 0 in this locale


@pytest.mark.skipif(os.name == "nt", reason="Windows names folders in one way")
def test_a_folder_of_any_name_is_found_in_any_locale(stub: Path, monkeypatch: Patch) -> None:
    """Python reads the path of the course in the encoding of the locale: it must be ASCII."""
    folder = stub / "Kurs \u2013 übung"
    packages = folder / ".venv/lib/python3/site-packages"
    packages.mkdir(parents=True)
    (packages / "__editable__.course.pth").write_text(str(folder), encoding="utf-8")
    monkeypatch.setattr(environment, "ROOT", folder)
    monkeypatch.setattr(environment, "VENV", folder / ".venv")
    monkeypatch.setattr(environment, "must", lambda *_, **variables: None)
    monkeypatch.setattr(environment, "tool", lambda name: Path(sys.executable))
    environment.install("base")
    code = (
        "import glob, os, site, sys\n"
        "site.addsitedir(glob.glob('Kurs*/.venv/lib/*/site-packages')[0])\n"
        "print(os.fsencode(sys.path[-1]))"
    )
    said = run(stub, code=code, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert (said.stdout.strip(), said.stderr) == (repr(os.fsencode(folder)), "")


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ("", []),
        ("Moodle export (2)/", ["Moodle export (2)/"]),
        ("one.ipynb 'two (1).ipynb'", ["one.ipynb", "two (1).ipynb"]),
        ("*.ipynb", ["one.ipynb", "two (1).ipynb"]),
        ("nobody's.ipynb", ["nobody's.ipynb"]),
    ],
)
def test_files_are_named_as_they_are_or_as_in_a_shell(
    given: str, named: list[str], tmp_path: Path, monkeypatch: Patch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Moodle export (2)").mkdir()
    for name in ("one.ipynb", "two (1).ipynb"):
        (tmp_path / name).touch()
    assert commands.files_of([given]) == named
    assert commands.files_of(["--late", given]) == ["--late", given], "each word by itself"


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make here")
def test_make_hands_on_a_name_with_spaces_and_brackets(stub: Path) -> None:
    shutil.copy(ROOT / "Makefile", stub)
    (stub / "course.py").write_text("import sys; print(sys.argv[1:])")
    (python := stub / "a Python").symlink_to(sys.executable)
    words = ["make", f"PYTHON={python}", "grade", "FILES=Moodle export (2)/"]
    outside = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    told = subprocess.run(words, cwd=stub, env=outside, capture_output=True, text=True)
    assert told.stdout.strip() == "['grade', 'Moodle export (2)/']", told.stderr


def test_make_knows_every_command() -> None:
    makefile = (ROOT / "Makefile").read_text()
    assert re.findall(r"^(\w+):\s*(?:#.*)?$", makefile, re.M)[1:] == list(commands.COMMANDS)


def test_a_missing_first_notebook_is_named(stub: Path) -> None:
    (stub / commands.FIRST_NOTEBOOK).unlink()
    result = run(stub, "lab")
    assert result.returncode == 1
    assert "notebooks/00_start_here.ipynb is missing" in result.stdout
    assert not (stub / ".venv").exists()


def test_too_little_disk_says_how_much_is_needed(stub: Path, monkeypatch: Patch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Disk(10**10, 9 * 10**9, 10**9))
    with pytest.raises(environment.Stop, match=r"only 1\.0 GB are free .* needs 3 GB"):
        environment.make_environment()
    assert not (stub / ".venv").exists()


BASE, DEV = ["install base", "kernel"], ["install dev", "kernel"]


@pytest.mark.parametrize(
    ("asked", "done"), [("base base", BASE), ("dev base", DEV), ("base dev", [*BASE, *DEV])]
)
def test_what_is_there_is_not_made_again(
    asked: str, done: list[str], steps: list[str], capsys: Capture
) -> None:
    """The authors' set holds the learners', and not the other way round."""
    for extra in asked.split():
        environment.set_up(extra)
    assert steps == ["environment", *done]
    assert capsys.readouterr().out.count("downloads PyTorch") == 1


@pytest.mark.parametrize("name", ["pyproject.toml", "requirements.lock"])
def test_a_changed_pin_is_installed(name: str, stub: Path, steps: list[str]) -> None:
    environment.set_up("base")
    (stub / name).write_text("changed")
    environment.set_up("base")
    assert steps == ["environment", "install base", "kernel", "install base", "kernel"]


@pytest.mark.parametrize("fault", [KeyboardInterrupt, environment.Stop("no", "none")])
def test_a_broken_off_installation_is_mended(
    fault: BaseException, steps: list[str], monkeypatch: Patch
) -> None:
    def broken(extra: str) -> None:
        raise fault

    with monkeypatch.context() as patch, pytest.raises((KeyboardInterrupt, environment.Stop)):
        patch.setattr(environment, "install", broken)
        environment.set_up("base")
    assert not environment.is_ready("base")
    environment.set_up("base")
    assert steps == ["environment", "install base", "kernel"]


def test_a_second_command_waits_for_the_first(steps: list[str], capsys: Capture) -> None:
    """As in two terminals: two installations at once would spoil one environment."""
    second = Thread(target=environment.set_up, args=("base",))
    with environment.alone():
        second.start()
        wait_for(lambda: "waiting for it" in capsys.readouterr().out)
        assert steps == []
    second.join(20)
    assert steps == ["environment", *BASE]


def test_a_half_made_environment_is_replaced(
    stub: Path, monkeypatch: Patch, capsys: Capture
) -> None:
    (stub / ".venv" / "lib").mkdir(parents=True)
    commands: list[list[str]] = []
    monkeypatch.setattr(environment, "must", lambda title, command: commands.append(command))
    assert not environment.is_sound()
    environment.make_environment()
    assert not (stub / ".venv" / "lib").exists()
    assert "venv" in commands[0]
    assert "making it anew" in capsys.readouterr().out


def test_an_environment_of_another_python_is_replaced(stub: Path, monkeypatch: Patch) -> None:
    monkeypatch.setattr(environment, "tool", lambda name: Path(sys.executable))
    assert environment.is_sound()
    monkeypatch.setattr(environment.sys, "version_info", (3, 99, 0))
    assert not environment.is_sound()


@pytest.mark.rare
def test_no_network_is_one_clear_line(stub: Path) -> None:
    """The real pip, in a real environment, pointed at an index that is not there."""
    pip = {"CONFIG_FILE": os.devnull, "INDEX_URL": "http://127.0.0.1:9/simple"}
    pip |= {"FIND_LINKS": "", "RETRIES": "1"}
    variables = {f"PIP_{name}": value for name, value in pip.items()}
    result = run(stub, "lab", PATH=os.devnull, **variables)  # without uv, if there is one
    assert result.returncode == 1, result.stdout
    assert "Stopped: installing with pip: the package index cannot be reached." in result.stdout
    assert "Check the network" in result.stdout
    assert f"Details: {Path('.venv', 'setup.log')}" in result.stdout
    assert "Traceback" not in result.stdout + result.stderr
    assert not list((stub / ".venv").glob("ready-*"))


@pytest.mark.parametrize(
    ("printed", "happened"),
    [
        ("ERROR: Could not install packages: [Errno 28] No space left on device", "disk is full"),
        ("<urllib3.NewConnectionError>: [Errno -3] Temporary failure in name resolution", "index"),
        ("ERROR: No matching distribution found for torch==2.13.0", "has no torch that fits"),
        ("  Because there is no version of torch==2.13.0 and", "has no torch that fits"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM", "arrived damaged"),
        ("ERROR: [Errno 13] Permission denied: 'x'", "may not be written"),
        ("ensurepip is not available", "cannot make environments"),
        ("fine\nERROR: something new\nbye", "installing: ERROR: something new"),
        ("", "it ended without a word"),
    ],
)
def test_the_cause_is_read_from_the_log(printed: str, happened: str) -> None:
    stop = environment.explain("installing", printed)
    assert happened in stop.happened
    assert "\n" not in stop.happened + stop.remedy


def test_a_step_gives_one_line_and_keeps_the_output(tmp_path: Path, capsys: Capture) -> None:
    log = tmp_path / "log"
    log.write_text("before\n")
    code, printed = environment.step("counting", [sys.executable, "-c", "print(12); exit(3)"], log)
    assert (code, printed.strip()) == (3, "12")
    assert re.fullmatch(r"  counting \.\.\. FAILED, \d+\.\d s\n", capsys.readouterr().out)
    assert log.read_text().startswith("before\n12")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT to send to one process")
def test_ctrl_c_ends_cleanly(stub: Path) -> None:
    """A real Ctrl-C, sent to the whole group as a terminal does, while a step runs."""
    script = (
        "import sys\nfrom authoring import commands, environment\n"
        "commands.set_up = lambda extra: environment.must('waiting', [sys.executable, '-c', "
        "'import time; print(1); time.sleep(60)'])\n"
        "environment.VENV.mkdir()\n"
        "sys.exit(commands.main(['lab']))\n"
    )
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = [sys.executable, "-c", script]
    process = subprocess.Popen(command, cwd=stub, text=True, start_new_session=True, **pipes)
    log = stub / ".venv" / "setup.log"
    wait_for(lambda: log.exists() and "1" in log.read_text())
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Stopped. Run the same command again" in out
    assert "Traceback" not in out + err


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end, "it did not happen within 20 s"
        time.sleep(0.05)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no users' numbers")
@pytest.mark.parametrize(("user", "is_told"), [(0, True), (1000, False)])
def test_lab_opens_the_first_notebook_and_passes_arguments_on(
    user: int, is_told: bool, steps: list[str], monkeypatch: Patch, capsys: Capture
) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda path, command: started.append(command))
    monkeypatch.setattr(os, "chdir", lambda path: None)
    monkeypatch.setattr(os, "geteuid", lambda: user)
    commands.lab(["--port", "9999"])
    (command,) = started
    assert command[1:3] == ["-m", "jupyterlab"]
    assert "--LabApp.default_url=/lab/tree/notebooks/00_start_here.ipynb" in command
    assert command[4].startswith("--ServerApp.root_dir=")
    assert command[5:8] == [commands.CONTENTS, "--port", "9999"]
    assert ("--allow-root" in command) == is_told
    said = capsys.readouterr().out
    assert ("--allow-root" in said) == is_told
    assert "opens on lesson 00" in said and "Shift-Enter" in said


def test_the_set_up_writes_jupyterlabs_settings(stub: Path, monkeypatch: Patch) -> None:
    monkeypatch.setattr(environment, "must", lambda *_, **variables: None)
    environment.register_kernel()
    (written,) = stub.rglob("settings/overrides.json")
    assert json.loads(written.read_text()) == environment.SETTINGS


def test_a_learners_window_has_no_menu_of_nbgraders(stub: Path, monkeypatch: Patch) -> None:
    """JupyterLab's own reader of settings, in the surroundings that ``make lab`` gives it."""
    monkeypatch.setattr(environment, "must", lambda *_, **variables: None)
    environment.register_kernel()
    server = environment.VENV / surroundings.OWN_JUPYTER / "jupyter_server_config.json"
    assert json.loads(server.read_text()) == environment.SERVER  # a second less until it starts
    own = surroundings.own(os.environ, environment.VENV)
    ask = "from jupyterlab_server.config import get_page_config as page; print(page([])"
    command = [sys.executable, "-c", f"{ask}['disabledExtensions'])"]
    assert "@jupyter/nbgrader" in subprocess.check_output(command, env=own, text=True)
    # `make test` runs with the course's own settings: whoever starts JupyterLab alone has others.
    theirs = {name: value for name, value in os.environ.items() if not name.startswith("JUPYTER")}
    assert "nbgrader" not in subprocess.check_output(command, env=theirs, text=True)


@pytest.mark.parametrize(("system", "is_told"), [("Darwin", True), ("Linux", False)])
def test_where_there_is_no_triton_the_set_up_says_so(
    system: str, is_told: bool, steps: list[str], monkeypatch: Patch, capsys: Capture
) -> None:
    monkeypatch.setattr(environment.platform, "system", lambda: system)
    environment.set_up("base")
    environment.set_up("base")
    said = capsys.readouterr().out
    assert said.count("Triton is made for Linux") == is_told
    assert f"{'0.5 GB' if is_told else '3 GB'}" in said


def test_clean_keeps_what_the_learner_wrote(stub: Path) -> None:
    (stub / "exercises").mkdir()
    work = stub / "exercises" / "02_self_attention.ipynb"
    work.write_text("{}")
    for name in (".venv/bin", "transformer_lesson/__pycache__", ".mypy_cache"):
        (stub / name).mkdir(parents=True)
    assert run(stub, "clean").returncode == 0
    assert work.exists() and (stub / commands.FIRST_NOTEBOOK).exists()
    left = "authoring careful_io course.py exercises notebooks pyproject.toml requirements.lock"
    found = " ".join(sorted(path.name for path in stub.iterdir()))
    assert found == f"{left} transformer_lesson"
    assert not list((stub / "transformer_lesson").iterdir())
