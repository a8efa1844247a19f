"""Notebooks as learners hand them in: right, wrong, broken, and up to no good."""

import json
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.grading.tiny_course import IMPORTS, QUICK, RIGHT, Grade, save, statuses
from transformer_checks.checks.cases import Outcome
from transformer_checks.checks.exercise import Check
from transformer_checks.grading import grader
from transformer_checks.grading.grader import grade_notebook
from transformer_checks.grading.sandbox import protocol

PASSED = dict.fromkeys(RIGHT, "passed")


def test_a_notebook_is_only_read(tiny: None, tmp_path: Path) -> None:
    path = save(tmp_path / "../a name of" / "../odd  [bold] kind.ipynb", [IMPORTS, *RIGHT.values()])
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    os.utime(path, (1, 1))
    before = path.read_bytes()
    path.chmod(0o400)
    result = grade_notebook(path, "odd", 5)
    assert {e.exercise.removeprefix("tiny."): e.status for e in result.exercises} == PASSED
    assert (result.points, result.max_points, result.lesson) == (10, 10, "99_tiny")
    assert (path.read_bytes(), path.stat().st_mtime) == (before, 1)


def test_the_code_of_an_answer_is_the_cell_that_defines_it_last(grade_cells: Grade) -> None:
    last = "def double(x):\n    # <b>\n    return 2 * x"
    results = grade_cells(
        "def double(x):\n    return 3 * x", last + "\n" * 10_000, "double = double\ntotal = '\x1b'"
    )
    assert results["double"].code == last
    assert results["total"].code == "double = double\ntotal = '\ufffd'"
    assert results["weights"].code == ""


def test_each_wrong_answer_gets_its_own_verdict(grade_cells: Grade) -> None:
    results = grade_cells(
        "def double(x):\n    return 2 * x * x",
        "def total(x):\n    raise ValueError('[red]no\\x1b[31m\\nsecond line')",
        "def weights(x):\n    return torch.softmax(x, -1)",
        "def ends(x):\n    x.zero_()\n    return x.amin(-1), x.amax(-1)",
    )
    assert statuses(results) == {
        "double": "wrong",
        "total": "error",
        "weights": "not allowed",
        "ends": "wrong",
    }
    assert results["double"].slip == "squared"
    assert results["double"].headline == "it is squared"
    assert "two rows" in results["double"].counterexample
    assert "[red]no" in results["total"].headline
    assert "\x1b" not in results["total"].headline
    assert all(result.points == 0 for result in results.values())
    assert results["double"].code == "def double(x):\n    return 2 * x * x"


def test_an_answer_that_is_gone_is_explained(grade_cells: Grade) -> None:
    results = grade_cells(
        RIGHT["double"] + "\ndel double",
        RIGHT["total"] + "\ntotal = 3",
        "undefined_name\n" + RIGHT["weights"],
        RIGHT["ends"] + "\n  bad indent",
    )
    assert statuses(results) == {
        "double": "not attempted",
        "total": "error",
        "weights": "error",
        "ends": "error",
    }
    assert results["total"].headline == "`total` is a int; expected a function"
    assert "`weights` is not defined: the cell `undefined_name` raised NameError" in (
        results["weights"].headline
    )
    assert "the cell `def ends(x):` raised IndentationError" in results["ends"].headline


def test_a_cell_that_ends_or_never_ends_costs_its_own_answers(grade_cells: Grade) -> None:
    results = grade_cells(
        RIGHT["double"],
        "os.kill(os.getpid(), 11)\n" + RIGHT["total"],
        "while True:\n    pass\n" + RIGHT["weights"],
        "sys.exit()",
        "exit()",
        RIGHT["ends"],
        limits=QUICK,
    )
    assert statuses(results) == {
        "double": "passed",
        "total": "crashed",
        "weights": "timeout",
        "ends": "passed",
    }
    assert "ended the process with SIGSEGV" in results["total"].headline
    assert "ran longer than 3 s" in results["weights"].headline


def test_lying_inside_the_worker_gives_nothing(grade_cells: Grade) -> None:
    results = grade_cells(
        "torch.allclose = torch.equal = lambda *a, **k: True\n"
        "torch.isclose = lambda a, *_, **__: torch.ones_like(a, dtype=torch.bool)",
        "class Liar(torch.Tensor):\n"
        "    def __eq__(self, other): return True\n"
        "    __hash__ = None\n"
        "    def detach(self): return self\n"
        "def double(x):\n    return (3 * x).as_subclass(Liar)",
        "torch.Tensor.sum = lambda self, *_: self.mean(-1)",
        "def total(x):\n    return x.sum(-1)",
        "class Anything:\n    def __eq__(self, other): return True\n"
        "def weights(x):\n    return Anything()",
        "import transformer_checks.checks.calls as calls\n"
        "def forged(*_, **__):\n    return calls.Outcome(values={'low': torch.zeros(2)})\n"
        "def ends(x):\n    calls.call = forged\n    return x.amin(-1), x.amax(-1)",
    )
    assert statuses(results) == {
        "double": "wrong",
        "total": "wrong",
        "weights": "error",
        "ends": "crashed",
    }
    assert "broke the connection to the grader" in results["ends"].headline


def test_strange_results_are_errors(grade_cells: Grade) -> None:
    results = grade_cells(
        "class Liar(torch.Tensor):\n"
        "    def __eq__(self, other): return True\n"
        "    __hash__ = None\n"
        "    def detach(self): return self\n"
        "    def permute(self, *_): raise SystemExit\n"
        "def double(x):\n    return (3 * x).as_subclass(Liar)",
        "def total(x):\n    return torch.zeros(1).expand(10**12)",
        "def weights(x):\n    return x.to(torch.complex64)",
        "def ends(x):\n    return object(), x",
    )
    assert statuses(results) == dict.fromkeys(RIGHT, "error")
    assert "shape (1000000000000,); expected far fewer numbers" in results["total"].headline
    assert "complex64" in results["weights"].headline
    assert "low is a object; expected a tensor" in results["ends"].headline


def test_the_references_are_out_of_reach(grade_cells: Grade) -> None:
    modules = ("catalogue", "catalogue.training", "checks.judge", "learning.notebook")
    assert all(find_spec(f"transformer_checks.{name}") for name in modules), "else nothing is tried"
    results = grade_cells(
        "reached = [n for n, m in sys.modules.items() if m and 'catalogue' in n]\n"
        f"for name in {modules}:\n"
        "    try:\n        __import__('transformer_checks.' + name)\n"
        "        reached.append(name)\n    except ImportError:\n        pass",
        "if not reached:\n    def double(x):\n        return 2 * x",
        "if os.getcwd() == os.environ['HOME'] and os.listdir() == ['.ipython']:\n"
        "    def total(x):\n        return x.sum(-1)",
        "if torch.get_num_threads() == 1:\n    def ends(x):\n        return x.amin(-1), x.amax(-1)",
        "for descriptor in range(3, 20):\n"
        "    try:\n        os.write(descriptor, b'forged\\n')\n    except OSError:\n        pass",
        RIGHT["weights"],
    )
    # The cell that wrote into the connection cost a worker, and nothing else.
    assert statuses(results) == PASSED


# What the protocol asks of a reply, so that a forged one is well-formed but for what it forges.
OUTCOME = protocol.pack_outcome(Outcome())
FORGE = (
    f"""
import json
OUTCOME = json.loads('{json.dumps(OUTCOME)}')
"""
    + """

def found(name):
    # Written so that it escapes the look at the source: it is the protocol that is tested here.
    frame = getattr(sys, '_get' + 'frame')()
    while name not in getattr(frame, 'f_' + 'locals'):
        frame = getattr(frame, 'f_' + 'back')
    return getattr(frame, 'f_' + 'locals')[name]

def tensor(**changes):
    zeros = {'dtype': 'float32', 'shape': [2, 3], 'order': [0, 1], 'data': 'AAAA' * 8}
    return zeros | changes

def forge(values, count=1, **changes):
    reply({'outcome': OUTCOME | {'values': values} | changes}, count)

def reply(message, count=100):
    # The request itself is in reach of the answer that is called, and so is its number.
    for place in range(count):
        send(json.dumps(message | {'id': found('request')['id'], 'at': place}) + '\\n')

def send(text):
    found('replies').write(text.encode())
    found('replies').flush()
"""
)
FORGERIES = {
    "a value of nobody": "forge({'twice': tensor(), 'total': tensor()})",
    "no values": "forge({})",
    "a number in the place of an array": "forge({'twice': float('nan')})",
    "NaN as a size": "forge({'twice': tensor(shape=[2, float('nan')])})",
    "a size without end": "forge({'twice': tensor(shape=[10**4000, 0])})",
    "a million axes": "forge({'twice': tensor(shape=[1] * 10**6, order=list(range(10**6)))})",
    "a kind of number that is none": "forge({'twice': tensor(dtype='object')})",
    "bytes for another kind": "forge({'twice': tensor(dtype='float64')})",
    "a text that is none": "forge({'twice': tensor()}, error=[['x'] * 1000] * 1000)",
    "names without end": "forge({'twice': tensor()}, changed=['x'] * 10**6)",
    "nested without end": "send('[' * 10**6 + '\\n')",
    "no object": "send('[]\\n')",
    "no text": "os.write(found('replies').fileno(), bytes([255, 254, 10]))",
    "another number": 'send(\'{"outcome": {}, "id": "0", "at": 0}\\n\')',
    "half a line": "send('{\"outcome\": '); os._exit(0)",
    "too long a line": "[send('x' * 2**20) for _ in range(20)]",
    "lists without end": "send('[' + '[],' * 5_000_000 + '[]]\\n')",
    "a closed connection": "os.closerange(3, 64)",
}


@pytest.mark.parametrize("forgery", FORGERIES.values(), ids=FORGERIES)
def test_a_forged_reply_costs_its_own_exercise(grade_cells: Grade, forgery: str) -> None:
    results = grade_cells(
        FORGE, f"def double(x):\n    {forgery}\n    return 2 * x", *list(RIGHT.values())[1:]
    )
    assert statuses(results) == PASSED | {"double": "crashed"}
    assert "the connection to the grader" in results["double"].headline or (
        "ended the process with exit code" in results["double"].headline
    )


def test_a_forged_reply_that_is_well_formed_gives_no_points(grade_cells: Grade) -> None:
    # The true reply comes after it, and nobody waits for it any more.
    results = grade_cells(
        FORGE,
        "def double(x):\n    forge({'twice': tensor()})\n    return 2 * x",
        "def total(x):\n    forge({}, error='\\x1b[31m' + 'x' * 10**4)\n    return x.sum(-1)",
        RIGHT["weights"],
        RIGHT["ends"],
    )
    assert statuses(results) == PASSED | {"double": "wrong", "total": "error"}


@pytest.mark.parametrize(
    "deed", ["send('no reply\\n')", "send('{')", "os._exit(3)", "os.kill(os.getpid(), 19)"]
)
def test_what_follows_a_forged_reply_costs_its_own_exercise(grade_cells: Grade, deed: str) -> None:
    results = grade_cells(
        FORGE,
        f"def double(x):\n    forge({{}}, 100, error='forged')\n    {deed}\n    return 2 * x",
        *list(RIGHT.values())[1:],
        limits=QUICK,
    )
    assert statuses(results) == PASSED | {"double": "crashed"}


def test_a_reply_that_a_cell_forges_costs_no_other_cell(grade_cells: Grade) -> None:
    results = grade_cells(
        FORGE,
        "reply({'error': '', 'late': False})\n" + RIGHT["double"],
        *list(RIGHT.values())[1:3],
        "while True: pass\n" + RIGHT["ends"],
        limits=QUICK,
    )
    ended = results["ends"].status
    assert ended in ("timeout", "crashed")  # as the machine had time for the cell, or not
    assert statuses(results) == PASSED | {"ends": ended}


def test_half_a_reply_is_waited_for_no_longer_than_any(grade_cells: Grade) -> None:
    results = grade_cells(
        FORGE,
        "def double(x):\n    send('{')\n    while True:\n        try:\n            time.sleep(60)\n"
        "        except BaseException:\n            pass",
        RIGHT["total"],
        limits=QUICK,
    )
    assert (results["double"].status, results["total"].status) == ("timeout", "passed")


def test_results_larger_than_a_message_are_an_error(grade_cells: Grade) -> None:
    results = grade_cells(
        "def double(x):\n    return torch.zeros(2**21)",
        "def ends(x):\n    return [torch.zeros(2**20 - 1)] * 2",
        "def total(x):\n    raise ValueError('x' * 10**8)",
        RIGHT["weights"],
    )
    assert statuses(results) == PASSED | {"double": "error", "ends": "wrong", "total": "error"}
    assert "larger than 4 MiB" in results["double"].headline


def test_a_fault_of_the_judge_costs_its_exercise_alone(
    grade_cells: Grade, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = grader.judge

    def judge(check: Check, *rest: Any) -> Any:
        if check.answer == "total":
            raise ZeroDivisionError("in the judge")
        return real(check, *rest)

    monkeypatch.setattr(grader, "judge", judge)
    results = grade_cells(*RIGHT.values())
    assert statuses(results) == PASSED | {"total": "error"}
    assert "ZeroDivisionError('in the judge')" in results["total"].headline


FOLLOWING = "def total(x):\n    return double(x).sum(-1) / 2"


def test_an_error_is_carried_forward(grade_cells: Grade) -> None:
    wrong = "def double(x):\n    return 2 * x + 1"
    results = grade_cells(wrong, FOLLOWING, RIGHT["weights"], RIGHT["ends"])
    assert statuses(results) == PASSED | {"double": "wrong", "total": "follows"}
    assert (results["total"].points, results["total"].slip) == (2, "")
    assert results["total"].headline.startswith("it follows from `tiny.double`")


def test_an_error_of_its_own_is_not_carried_forward(grade_cells: Grade) -> None:
    results = grade_cells(
        "def double(x):\n    return 2 * x + 1",
        "def helper(x):\n    return double(x)\ndef total(x):\n    return helper(x).sum(-1)",
        RIGHT["weights"],
        RIGHT["ends"],
    )
    assert statuses(results) == PASSED | {"double": "wrong", "total": "wrong"}


def test_the_solution_that_stands_in_cannot_be_shown(grade_cells: Grade) -> None:
    """An answer that is wrong in itself says the same whether or not it met a solution."""
    results = grade_cells(
        "def double(x):\n    return 3 * x",
        "def total(x):\n    return double(x).sum(-1)",
        RIGHT["weights"],
        RIGHT["ends"],
    )
    assert results["total"].status == "wrong"
    # Three times the sum, as the answers stand; with the solution it would be twice the sum.
    assert "got      total = [-4.946" in results["total"].counterexample
