"""Sources of cells before one line that sends a cell in 1 ms."""

from __future__ import annotations

import json
from typing import Any

from cellrate import _core

LINE = 1000.0
"""Cells per second."""
PROPAGATION_SECONDS = 2e-6
ALARM = 1e-4
"""Stated false-alarm rate of a test of one queue, all its quantities together."""
FAULTS = {0.02: 1.0, -0.02: 1.0}
"""Times for a cell that are wrong by these shares are noticed in every test of cells."""

# Access lines are so fast that they disturb no arrival process.
_SCENARIO = """
[run]
duration = "{end} ms"
start_jitter = "{jitter} ms"
[measure]
from = "{begin} ms"
traces = ["queue"]
sample = "{sample} ms"
trace_points = 1000000
cell_delay = true
[topology]
template = "single-switch"
link_rate = "10000 Gbit/s"
bottleneck_rate = "{line} cells/s"
access = "1 us"
bottleneck = "1 us"
[[flow]]
name = "cells"
count = {sources}
service = "cbr"
source = {{ {source} }}
"""


def before_the_line(
    source: str,
    *,
    fault: float,
    sources: int,
    begin: float,
    end: float,
    sample: float,
    jitter: float = 0,
) -> str:
    """A scenario of sources before the line.

    Args:
        source: The table of one source.
        fault: By how much too long the line takes for a cell, as a share.
        sources: How many.
        begin: Where measuring begins, in ms.
        end: Where the run ends, in ms.
        sample: Distance of the samples of the queue, in ms.
        jitter: Starts are uniform over this time, in ms.
    """
    return _SCENARIO.format(
        source=source,
        sources=sources,
        line=LINE / (1 + fault),
        begin=begin,
        end=end,
        sample=sample,
        jitter=jitter,
    )


def summary_and_port(outcome: _core.Outcome) -> tuple[dict[str, Any], dict[str, Any]]:
    """The summary, and in it the one port that has carried cells."""
    summary = json.loads(outcome.summary())
    (port,) = (port for port in summary["ports"] if port["queues"][0]["cells_arrived"])
    return summary, port
