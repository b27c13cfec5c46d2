"""A run as a document: its flows, ports, warnings and traces."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from cellrate.common.document import (
    Block,
    Document,
    Figure,
    Paragraph,
    Remark,
    Row,
    Section,
    Table,
    columns,
)
from cellrate.common.numbers import number
from cellrate.simulation.at_a_glance import MOST_FLOWS, at_a_glance

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cellrate.simulation.api import Result

# Kinds of traces that are drawn, in this order, as many as fit into the output of a cell.
DRAWN = ("queue", "acr", "cwnd", "utilisation")
MOST_DRAWN = 2


def result_document(result: Result) -> Document:
    """The run: what was simulated, its warnings, flows, ports and traces."""
    summary = result.summary
    parts: list[Block] = [Paragraph(_simulated(result))]
    parts += [Remark(f"{one['code']}: {one['message']}", "bad") for one in result.warnings]
    parts.append(Section("Flows", _flows(summary["flows"])))
    shown = at_a_glance(result.outcome)
    queues = _queues(shown["ports"], shown["other_queues"])
    parts.append(Section("Queues of output ports", queues))
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


def _flows(flows: Sequence[Mapping[str, Any]]) -> tuple[Block, ...]:
    titles = columns(
        "flow",
        "class",
        "goodput\nMbit/s",
        "TCP\nMbit/s",
        "packets\nlost",
        "segments\nsent again",
        "timeouts",
        numbers=range(2, 7),
    )
    shown = tuple(
        Row(
            (
                flow["name"],
                flow["service"],
                _mbit(flow["goodput_bits_per_second"]),
                _mbit(flow["tcp_throughput_bits_per_second"]),
                _count(flow["packets_lost"]),
                _count(flow["segments_retransmitted"]),
                _count(flow["timeouts"]),
            )
        )
        for flow in flows[:MOST_FLOWS]
    )
    return (Table(titles, shown), *_rest(len(flows) - MOST_FLOWS, "flows, in Result.flows"))


def _queues(ports: Sequence[Mapping[str, Any]], others: int) -> tuple[Block, ...]:
    titles = columns(
        "port",
        "classes",
        "control",
        "utilisation",
        "mean queue\ncells",
        "longest queue\ncells",
        "longest of\nthe run, cells",
        "lost\ncells",
        numbers=range(3, 8),
    )
    shown = tuple(
        Row(
            (
                port["name"],
                " ".join(queue["classes"]),
                port["control"]["scheme"],
                f"{port['utilisation']:.3f}",
                f"{queue['queue_mean_cells']:,.1f}",
                f"{queue['queue_max_cells']:,}",
                f"{queue['queue_max_of_run_cells']:,}",
                f"{queue['cells_dropped']:,}",
            )
        )
        for port in ports
        for queue in port["queues"]
    )
    more = "queues, none of them longer in the run, in Result.queues"
    return (Table(titles, shown), *_rest(others, more))


def _rest(count: int, what: str) -> tuple[Block, ...]:
    return (Remark(f"{count} further {what}"),) if count > 0 else ()


def _totals(totals: Mapping[str, Any]) -> str:
    fairness = totals["jain_index"]
    jain = "" if fairness is None else f", Jain index {fairness:.4f}"
    throughput = totals["tcp_throughput_bits_per_second"] / 1e6
    loss = totals["cell_loss_ratio"]
    return f"TCP throughput {throughput:.3f} Mbit/s, cell loss ratio {number(loss)}{jain}"


def _mbit(bits_per_second: float | None) -> str:
    return "" if bits_per_second is None else f"{bits_per_second / 1e6:.3f}"


def _count(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _traces(result: Result) -> tuple[Block, ...]:
    traced = {series.kind for series in result.traces if len(series)}
    kinds = [kind for kind in DRAWN if kind in traced][:MOST_DRAWN]
    if not kinds:
        return ()

    def drawn() -> str:
        from cellrate.simulation.figures import svg

        return svg(result.plot(*kinds))

    return (Figure(drawn, f"{' and '.join(kinds)} over time"),)
