"""The digest of a measurement: the same on every Python, and changed by what is measured alone."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from course import NEWEST_PYTHON, OLDEST_PYTHON
from evidence import fingerprint

FILE = Path(fingerprint.__file__)
# What versions of Python write down differently: nested formats, quotes within quotes, empty lists
# of arguments, type parameters' absence, characters that a newer Unicode knows, long numbers.
SOURCE = '''"""Words."""
from dataclasses import dataclass
import torch

@dataclass(frozen=True)
class Part:
    """More words."""
    size: int = 0x10
    share: "float | None" = 1e-5

def measure(seed, /, *, width=8, **rest):
    """Words again."""
    table = {f"{key:>{width}}": f'{value!r:{width}.{3}f} "{rest["a"]}"' for key, value in rest}
    match seed:
        case [first, *others] if (count := len(others)):
            return [first, *others][::-1], count, u"ä\U0001fae8", b"\\x00", -1j, ...
        case {"a": 1, **more}:
            raise KeyError(more) from None
    try:
        return lambda *numbers: sum(numbers, start=1_000_000_000_000_000_000_000)
    except* ValueError:
        pass
    return table, Part(), torch.tensor([0.1, 1e300, float("inf")])[..., None, 1:-1]

def decide(runs):
    return "true" if bar(runs) else "false"

def bar(runs):
    return runs > 0.5
'''
DIGEST = "dbf5c4a28fef40d4"


def digest(source: str) -> str:
    parts = fingerprint.reach(ast.parse(source), {"measure"})
    return fingerprint.digest(fingerprint.plain(parts))


def test_the_digest_is_what_other_pythons_gave() -> None:
    assert digest(SOURCE) == DIGEST


def others() -> list[str]:
    """The supported Pythons of this machine but for this one; a name may be there and not start."""
    found: list[str] = []
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for minor in range(OLDEST_PYTHON[1], NEWEST_PYTHON[1] + 1):
        if (3, minor) != sys.version_info[:2]:
            # Pyenv's own first: its name on the PATH starts only where a version was chosen.
            own = sorted(pyenv.glob(f"3.{minor}.*/bin/python"))
            found += [str(path) for path in own] or filter(None, [shutil.which(f"python3.{minor}")])
    return found


@pytest.mark.parametrize("python", others())
def test_another_python_on_this_machine_gives_the_same(python: str) -> None:
    ask = (
        "import ast, runpy, sys\n"
        "if sys.version_info < (3, 11): sys.exit(3)\n"
        f"module = runpy.run_path({str(FILE)!r})\n"
        "parts = module['reach'](ast.parse(sys.stdin.buffer.read()), {'measure'})\n"
        "sys.stdout.write(module['digest'](module['plain'](parts)))"
    )
    run = subprocess.run([python, "-c", ask], input=SOURCE.encode(), capture_output=True)
    if run.returncode == 127:
        pytest.skip(f"{python} is the shim of a Python that is not chosen here")
    assert run.stdout.decode() == digest(SOURCE) == DIGEST


def test_words_may_change_and_the_measurement_may_not() -> None:
    for words in ("Words.", "More words.", "Words again."):
        assert digest(SOURCE.replace(words, "Others.")) == DIGEST
    assert digest(SOURCE.replace("runs > 0.5", "runs > 0.6")) == DIGEST
    assert digest(f"{SOURCE}\ndef decide_width(runs): return 1\nCLAIM_WIDTH = 2\n") == DIGEST
    assert digest(f"{SOURCE}\nWIDTH = 2\n") == DIGEST, "nothing that is run names it"
    more = SOURCE.replace("import dataclass", "import dataclass, replace")
    assert more != SOURCE and digest(more) == DIGEST
    assert digest(f"{SOURCE}\nPart.size = 2\n") != DIGEST
    assert digest(SOURCE.replace("width=8", "width=WIDTH") + "\nWIDTH = 2\n") != digest(
        SOURCE.replace("width=8", "width=WIDTH") + "\nWIDTH = 3\n"
    )
    assert digest(SOURCE.replace("# ", "#  ").replace("0x10", "16")) == DIGEST
    changes = (("1e-5", "1e-6"), ("width}.{3", "width}.{4"), ("from None", ""), ("-1j", "1j"))
    for old, new in changes:
        assert old in SOURCE
        assert digest(SOURCE.replace(old, new)) != DIGEST
