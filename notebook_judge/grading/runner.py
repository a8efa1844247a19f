"""Run a grading: show and store results as they come in, and write the reports."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from notebook_judge.console import console
from notebook_judge.grading import reports
from notebook_judge.grading.arrivals import arrivals
from notebook_judge.grading.deadlines import Deadlines
from notebook_judge.grading.jobs import Job, RunInfo
from notebook_judge.grading.learners import Roster, copies
from notebook_judge.grading.overrides import Overrides
from notebook_judge.grading.pool import grade_all
from notebook_judge.grading.reports import archives, terminal
from notebook_judge.grading.results import NotebookResult
from notebook_judge.grading.sandbox.isolation import LIMITS, Isolation
from notebook_judge.grading.store import Store

# The reports on the class grow with it: writing them may take one part in so many of the time.
REPORTS_SHARE = 20
UNREAD = 3  # the exit code where a file was no notebook that could be graded


class Runner:
    """Grades what one run has to grade, and reports the results.

    Attributes:
        folder: where the reports go.
    """

    def __init__(
        self,
        store: Store,
        run: RunInfo,
        jobs: Sequence[Job],
        taken: Mapping[Job, NotebookResult],
        started: float,
        roster: Roster,
        overrides: Overrides,
        deadlines: Deadlines,
    ) -> None:
        """Begin with what earlier runs have left.

        Args:
            store: the folder of the run.
            run: the circumstances.
            jobs: all notebooks, in the order of the reports.
            taken: results that were there before.
            started: when the command began, by ``time.monotonic``.
            roster: the class.
            overrides: what the teacher decides by hand.
            deadlines: when everything is due.
        """
        self.folder: Path = store.folder
        self._store, self._run, self._jobs, self._started = store, run, jobs, started
        self._roster, self._overrides, self._deadlines = roster, overrides, deadlines
        came = arrivals([job.path for job in jobs], [job.learner for job in jobs])
        self._arrivals = dict(zip(jobs, came, strict=True))
        self._results = {job: self._decided(job, result) for job, result in taken.items()}
        self._to_show = [job for job in jobs if job not in taken]
        self._shown = 0
        self._console = console()
        self._next_reports = 0.0

    def grade(self, isolation: Isolation) -> None:
        """Grade what has no result yet.

        Raises:
            KeyboardInterrupt, StartFailed, OSError: see ``grade_all``.
        """
        self._announce()
        for result in self._results.values():
            self._write_notebook(result)
        keep = partial(self._store.keep, self._run)
        run, todo = self._run, list(self._to_show)
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("time left"),
            TimeRemainingColumn(),
        )
        with Progress(
            *columns,
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
            speed_estimate_period=600,
        ) as bar:
            task = bar.add_task("grading", total=len(self._jobs), completed=len(self._results))
            for job, result in grade_all(todo, run, isolation, keep):
                self._take(job, result)
                bar.advance(task, not result.hindered)

    def _announce(self) -> None:
        run = self._run
        words = f"{len(self._jobs)} notebooks, {run.jobs} at a time, seed {run.seed}"
        if len(self._jobs) == 1:
            words = f"1 notebook, seed {run.seed}"
        self._say(f"{words}, isolation: {run.isolation}. {run.walls}")
        if run.isolation == LIMITS.name:
            self._say("WARNING: nothing isolates the notebooks' code.", "bold yellow")
        if run.taken_over:
            self._say(f"{run.taken_over} of {len(self._jobs)} were graded before.")

    def _decided(self, job: Job, result: NotebookResult) -> NotebookResult:
        """A result as it is reported: whose it is, with what the teacher decided, and lateness."""
        result = self._overrides.applied(replace(result, learner=job.learner))
        return self._deadlines.applied(result, self._arrivals[job])

    def _take(self, job: Job, result: NotebookResult) -> None:
        self._results[job] = self._decided(job, result)
        self._write_notebook(self._results[job])
        self._show_in_order()
        if time.monotonic() >= self._next_reports:
            self._write_class()

    def _write_notebook(self, result: NotebookResult) -> None:
        reports.write_notebook(self._store, result, self._roster.full_name(result.learner))

    def _show_in_order(self) -> None:
        """Show what has come in, up to the first notebook that is still under way."""
        while self._shown < len(self._to_show):
            result = self._results.get(self._to_show[self._shown])
            if result is None or result.hindered:
                return
            self._console.print(terminal.notebook_table(result))
            self._shown += 1

    def _write_class(self) -> None:
        begun = time.monotonic()
        run = replace(self._run, seconds=round(begun - self._started, 1))
        reports.write_class(self._store, run, self._in_order(), self._roster, self._remarks())
        ended = time.monotonic()
        self._next_reports = ended + REPORTS_SHARE * (ended - begun)

    def _write_archives(self) -> None:
        places = {self._results[job].name: job.path.absolute() for job in self._results}
        archives.write(self._store, self._in_order(), places, self._roster)

    def _remarks(self) -> list[str]:
        """What the teacher's own files say that fits nothing; known when all is graded."""
        results = self._in_order()
        if len(results) < len(self._jobs):
            return []
        unknown = sorted({job.learner for job in self._jobs} - set(self._roster.table))
        said = [
            f"the override of `{one.exercise}` for {one.learner} fits no graded notebook"
            for one in self._overrides.unused(results)
        ]
        said += [change for _, change in sorted(self._store.changes.items())]
        said += copies(((job.called, job.learner) for job in self._jobs), self._roster.table)
        if self._roster.table and len(unknown) == len({job.learner for job in self._jobs}):
            said.append("no notebook belongs to anybody in the table: no gradebook is written")
        if self._roster.table and unknown:
            said.append(f"not in the table of learners: {', '.join(unknown)}")
        return said

    def _in_order(self) -> list[NotebookResult]:
        return [self._results[job] for job in self._jobs if job in self._results]

    def close(self) -> int:
        """Write the last reports, show the class, and return the exit code."""
        self._write_class()
        self._write_archives()
        results = self._in_order()
        if len(results) > 1:
            self._console.print(terminal.class_table(results))
        failed = sum(result.status == "not graded" for result in results)
        if failed:
            words = f"The grader failed on {failed} of {len(results)} notebooks. "
            self._say(words + "The same command tries those again.")
        else:
            self._remove_former(results)
            self._store.finish(self._run, self._jobs)
        unread = sum(result.status == "unreadable" for result in results)
        if unread:
            self._say(f"{unread} of {len(results)} files could not be graded; their lines say why.")
        for remark in self._remarks():
            self._say(f"{remark[0].upper()}{remark[1:]}.", "yellow")
        self._say(f"seed {self._run.seed}. Reports: {self.folder / 'index.html'}")
        return 1 if failed else UNREAD if unread else 0

    def _remove_former(self, results: Sequence[NotebookResult]) -> None:
        """Remove the reports of notebooks that only an earlier run in this folder has graded."""
        for name in self._store.former() - {result.name for result in results}:
            for file in reports.files_of(name):
                self._store.remove(file)

    def stop(self) -> int:
        """Write the reports of what there is, say how to go on, and return the exit code."""
        written = "Nothing was written."
        # A thread may have stored a result that was not handed over any more.
        for job, result in self._store.find(self._run, self._jobs).items():
            if job not in self._results:
                self._results[job] = self._decided(job, result)
                self._write_notebook(self._results[job])
        if self._results:
            self._write_class()
            written = f"Their reports are in {self.folder}. The same command goes on from here."
        self._say(f"Stopped: {len(self._results)} of {len(self._jobs)} notebooks graded. {written}")
        return 130

    def _say(self, words: str, style: str = "") -> None:
        self._console.print(Text(words, style=style), soft_wrap=True)
