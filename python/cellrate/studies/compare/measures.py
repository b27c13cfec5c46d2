"""Measures by which alternatives are compared, and whether more or less of them is better."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cellrate.common.problems import BadInput, choose
from cellrate.language.expressions import ExpressionError, parse
from cellrate.language.measured import Better
from cellrate.language.measures import named_by
from cellrate.language.of_a_run import check


def better_of(expression: str) -> Better | None:
    """Better direction (more or less) of a measure; None if unknown.

    It is known for a path, and for a path times or over a positive number, as in another unit.

    >>> better_of("throughput_mbit"), better_of("totals.cell_loss_ratio"), better_of("a / b")
    ('more', 'less', None)
    >>> better_of("1e6 * totals.completion_p99_seconds")
    'less'
    """
    ends = {one.better for one in named_by(_without_unit(expression))}
    return ends.pop() or None if len(ends) == 1 else None


def _without_unit(expression: str) -> str:
    """The expression without positive numbers by which it is multiplied or divided."""
    try:
        tree = parse(expression)
    except ExpressionError:
        return expression
    scaled = tree
    while isinstance(scaled, ast.BinOp) and isinstance(scaled.op, ast.Mult | ast.Div):
        if _is_positive(scaled.right):
            scaled = scaled.left
        elif isinstance(scaled.op, ast.Mult) and _is_positive(scaled.left):
            scaled = scaled.right
        else:
            break
    return expression if scaled is tree else ast.unparse(scaled)


def _is_positive(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float) and node.value > 0


def is_share(expression: str) -> bool:
    """True if the measure is a path to a number from 0 to 1.

    >>> is_share("totals.jain_index"), is_share("throughput_mbit")
    (True, False)
    """
    found = named_by(expression)
    return bool(found) and ".sum(" not in expression and all(one.greatest == 1 for one in found)


def directions(
    known: Mapping[str, Better], asked: Iterable[str], measures: Sequence[str]
) -> dict[str, Better]:
    """For each measure whether more or less is better: as known, or as `--better NAME=more` says.

    Raises:
        BadInput: A measure is not compared, or the value is neither `more` nor `less`.
    """
    found = dict(known)
    for text in asked:
        name, _, end = (part.strip() for part in text.rpartition("="))
        choose(name, measures, "measure")
        if end == "more":
            found[name] = "more"
        elif end == "less":
            found[name] = "less"
        else:
            raise BadInput(f"--better {text}: allowed is {name}=more or {name}=less")
    return found


NAMED = re.compile(r"([A-Za-z_]\w*)\s*=(?!=)\s*(.+)", re.DOTALL)


@dataclass(frozen=True)
class Measure:
    """A number that is computed from every run.

    Attributes:
        name: Name of the measure.
        expression: Definition of the measure in the language of measures.
        unit: Unit of the measure; empty if it has none or none was given.
        better: Whether more or less of the measure is better; None if unknown.
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
    Measure("completion", "1e3 * completion_p99_seconds", "ms", "less"),
    Measure("fairness", "totals.jain_index", better="more"),
)
"""Default measures over ATM: TCP throughput of all flows, cells lost at switches, the longest
queue, the mean time of a cell in the bottleneck's queue, the mean delay of packets from TCP to TCP
with the source queue, the 99th percentile of completion times of files, Jain's index over the
flows."""
OVER_ETHERNET = (
    Measure("goodput", "goodput_gbit", "Gbit/s", "more"),
    Measure("loss", "totals.packet_loss_ratio", better="less"),
    Measure("marks", "totals.packets_marked", "packets"),
    Measure("queue", "longest_queue_packets", "packets", "less"),
    Measure("queue_p99", "bottleneck.queue_p99_bytes", "bytes", "less"),
    Measure("queue_delay", "1e6 * queue_delay_seconds", "us", "less"),
    Measure("operation", "1e3 * totals.collective_completion_seconds", "ms", "less"),
    Measure("completion", "1e3 * totals.completion_p99_seconds", "ms", "less"),
    Measure("fairness", "totals.jain_index", better="more"),
)
"""Default measures over Ethernet: goodput of flows over TCP, packets lost at switches, packets
marked, the longest queue, the 99th percentile of bytes in the bottleneck's queue, the mean delay
of this queue, the time of a whole collective operation, the 99th percentile of completion times of
flows, Jain's index over the flows."""
LIKE = {"throughput": "goodput", "goodput": "throughput"}
"""For a default measure of one link layer, the most similar default measure of the other."""
OLD_NAMES = {"delay": "delay_with_source"}


def asked_for(texts: Sequence[str], link_layer: str = "atm") -> tuple[Measure, ...]:
    """Parses `--measure`: the name of a default measure, `NAME=EXPRESSION`, or an expression.

    Raises:
        BadInput: An expression is not valid or uses an unknown name, or two measures have the same
            name.
    """
    layers = ("Ethernet", OVER_ETHERNET), ("ATM", DEFAULTS)
    (here, defaults), (there, others) = layers if link_layer == "ethernet" else layers[::-1]
    if not texts:
        return defaults
    known = {one.name: one for one in defaults}
    known |= {old: known[new] for old, new in OLD_NAMES.items() if new in known}
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
        if not named and name in {one.name for one in others}:
            listed = ", ".join(one.name for one in defaults)
            meant = f"take {LIKE[name]}" if name in LIKE else f"allowed: {listed}, or an expression"
            raise BadInput(f"--measure {text}: a measure over {there}; over {here} {meant}")
        try:
            check(expression, [one.name for one in defaults], link_layer)
        except ExpressionError as error:
            raise BadInput(f"--measure {text}: {error}") from error
        found[name] = Measure(name, expression, better=better_of(expression))
    return tuple(found.values())
