"""Runs a study: every point as often as asked, into a data set."""

from __future__ import annotations

import shlex
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from cellrate.dataset import Description, FactorColumn, MeasureColumn, RunRow, Writer
from cellrate.estimates import half_width
from cellrate.language.errors import ExpressionError
from cellrate.language.of_a_run import value
from cellrate.language.runs import Run
from cellrate.runner import Done, Job
from cellrate.series import series_of
from cellrate.study.file import traced
from cellrate.study.model import Column, Point, Replications, Study, Until
from cellrate.study.stopping import replications_needed, wanted
from cellrate.study.warm_up import longest

Executor = Callable[[Iterable[Job]], Generator[Done]]
"""Runs jobs and gives what became of each, in their order: `run_each` with its settings."""

Notice = Callable[[str], None]
"""Told of what a user should know while a study runs."""


@dataclass
class Ran:
    """What a study did.

    Attributes:
        directory: Where its data set is.
        runs: Runs in it.
        simulated: Runs that were simulated.
        known: Runs whose results were kept from before.
        failed: Commands of the runs that failed.
        notes: What to look at before the results are trusted.
        seconds: Core time of the runs that were simulated.
    """

    directory: Path
    runs: int = 0
    simulated: int = 0
    known: int = 0
    failed: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0


class Running:
    """A study under way.

    Args:
        study: The study.
        executor: Runs its jobs.
        directory: Where its data set goes.
        notice: Told of failures as they happen.
    """

    def __init__(self, study: Study, executor: Executor, directory: Path, notice: Notice) -> None:
        self._study = study
        self._executor = executor
        self._notice = notice
        self._starts: dict[int, tuple[str, ...]] = {}
        self._counted: set[str] = set()
        self.ran = Ran(directory, notes=list(study.notes))

    def run(self) -> Ran:
        """Runs it and writes its data set.

        Raises:
            OSError: Something cannot be written.
            KeyboardInterrupt: Ctrl-C was pressed; finished runs are kept.
        """
        # First of all: a directory that cannot be written is told before anything runs.
        with Writer(self.ran.directory, description(self._study)) as writer:
            if self._study.warm_up is not None:
                self._find_starts(self._study.warm_up.trace)
            with closing(self._results(self._tasks(self._counts()))) as results:
                for point, replication, done in results:
                    writer.add(self._row(point, replication, done), done.outcome)
                    self.ran.runs += 1
        return self.ran

    def job(self, point: Point, replication: int) -> Job:
        """A run, the warm-up cut off if a rule was to find it."""
        return self._study.job(point, replication, self._starts.get(point.index, ()))

    def _tasks(self, counts: Sequence[int]) -> Iterator[tuple[Point, int]]:
        for point, count in zip(self._study.points, counts, strict=True):
            for replication in range(count):
                yield point, replication

    def _results(self, tasks: Iterable[tuple[Point, int]]) -> Generator[tuple[Point, int, Done]]:
        """What became of each task, in their order; closed, it stops the runs under way."""
        waiting: deque[tuple[Point, int]] = deque()

        def jobs() -> Iterator[Job]:
            for point, replication in tasks:
                waiting.append((point, replication))
                yield self.job(point, replication)

        with closing(self._executor(jobs())) as results:
            for done in results:
                point, replication = waiting.popleft()
                self._account(done)
                yield point, replication, done

    def _account(self, done: Done) -> None:
        """Counts a run, once however often it is looked at."""
        command = command_of(done.job)
        if command in self._counted:
            return
        self._counted.add(command)
        if done.outcome is None:
            self.ran.failed.append(command)
            self._notice(f"failed: {one_line(done.error)}\n  {command}")
        elif done.known:
            self.ran.known += 1
        else:
            self.ran.simulated += 1
            self.ran.seconds += done.seconds

    def _find_starts(self, trace: str) -> None:
        """Cuts the warm-up of every point by what its first replication shows."""
        study = self._study
        points = iter(study.points)

        def jobs() -> Iterator[Job]:
            for point in study.points:
                yield traced(study.job(point, 0, ("measure.from=0 s",)), (trace,))

        for done in self._executor(jobs()):
            point = next(points)
            self._account(done)
            if done.outcome is None:
                continue
            series = [one for one in series_of(done.outcome) if one.kind == trace]
            try:
                cut = longest(series)
            except ValueError as error:
                self._note(f"point {point.index}: no warm-up is found in its {trace}: {error}")
                continue
            self._starts[point.index] = (f"measure.from={cut.seconds * 1e12:.0f} ps",)
            if cut.reached_half:
                self._note(f"point {point.index}: its {trace} has not settled by half of the run")

    def _counts(self) -> list[int]:
        """How often each point is run."""
        asked = self._study.replications
        counts = [asked.least] * len(self._study.points)
        if asked.until is None:
            return counts
        name = asked.until.measure
        values: list[list[float]] = [[] for _ in counts]
        done = [0] * len(counts)
        while any(had < count for had, count in zip(done, counts, strict=True)):
            tasks = [
                (point, replication)
                for point in self._study.points
                for replication in range(done[point.index], counts[point.index])
            ]
            for point, _, result in self._results(tasks):
                [found] = self._measured([name], result).values()
                if found is not None:
                    values[point.index].append(found)
            done = list(counts)
            for at, known in enumerate(values):
                if known:
                    # What failed or has no value was run all the same, and is made up for.
                    missing = done[at] - len(known)
                    needed = replications_needed(known, asked) + missing
                    counts[at] = min(max(counts[at], needed), asked.most)
        self._note_unknown(values, asked, asked.until)
        return counts

    def _note_unknown(
        self, values: Sequence[Sequence[float]], asked: Replications, until: Until
    ) -> None:
        short = [
            at
            for at, found in enumerate(values)
            if not found or half_width(found, asked.level) > wanted(found, until)
        ]
        if short:
            listed = ", ".join(map(str, short[:5])) + (", ..." if len(short) > 5 else "")
            self._note(
                f"{until.measure} is not known well enough at {len(short)} points after at most "
                f"{asked.most} runs: {listed}"
            )

    def _row(self, point: Point, replication: int, done: Done) -> RunRow:
        return RunRow(
            point=point.index,
            replication=replication,
            seed=self._study.seed(point.index, replication),
            key=done.key,
            command=command_of(done.job),
            values=dict(point.values),
            measures=self._measured(self._study.measures, done),
            error=None if done.outcome is not None else one_line(done.error),
        )

    def _measured(self, names: Iterable[str], done: Done) -> dict[str, float | None]:
        """Value of each of these measures; None where the run has none."""
        found: dict[str, float | None] = dict.fromkeys(names)
        if done.outcome is None:
            return found
        run = Run(done.outcome, "the run")
        for name in found:
            try:
                found[name] = value(self._study.measures[name], run)
            except ExpressionError as error:
                self._note(f"{name} has no value in some runs: {error}")
        return found

    def _note(self, text: str) -> None:
        if text not in self.ran.notes:
            self.ran.notes.append(text)


def command_of(job: Job) -> str:
    """What to type to do a run alone."""
    if Path(job.path).suffix or Path(job.path).exists():
        return job.command()
    # The name of a template.
    return f"cellrate new {shlex.quote(job.path)} | {job.command('-')}"


def one_line(text: str) -> str:
    """A message without its line breaks."""
    return " ".join(text.split())


def description(study: Study) -> Description:
    """What the data set of a study says of it."""
    asked = study.replications
    until = asked.until
    return Description(
        name=study.name,
        scenario=study.base.path,
        factors=tuple(_column(one) for one in study.factors),
        derived=tuple(_column(one) for one in study.derived),
        measures=tuple(MeasureColumn(*one) for one in study.measures.items()),
        level=asked.level,
        common_random_numbers=study.common_random_numbers,
        replications=asked.least
        if until is None
        else {
            "least": asked.least,
            "most": asked.most,
            "measure": until.measure,
            "half_width": until.half_width,
            "relative": until.relative,
        },
        traces=study.traces,
    )


def _column(one: Column) -> FactorColumn:
    return FactorColumn(one.name, one.path, one.kind, one.unit)
