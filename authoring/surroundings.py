"""What the commands of ``course.py`` take over of a user's environment. Standard library only.

Settings that people have for other work change what Python imports, where pip installs, which
kernel and settings JupyterLab takes, and how figures are drawn. Here the course has its own.
"""

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
    "PIP_NO_BUILD_ISOLATION",
    "PYTEST_",  # PYTEST_ADDOPTS, PYTEST_DISABLE_PLUGIN_AUTOLOAD
)
# Where pip installs, and what: empty in place of what a variable says; switches stand in the place
# of a `pip.conf` too. Where it fetches from (indexes, proxies, certificates) is the user's.
PLACES_OF_PIP = ("TARGET", "PREFIX", "ROOT", "PYTHON", "REQUIREMENT", "EDITABLE")
SWITCHES_OF_PIP = ("USER", "DRY_RUN", "NO_DEPS", "REQUIRE_HASHES")
# What a `pip.conf` says of these, only the command line can take back.
NOWHERE_ELSE = ("--no-user", "--target=")
THREADS = ("OMP", "MKL", "OPENBLAS", "NUMEXPR", "VECLIB_MAXIMUM")
CONFIGURED = ("jupyter_*config.*", "labconfig")


def own(given: Mapping[str, str], venv: Path) -> dict[str, str]:
    """Return the environment for what the course starts, with settings of its own in ``venv``.

    What is the user's stays: the language, proxies, indexes, the search path, the look of their
    JupyterLab.
    """
    kept = {name: value for name, value in given.items() if not name.startswith(FOREIGN)}
    kept |= {f"PIP_{name}": "" for name in PLACES_OF_PIP if f"PIP_{name}" in kept}
    kept |= {f"PIP_{name}": "0" for name in SWITCHES_OF_PIP}
    settings = venv / "etc"
    kept |= {
        "PYTHONUTF8": "1",  # whatever the locale: names of folders are UTF-8
        "PYTHONNOUSERSITE": "1",  # no package and no .pth file of the user's own
        "JUPYTER_CONFIG_DIR": str(settings / "jupyter-course"),
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


def jupyter_of(given: Mapping[str, str]) -> Path:
    """The folder of a user's own Jupyter settings."""
    return Path(given.get("JUPYTER_CONFIG_DIR") or Path("~/.jupyter").expanduser())


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
    if temporary and not os.access(temporary, os.W_OK | os.X_OK):
        del environment["TMPDIR"]
        os.environ.pop("TMPDIR", None)
        told.append(f"TMPDIR={temporary} cannot be written: {tempfile.gettempdir()} is used.")
    if os.name != "nt" and not os.access(os.path.expanduser("~"), os.W_OK):
        environment["HOME"] = tempfile.mkdtemp(prefix="transformer-lesson-")
        told.append(f"The home folder cannot be written: settings go to {environment['HOME']}.")
    return told
