"""Every command of authors says what it does, and does nothing, where it is asked for help."""

import runpy
import sys

import pytest

from authoring.environment import ROOT
from tests.fixtures import Capture

MAIN = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__main__")
    for path in sorted(ROOT.glob("authoring/**/*.py"))
    if '__name__ == "__main__"' in path.read_text("utf-8")
]


@pytest.mark.parametrize("module", MAIN)
def test_help(module: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr(sys, "argv", [module, "--help"])
    monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(SystemExit) as ended:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("usage: ")
