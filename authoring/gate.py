"""Prove every exercise: right answers pass in any form, wrong ones are rejected by their name.

``python -m authoring.gate [NAME…] [--seeds N] [--jobs N]`` judges, for each exercise and seed, what
is handed out (not attempted), the solution and the styles (passed, in every wrapping), and the
slips (rejected, and named). It prints one table and each failure, and ends with exit code 1 if
there is any.
"""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from authoring.sample import looked_at
from authoring.styles import styles
from authoring.wrappings import wrapped
from notebook_judge.checks.calls import call, call_all
from notebook_judge.checks.cases import Case, Outcome
from notebook_judge.checks.clock import Clock
from notebook_judge.checks.exercise import Check, Slip
from notebook_judge.checks.judge import Judgement, judge
from notebook_judge.checks.reference import outcome_of
from notebook_judge.checks.solutions import execute
from transformer_checks.catalogue import CHECKS
from transformer_lesson.flash.interpret import use_interpreter

ROOT = Path(__file__).resolve().parents[1]
SEEDS = 40  # two right answers were refused on one seed in forty
NAMED_SEEDS = 5  # for slips: there are ten times as many of them as of solutions
PATIENCE = 120.0  # seconds: some styles are slow, and it is not they who are tried here
FEWEST_STYLES, FEWEST_SLIPS, FEWEST_HINTS = 1, 5, 2
COLUMNS = ("exercises", "right", "false rejects", "wrong", "false accepts", "no verdict", "named")
WIDTH = 120
FAILURES = ("false accept", "false reject", "no verdict", "not named", "incomplete")

Answer = Callable[..., Any]


@dataclass(frozen=True)
class Failure:
    """Something that an author has to mend.

    Attributes:
        exercise: its name.
        kind: one of ``FAILURES``.
        answer: which answer showed it, in words; empty if none did.
        seed: with which seed; None if it goes for all.
        message: what was found.
    """

    exercise: str
    kind: str
    answer: str
    seed: int | None
    message: str


@dataclass
class Findings:
    """What the gate found out about one exercise, or about several.

    Attributes:
        counts: how many ``"right"`` and ``"wrong"`` answers were judged, and how many of the wrong
            ones were ``"named"``; each answer counts once for each seed.
        failures: what has to be mended.
    """

    counts: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)

    def add(self, other: "Findings") -> None:
        self.counts += other.counts
        self.failures += other.failures

    def number(self, kind: str) -> int:
        return sum(failure.kind == kind for failure in self.failures)


@dataclass(frozen=True)
class Answers:
    """The right answers to an exercise, and what a learner is handed.

    Attributes:
        shipped: the stub; None if the notebook has none.
        solution: the answer in ``solutions/``; None if there is none.
        styles: right answers by another hand.
    """

    shipped: Answer | None
    solution: Answer | None
    styles: Sequence[Answer]


def examine(check: Check, answers: Answers, seed: int, *, wrong_too: bool = True) -> Findings:
    """Judge all answers to one exercise, with one seed.

    Args:
        check: the exercise.
        answers: what is right, and what is handed out.
        seed: of the cases.
        wrong_too: whether the slips are judged, and not the right answers alone.
    """
    cases = check.cases(seed)
    found = Findings()

    def fail(kind: str, answer: str, message: str) -> None:
        found.failures.append(Failure(check.name, kind, answer, seed, message))

    def verdict(
        answer: str, outcomes: Callable[[], list[Outcome]], of: Sequence[Case] = cases
    ) -> Judgement | None:
        try:
            returned = outcomes()
            return judge(check, of[: len(returned)], returned)
        except Exception as error:
            fail("no verdict", answer, f"{type(error).__name__}: {error}")
            return None

    # One seed at a time: what the course's own versions give on a case is then computed once.
    if seed == 0 and answers.shipped:
        judged = verdict("what is shipped", partial(call_all, check, answers.shipped, cases))
        if judged and judged.status != "not attempted":
            kind = "false accept" if judged.passed else "incomplete"
            fail(kind, "what is shipped", f"{judged.status}: {judged.headline}")
    for name, answer, some in _right(check, answers, cases, in_all=seed == 0):
        judged = verdict(name, partial(_called, check, answer, some, watched=seed == 0), some)
        found.counts["right"] += 1
        if judged and not judged.passed:
            fail("false reject", name, f"{judged.status}: {judged.headline}")
    for slip in check.slips if wrong_too else ():
        judged = verdict(slip.name, partial(_of_slip, check, slip, cases))
        found.counts["wrong"] += 1
        if judged and judged.passed:
            fail("false accept", slip.name, "it passes")
        elif judged and judged.slip != slip.name:
            named = judged.slip or f"none, but: {judged.headline}"
            fail("not named", slip.name, f"the judge names {named}")
        elif judged:
            found.counts["named"] += 1
    return found


def _right(
    check: Check, answers: Answers, cases: list[Case], *, in_all: bool
) -> Iterator[tuple[str, Answer, list[Case]]]:
    """The right answers, those by hand in wrappings too: name, answer, and the cases for it."""
    if not check.rubric:  # whose truth is no answer
        yield "the reference", check.right, cases
    by_hand = [("the solution", answers.solution)] if answers.solution else []
    for answer in answers.styles:
        name = getattr(answer, "__name__", type(answer).__name__)  # an instance goes by its class
        by_hand.append((f"style {name}", answer))
    for name, answer in by_hand:
        yield name, answer, cases
        for way, other, some in wrapped(check, answer, cases, in_all=in_all):
            yield f"{name}, {way}", other, some


def _called(check: Check, answer: Answer, cases: list[Case], *, watched: bool) -> list[Outcome]:
    # Watching for shortcuts is slow, and does not depend on the numbers.
    if watched and answer is not check.right:
        return call_all(check, answer, cases, Clock(PATIENCE))
    return [call(answer, case, check.returns, clock=Clock(PATIENCE)) for case in cases]


def _of_slip(check: Check, slip: Slip, cases: list[Case]) -> list[Outcome]:
    return [outcome_of(check, slip, case) for case in cases]


def incomplete(check: Check, answers: Answers) -> Iterator[Failure]:
    """What an exercise lacks, whatever the seed."""
    names = [slip.name for slip in check.slips]
    twice = [name for name, times in Counter(names).items() if times > 1]
    parts = (
        (not answers.shipped, f"exercises/{check.lesson}.ipynb has no `{check.answer}`"),
        (not answers.solution, f"solutions/{check.lesson}.ipynb has no `{check.answer}`"),
        (len(answers.styles) < FEWEST_STYLES, f"it has {len(answers.styles)} styles"),
        (len(names) < FEWEST_SLIPS, f"it has {len(names)} slips"),
        (bool(twice), f"slips of one name: {', '.join(twice)}"),
        (check.repairs != check.known_repairs, "a repair does not fit what is handed out"),
        (len(check.hints) < FEWEST_HINTS, f"it has {len(check.hints)} hints"),
    )
    for missing, message in parts:
        if missing:
            yield Failure(check.name, "incomplete", "", None, message)


@lru_cache
def answers_in(folder: str, lesson: str) -> dict[str, Any]:
    """Run the cells of a notebook, except its checks, and return the names that they define."""
    names: dict[str, Any] = {"__name__": f"{folder}.{lesson}"}
    text = (ROOT / folder / f"{lesson}.ipynb").read_text(encoding="utf-8")
    for number, cell in enumerate(json.loads(text)["cells"]):
        if cell["cell_type"] == "code" and not cell["metadata"].get("nbgrader", {}).get("grade"):
            source, file = "".join(cell["source"]), f"{folder}/{lesson}, cell {number}"
            execute(source, file, names)
    return names


def examine_named(name: str, seed: int, wrong_too: bool) -> Findings:
    """Examine one exercise with one seed; the first seed also reports what the exercise lacks."""
    check = CHECKS[name]
    answers = Answers(
        answers_in("exercises", check.lesson).get(check.answer),
        answers_in("solutions", check.lesson).get(check.answer),
        _styles().get(name, ()),
    )
    found = examine(check, answers, seed, wrong_too=wrong_too)
    if seed == 0:
        found.failures += incomplete(check, answers)
    return found


_styles = lru_cache(styles)


def _start_process() -> None:
    torch.set_num_threads(1)  # the processes share the cores


def examine_all(
    names: Sequence[str], seeds: int, named_seeds: int, jobs: int
) -> Iterator[tuple[str, Findings]]:
    """Examine exercises in ``jobs`` processes; yield each as soon as all its seeds are done."""
    with ProcessPoolExecutor(jobs, get_context("spawn"), _start_process) as pool:
        # A task is one seed: exercises take from half a second to half a minute.
        waiting = {
            name: [pool.submit(examine_named, name, s, s < named_seeds) for s in range(seeds)]
            for name in names
        }
        for name, tasks in waiting.items():
            found = Findings()
            for task in tasks:
                found.add(task.result())
            yield name, found


def lines(failures: Iterable[Failure]) -> Iterator[str]:
    """Yield a line for each failure; one that several seeds show appears once."""
    seeds: dict[Failure, list[int]] = {}
    messages: dict[Failure, str] = {}
    for failure in failures:
        alike = replace(failure, seed=None, message="")
        messages.setdefault(alike, failure.message)
        seeds.setdefault(alike, [])
        if failure.seed is not None:
            seeds[alike].append(failure.seed)
    for alike, message in messages.items():
        parts = [f"{alike.kind}: {alike.exercise}", alike.answer]
        if seeds[alike]:
            parts.append(f"seed {', '.join(map(str, seeds[alike]))}")
        yield f"{', '.join(filter(None, parts))}: {message}"


def table(found: dict[str, Findings]) -> Table:
    """One lesson a row, and the sum."""
    shown = Table(box=None, padding=(0, 2, 0, 0), header_style="underline")
    shown.add_column("lesson", no_wrap=True)
    for column in (*COLUMNS, "incomplete"):
        shown.add_column(column, justify="right", no_wrap=True)
    lessons = dict.fromkeys(CHECKS[name].lesson for name in CHECKS if name in found)
    for lesson in lessons:
        _add_row(shown, lesson, [f for name, f in found.items() if CHECKS[name].lesson == lesson])
    shown.add_section()
    _add_row(shown, "all", found.values())
    return shown


def _add_row(shown: Table, title: str, parts: Iterable[Findings]) -> None:
    total, exercises = Findings(), 0
    for part in parts:
        total.add(part)
        exercises += 1
    counts = total.counts
    share = f"{counts['named'] / counts['wrong']:.1%}" if counts["wrong"] else "-"
    numbers = (
        exercises,
        counts["right"],
        total.number("false reject"),
        counts["wrong"],
        total.number("false accept"),
        total.number("no verdict"),
        share,
        total.number("incomplete"),
    )
    shown.add_row(title, *map(str, numbers))


def main(arguments: Sequence[str] | None = None) -> int:
    """Examine the exercises that were asked for; return 1 if anything has to be mended."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="exercises whose names hold one of these")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="for right answers")
    parser.add_argument("--named-seeds", type=int, default=NAMED_SEEDS, help="for slips")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    wanted = parser.parse_args(arguments)
    names = [n for n in CHECKS if not wanted.names or any(part in n for part in wanted.names)]
    if not names:
        parser.error(f"no exercise has a name with {' or '.join(wanted.names)} in it")
    try:
        for name in names:
            _ = CHECKS[name].text
    except KeyError as error:  # it was not derived yet
        parser.error(error.args[0])

    use_interpreter()  # before anything imports Triton; the processes inherit it
    start = time.perf_counter()
    console = Console(highlight=False, soft_wrap=True)
    found: dict[str, Findings] = {}
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        for name, findings in progress.track(
            examine_all(names, wanted.seeds, wanted.named_seeds, wanted.jobs), len(names)
        ):
            found[name] = findings
            verdict = f"{len(findings.failures)} to mend" if findings.failures else "ok"
            console.print(f"  {len(found):>3}/{len(names)} {name}: {verdict}")
    unknown = sorted(set(styles()) - set(CHECKS))
    failures = [failure for name in names for failure in found[name].failures]
    failures += [Failure(n, "incomplete", "", None, "styles of no exercise") for n in unknown]
    for line in lines(failures):
        console.print(line, markup=False)
    Console(highlight=False, width=max(console.width, WIDTH)).print(table(found))
    looked = looked_at(len(names), len(CHECKS), "exercises")
    console.print(f"{wanted.seeds} seeds, {time.perf_counter() - start:.0f} s; {looked}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
