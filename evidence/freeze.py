"""``python -m evidence.freeze``: which criteria stood in a commit before that of their runs.

For each claim it looks up the last commit that stored new runs, and whether today's criterion stood
in the folder of its lesson in the commit before. Where it does not, the claim must say what was
changed after numbers had been seen. Commits from before this rule are only counted. Where history
is shallow or missing, nothing can be said, and it says that.
"""

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from evidence.claim import Claim
from evidence.claims import claims
from evidence.results import load

ROOT = Path(__file__).resolve().parents[1]
RUN = r'^ +"[0-9]+": \{'  # a line of a file of results that holds a run


@dataclass(frozen=True)
class Freeze:
    """Where the runs of a claim were stored, and whether its criterion stood there before."""

    claim: Claim
    commit: str
    stood_before: bool
    under_the_rule: bool

    @property
    def holds(self) -> bool:
        """Whether the criterion came first, or its change is told, or the runs are older."""
        return self.stood_before or bool(self.claim.revised) or not self.under_the_rule


def git(*words: str) -> str:
    """Return what git prints; an empty text where it fails."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def why_unknown() -> str:
    """Return why the order of commits cannot be checked here; nothing where it can."""
    if git("rev-parse", "--is-shallow-repository") != "false":
        return "this is no clone with its whole history, so the order of commits cannot be checked"
    return ""


def freeze(claim: Claim) -> Freeze | None:
    """Return what history says of a claim's runs; None where they were not committed yet."""
    commit = _stored(f"evidence/results/{claim.file}", _beside(claim))
    if not commit:
        return None
    parent = git("rev-parse", f"{commit}^")
    stood = _plain(claim.criterion) in _texts(parent, claim.measure.__module__)
    return Freeze(claim, commit, stood, _under_the_rule(commit))


def _beside(claim: Claim) -> set[str]:
    """Return the runs that decide nothing, of conditions with fewer seeds, as lines of a change."""
    measured, few = load(claim).measured, [c.name for c in claim.conditions if c.runs]
    runs = [run for name in few for run in measured.get(name, {}).items()]
    return {f'+   "{seed}": {json.dumps(numbers)}' for seed, numbers in runs}


def _stored(place: str, beside: set[str]) -> str:
    """Return the last commit that added runs to a file of results; those put back are not new."""
    seen, last = beside, ""
    for commit in git("log", "--reverse", "--format=%H", f"-G{RUN}", "--", place).split():
        shown = git("show", "-U0", "--format=", commit, "--", place).split("\n")
        added = {line.rstrip(",") for line in shown if re.match(RUN.replace("^", r"\+"), line)}
        last = commit if added - seen else last
        seen = seen | added
    return last


@cache
def _texts(commit: str, module: str) -> str:
    """Return all that stood in the folder of a lesson's claims, words parted by single spaces."""
    folder = "/".join(module.split(".")[:3])
    names = git("ls-tree", "-r", "--name-only", commit, "--", folder).split("\n")
    return _plain(" ".join(git("show", f"{commit}:{name}") for name in names if name))


def _plain(text: str) -> str:
    return " ".join(text.replace("\\\n", " ").split())


@cache
def _rule() -> str:
    """Return the commit that brought this check."""
    added = git("log", "--diff-filter=A", "--format=%H", "--", "evidence/freeze.py").split()
    return added[-1] if added else ""


def _under_the_rule(commit: str) -> bool:
    behind = ["git", "merge-base", "--is-ancestor", _rule(), commit]
    return bool(_rule()) and subprocess.run(behind, cwd=ROOT).returncode == 0


def main() -> int:
    """Print what history says; return 1 where a criterion came late and nothing tells it."""
    if reason := why_unknown():
        print(f"Nothing is said: {reason}.")
        return 0
    found = [freeze(claim) for claim in claims().values()]
    known = [one for one in found if one]
    for one in known:
        word = "before" if one.stood_before else "late, told" if one.claim.revised else "late"
        print(f"{one.claim.name}: runs in {one.commit[:7]}, its criterion {word}")
    old = sum(not one.under_the_rule for one in known)
    print(
        f"{len(known)} claims, {sum(o.stood_before for o in known)} with today's criterion first;"
    )
    print(f"{old} were measured before this check, {len(found) - len(known)} are not committed.")
    return 0 if all(one.holds for one in known) else 1


if __name__ == "__main__":
    sys.exit(main())
