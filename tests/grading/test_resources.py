"""What a notebook may use: whoever takes more gets a verdict, and the machine notices nothing."""

import secrets

import pytest

from notebook_judge.grading.limits import Limits
from notebook_judge.grading.sandbox.isolation import LIMITS, Isolation, choose
from tests.grading.inside import isolation_or_skip, seen, wait_until_gone
from tests.grading.tiny_course import RIGHT, TIGHT, Grade, statuses


@pytest.mark.parametrize("name", ["root namespaces", "user namespaces", "limits", "elsewhere"])
def test_limits_are_enforced_everywhere(name: str) -> None:
    code = """
import psutil, resource, torch
names = ('RLIMIT_FSIZE', 'RLIMIT_NOFILE', 'RLIMIT_CPU', 'RLIMIT_CORE')
seen = [resource.getrlimit(getattr(resource, name))[0] for name in names]
seen.append(resource.getrlimit(resource.RLIMIT_CPU)[1] - 1)
mapped = psutil.Process().memory_info().vms
seen.append(resource.getrlimit(resource.RLIMIT_AS)[1] - mapped <= MEMORY)
try:
    torch.empty(10 * 2**30, dtype=torch.uint8)
    seen.append('10 GiB')
except RuntimeError as error:
    seen.append('not enough memory' in str(error) or "can't allocate memory" in str(error))
"""
    # How much Python and PyTorch map depends on their versions: what counts is the allowance.
    code = code.replace("MEMORY", str(TIGHT.memory))
    expected = [TIGHT.file, TIGHT.files, TIGHT.cpu, 0, TIGHT.cpu, True, True]
    assert seen(isolation_or_skip(name), code, TIGHT) == expected


def test_the_limits_of_a_class_leave_room_for_torch() -> None:
    assert Limits().memory >= 2 * 2**30
    code = "import torch\nseen = torch.zeros(2**28 - 2**20).numel()"  # almost 1 GiB of float32
    assert seen(choose("auto"), code) == 2**28 - 2**20


@pytest.mark.parametrize("name", ["root namespaces", "user namespaces"])
def test_many_files_fill_only_the_home(grade_cells: Grade, name: str) -> None:
    results = grade_cells(
        "def double(x):\n    for number in range(100):\n"
        "        open(f'/tmp/{number}', 'wb').write(bytes(2**20))\n    return x",
        RIGHT["total"],
        limits=TIGHT,
        isolation=isolation_or_skip(name),
    )
    assert (results["double"].status, results["total"].status) == ("error", "passed")
    assert "No space left on device" in results["double"].headline


# What the worker's children do; 200 at most, so that it is harmless even where the limits fail.
TOO_MUCH = {
    "used more than 0.439 GiB of memory": """
    for _ in range(4):
        if os.fork() == 0:
            kept = bytearray(b'x') * (200 * 2**20)
            break""",
    "had more than 16 processes": """
    for _ in range(200):
        try:
            subprocess.Popen(['sleep', '600'])
        except OSError:
            pass""",
    "had more than 16 processes ": """
    for _ in range(5):  # each forks again, five generations deep
        try:
            os.fork()
        except OSError:
            pass""",
}


@pytest.mark.parametrize("words", TOO_MUCH)
def test_what_children_take_counts_and_they_are_ended(
    grade_cells: Grade, any_isolation: Isolation, words: str
) -> None:
    seconds = f"600.{secrets.randbelow(10**9):09}"  # a mark to find the processes by
    deeds = TOO_MUCH[words].replace("600", seconds)
    bomb = f"import subprocess\ndef double(x):{deeds}\n    time.sleep(60)"
    results = grade_cells(bomb, RIGHT["total"], limits=TIGHT, isolation=any_isolation)
    assert (results["double"].status, results["total"].status) == ("crashed", "passed")
    assert words.strip() in results["double"].headline
    wait_until_gone(seconds)


def test_resource_limits_alone_say_what_they_leave_open() -> None:
    assert "read this machine's files" in LIMITS.description


HOG = """kept = []
while True:
    try:
        kept.append(bytearray(2**20))
    except MemoryError:
        """


def test_memory_that_a_cell_keeps_is_told_of_it_alone(grade_cells: Grade) -> None:
    results = grade_cells(
        RIGHT["double"],
        HOG + "break",
        f"{HOG}raise\n{RIGHT['total']}",
        RIGHT["weights"],
        limits=TIGHT,
    )
    got = statuses(results)
    assert got == dict.fromkeys(RIGHT, "passed") | {"total": "crashed", "ends": "not attempted"}
    assert "left less than 38 MiB of memory" in results["total"].headline


def test_memory_that_an_answer_keeps_is_told_of_it_alone(grade_cells: Grade) -> None:
    """An answer that catches what it causes is right, and a later one finds room."""
    body = f"global kept\n{HOG}break\nreturn 2 * x".replace("\n", "\n    ")
    large = RIGHT["total"].replace("return", "torch.ones(2**25)\n    return")  # 128 of 300 MiB
    results = grade_cells(f"def double(x):\n    {body}", large, limits=TIGHT)
    assert results["total"].status == "passed"


def test_a_cell_of_long_lines_is_read_as_python_reads_it(grade_cells: Grade) -> None:
    """Python 3.12 keeps a copy of the line in each token; the shell would take them all."""
    long = "x = [" + "1, " * 60_000 + "]"
    results = grade_cells(
        f"%pwd\n{long[:9000]}]", f"{RIGHT['double']}\n{long}", f"{long}\nx.none", RIGHT["total"]
    )
    assert (results["double"].status, results["total"].status) == ("passed", "passed")
