"""Records every cell on every link during a short span of a run."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from cellrate import _core
from cellrate.common.problems import choose
from cellrate.simulation.network import Flow, Network

ROUND_TRIPS, CELLS = 2.1, 500
"""Span by default: the longer of these round trips, and of cells of the flow's slowest link."""
MOST = 20_000
"""Greatest number of passages that are recorded; a picture of more would be black."""


@dataclass(frozen=True)
class Passages:
    """Passages of cells over links.

    Attributes:
        frame: A row for each cell on each link: `link`, `vc`, `kind` (data, frm or brm), `cell`
            (number among the data cells of the channel, modulo 2^20; null for an RM cell),
            `left_seconds` (its last bit leaves the sender) and `arrived_seconds`.
        start_seconds: Start of the span.
        end_seconds: End of the span.
        omitted: Number of passages that are not in the frame.
    """

    frame: pl.DataFrame
    start_seconds: float
    end_seconds: float
    omitted: int


def flow_named(network: Network, name: str | None) -> Flow:
    """The flow with a name; the first flow without one.

    Raises:
        BadInput: There is no such flow.
    """
    names = [flow.name for flow in network.flows]
    return network.flows[0 if name is None else names.index(choose(name, names, "flow"))]


def usual_end(flow: Flow, start_seconds: float) -> float:
    """End of a span in which cells of a flow pass its whole path, and RM cells come back.

    Args:
        flow: A flow.
        start_seconds: Start of the span.
    """
    round_trip = sum(link.delay_seconds for link in (*flow.forward, *flow.backward))
    slowest = min(link.cells_per_second for link in flow.forward)
    return start_seconds + max(ROUND_TRIPS * round_trip, CELLS / slowest)


def passages(scenario: _core.Scenario, span: tuple[float, float], most: int = MOST) -> Passages:
    """Simulates a scenario up to the end of a span, and records the cells on links within it.

    The plain engine does this; it takes several times as long as the fast engine, and agrees with
    it in every cell.

    Args:
        scenario: The scenario.
        span: Start and end, in seconds.
        most: Greatest number of passages to record.

    Raises:
        ValueError: The span is not valid.
    """
    found = scenario.passages(*span, most)
    columns = {name: found[name] for name in SCHEMA}  # type: ignore[literal-required]
    return Passages(pl.DataFrame(columns, schema=SCHEMA), *span, found["omitted"])


SCHEMA = {
    "link": pl.String(),
    "vc": pl.String(),
    "kind": pl.String(),
    "cell": pl.Int64(),
    "left_seconds": pl.Float64(),
    "arrived_seconds": pl.Float64(),
}
