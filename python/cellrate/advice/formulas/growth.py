"""Detects queues that grow without end, from the sources' rates or from the trace of a run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cellrate.simulation.network import Link, Network, certain_cells_per_second
from cellrate.simulation.series import Series

# The mean of a queue is taken over three spans, each twice as long as the span before. The rise to
# the third mean is twice the rise to the second if the queue grows in proportion to time. The ratio
# is sqrt(2) for a random walk, and becomes smaller and smaller for a bounded queue. `GROWS` is the
# least ratio of a queue that grows without end.
GROWS = 1.5
# A larger ratio occurs only at the start, since no queue grows faster than in proportion to time
# for long.
STARTS = 3.0
# A queue has reached its bound if its slope in the last quarter is below this share of the slope in
# the last half.
STILL = 0.5
# Growth is suspected only if the mean rises by this factor in the last half of a run.
SUSPECT = 1.05
# Least number of points of a trace in which growth can be detected.
LEAST_POINTS = 32
# Factor by which a run is prolonged to observe a queue that may grow without end.
LONGER = 4


@dataclass(frozen=True, slots=True)
class Span:
    """Time span of a run, with the least, mean and greatest queue in it."""

    begin_seconds: float
    end_seconds: float
    least: float
    mean: float
    greatest: float


@dataclass(frozen=True, slots=True)
class Growth:
    """Growth of a queue in a trace, in the unit of the trace.

    Attributes:
        spans: The second eighth of the run, the second quarter, the second half.
        per_second: Slope of the least squares line through the second half.
        last_per_second: Slope of the least squares line through the last quarter.
    """

    spans: tuple[Span, Span, Span]
    per_second: float
    last_per_second: float

    @property
    def suspect(self) -> bool:
        """True if the queue still rises in the second half, so that a longer run is needed."""
        _, before, last = self.spans
        higher = last.mean > SUSPECT * before.mean
        return self.per_second > 0 and (higher or last.least > before.mean)

    @property
    def endless(self) -> bool:
        """True if the queue grows in proportion to time and does not become short again.

        There are three conditions. The mean rises from span to span, the second time by more than
        for a random walk. In the second half the queue is always above its mean in the quarter
        before. The queue still grows in the last quarter.
        """
        first, before, last = self.spans
        early, late = before.mean - first.mean, last.mean - before.mean
        return (
            early > 0
            and GROWS * early <= late <= STARTS * early
            and last.least > before.mean
            and self.last_per_second > STILL * self.per_second
        )


def growth_of(queue: Series) -> Growth:
    """Growth of a traced queue.

    Raises:
        ValueError: The trace has fewer than `LEAST_POINTS` points.
    """
    if len(queue) < LEAST_POINTS:
        raise ValueError(f"a trace of {len(queue)} points is too short to tell growth")
    end = float(queue.time[-1])
    spans = [_span(queue, end / 2**k, end / 2 ** (k - 1)) for k in (3, 2, 1)]
    slopes = _slope(queue, end / 2), _slope(queue, end * 3 / 4)
    return Growth((spans[0], spans[1], spans[2]), *slopes)


def _slope(queue: Series, begin: float) -> float:
    late = queue.time >= begin
    return float(np.polyfit(queue.time[late], queue.middle[late], 1)[0])


def _span(queue: Series, begin: float, end: float) -> Span:
    inside = (queue.time >= begin) & (queue.time <= end)
    return Span(
        begin_seconds=begin,
        end_seconds=end,
        least=float(queue.minimum[inside].min()),
        mean=float(queue.middle[inside].mean()),
        greatest=float(queue.maximum[inside].max()),
    )


@dataclass(frozen=True, slots=True)
class Excess:
    """A port to which sources without feedback send more than its link carries.

    Attributes:
        port: Name of the port.
        cells_per_second: Growth of its queue.
        loss_ratio: Least long-term share of lost cells at the port with any buffer.
    """

    port: str
    cells_per_second: float
    loss_ratio: float


def excess_under_any_control(network: Network) -> Excess | None:
    """The greatest excess of sources with rates of their own, which no control can change.

    None without such an excess, if sources change during the run, or if elastic flows have neither
    TCP nor ABR, whose load another control may reduce.
    """
    free = any(one.is_elastic and one.tcp is None and one.abr is None for one in network.flows)
    if network.changes or free:
        return None
    found = {port: certain_growth_cells_per_second(network, port) for port in network.ports}
    port = max(found, key=found.__getitem__)
    growth = found[port]
    if growth <= 0.0:
        return None
    return Excess(port.name, growth, growth / (growth + port.cells_per_second))


def certain_growth_cells_per_second(network: Network, port: Link) -> float:
    """Excess of a port's certain long-term arrival rate over its link rate; 0 without excess."""
    return max(0.0, certain_cells_per_second(network, port) - port.cells_per_second)
