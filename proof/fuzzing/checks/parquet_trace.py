"""Parquet files with a rate trace: read by the package, and played by a scenario."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from cellrate import ScenarioError, _core
from cellrate.common import parquet

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
source = { kind = "rate-trace", file = "trace.csv" }
"""
Reader = Callable[[Path], str]


def check(data: bytes, read: Reader = parquet.as_csv) -> None:
    """The input is a file, which polars may end a process over.

    Args:
        data: Its bytes.
        read: Makes a CSV table of it.
    """
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "trace.parquet")
        path.write_bytes(data)
        try:
            text = read(path)
        except ValueError as error:
            assert str(error)
            return
        assert text.count("\n") >= 1
        path.with_suffix(".csv").write_text(text, encoding="utf-8", newline="")
        try:
            _core.Scenario(SCENARIO, str(Path(name, "scenario.toml")))
        except ScenarioError as error:
            assert str(error)
