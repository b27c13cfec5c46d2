"""The answer to how much buffer a port needs: measured, bounded, beside the formulas."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import fmean

from cellrate.network import Link
from cellrate.series import Series
from cellrate.sizing.confidence import covered_share, normal_tolerance, upper_mean
from cellrate.sizing.formulas import FormulaAnswer
from cellrate.sizing.growth import Growth
from cellrate.sizing.measuring import PortRun
from cellrate.sizing.question import Question
from cellrate.sizing.search import Least


@dataclass(frozen=True)
class Endless:
    """A queue that grows without end.

    Attributes:
        cells_per_second: How fast.
        seen: The growth in the run that showed it; None if it is certain before any run.
        bound_cells: Sum of the TCP windows, where they bound it; None if nothing does.
        least_loss_ratio: Share of the cells that any buffer loses for ever, if certain.
    """

    cells_per_second: float
    seen: Growth | None
    bound_cells: float | None = None
    least_loss_ratio: float | None = None


@dataclass(frozen=True)
class Answer:
    """How much buffer a port needs.

    Attributes:
        question: What was asked.
        port: The port.
        formulas: What formulas say.
        buffer_cells: The buffer; None if there is none.
        endless: Set if the queue grows without end.
        each_cells: Least buffer of each seed, in their order, where that is what was looked for.
        runs: The runs with the buffer or, if it is exact, without limit.
        unlimited: The runs without limit.
        searched: How a loss target was met.
        longest_queues_cells: Longest queue of all seeds at every port, without limit.
        random: Whether the seeds make runs differ.
        queue: Trace of the longest queue; of the longer run if one was made.
        remarks: What to know besides.
    """

    question: Question
    port: Link
    formulas: tuple[FormulaAnswer, ...]
    buffer_cells: int | None = None
    endless: Endless | None = None
    each_cells: tuple[int, ...] = ()
    runs: tuple[PortRun, ...] = ()
    unlimited: tuple[PortRun, ...] = ()
    searched: Least | None = None
    longest_queues_cells: dict[str, int] = field(default_factory=dict)
    random: bool = True
    queue: Series | None = None
    remarks: tuple[str, ...] = ()

    @property
    def covered_share(self) -> float | None:
        """Share of all runs that the largest of the seeds covers with 95 % confidence."""
        return covered_share(len(self.each_cells)) if self.random and self.each_cells else None

    @property
    def normal_tolerance_cells(self) -> float | None:
        """What covers 99 % of all runs with 95 % confidence if queues are normally distributed."""
        return normal_tolerance(self.each_cells) if self.random else None

    @property
    def mean_loss_ratio(self) -> float | None:
        """Mean loss ratio of the runs with the buffer."""
        return fmean(run.loss_ratio for run in self.runs) if self.runs else None

    @property
    def upper_loss_ratio(self) -> float | None:
        """One-sided 95 % bound of that mean."""
        return upper_mean([run.loss_ratio for run in self.runs]) if self.random else None
