"""Data sets whose files anything may have happened to."""

from __future__ import annotations

import tempfile
from pathlib import Path

from cellrate.common.problems import BadInput
from cellrate.studies.dataset import DataSet, columns

DESCRIBED, TABLE = 0, 1


def check(data: bytes) -> None:
    """The input is, by its first byte, the description of a data set or its table of runs."""
    kind, content = data[:1], data[1:]
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        if kind and kind[0] % 2 == TABLE:
            (directory / "study.json").write_text(SOUND, encoding="utf-8")
            (directory / "runs.parquet").write_bytes(content)
        else:
            (directory / "study.json").write_bytes(content)
        try:
            found = DataSet(directory)
            assert columns.columns(found.description)
            assert found.runs.height >= 0
        except BadInput as error:
            assert str(error)


SOUND = """{
  "format": 1, "version": "0", "name": "s", "scenario": "s.toml",
  "factors": [
    {"name": "switch.buffer", "path": "switch.buffer", "kind": "Buffer", "unit": "cells"}
  ],
  "derived": [], "measures": [{"name": "m", "expression": "throughput_mbit"}],
  "level": 0.95, "common_random_numbers": true, "replications": 2, "traces": ["queue"]
}
"""
