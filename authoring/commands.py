"""The commands of ``course.py`` and of the Makefile. Standard library only."""

import glob
import os
import shlex
import shutil

from authoring import surroundings
from authoring.environment import ROOT, VENV, WINDOWS, Stop, live, report, set_up, tool
from careful_io import ending_with_its_reader

FIRST_NOTEBOOK = "notebooks/00_start_here.ipynb"
CONTENTS = "--ServerApp.contents_manager_class=notebook_judge.learning.opening.CourseContents"


def lab(arguments: list[str]) -> int:
    """open the course in JupyterLab (further arguments go to JupyterLab)"""
    if not (ROOT / FIRST_NOTEBOOK).exists():
        raise Stop(f"{FIRST_NOTEBOOK} is missing", "Fetch it again: git checkout -- notebooks")
    set_up("base")
    # Not as a file to open: JupyterLab would serve its folder alone, without the exercises.
    page = f"--LabApp.default_url=/lab/tree/{FIRST_NOTEBOOK}"
    folder = f"--ServerApp.root_dir={ROOT}"
    command = [str(tool("python")), "-m", "jupyterlab", page, folder, CONTENTS, *arguments]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        print("Running as root, so JupyterLab gets --allow-root. An ordinary user is safer.")
        command.append("--allow-root")
    print("Starting JupyterLab (Ctrl-C, then y, ends it). Your browser opens on lesson 00;")
    print("  if none opens, go to the address that is printed last. Shift-Enter runs a cell.")
    print("  Then do the exercises of a lesson, in exercises/.", flush=True)
    os.chdir(str(ROOT))
    if WINDOWS:
        return live(command)
    os.execv(command[0], command)


def test(arguments: list[str]) -> int:
    """run what CI runs, by sample; or `all`; or parts: lint gate unit browser grading notebooks"""
    return author("authoring.ci", *arguments)


def quick(arguments: list[str]) -> int:
    """run the linters, the tests of what changed since main, and one notebook: two minutes"""
    return author("authoring.quick")


def grade(arguments: list[str]) -> int:
    """grade exercise notebooks: grade FILES..., all of exercises/ if none are named"""
    set_up("base")
    named = files_of(arguments) or [str(ROOT / "exercises")]
    return live([tool("transformer-lesson"), "grade", *named])


def notebooks(arguments: list[str]) -> int:
    """run all lessons and solutions, or those named, and store their outputs"""
    return author("authoring.execute", *map(os.path.abspath, files_of(arguments)))


def files_of(words: list[str]) -> list[str]:
    """Take apart a single word, as ``make`` hands it on, that names files as in a shell; what is
    the name of a file stays as it is."""
    if len(words) != 1 or os.path.exists(words[0]):
        return words
    try:
        parts = shlex.split(words[0])
    except ValueError:  # an apostrophe in a name is no quotation mark
        parts = words
    return [hit for part in parts for hit in sorted(glob.glob(part)) or [part]]


def exercises(arguments: list[str]) -> int:
    """derive exercises/ from solutions/"""
    return author("authoring.derive")


def author(module: str, *arguments: str) -> int:
    """Run one of the authors' modules from the root of the course."""
    set_up("dev")
    os.chdir(str(ROOT))
    return live([tool("python"), "-m", "authoring", module, *arguments])


def evidence(arguments: list[str]) -> int:
    """measure what the verdicts rest on: evidence [CLAIM...]; goes on where it was stopped"""
    return author("evidence", *arguments)


def site(arguments: list[str]) -> int:
    """build the course as a static site in build/site"""
    return author("authoring.site", *arguments)


def bench(arguments: list[str]) -> int:
    """run the benchmarks that need no GPU, or those named, and keep what they measure"""
    return author("benchmarks", *arguments)


def clean(arguments: list[str]) -> int:
    """remove .venv, caches and build products; never notebooks or exercises"""
    made = (".venv", ".hypothesis", ".benchmarks", "build", "dist", ".*_cache", "*.egg-info")
    for folder in [path for name in (*made, "**/__pycache__") for path in ROOT.glob(name)]:
        if folder.is_dir():
            shutil.rmtree(str(folder))
    return 0


COMMANDS = {
    command.__name__: command
    for command in (lab, test, quick, grade, notebooks, exercises, evidence, site, bench, clean)
}
PASSED_ON = (
    "lab",
    "test",
    "grade",
    "notebooks",
    "evidence",
    "site",
    "bench",
)  # those that take arguments


@ending_with_its_reader
def main(words: list[str]) -> int:
    """Run one command and return the exit code."""
    if not words or words[0] in ("-h", "--help", "help"):
        print(usage())
        return 0
    if words[0] not in COMMANDS:
        print(f"Unknown command: {words[0]}\n\n{usage()}")
        return 2
    if words[1:] and words[0] not in PASSED_ON:
        print(f"{words[0]} takes no arguments; got: {' '.join(words[1:])}\n\n{usage()}")
        return 2
    try:
        take_over(words[0])
        return COMMANDS[words[0]](words[1:])
    except Stop as problem:
        report(problem)
    except KeyboardInterrupt:
        print("\nStopped. Run the same command again to go on.")
        return 130
    except BrokenPipeError:
        raise
    except OSError as problem:
        report(Stop(str(problem), "Is there free space, and is the folder of the course yours?"))
    return 1


def take_over(command: str) -> None:
    """Put the course's surroundings in the place of the user's, and say what they must know."""
    theirs = dict(os.environ)
    ours = surroundings.own(theirs, VENV)
    for sentence in surroundings.places(ours):
        print(sentence)
    os.environ.clear()
    os.environ.update(ours)
    if command == "lab" and (files := surroundings.left_out(theirs)):
        print(f"Your own Jupyter settings are not read here: {', '.join(map(str, files))}.")
        print('  Give what you need: make lab ARGS="--port 9999"')


def usage() -> str:
    """List the commands, one line each."""
    lines = [f"  {name:<10} {run.__doc__}" for name, run in COMMANDS.items()]
    return "\n".join(["python course.py COMMAND", *lines])
