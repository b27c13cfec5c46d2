"""Sources of cells that feed one line, which sends a cell in 1 ms."""

import json
from typing import Any

from cellrate import _core

LINE = 1000.0
"""Rate of the line in cells per second."""
PROPAGATION_SECONDS = 2e-6
ALARM = 1e-4
"""Stated false-alarm rate of a test of one queue, all its quantities together."""
FAULTS = {0.02: 1.0, -0.02: 1.0}
"""Relative errors of the time for a cell; each test of cells notices them with probability 1."""

# Access lines are so fast that they disturb no arrival process. Times are in ms.
SCENARIO = """
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


def summary_and_port(outcome: _core.Outcome) -> tuple[dict[str, Any], dict[str, Any]]:
    """The summary of a run, and from it the entry of the one port that has carried cells."""
    summary = json.loads(outcome.summary())
    (port,) = (port for port in summary["ports"] if port["queues"][0]["cells_arrived"])
    return summary, port
