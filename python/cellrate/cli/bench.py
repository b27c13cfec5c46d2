"""`cellrate bench`: what a cell costs here."""

from __future__ import annotations

import json as jsonlib
import sys

from cellrate import _core
from cellrate.cli import tables
from cellrate.cli.options import Json
from cellrate.cli.progress import ProgressBar


def bench(*, json: Json = False) -> None:
    """Time the engine on one core against the bare floor loops, in ns per cell-hop."""
    with ProgressBar("timing") as progress:
        report = _core.bench(None, progress)
    if json:
        sys.stdout.write(report.rstrip("\n") + "\n")
    else:
        tables.show_bench(jsonlib.loads(report))
