"""Measures by which alternatives are compared."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cellrate.common.problems import BadInput
from cellrate.language.expressions import ExpressionError
from cellrate.language.measured import Better
from cellrate.language.of_a_run import check
from cellrate.studies.compare.directions import better_of

NAMED = re.compile(r"([A-Za-z_]\w*)\s*=(?!=)\s*(.+)", re.DOTALL)


@dataclass(frozen=True)
class Measure:
    """A number that is computed from every run.

    Attributes:
        name: Name of the measure.
        expression: Its definition in the language of measures.
        unit: Its unit; empty if it has none or none was given.
        better: Its better end; None if it has none or none is known.
    """

    name: str
    expression: str
    unit: str = ""
    better: Better | None = None


DEFAULTS = (
    Measure("throughput", "throughput_mbit", "Mbit/s", "more"),
    Measure("loss", "totals.cell_loss_ratio", better="less"),
    Measure("queue", "longest_queue_cells", "cells", "less"),
    Measure("queue_delay", "1e3 * queue_delay_seconds", "ms", "less"),
    Measure("delay_with_source", "1e3 * tcp.mean('packet_delay_mean_seconds')", "ms", "less"),
    Measure("fairness", "totals.jain_index", better="more"),
)
"""TCP throughput of all flows, cells lost at switches, the longest queue, the mean time of a cell
in the bottleneck's queue, the mean delay of packets from TCP to TCP with the source queue, Jain's
index over the flows."""
OLD_NAMES = {"delay": "delay_with_source"}


def asked_for(texts: Sequence[str]) -> tuple[Measure, ...]:
    """Parses `--measure`: the name of a default measure, `NAME=EXPRESSION`, or an expression.

    Raises:
        BadInput: An expression is not valid or names what no run has, or two measures have one
            name.
    """
    if not texts:
        return DEFAULTS
    known = {one.name: one for one in DEFAULTS}
    known |= {old: known[new] for old, new in OLD_NAMES.items()}
    found: dict[str, Measure] = {}
    for text in texts:
        named = NAMED.fullmatch(text.strip())
        name, expression = (named[1], named[2]) if named else (text.strip(), text.strip())
        name = name if named else OLD_NAMES.get(name, name)
        if name in found:
            raise BadInput(f"--measure {text}: {name} is measured twice")
        if not named and name in known:
            found[name] = known[name]
            continue
        try:
            check(expression, known)
        except ExpressionError as error:
            raise BadInput(f"--measure {text}: {error}") from error
        found[name] = Measure(name, expression, better=better_of(expression))
    return tuple(found.values())
