"""A run as a document: its flows, ports, warnings and traces."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from cellrate.common.document import Block, Document, Figure, Paragraph, Remark, Section
from cellrate.common.numbers import number
from cellrate.simulation.at_a_glance import (
    MOST_FLOWS,
    NARROW,
    at_a_glance,
    flows_table,
    narrow_queues_table,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cellrate.simulation.api import Result

# Kinds of traces that are drawn, in this order, as many as fit into the output of a cell.
DRAWN = ("queue", "acr", "cwnd", "utilisation")
MOST_DRAWN = 2


def result_document(result: Result) -> Document:
    """The run: what was simulated, its warnings, flows, ports and traces."""
    summary = result.summary
    parts: list[Block] = [Paragraph(_simulated(result))]
    parts += [Remark(f"{one['code']}: {one['message']}", "bad") for one in result.warnings]
    flows = summary["flows"]
    rest = _rest(len(flows) - MOST_FLOWS, "flows, in Result.flows")
    parts.append(Section("Flows", (flows_table(flows[:MOST_FLOWS], NARROW), *rest)))
    shown = at_a_glance(result.outcome)
    rest = _rest(shown["other_queues"], "queues, none of them longer in the run, in Result.queues")
    parts.append(Section("Queues of output ports", (narrow_queues_table(shown), *rest)))
    parts.append(Paragraph(_totals(summary["totals"])))
    return Document("Run", (*parts, *_traces(result)))


def _simulated(result: Result) -> str:
    summary = result.summary
    template = tomllib.loads(result.resolved)["topology"]["template"]
    return (
        f"{template}, {len(summary['flows'])} flows, "
        f"{summary['simulated_seconds']:g} s simulated, {summary['cell_hops']:,} cell-hops, "
        f"seed {summary['seed']}, digest {summary['digest']}"
    )


def _rest(count: int, what: str) -> tuple[Block, ...]:
    return (Remark(f"{count} further {what}"),) if count > 0 else ()


def _totals(totals: Mapping[str, Any]) -> str:
    fairness = totals["jain_index"]
    jain = "" if fairness is None else f", Jain index {fairness:.4f}"
    throughput = totals["tcp_throughput_bits_per_second"] / 1e6
    loss = totals["cell_loss_ratio"]
    return f"TCP throughput {throughput:.3f} Mbit/s, cell loss ratio {number(loss)}{jain}"


def _traces(result: Result) -> tuple[Block, ...]:
    traced = {series.kind for series in result.traces if len(series)}
    kinds = [kind for kind in DRAWN if kind in traced][:MOST_DRAWN]
    if not kinds:
        return ()

    def drawn() -> str:
        from cellrate.simulation.figures import svg

        return svg(result.plot(*kinds))

    return (Figure(drawn, f"{' and '.join(kinds)} over time"),)
