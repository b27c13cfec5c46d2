"""Parquet files with a rate trace: read by the package, and played by a scenario."""

from __future__ import annotations

import tempfile
from pathlib import Path

from cellrate import ScenarioError, _core, parquet

SCENARIO = """
run = { duration = "1 s" }
[topology]
template = "single-switch"
link_rate = "20 Mbit/s"
access = "1 km"
bottleneck = "1 km"
[[flow]]
name = "trace"
service = "vbr"
source = { kind = "rate-trace", file = "trace.parquet" }
"""


def check(data: bytes) -> None:
    """The input is a file."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "trace.parquet")
        path.write_bytes(data)
        try:
            text = parquet.as_csv(path)
        except ValueError as error:
            assert str(error)
        else:
            assert text.count("\n") >= 1
        try:
            _core.check(SCENARIO, str(Path(name, "scenario.toml")), [], None)
        except ScenarioError as error:
            assert str(error)
