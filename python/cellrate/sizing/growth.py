"""Whether a queue grows without end: what is certain before a run, and what a run shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cellrate.network import Link, Network, mean_cells_per_second
from cellrate.series import Series

# From one span to the next, twice as long, the mean of a queue that grows in proportion to time
# doubles, that of a random walk grows by sqrt(2), and that of a bounded queue tends to stay.
GROWS = 1.5
# More than this is a start: nothing can grow faster than in proportion to time for long.
STARTS = 3.0
# A mean that rises by less than this in the last half of a run is no reason to look further.
SUSPECT = 1.05
# How much longer a run is made to look at a queue that may grow without end.
LONGER = 4


@dataclass(frozen=True, slots=True)
class Span:
    """A queue during part of a run."""

    begin_seconds: float
    end_seconds: float
    least_cells: float
    mean_cells: float
    greatest_cells: float


@dataclass(frozen=True, slots=True)
class Growth:
    """What a trace says of a queue's growth.

    Attributes:
        spans: The second eighth of the run, the second quarter, the second half.
        cells_per_second: Slope of the least squares line through the second half.
    """

    spans: tuple[Span, Span, Span]
    cells_per_second: float

    @property
    def suspect(self) -> bool:
        """Whether a longer run should tell: the mean still rises in the second half."""
        _, before, last = self.spans
        return last.mean_cells > SUSPECT * before.mean_cells and self.cells_per_second > 0

    @property
    def endless(self) -> bool:
        """Whether the queue grows in proportion to time and never comes back.

        Its mean grows from span to span by more than a random walk's would, twice in a row, and
        during the second half it is never as short as it was on average in the quarter before.
        """
        first, before, last = self.spans
        return (
            GROWS * before.mean_cells <= last.mean_cells <= STARTS * before.mean_cells
            and before.mean_cells >= GROWS * first.mean_cells
            and last.least_cells > before.mean_cells
        )


def growth_of(queue: Series) -> Growth:
    """Growth of a traced queue.

    Raises:
        ValueError: The trace has fewer than 32 points.
    """
    if len(queue) < 32:
        raise ValueError(f"a trace of {len(queue)} points is too short to tell growth")
    end = float(queue.time[-1])
    spans = [_span(queue, end / 2**k, end / 2 ** (k - 1)) for k in (3, 2, 1)]
    late = queue.time >= end / 2
    slope = np.polyfit(queue.time[late], queue.middle[late], 1)[0]
    return Growth((spans[0], spans[1], spans[2]), float(slope))


def _span(queue: Series, begin: float, end: float) -> Span:
    inside = (queue.time >= begin) & (queue.time <= end)
    return Span(
        begin_seconds=begin,
        end_seconds=end,
        least_cells=float(queue.minimum[inside].min()),
        mean_cells=float(queue.middle[inside].mean()),
        greatest_cells=float(queue.maximum[inside].max()),
    )


def certain_growth_cells_per_second(network: Network, port: Link) -> float:
    """By how much cells come to a port faster than they leave, however long it runs; 0 if not.

    Counts what nothing holds back: the mean rates of sources that send by themselves, and
    sources without TCP and ABR that send as much as their link takes.
    """
    comes = 0.0
    for flow in network.flows_over(port):
        mean = mean_cells_per_second(flow)
        if mean is not None:
            comes += mean
        elif flow.tcp is None and flow.abr is None:
            comes += min(hop.cells_per_second for hop in flow.forward[: flow.forward.index(port)])
    return max(0.0, comes - port.cells_per_second)
