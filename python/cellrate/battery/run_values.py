"""Takes the measures of a run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from statistics import fmean
from typing import Any

import numpy as np
import numpy.typing as npt

from cellrate import _core
from cellrate.battery.fair_load import FairLoad
from cellrate.battery.measures import MEASURES
from cellrate.simulation.dynamics import Sampled, settling_time
from cellrate.simulation.series import Series, series_of

Values = Mapping[str, float | None]
"""The value of each measure; None where the experiment has no such value."""

STEP = 2
"""Samples of a step in which rates are looked at."""
MOST_SAMPLES = 2_000
TRACED = (
    'measure.traces=["utilisation"]',
    # Not in step with schemes and marks whose intervals are a millisecond or parts of it.
    'measure.sample="4850 us"',
    f"measure.trace_points={MOST_SAMPLES}",
    "measure.events=[]",
)
"""Settings of a run that record what the measures need, and nothing else."""
BAND = 0.1
"""Distance from the final distance from max-min that counts as settled."""
DIGITS = 6
"""Significant digits of a value; what lies beyond is no difference."""


def measured(outcome: _core.Outcome, load: FairLoad) -> Values:
    """The measures of a run.

    Args:
        outcome: The run, recorded with `TRACED`.
        load: Its experiment.
    """
    summary = json.loads(outcome.summary())
    rates = Rates.of(outcome, load, summary)
    values: dict[str, float | None] = {
        "utilisation": fmean(
            port["utilisation"] for port in summary["ports"] if port["name"] in load.bottlenecks
        ),
        "max_min_distance": _distance(summary, load),
        "settling_seconds": rates.settling(load),
        "loss_ratio": summary["totals"]["data_cell_loss_ratio"],
        "rate_variation": rates.variation(load),
        **_queues(summary),
    }
    return {one.name: _rounded(values[one.name]) for one in MEASURES}


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{DIGITS}g}")


def _distance(summary: Mapping[str, Any], load: FairLoad) -> float | None:
    """Mean of |x - m| / m over the greedy flows; None without such flows."""
    if not load.data:
        return None
    delivered = {flow["name"]: flow["delivered_bytes"] for flow in summary["flows"]}
    window = summary["window_seconds"]
    return fmean(
        abs(delivered[name] * load.cells_per_byte[name] / window - fair) / fair
        for name, fair in load.data.items()
    )


def _queues(summary: Mapping[str, Any]) -> dict[str, float | None]:
    """Lengths of the longest queue that holds ABR or UBR; 0 if no cell ever waits in any."""
    queues = [
        queue
        for port in summary["ports"]
        for queue in port["queues"]
        if {"abr", "ubr"} & set(queue["classes"])
    ]

    def most(*keys: str) -> float:
        return max((float(queue[key] or 0.0) for queue in queues for key in keys), default=0.0)

    return {
        "queue_mean_cells": most("queue_mean_cells"),
        "queue_p99_cells": most("queue_p99_cells"),
        "queue_max_cells": most("queue_max_cells", "queue_max_before_window_cells"),
    }


class Rates:
    """Rates at which cells arrive at destinations, in steps.

    Attributes:
        times: End of each step in seconds.
        cells_per_second: Rate over each last link, by its name.
    """

    def __init__(
        self, times: npt.NDArray[np.float64], rates: dict[str, npt.NDArray[np.float64]]
    ) -> None:
        self.times = times
        self.cells_per_second = rates

    @classmethod
    def of(cls, outcome: _core.Outcome, load: FairLoad, summary: Mapping[str, Any]) -> Rates:
        """The rates of a run; `summary` is its summary."""
        lines = {port["name"]: port["rate_bits_per_second"] / 424 for port in summary["ports"]}
        found: dict[str, npt.NDArray[np.float64]] = {}
        times = np.empty(0)
        for series in series_of(outcome):
            if series.kind == "utilisation" and series.entity in load.arriving:
                times, shares = _steps(series)
                found[series.entity] = shares * lines[series.entity]
        return cls(times, found)

    def settling(self, load: FairLoad) -> float | None:
        """Time until the distance from max-min has settled; infinite if it does not."""
        start = load.settles_from_seconds
        if start is None:
            return None
        gaps = [
            np.abs(self.cells_per_second[name] - fair) / fair
            for name, fair in load.arriving.items()
        ]
        # The band is absolute: round 1, where a tenth is a tenth.
        distance = 1.0 + _from_final(np.mean(gaps, axis=0), self.times, start)
        return settling_time(Sampled(self.times, distance, distance), BAND, start)

    def variation(self, load: FairLoad) -> float | None:
        """Standard deviation over mean of the rates in their steady part, mean over them.

        None if there is no steady part, or nothing arrives anywhere.
        """
        begin = load.steady_from_seconds
        if begin is None:
            return None
        inside = self.times > begin
        found = []
        for rates in self.cells_per_second.values():
            mean = float(rates[inside].mean())
            if mean > 0.0:
                found.append(float(rates[inside].std()) / mean)
        return fmean(found) if found else None


def _from_final(
    values: npt.NDArray[np.float64], times: npt.NDArray[np.float64], start: float
) -> npt.NDArray[np.float64]:
    """Values less their mean over the last fifth of the time from `start` on."""
    last = times[-1] - 0.2 * (times[-1] - start)
    return values - float(values[times >= last].mean())


def _steps(
    series: Series,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Ends of the steps, and the means of the samples in each."""
    whole = len(series.time) // STEP * STEP
    middle = series.middle[:whole].reshape(-1, STEP)
    return series.time[:whole].reshape(-1, STEP)[:, -1], middle.mean(axis=1)
