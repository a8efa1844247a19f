"""What a worker can see and reach: nothing that would help it to points or hurt anybody."""

import ast
import os
import secrets
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from notebook_judge.grading.sandbox import isolation, launch, seccomp
from notebook_judge.grading.sandbox.isolation import Isolation, NotIsolated, choose
from tests.grading.battery.submission import Written, written
from tests.grading.inside import isolation_or_skip, seen, wait_until_gone
from tests.grading.tiny_course import RIGHT, Grade, statuses
from transformer_checks import COURSE as TAUGHT

COURSE = TAUGHT.home
PASSED = dict.fromkeys(RIGHT, "passed")


@pytest.fixture(params=["root namespaces", "user namespaces"])
def namespaces(request: pytest.FixtureRequest) -> Isolation:
    return isolation_or_skip(request.param)


def test_a_notebook_is_graded_in_every_isolation(
    grade_cells: Grade, any_isolation: Isolation
) -> None:
    assert statuses(grade_cells(*RIGHT.values(), isolation=any_isolation)) == PASSED


def test_where_there_is_no_fork_server_a_notebook_is_graded_too(grade_cells: Grade) -> None:
    elsewhere = isolation_or_skip("elsewhere")
    assert statuses(grade_cells(*RIGHT.values(), isolation=elsewhere)) == PASSED


def test_files_of_the_course_and_of_others_are_out_of_sight(
    namespaces: Isolation, tmp_path: Path
) -> None:
    (tmp_path / "submission.ipynb").write_text("{}")
    out_of_sight = [
        *(COURSE / name for name in ("solutions", "authoring", "tests", "exercises")),
        *(TAUGHT.catalogue / name for name in ("__init__.py", "self_attention", "solutions")),
        tmp_path / "submission.ipynb",
        Path("/etc/shadow"),
        Path("/var/log"),
        *(e for name in ("share", "src", "etc") for e in Path("/usr/local", name).glob("*")),
    ]
    assert [path for path in out_of_sight if not path.exists()] == [], "what is hidden is there"
    code = f"import os\nseen = [p for p in {list(map(str, out_of_sight))} if os.path.exists(p)]"
    assert seen(namespaces, code) == []
    assert seen(namespaces, "import notebook_judge as judge\nseen = judge.__file__")


@pytest.mark.skipif(sys.platform != "linux", reason="there are no namespaces on this system")
@pytest.mark.parametrize("kind", ["root namespaces", "user namespaces"])
def test_a_course_below_tmp_shows_what_is_needed_alone_and_leaves_room(kind: str) -> None:
    """Course, environment, submissions and others' files lie in the folder that is written to."""
    isolation_or_skip(kind)
    with tempfile.TemporaryDirectory(dir="/tmp") as place:
        course = Path(place, "Kurs \u2013 übung")
        for package in TAUGHT.folders:
            shutil.copytree(package, course / package.name)
        shutil.copytree(COURSE / "tests" / "grading", course / "tests" / "grading")
        python = course / ".venv" / "bin" / "python"
        subprocess.run(
            [sys.executable, "-m", "venv", "--without-pip", course / ".venv"], check=True
        )
        (packages,) = (course / ".venv" / "lib").glob("python*/site-packages")
        (packages / "those-of-the-tests.pth").write_text(sysconfig.get_path("purelib"))
        decoys = ("solutions", "submissions/anna", "grades", ".git", ".progress", "../other", "..")
        for folder in (*decoys, ".venv/share"):
            (course / folder).mkdir(exist_ok=True, parents=True)
            (course / folder / "decoy.ipynb").write_text("{}")
        Path(place).chmod(0o755)  # rights are not what hides them
        code = f"""
import os, pathlib, tempfile, transformer_lesson
pathlib.Path('/tmp/mine').write_text('x')
pathlib.Path('/dev/shm/mine').write_text('x')
elsewhere = ('/proc', '/sys', '/usr')
seen = [os.path.join(folder, name) for folder, _, names in os.walk('/')
        if not folder.startswith(elsewhere) for name in names if name == 'decoy.ipynb']
seen += [transformer_lesson.__path__[0], os.access({str(course)!r}, os.W_OK)]
seen += [folder for folder, _, _ in os.walk({str(course)!r}) if 'catalogue' in folder]
"""
        asking = f"""
import sys
sys.path.insert(0, {str(course)!r})
import transformer_checks
from tests.grading.battery.submission import Written, written
from tests.grading.inside import KINDS, seen
print(ascii(seen(KINDS[{kind!r}], {code!r})))
"""
        said = subprocess.run(
            [python, "-c", asking], cwd=course, capture_output=True, text=True, env={}
        )
        assert said.returncode == 0, said.stderr
        own = [f"{course}/.venv/share/decoy.ipynb", f"{course}/transformer_lesson", False]
        assert ast.literal_eval(said.stdout) == own


def probes(namespaces: bool) -> pytest.MarkDecorator:
    """Make a test of each written probe of one kind."""
    kind = {
        n: one for n, one in written("probes").items() if ("namespaces" in one.told) == namespaces
    }
    return pytest.mark.parametrize("one", kind.values(), ids=kind)


@probes(namespaces=False)
def test_a_worker_sees_nothing_that_would_help(any_isolation: Isolation, one: Written) -> None:
    assert seen(any_isolation, "\n".join(one.titled(""))) == []


@probes(namespaces=True)
def test_a_walled_worker_reaches_nobody(namespaces: Isolation, one: Written) -> None:
    assert seen(namespaces, "\n".join(one.titled(""))) == []


def test_nothing_of_the_grader_is_inherited(
    any_isolation: Isolation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_SECRET", "of the grader")
    monkeypatch.setenv("PATH", "/home/teacher/bin", prepend=":")
    assert "A_SECRET" not in launch._environment()
    assert "teacher" not in launch._environment()["PATH"]
    code = """
import os, socket, stat
seen = [name for name in os.environ if name == 'A_SECRET']
for descriptor in map(int, os.listdir('/proc/self/fd')):
    try:
        mode, link = os.fstat(descriptor).st_mode, os.readlink(f'/proc/self/fd/{descriptor}')
    except OSError:  # that of the listing itself
        continue
    if link != '/dev/null':
        seen.append('socket' if stat.S_ISSOCK(mode) else link)
"""
    assert seen(any_isolation, code) == ["socket"]  # the one to the grader


def test_without_namespaces_the_graders_processes_take_no_signal() -> None:
    # Signal 0 asks only whether a signal might be sent: should the filter fail, nobody is hurt.
    code = f"""
import os
seen = {{}}
for name, pid in {{'supervisor': os.getppid(), 'grader': {os.getpid()}, 'everybody': -1,
                  'group': -os.getppid()}}.items():
    try:
        os.kill(pid, 0)
        seen[name] = 'reached'
    except PermissionError:
        seen[name] = 'refused'
os.kill(os.getpid(), 0)
"""
    assert set(seen(isolation_or_skip("limits"), code).values()) == {"refused"}


def test_a_signal_to_everybody_harms_the_notebook_alone(
    grade_cells: Grade, namespaces: Isolation
) -> None:
    results = grade_cells(
        RIGHT["double"],
        "def total(x):\n    try:\n        os.kill(-1, 9)\n    except ProcessLookupError:\n"
        "        pass  # there is nobody else\n    os.kill(os.getpid(), 9)",
        RIGHT["weights"],
        RIGHT["ends"],
        isolation=namespaces,
    )
    assert statuses(results) == PASSED | {"total": "crashed"}
    assert "SIGKILL" in results["total"].headline


def test_two_workers_at_a_time_know_nothing_of_each_other(namespaces: Isolation) -> None:
    code = """
import os, pathlib, time
mine = pathlib.Path('/tmp', str(time.monotonic_ns()))
mine.touch()
time.sleep(0.5)
seen = [len([n for n in os.listdir(place) if n.isdigit()]) for place in ('/tmp', '/proc')]
"""
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: seen(namespaces, code), range(4)))
    assert results == [[1, 2]] * 4


def test_nothing_that_a_notebook_starts_outlives_it(
    grade_cells: Grade, any_isolation: Isolation
) -> None:
    seconds = f"600.{secrets.randbelow(10**9):09}"  # a mark to find the processes by
    daemon = f"""
import subprocess
subprocess.Popen(['sleep', '{seconds}'])
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execvp('sleep', ['sleep', '{seconds}'])
    os._exit(0)
"""
    crash = RIGHT["double"] + "\n    os._exit(1)"
    cells = (daemon, crash.replace("    return", "    os._exit(1)\n    return"))
    results = grade_cells(*cells, RIGHT["total"], isolation=any_isolation)
    assert (results["double"].status, results["total"].status) == ("crashed", "passed")
    wait_until_gone(seconds)


def test_a_lost_server_is_replaced(grade_cells: Grade) -> None:
    best = choose("auto")
    if not best.mode:
        pytest.skip("there is no fork server on this system")
    assert statuses(grade_cells(*RIGHT.values(), isolation=best)) == PASSED
    process = launch.fork_server(best.mode)._process
    assert process
    process.send_signal(signal.SIGKILL)
    assert statuses(grade_cells(*RIGHT.values(), isolation=best)) == PASSED
    assert launch.fork_server(best.mode)._process is not process


def test_a_choice_is_kept_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "_as_superuser", lambda: False)
    assert choose("limits").name == "limits"
    assert choose("auto") == choose()
    assert all(one.description.endswith(".") for one in (choose("auto"), choose("limits")))
    with pytest.raises(ValueError, match="'bare'; expected one of auto, require, limits"):
        choose("bare")  # type: ignore[arg-type]
    monkeypatch.setattr(isolation, "_strongest", lambda: (isolation.LIMITS, "no namespaces here"))
    assert choose("auto") == isolation.LIMITS
    with pytest.raises(NotIsolated, match="no namespaces here"):
        choose("require")


def test_an_isolation_that_does_not_work_is_not_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "why_not", lambda _: "the kernel refuses")
    isolation._strongest.cache_clear()
    try:
        assert isolation._strongest() == (isolation.LIMITS, "the kernel refuses")
    finally:
        isolation._strongest.cache_clear()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has such filters")
def test_everybody_may_refuse_help() -> None:
    if not (child := os.fork()):
        try:
            if os.geteuid() == 0:
                os.setuid(65_534)
            seccomp.refuse_help()
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
