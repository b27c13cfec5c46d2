"""Settling time of the bottleneck: the time until its utilisation stays near its last mean."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from cellrate import _core
from cellrate.simulation.network import Network
from cellrate.simulation.series import series_of

SAMPLES = 200
"""Number of equal parts of the run whose utilisation is compared."""
BAND = 0.1
"""Half the width of the band round the final mean, as a share of it."""
TRACED = "utilisation"


def traced(network: Network) -> tuple[str, ...]:
    """Settings of a scenario that record what the settling time needs, and no other trace."""
    sample = max(1, round(network.duration_seconds * 1e12 / SAMPLES))
    return (f'measure.traces=["{TRACED}"]', f'measure.sample="{sample} ps"')


def settling_seconds(
    outcome: _core.Outcome, summary: Mapping[str, Any], ports: Collection[str]
) -> float | None:
    """Time from the last start of a flow until the utilisation of a run's bottlenecks has settled.

    The utilisation has settled when it stays within a tenth of its mean over the last fifth of the
    time. Of several ports the slowest one counts.

    Args:
        outcome: The run.
        summary: Its summary.
        ports: Names of the bottleneck ports.

    Returns:
        Seconds; infinite if it does not settle; None if the run has no such trace.
    """
    series = [one for one in series_of(outcome) if one.kind == TRACED and one.entity in ports]
    if not series:
        return None
    end = summary["simulated_seconds"]
    starts = (flow["start_seconds"] for flow in summary["flows"])
    start = max((one for one in starts if one < end), default=0.0)
    return max(one.settling_time(BAND, start) for one in series)
