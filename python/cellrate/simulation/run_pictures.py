"""Pictures of one run: traces over time, the dashboard, and the phase portrait."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from cellrate import _core
from cellrate.simulation import phase_picture
from cellrate.simulation.figures import OF_ATM, time_traces
from cellrate.simulation.packets import is_over_ethernet
from cellrate.simulation.picture_context import Context, context_of, longest_queues
from cellrate.simulation.picture_options import PictureOptions
from cellrate.simulation.series import Series

if TYPE_CHECKING:
    from cellrate.simulation.api import Result

DASHBOARD = ("queue", "acr", "cwnd", "throughput", "utilisation")
# Share of the time shown over which each point of a throughput is a mean.
INTERVALS = 100


def asked(result: Result, options: PictureOptions) -> Iterator[tuple[str, Figure]]:
    """The pictures that `options` ask for, each with its file name without suffix.

    Raises:
        ValueError: The run has no traces for the pictures.
    """
    start, end = options.from_seconds, options.to_seconds
    if options.kind == "phase":
        yield "phase", phase(result, start, end)
        return
    if options.kind == "dashboard":
        traced = {series.kind for series in result.traces}
        # Throughput is computed from the trace `sequence`.
        traced |= {"throughput"} if "sequence" in traced else set()
        kinds = [one for kind in DASHBOARD for one in (kind, OF_ATM + kind) if one in traced]
        yield "dashboard", over_time(result, kinds, start, end)
        return
    if options.kind != "traces":
        wanted = options.kind, OF_ATM + options.kind
        traced = {series.kind for series in result.traces}
        kinds = [kind for kind in wanted if kind in traced] or [options.kind]
        yield options.kind, over_time(result, kinds, start, end)
        return
    yield "all", over_time(result, (), start, end)
    for kind in dict.fromkeys(series.kind for series in result.traces):
        yield kind, over_time(result, (kind,), start, end)


def over_time(
    result: Result, kinds: Sequence[str] = (), start: float = 0.0, end: float = math.inf
) -> Figure:
    """Draws traces over time; see `Result.plot`."""
    traces = result.traces
    if "throughput" in kinds:
        sequences = [series for series in traces if series.kind == "sequence"]
        traces = [*traces, *(throughput(series, start, end) for series in sequences)]
    return time_traces(traces, kinds, context=_context(result), start=start, end=end)


def phase(
    result: Result, start: float = 0.0, end: float = math.inf, flow: str | None = None
) -> Figure:
    """Draws the queue against the ACR; see `Result.plot_phase`."""
    seen = [series.between(start, end) for series in result.traces]
    # In a network with routers the ACRs are those of the ATM part.
    prefix = OF_ATM if any(series.kind == f"{OF_ATM}acr" for series in seen) else ""
    queues = [series for series in seen if series.kind == f"{prefix}queue" and len(series)]
    rates = [series for series in seen if series.kind == f"{prefix}acr" and len(series)]
    if flow is not None:
        rates = [series for series in rates if series.entity.split("/")[0] == flow]
    if not queues or not rates:
        lacking = "queue" if not queues else "acr" + (f" of {flow}" if flow else "")
        raise ValueError(f"the run has no trace of {lacking} in the time shown; set measure.traces")
    longest = max(queues, key=lambda series: float(series.maximum.max()))
    return phase_picture.draw(rates[0], longest, _context(result))


def _context(result: Result) -> Context:
    longest = longest_queues(result.summary)
    if is_over_ethernet(result.outcome):
        return Context(result.name, _window_begin(result.resolved), {}, longest)
    return context_of(result.network, result.name, longest)


def _window_begin(resolved: str) -> float:
    """Start of the measuring window in seconds."""
    import tomllib

    return _core.quantity(tomllib.loads(resolved)["measure"]["from"], "time")


def throughput(sequence: Series, start: float = 0.0, end: float = math.inf) -> Series:
    """Acknowledged bits per second, as means over equal intervals of the time shown.

    Args:
        sequence: Acknowledged bytes over time; between its points the number does not change.
        start: Start of the time shown, in seconds.
        end: End of the time shown, in seconds.
    """
    times = sequence.time[(sequence.time >= start) & (sequence.time <= end)]
    if len(times) < 2:
        empty = np.empty(0)
        return Series("throughput", sequence.entity, "bit/s", empty, empty, empty)
    edges = np.linspace(times[0], times[-1], min(INTERVALS, len(times) - 1) + 1)
    last = np.searchsorted(sequence.time, edges, side="right") - 1
    acknowledged = sequence.maximum[last]
    rates = 8.0 * np.diff(acknowledged) / np.diff(edges)
    return Series("throughput", sequence.entity, "bit/s", edges[1:], rates, rates)
