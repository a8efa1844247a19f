"""What users bring with them, at every door of the course that is cheap to try."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from authoring import surroundings
from authoring.environment import OWN_PATH

ROOT = Path(__file__).resolve().parents[2]
# A variable that breaks something where the course takes it over, and what is left of it.
BROUGHT = {
    "PYTHONPATH": "/opt/ros/lib/python3",
    "PYTHONHOME": "/opt/python2",
    "PYTHONSTARTUP": "/home/me/start.py",
    "PYTHONWARNINGS": "error",
    "PYTHONOPTIMIZE": "2",
    "PYTHONSAFEPATH": "1",
    "PYTHONUTF8": "0",
    "PIP_USER": "1",
    "PIP_TARGET": "/elsewhere",
    "PIP_PREFIX": "/elsewhere",
    "PIP_NO_DEPS": "1",
    "PIP_REQUIRE_HASHES": "1",
    "PIP_NO_BUILD_ISOLATION": "0",
    "UV_SYSTEM_PYTHON": "1",
    "JUPYTER_PATH": "/home/me/kernels",
    "JUPYTER_CONFIG_PATH": "/home/me/config",
    "JUPYTER_DATA_DIR": "/home/me/data",
    "IPYTHONDIR": "/home/me/.ipython",
    "MPLCONFIGDIR": "/home/me/mpl",
    "MATPLOTLIBRC": "/home/me/matplotlibrc",
    "MPLBACKEND": "TkAgg",
    "CONDA_PREFIX": "/opt/conda",
    "CONDA_PYTHON_EXE": "/opt/conda/bin/python",
    "VIRTUAL_ENV": "/home/me/.venv",
    "TRITON_INTERPRET": "1",
    "TORCH_LOGS": "+dynamo",
    "PYTEST_ADDOPTS": "--collect-only",
    "OMP_NUM_THREADS": "0",
    "MKL_NUM_THREADS": "many",
}
KEPT = {
    "PATH": "/usr/bin",
    "LANG": "de_DE.UTF-8",
    "HTTPS_PROXY": "http://proxy:8080",
    "PIP_INDEX_URL": "https://mirror/simple",
    "PIP_CERT": "/etc/company.pem",
    "COURSE_BROWSER": "/usr/bin/chromium",
    "OMP_NUM_THREADS": "4",
    "CUDA_VISIBLE_DEVICES": "0",
}


@pytest.mark.parametrize("name", BROUGHT)
def test_a_setting_for_other_work_does_not_reach_the_course(name: str, tmp_path: Path) -> None:
    own = surroundings.own({name: BROUGHT[name]}, tmp_path)
    assert own.get(name) != BROUGHT[name]


@pytest.mark.parametrize("name", KEPT)
def test_what_a_user_needs_stays(name: str, tmp_path: Path) -> None:
    assert surroundings.own({name: KEPT[name]}, tmp_path)[name] == KEPT[name]


def users() -> dict[str, str]:
    """The environment without what the course's own commands, which may run this, have set."""
    ours = ("PIP_", "PYTHON", "JUPYTER", "IPYTHON", "MPL")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


def said(code: str, environment: Mapping[str, str], folder: Path, *words: str) -> str:
    command = [sys.executable, "-c", code, *words]
    found = subprocess.run(command, cwd=folder, env=dict(environment), capture_output=True)
    assert found.returncode == 0, found.stderr.decode()
    return found.stdout.decode().strip()


def told_of_pip(environment: Mapping[str, str], folder: Path) -> dict[str, str]:
    ask = "from pip._internal.cli.main import main; main(['config', 'list'])"
    return surroundings.of_pip(said(ask, {**environment, **surroundings.ALL_FILES}, folder))


# What a pip.conf may hold for other work: lines, and what pip's parser then says, ours and theirs.
OF_PIP_CONF = {
    "user = true": ("use_user_site", None, 1),
    "target = /elsewhere": ("target_dir", None, "/elsewhere"),
    "prefix = /elsewhere": ("prefix_path", None, "/elsewhere"),
    "root = /elsewhere": ("root_path", None, "/elsewhere"),
    "dry-run = true": ("dry_run", False, 1),
    "no-deps = true": ("ignore_dependencies", False, 1),
    "require-hashes = true": ("require_hashes", False, 1),
    "requirement = other.txt": ("requirements", [], ["other.txt"]),
    "index-url = https://mirror/simple": ("index_url", "https://mirror/simple", ...),
    "no-index = true": ("no_index", 1, ...),
    "find-links =\n    https://one\n    https://two": (
        "find_links",
        ["https://one", "https://two"],
        ...,
    ),
}


@pytest.mark.parametrize("line", OF_PIP_CONF)
@pytest.mark.parametrize("section", ["global", "install"])
def test_of_a_pip_conf_the_course_takes_where_to_fetch_and_no_more(
    line: str, section: str, tmp_path: Path
) -> None:
    config = tmp_path / "pip.conf"
    config.write_text(f"[{section}]\n{line}\n")
    name, ours, theirs = OF_PIP_CONF[line]
    ask = (
        "from pip._internal.commands import create_command as make\n"
        f"print(make('install').parse_args(['x'])[0].{name})"
    )
    given = {**users(), "PIP_CONFIG_FILE": str(config)}
    assert said(ask, given, tmp_path) == str(ours if theirs is ... else theirs)
    own = surroundings.own(given, tmp_path)
    assert said(ask, {**own, **told_of_pip(own, tmp_path)}, tmp_path) == str(ours)


@pytest.mark.skipif(sys.platform != "linux", reason="the folder of a machine's pip.conf is Linux's")
def test_an_option_of_the_user_hides_no_pip_conf_of_the_machine(tmp_path: Path) -> None:
    for folder, line in (("machine", "client-cert = /company.pem"), ("user", "user = true")):
        (tmp_path / folder / "pip").mkdir(parents=True)
        (tmp_path / folder / "pip" / "pip.conf").write_text(f"[global]\n{line}\n")
    given = users() | {"XDG_CONFIG_DIRS": str(tmp_path / "machine")}
    own = surroundings.own(given | {"XDG_CONFIG_HOME": str(tmp_path / "user")}, tmp_path)
    assert told_of_pip(own, tmp_path)["PIP_CLIENT_CERT"] == "/company.pem"


def test_jupyter_and_matplotlib_read_settings_of_the_course_alone(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / ".jupyter").mkdir(parents=True)
    (home / ".jupyter" / "jupyter_server_config.json").write_text('{"ServerApp": {}}')
    kernel = home / "kernels" / "kernels" / "python3"
    kernel.mkdir(parents=True)
    (kernel / "kernel.json").write_text(json.dumps({"argv": ["false"], "display_name": "theirs"}))
    (home / "matplotlibrc").write_text("text.usetex: True\n")
    theirs = {**users(), "HOME": str(home), "JUPYTER_PATH": str(home / "kernels")}
    theirs |= {"MATPLOTLIBRC": str(home / "matplotlibrc")}
    del theirs["PATH"]
    ask = (
        "from jupyter_client.kernelspec import get_kernel_spec as spec\n"
        "from jupyter_core.paths import jupyter_config_path as config\nimport matplotlib\n"
        "print(spec('python3').argv[0] == 'false', any('home' in p for p in config()),"
        "matplotlib.rcParams['text.usetex'])"
    )
    assert said(ask, theirs, tmp_path) == "True True True"
    assert said(ask, surroundings.own(theirs, tmp_path / "venv"), tmp_path) == "False False False"
    told = surroundings.left_out({"JUPYTER_CONFIG_DIR": str(home / ".jupyter")})
    assert [path.name for path in told] == ["jupyter_server_config.json"]


def test_the_look_of_their_jupyterlab_stays(tmp_path: Path) -> None:
    look = tmp_path / "lab" / "user-settings"
    look.mkdir(parents=True)
    own = surroundings.own({"JUPYTER_CONFIG_DIR": str(tmp_path)}, tmp_path / "venv")
    assert own["JUPYTERLAB_SETTINGS_DIR"] == str(look)


def test_a_python_of_the_course_takes_nothing_from_a_pythonpath(tmp_path: Path) -> None:
    """Whoever starts it: an editor, a terminal, pytest; the course itself may be named there."""
    site, foreign, course = (tmp_path / name for name in ("site", "foreign", "course"))
    for folder in (site, foreign, course):
        folder.mkdir()
    (course / "course.py").touch()
    (site / "course_own_path.pth").write_text(OWN_PATH)
    places = os.pathsep.join([str(foreign), str(course), ""])
    ask = f"import site, sys; site.addsitedir({str(site)!r}); print(*sys.path)"
    found = said(ask, {**os.environ, "PYTHONPATH": places}, tmp_path).split()
    assert str(foreign) not in found
    assert str(course) in found


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk that is full, which only root can make here."""
    folder = tmp_path / "full"
    folder.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    try:
        subprocess.run(words, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("nobody but root of a Linux may mount a small disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def taken_back(environment: dict[str, str]) -> list[str]:
    """What course.py says of the places in ``environment``, which then are others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", None)
        for name in ("TMPDIR", "HOME"):
            patch.setenv(name, environment[name])
        return surroundings.places(environment)


@pytest.mark.skipif(os.name == "nt", reason="Windows names its folders otherwise")
@pytest.mark.parametrize("name", ["TMPDIR", "HOME"])
def test_a_folder_that_is_gone_or_no_folder_is_told_and_left(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for given in (tmp_path / "gone", tmp_path / "file"):
        environment = {"TMPDIR": str(tmp_path), "HOME": str(tmp_path), name: str(given)}
        (told,) = taken_back(environment)
        assert environment.get(name) != str(given)
        assert " cannot be written: " in told


@pytest.mark.parametrize("name", ["TMPDIR", "HOME"])
def test_a_folder_on_a_full_disk_is_told_and_left(name: str, full: Path) -> None:
    environment = {"TMPDIR": str(full.parent), "HOME": str(full.parent), name: str(full)}
    (told,) = taken_back(environment)
    assert environment.get(name) != str(full)
    assert " cannot be written: " in told


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="Windows has no users' numbers")
def test_a_user_without_a_name_and_a_home_is_served(tmp_path: Path) -> None:
    """As a container starts that is given a number for its user."""
    nobody = "import pwd\ndef unknown(number): raise KeyError(number)\npwd.getpwuid = unknown\n"
    ask = (
        f"{nobody}import os; from pathlib import Path; from authoring import surroundings as s\n"
        "ours = s.own(os.environ, Path('venv')); s.left_out(os.environ); print(s.places(ours))"
    )
    nameless = {name: value for name, value in users().items() if name not in ("HOME", "USER")}
    assert "home folder cannot be written" in said(ask, {**nameless, "TMPDIR": str(tmp_path)}, ROOT)


def test_course_py_is_found_and_clean_with_safe_path_and_a_foreign_package(tmp_path: Path) -> None:
    (tmp_path / "authoring").mkdir()
    (tmp_path / "authoring" / "__init__.py").write_text("raise SystemExit('theirs')")
    theirs = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONSAFEPATH": "1"}
    command = [sys.executable, str(ROOT / "course.py"), "help"]
    told = subprocess.run(command, cwd=tmp_path, env=theirs, capture_output=True, text=True)
    assert (told.returncode, told.stderr) == (0, "")
    assert told.stdout.startswith("python course.py COMMAND")
