"""Runs all replications of a study and writes its data set."""

from __future__ import annotations

import shlex
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from cellrate.common.estimates import half_width
from cellrate.language.expressions import ExpressionError
from cellrate.language.of_a_run import value
from cellrate.language.runs import run_in_expressions
from cellrate.simulation.api import Result
from cellrate.simulation.runner import Done, Job
from cellrate.simulation.series import series_of
from cellrate.studies.dataset import Description, MeasureColumn, RunRow, Writer
from cellrate.studies.study.definition import Point, Replications, StoppingRule, Study
from cellrate.studies.study.file import traced
from cellrate.studies.study.output_analysis import longest, replications_needed, wanted

Executor = Callable[[Iterable[Job]], Generator[Done]]
"""Runs jobs and yields the result of each job in their order, as `run_each` does."""

Notice = Callable[[str], None]
"""Called with messages for the user while a study runs."""


@dataclass
class StudySummary:
    """Summary of a study that has run.

    Attributes:
        directory: Directory of the data set.
        runs: Number of runs in the data set.
        simulated: Number of runs that were simulated.
        known: Number of runs whose results were already stored.
        failed: Commands of the runs that failed.
        notes: Notes to read before the results are used.
        seconds: Processor time, over all cores, of the runs that were simulated.
    """

    directory: Path
    runs: int = 0
    simulated: int = 0
    known: int = 0
    failed: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0


class Running:
    """Runs a study; `notice` gets a message for every failure."""

    def __init__(self, study: Study, executor: Executor, directory: Path, notice: Notice) -> None:
        self._study = study
        self._executor = executor
        self._notice = notice
        self._starts: dict[int, tuple[str, ...]] = {}
        self._counted: set[str] = set()
        self.ran = StudySummary(directory, notes=list(study.notes))

    def run(self) -> StudySummary:
        """Runs the study and writes its data set.

        Raises:
            OSError: A file cannot be written.
            KeyboardInterrupt: Ctrl-C was pressed; finished runs are kept.
        """
        # The writer comes first, so that a directory that cannot be written fails before any run.
        with Writer(self.ran.directory, description(self._study)) as writer:
            if self._study.warm_up is not None:
                self._find_starts(self._study.warm_up)
            with closing(self._results(self._tasks(self._counts()))) as results:
                for point, replication, done in results:
                    result = None if done.outcome is None else Result(done.outcome)
                    writer.add(self._row(point, replication, done, result), result)
                    self.ran.runs += 1
        return self.ran

    def job(self, point: Point, replication: int) -> Job:
        """The job of a run, with the start of the measuring window that a warm-up rule found."""
        return self._study.job(point, replication, self._starts.get(point.index, ()))

    def _tasks(self, counts: Sequence[int]) -> Iterator[tuple[Point, int]]:
        for point, count in zip(self._study.points, counts, strict=True):
            for replication in range(count):
                yield point, replication

    def _results(self, tasks: Iterable[tuple[Point, int]]) -> Generator[tuple[Point, int, Done]]:
        """Yields the result of each task, in their order; closing it stops the active runs."""
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
        """Counts a run, but only once."""
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
        """Finds the end of the warm-up of every point from its first replication."""
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
                self._note(f"point {point.index}: no warm-up found in the {trace} trace: {error}")
                continue
            self._starts[point.index] = (f"measure.from={cut.seconds * 1e12:.0f} ps",)
            if cut.reached_half:
                self._note(f"point {point.index}: the {trace} has not settled by half of the run")

    def _counts(self) -> list[int]:
        """Number of runs of each point; makes runs if a stopping rule decides this number."""
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
            for point, _, ended in self._results(tasks):
                result = None if ended.outcome is None else Result(ended.outcome)
                [found] = self._measured([name], ended, result).values()
                if found is not None:
                    values[point.index].append(found)
            done = list(counts)
            for at, known in enumerate(values):
                if known:
                    # Runs that failed or have no value are replaced by further runs.
                    missing = done[at] - len(known)
                    needed = replications_needed(known, asked) + missing
                    counts[at] = min(max(counts[at], needed), asked.most)
        self._note_unknown(values, asked, asked.until)
        return counts

    def _note_unknown(
        self, values: Sequence[Sequence[float]], asked: Replications, until: StoppingRule
    ) -> None:
        short = [
            at
            for at, found in enumerate(values)
            if not found or half_width(found, asked.level) > wanted(found, until)
        ]
        if short:
            listed = ", ".join(map(str, short[:5])) + (", ..." if len(short) > 5 else "")
            self._note(
                f"the interval of {until.measure} is too wide at {len(short)} points after at most "
                f"{asked.most} runs: {listed}"
            )

    def _row(self, point: Point, replication: int, done: Done, result: Result | None) -> RunRow:
        return RunRow(
            point=point.index,
            replication=replication,
            seed=self._study.seed(point.index, replication),
            key=done.key,
            command=command_of(done.job),
            values=dict(point.values),
            measures=self._measured(self._study.measures, done, result),
            error=None if done.outcome is not None else one_line(done.error),
        )

    def _measured(
        self, names: Iterable[str], done: Done, result: Result | None
    ) -> dict[str, float | None]:
        """Values of some measures; None where the run has no value."""
        found: dict[str, float | None] = dict.fromkeys(names)
        if result is None:
            return found
        run = run_in_expressions(result.summary, result.outcome, "the run", done.scenario)
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
    """Shell command that repeats a single run."""
    if Path(job.path).suffix or Path(job.path).exists():
        return job.command()
    # The path may be the name of a template.
    return f"cellrate new {shlex.quote(job.path)} | {job.command('-')}"


def one_line(text: str) -> str:
    """A message without its line breaks."""
    return " ".join(text.split())


def description(study: Study) -> Description:
    """Description of a study for its data set."""
    asked = study.replications
    until = asked.until
    return Description(
        name=study.name,
        scenario=study.base.path,
        factors=study.factors,
        derived=study.derived,
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
        link_layer=study.link_layer,
        file=study.path,
        settings=study.settings,
    )
