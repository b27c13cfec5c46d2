"""Result of buffer sizing: the measured buffer, its confidence, and the formulas."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING

from cellrate.advice.formulas import FormulaAnswer
from cellrate.advice.sizing.confidence import covered_share, normal_tolerance, upper_mean
from cellrate.advice.sizing.endless import EndlessGrowth
from cellrate.advice.sizing.question import PortRun, Question
from cellrate.advice.sizing.search import LeastBuffer
from cellrate.common.document import Shown
from cellrate.common.numbers import counted
from cellrate.simulation.network import Link
from cellrate.simulation.series import Series

if TYPE_CHECKING:
    from cellrate.common.document import Document


@dataclass(frozen=True)
class Smaller:
    """Runs with a buffer below the one that a search for a loss ratio found.

    Attributes:
        cells: The buffer.
        mean_loss_ratio: Mean cell loss ratio of the port.
        upper_loss_ratio: One-sided 95 % upper bound of this mean; None with one run.
        tcp_bits_per_second: Mean throughput of all TCP flows.
        holds: True if the buffer meets the target.
    """

    cells: int
    mean_loss_ratio: float
    upper_loss_ratio: float | None
    tcp_bits_per_second: float
    holds: bool


@dataclass(frozen=True)
class Answer(Shown):
    """Result of sizing the buffer of a port.

    Attributes:
        question: Scenario, port, target and seeds.
        port: The port whose buffer is sized.
        formulas: Results of the formulas.
        buffer_cells: The buffer; None if no buffer meets the target.
        endless: Growth of the queue, if it grows without end; else None.
        each_cells: Least lossless buffer of each seed, in the order of the seeds; empty for a loss
            or delay target.
        runs: The runs with the buffer, or the runs without a limit if these give the exact buffer.
        unlimited: The runs without a limit on buffers.
        searched: Result of the bisection, if the target is a loss ratio.
        smaller: Buffers below `buffer_cells` that were tried because sources that lose cells send
            less: they may meet a loss ratio at a low throughput.
        longest_queues_cells: Longest queue over all seeds at every port, without a limit.
        random: True if the seeds make runs differ.
        queue: Trace of the longest queue; of the longer run if one was made.
        remarks: Further remarks for the user.
        refused_less: Under credit control, the reason why the scenario does not allow a buffer that
            is smaller by one cell.
    """

    question: Question
    port: Link
    formulas: tuple[FormulaAnswer, ...]
    buffer_cells: int | None = None
    endless: EndlessGrowth | None = None
    each_cells: tuple[int, ...] = ()
    runs: tuple[PortRun, ...] = ()
    unlimited: tuple[PortRun, ...] = ()
    searched: LeastBuffer | None = None
    smaller: tuple[Smaller, ...] = ()
    longest_queues_cells: dict[str, int] = field(default_factory=dict)
    random: bool = True
    queue: Series | None = None
    remarks: tuple[str, ...] = ()
    refused_less: str | None = None

    def __repr__(self) -> str:
        found = "no buffer" if self.buffer_cells is None else counted(self.buffer_cells, "cell")
        return f"<buffer of {self.port.name} in {self.question.path}: {found}>"

    def document(self) -> Document:
        """The buffer, its confidence and the formulas as a document."""
        from cellrate.advice.sizing.report import report

        return report(self)

    @property
    def covered_share(self) -> float | None:
        """Share of all possible runs for which the buffer is enough, with 95 % confidence."""
        return covered_share(len(self.each_cells)) if self.random and self.each_cells else None

    @property
    def normal_tolerance_cells(self) -> float | None:
        """Buffer for 99 % of all runs, with 95 % confidence, if queues are normally distributed."""
        return normal_tolerance(self.each_cells) if self.random else None

    @property
    def tcp_bits_per_second(self) -> float:
        """Mean throughput of all TCP flows in the runs with the buffer."""
        return fmean(run.tcp_bits_per_second for run in self.runs)

    @property
    def mean_loss_ratio(self) -> float | None:
        """Mean loss ratio of the runs with the buffer."""
        return fmean(run.loss_ratio for run in self.runs) if self.runs else None

    @property
    def upper_loss_ratio(self) -> float | None:
        """One-sided 95 % upper bound of the mean loss ratio."""
        return upper_mean([run.loss_ratio for run in self.runs]) if self.random else None
