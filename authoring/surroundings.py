"""What the commands of ``course.py`` take over of a user's environment. Standard library only.

Settings that people have for other work change what Python imports, where pip installs, which
kernel and settings JupyterLab takes, and how figures are drawn. Here the course has its own.
"""

import ast
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

# Variables by the beginnings of their names: of the user's other work, and none of the course's.
FOREIGN = (
    "PYTHON",  # paths, startup files, warnings as errors, no assertions
    "JUPYTER",  # kernels, settings and extensions
    "IPYTHON",
    "MPL",
    "MATPLOTLIBRC",
    "QT_API",
    "CONDA",
    "VIRTUAL_ENV",
    "PYENV_VERSION",
    "TRITON_",
    "TORCH",  # TORCH_LOGS, TORCHDYNAMO_…, TORCHINDUCTOR_…
    "PYTORCH_",
    "NBGRADER_",
    "UV_PYTHON",
    "UV_SYSTEM_PYTHON",
    "UV_TARGET",
    "UV_PREFIX",
    "UV_REQUIRE_HASHES",
    "PIP_",  # but for FETCHING
    "PYTEST_",  # PYTEST_ADDOPTS, PYTEST_DISABLE_PLUGIN_AUTOLOAD
)
# What pip may be told, by a variable or a `pip.conf`: from where it fetches, and how. Into what it
# installs, and with what, is the course's.
FETCHING = {
    f"PIP_{name}"
    for name in (
        *("CONFIG_FILE", "INDEX_URL", "EXTRA_INDEX_URL", "FIND_LINKS", "NO_INDEX", "PREFER_BINARY"),
        *("TRUSTED_HOST", "CERT", "CLIENT_CERT", "PROXY", "KEYRING_PROVIDER", "USE_FEATURE"),
        *("TIMEOUT", "DEFAULT_TIMEOUT", "RETRIES", "CACHE_DIR", "NO_CACHE_DIR"),
    )
}
# What lets `pip config list` list all files: `user = true` in one of them is an option of it, too.
ALL_FILES = {"PIP_USER": "0", "PIP_GLOBAL": "0", "PIP_SITE": "0"}
THREADS = ("OMP", "MKL", "OPENBLAS", "NUMEXPR", "VECLIB_MAXIMUM")
OWN_JUPYTER = Path("etc/jupyter-course")  # in .venv: the settings of what the commands start
CONFIGURED = ("jupyter_*config.*", "labconfig")


def own(given: Mapping[str, str], venv: Path) -> dict[str, str]:
    """Return the environment for what the course starts, with settings of its own in ``venv``.

    What is the user's stays: the language, proxies, indexes, the search path, the look of their
    JupyterLab.
    """
    kept = {
        name: value
        for name, value in given.items()
        if not name.startswith(FOREIGN) or name in FETCHING
    }
    settings = venv / "etc"
    kept |= {
        "PYTHONUTF8": "1",  # whatever the locale: names of folders are UTF-8
        "PYTHONNOUSERSITE": "1",  # no package and no .pth file of the user's own
        "JUPYTER_CONFIG_DIR": str(venv / OWN_JUPYTER),
        "JUPYTER_PREFER_ENV_PATH": "1",  # the course's kernel before one of the same name
        "IPYTHONDIR": str(settings / "ipython"),
        "MPLCONFIGDIR": str(settings / "matplotlib"),
    }
    if (look := jupyter_of(given) / "lab" / "user-settings").is_dir():
        kept["JUPYTERLAB_SETTINGS_DIR"] = str(look)
    for name in (f"{library}_NUM_THREADS" for library in THREADS):
        if not kept.get(name, "1").isdecimal() or int(kept.get(name, "1")) < 1:
            del kept[name]
    return kept


def of_pip(listed: str) -> dict[str, str]:
    """Return the variables that tell pip what is the user's of its settings, and no other.

    Args:
        listed: what ``pip config list`` printed, with ``ALL_FILES`` in its environment.
    """
    found = dict(line.split("=", 1) for line in listed.splitlines() if "=" in line)
    variables = {}
    for section in ("global.", "install.", ":env:."):  # a later one is stronger
        for key, value in found.items():
            name = f"PIP_{key.removeprefix(section).upper().replace('-', '_')}"
            if key.startswith(section) and name in FETCHING:
                variables[name] = ast.literal_eval(value)
    return {**variables, "PIP_CONFIG_FILE": os.devnull}


def jupyter_of(given: Mapping[str, str]) -> Path:
    """The folder of a user's own Jupyter settings."""
    return Path(given.get("JUPYTER_CONFIG_DIR") or os.path.expanduser("~/.jupyter"))


def left_out(given: Mapping[str, str]) -> list[Path]:
    """The files of a user's own Jupyter settings, which JupyterLab does not read here."""
    folder = jupyter_of(given)
    return sorted(path for pattern in CONFIGURED for path in folder.glob(pattern))


def places(environment: dict[str, str]) -> list[str]:
    """Put folders that can be written in the place of a home and a TMPDIR that cannot.

    Returns:
        What a user should know of it, a sentence for each.
    """
    told = []
    temporary = environment.get("TMPDIR")
    if temporary and not takes(temporary):
        del environment["TMPDIR"]
        os.environ.pop("TMPDIR", None)
        told.append(f"TMPDIR={temporary} cannot be written: {tempfile.gettempdir()} is used.")
    if os.name != "nt" and not takes(os.path.expanduser("~")):
        environment["HOME"] = tempfile.mkdtemp(prefix="transformer-lesson-")
        told.append(f"The home folder cannot be written: settings go to {environment['HOME']}.")
    return told


def takes(folder: str) -> bool:
    """Say whether a megabyte can be written there: not if it is full, missing or another's."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(2**20))
    except OSError:
        return False
    return True
