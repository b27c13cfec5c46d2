"""Records every cell or frame on every link during a short span of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, overload

import polars as pl

from cellrate import _core
from cellrate.common.problems import choose
from cellrate.simulation.network import Flow, Network
from cellrate.simulation.network.ethernet_view import FrameFlow, FrameNetwork

ROUND_TRIPS, CELLS, FRAMES = 2.1, 500, 60
"""Length of the default span: round trips, or cells (full frames) on the flow's slowest link.

The longer of the two times is taken."""
MOST = 20_000
"""Greatest number of passages that are recorded; a picture of more passages would be black."""


@dataclass(frozen=True)
class Passages:
    """Passages of cells or frames over links.

    Attributes:
        frame: A row for each cell on each link: `link`, `vc`, `kind` (data, frm or brm), `cell`
            (number among the data cells of the channel, modulo 2^20; null for an RM cell),
            `left_seconds` (its last bit leaves the sender) and `arrived_seconds`. Over Ethernet a
            row for each frame on each link: `link`, `vc` (empty for a pause), `kind` (data; ack, a
            segment without data; record, a frame with rates; credit; pause), `packet` (number among
            those of the channel in this span, the same at each link), `octets` (from header to
            frame check sequence), `marked`, `began_seconds` (its first bit leaves the sender),
            `left_seconds`, `arrived_seconds` and `dropped` (true for a frame dropped before the
            link; all three times are then the time of the drop).
        start_seconds: Start of the span.
        end_seconds: End of the span.
        beyond_seconds: Time of the first passage that is not in the frame; None if all are in it.
    """

    frame: pl.DataFrame
    start_seconds: float
    end_seconds: float
    beyond_seconds: float | None


@overload
def flow_named(network: Network, name: str | None) -> Flow: ...
@overload
def flow_named(network: FrameNetwork, name: str | None) -> FrameFlow: ...
def flow_named(network: Network | FrameNetwork, name: str | None) -> Flow | FrameFlow:
    """The flow called `name`, or the first flow if `name` is None.

    Raises:
        BadInput: There is no such flow.
    """
    names = [flow.name for flow in network.flows]
    return network.flows[0 if name is None else names.index(choose(name, names, "flow"))]


def usual_end(
    network: Network | FrameNetwork, flow: Flow | FrameFlow, start_seconds: float
) -> float:
    """End of a span in which a flow's cells or frames reach the destination and replies return.

    Args:
        network: The network, whose run may end earlier.
        flow: A flow of the network.
        start_seconds: Start of the span.
    """
    if isinstance(flow, FrameFlow):
        round_trip = flow.least_round_trip_seconds
        few = FRAMES * max(line.seconds(flow.line_bytes) for line in flow.slowest)
    else:
        round_trip = sum(link.delay_seconds for link in (*flow.forward, *flow.backward))
        few = CELLS / min(link.cells_per_second for link in flow.forward)
    return min(start_seconds + max(ROUND_TRIPS * round_trip, few), network.duration_seconds)


def passages(
    scenario: _core.Scenario,
    span: tuple[float, float],
    most: int = MOST,
    progress: Callable[[float, float], None] | None = None,
) -> Passages:
    """Simulates a scenario up to the end of a span, and records what is on links within it.

    Cells are recorded by the plain engine, which handles one event at a time. This takes several
    times as long as a run in the fast engine, and both engines agree in every cell.

    Args:
        scenario: The scenario.
        span: Start and end, in seconds.
        most: Greatest number of passages to record; the run ends where there are more.
        progress: Called with the simulated time and the end of the span, in seconds.

    Raises:
        ValueError: The span is not valid.
    """
    found: Mapping[str, Any] = scenario.passages(*span, most, progress)
    schema = FRAME_SCHEMA if scenario.link_layer == "ethernet" else SCHEMA
    columns = {name: found[name] for name in schema}
    return Passages(pl.DataFrame(columns, schema=schema), *span, found["beyond_seconds"])


SCHEMA = {
    "link": pl.String(),
    "vc": pl.String(),
    "kind": pl.String(),
    "cell": pl.Int64(),
    "left_seconds": pl.Float64(),
    "arrived_seconds": pl.Float64(),
}
FRAME_SCHEMA = {
    "link": pl.String(),
    "vc": pl.String(),
    "kind": pl.String(),
    "packet": pl.Int64(),
    "octets": pl.Int64(),
    "marked": pl.Boolean(),
    "began_seconds": pl.Float64(),
    "left_seconds": pl.Float64(),
    "arrived_seconds": pl.Float64(),
    "dropped": pl.Boolean(),
}
