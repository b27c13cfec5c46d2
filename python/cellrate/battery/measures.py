"""Measures by which the battery judges a run, and the differences in them that matter."""

from __future__ import annotations

from dataclasses import dataclass

from cellrate.language.measured import Better


@dataclass(frozen=True)
class Measure:
    """A measure of a run.

    Attributes:
        name: Its name, which is also the column of tables; the unit is in it.
        title: Its name in reports.
        unit: Its unit in reports; empty for shares.
        better: The better end.
        apart: Differences up to this do not matter, in the unit of the measure.
        ratio: Nor do differences up to this share of the smaller value.
        about: Definition.
        judged: True if schemes are compared by it; others are shown beside it, because they say
            much the same.
    """

    name: str
    title: str
    unit: str
    better: Better
    apart: float
    ratio: float
    about: str
    judged: bool = True

    def matters(self, first: float, second: float) -> bool:
        """True if two values differ by more than what does not matter."""
        near = max(self.apart, self.ratio * min(abs(first), abs(second)))
        return abs(first - second) > near


MEASURES = (
    Measure(
        "utilisation",
        "utilisation",
        "",
        "more",
        0.01,
        0.0,
        "cells that the bottlenecks carry / cells that they could carry, mean over the bottlenecks "
        "of the max-min solution",
    ),
    Measure(
        "max_min_distance",
        "distance from max-min",
        "",
        "less",
        0.02,
        0.0,
        "mean over the flows of |x - m| / m, where x is the data that the flow delivers, and m its "
        "max-min fair rate (Bertsekas and Gallager, section 6.5.2) without RM cells",
    ),
    Measure(
        "settling_seconds",
        "settling time",
        "s",
        "less",
        0.02,
        0.25,
        "time from the last start or change until the distance of the delivered rates from "
        "max-min, in steps of 9.7 ms, stays within 0.1 of its final mean",
    ),
    Measure(
        "queue_mean_cells",
        "mean queue",
        "cells",
        "less",
        10.0,
        0.25,
        "mean length of the longest queue of a switch port that holds ABR or UBR",
        judged=False,
    ),
    Measure(
        "queue_p99_cells",
        "queue, 99 %",
        "cells",
        "less",
        10.0,
        0.25,
        "99th percentile of the length of that queue, sampled every 4.85 ms",
    ),
    Measure(
        "queue_max_cells",
        "longest queue",
        "cells",
        "less",
        10.0,
        0.25,
        "greatest length of such a queue from the start of the run on",
        judged=False,
    ),
    Measure(
        "loss_ratio",
        "loss",
        "",
        "less",
        1e-4,
        0.25,
        "cells of ABR and UBR dropped at switches / cells sent, in the measuring window",
    ),
    Measure(
        "rate_variation",
        "oscillation",
        "",
        "less",
        0.02,
        0.25,
        "standard deviation / mean of the rate that reaches a destination while nothing but the "
        "control moves it, in steps of 9.7 ms, mean over the destinations",
    ),
)

BY_NAME = {one.name: one for one in MEASURES}
JUDGED = tuple(one for one in MEASURES if one.judged)
