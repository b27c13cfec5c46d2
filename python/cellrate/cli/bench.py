"""`cellrate bench`: times the engine on this machine."""

from __future__ import annotations

import json as jsonlib
import sys
from dataclasses import asdict
from typing import Annotated

from cyclopts import Parameter

from cellrate import _core
from cellrate.cli import tables
from cellrate.cli.options import Json
from cellrate.cli.progress import ProgressBar
from cellrate.common.to_json import json_text
from cellrate.simulation import component_bench


def bench(
    *, components: Annotated[bool, Parameter(negative="")] = False, json: Json = False
) -> None:
    """Time the engine on one core, in ns per cell-hop (a cell over one link).

    Without options, compares workloads with bare loops that do only the arithmetic of the cells.

    Args:
        components: Instead, compare every control scheme, discard policy, source and TCP recovery
            with the simplest of its kind.
        json: Print JSON.
    """
    if components:
        with ProgressBar("timing") as progress:
            costs = component_bench.measure(progress)
        if json:
            sys.stdout.write(json_text([asdict(cost) for cost in costs]))
        else:
            tables.show_components(costs)
        return
    with ProgressBar("timing") as progress:
        report = _core.bench(None, progress)
    if json:
        sys.stdout.write(report.rstrip("\n") + "\n")
    else:
        tables.show_bench(jsonlib.loads(report))
