"""What alternatives are compared by."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cellrate.language.errors import ExpressionError
from cellrate.language.expressions import parse
from cellrate.problems import BadInput

NAMED = re.compile(r"([A-Za-z_]\w*)\s*=(?!=)\s*(.+)", re.DOTALL)


@dataclass(frozen=True)
class Measure:
    """A number of every run.

    Attributes:
        name: What it is called.
        expression: What it is, in the language of measures.
        unit: Empty if it has none, or if nobody said.
    """

    name: str
    expression: str
    unit: str = ""


DEFAULTS = (
    Measure("throughput", "throughput_mbit", "Mbit/s"),
    Measure("loss", "totals.cell_loss_ratio"),
    Measure("queue", "longest_queue_cells", "cells"),
    Measure("delay", "1e3 * tcp.mean('packet_delay_mean_seconds')", "ms"),
    Measure("fairness", "totals.jain_index"),
)
"""TCP throughput of all flows, cells lost at switches, the longest queue, the mean delay of packets
over the flows, Jain's index over the flows."""


def asked_for(texts: Sequence[str]) -> tuple[Measure, ...]:
    """The measures that a user names: a default one, `NAME=EXPRESSION`, or an expression.

    Raises:
        BadInput: One is no expression, or two have a name.
    """
    if not texts:
        return DEFAULTS
    known = {one.name: one for one in DEFAULTS}
    found: dict[str, Measure] = {}
    for text in texts:
        named = NAMED.fullmatch(text.strip())
        name, expression = (named[1], named[2]) if named else (text.strip(), text.strip())
        if name in found:
            raise BadInput(f"--measure {text}: {name} is measured twice")
        try:
            parse(expression)
        except ExpressionError as error:
            raise BadInput(f"--measure {text}: {error}") from error
        found[name] = known[name] if not named and name in known else Measure(name, expression)
    return tuple(found.values())
