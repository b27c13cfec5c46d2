"""An overview of a run: the part of its summary that fits on a screen or into a notebook's cell."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cellrate.common.document import (
    Block,
    Column,
    Document,
    Figure,
    Paragraph,
    Remark,
    Row,
    Section,
    Table,
    columns,
)
from cellrate.common.numbers import counted, number
from cellrate.simulation import packets

if TYPE_CHECKING:
    from cellrate import _core
    from cellrate.simulation.api import Result

# Greatest number of flows in an overview (beyond it a terminal shows groups, a notebook the first),
# and greatest number of queues (the longest ones).
MOST_FLOWS = 20
MOST_QUEUES = 8


# Kinds of traces in a notebook's drawing of a run, in the order in which they are drawn.
DRAWN = ("queue", "acr", "cwnd", "utilisation")
MOST_DRAWN = 2


def _mbit(bits_per_second: float) -> str:
    return f"{bits_per_second / 1e6:.3f}"


def _share(share: float) -> str:
    return f"{share:.2f}"


def _efficiency(efficiency: float | None) -> str:
    return "-" if efficiency is None else f"{efficiency:.3f}"


OF_FLOWS: dict[str, tuple[str, Callable[[Any], str]]] = {
    "goodput\nMbit/s": ("goodput_bits_per_second", _mbit),
    "delivered\nMbit/s": ("tcp_throughput_bits_per_second", _mbit),
    "efficiency": ("efficiency", _efficiency),
    "packets\nlost": ("packets_lost", "{:,}".format),
    "segments\nsent again": ("segments_retransmitted", "{:,}".format),
    "timeouts": ("timeouts", "{:,}".format),
    "rate-\nlimited": ("rate_limited_share", _share),
    "window-\nlimited": ("window_limited_share", _share),
}
"""Measures of flows by the title of their column: key of the summary, and formatting function."""
OF_TCP = OF_FLOWS.keys() - {"delivered\nMbit/s", "rate-\nlimited"}
"""Titles of the measures that only flows over TCP have."""
NARROW = tuple(title for title in OF_FLOWS if "limited" not in title and title != "efficiency")
"""Titles of the columns that a notebook shows, fewer than a terminal."""


def at_a_glance(outcome: _core.Outcome) -> dict[str, Any]:
    """The overview of a run: a part of its summary.

    Returns:
        Keys of the summary that identify the run, and `warnings` and `totals`. `flows` has means
        and sums over each group, with `members`, if there are more than `MOST_FLOWS` flows. `ports`
        has the `MOST_QUEUES` longest queues that cells have passed, and `other_queues` the number
        of further queues.
    """
    if packets.is_over_ethernet(outcome):
        return packets.read_overview(outcome, MOST_FLOWS, MOST_QUEUES)
    found: dict[str, Any] = json.loads(outcome.overview(MOST_FLOWS, MOST_QUEUES))
    if "policer" in outcome.resolved():
        found["totals"]["policers"] = _at_policers(json.loads(outcome.summary()))
    return found


def _at_policers(summary: Mapping[str, Any]) -> str:
    """Text on the cells that policers drop, for the line of totals; empty if they drop none."""
    dropped = sum(channel["cells_policed"] or 0 for channel in summary["vcs"])
    if dropped:
        return f"cells dropped by policers {dropped:,}, "
    balances = [flow["balance"] for flow in summary["flows"] if flow["balance"]]
    lost = any(balance["dropped_at_switch_bytes"] for balance in balances)
    # Queues that lose cells outside the window have a warning of their own.
    by_queues = any(one["code"] == "lost-outside-window" for one in summary["warnings"])
    is_outside = lost and not by_queues and not summary["totals"]["cells_dropped"]
    return "policers drop cells outside the measuring window alone, " if is_outside else ""


def run_parts(overview: Mapping[str, Any]) -> tuple[Block, ...]:
    """Flows, queues and totals of an overview, for a terminal."""
    if "packet_hops" in overview:
        tables = [packets.flows_table(overview["flows"]), packets.queues_table(overview)]
        if "links" in overview:
            tables.append(packets.links_table(overview))
        if "atm_ports" in overview:
            tables.append(packets.atm_ports_table(overview["atm_ports"]))
        return (*tables, Paragraph(packets.totals_text(overview)))
    totals = overview["totals"]
    fairness = totals["jain_index"]
    text = (
        f"{_delivered(totals, overview['flows'])}, "
        f"cell loss ratio {totals['cell_loss_ratio']:.3g}, {_elsewhere(totals)}"
        f"packets lost {totals['packets_lost']:,}, timeouts {totals['timeouts']:,}, "
        f"Jain's index {'-' if fairness is None else f'{fairness:.4f}'}"
    )
    return flows_table(overview["flows"]), queues_table(overview), Paragraph(text)


def hops_of(overview: Mapping[str, Any]) -> tuple[int, str]:
    """Number of cells or packets that crossed a link, and the unit: cell-hops or packet-hops."""
    if "packet_hops" in overview:
        return overview["packet_hops"], "packet-hops"
    return overview["cell_hops"], "cell-hops"


def flows_table(flows: Iterable[Mapping[str, Any]], titles: Sequence[str] = (*OF_FLOWS,)) -> Table:
    """A row for each flow, or group of flows, with some measures of `OF_FLOWS`.

    A flow that sends cells without TCP has no measures of TCP.
    """

    def measured(flow: Mapping[str, Any], title: str) -> str:
        key, form = OF_FLOWS[title]
        return "-" if title in OF_TCP and not _is_over_tcp(flow) else form(flow[key])

    rows = (
        Row((_name(flow), flow["service"], *(measured(flow, title) for title in titles)))
        for flow in flows
    )
    heads = columns("flow", "class", *titles, numbers=range(2, len(titles) + 2))
    return Table(heads, tuple(rows))


def _is_over_tcp(flow: Mapping[str, Any]) -> bool:
    """True for a flow over TCP, by `over_tcp` of an overview or the byte balance of a summary."""
    return bool(flow["over_tcp"] if "over_tcp" in flow else flow["balance"])


def _name(flow: Mapping[str, Any]) -> str:
    members = flow.get("members")
    return str(flow["name"]) if members is None else f"{flow['name']} ({members}, mean)"


def queues_table(overview: Mapping[str, Any]) -> Table:
    """A row for each queue of an overview, for a terminal."""
    rows = tuple(
        Row((*cells[:2], *cells[3:], cells[2])) for cells in _queues(overview["ports"], "{:.1f}")
    )
    titles = "utilisation", "queue mean", "queue max", "max of run", "lost cells"
    heads = columns("port", "classes", *titles, Column("control"), numbers=range(2, 7))
    more = "queues, none of them longer in the run"
    return Table(heads, rows, more=more, others=overview["other_queues"])


def narrow_queues_table(overview: Mapping[str, Any]) -> Table:
    """A row for each queue of an overview, for a notebook."""
    heads = columns(
        *("port", "classes", "control", "utilisation", "mean queue\ncells", "longest queue\ncells"),
        *("longest of\nthe run, cells", "lost\ncells"),
        numbers=range(3, 8),
    )
    return Table(heads, tuple(Row(cells) for cells in _queues(overview["ports"], "{:,.1f}")))


def _queues(ports: Sequence[Mapping[str, Any]], mean: str) -> list[tuple[str, ...]]:
    """Port, classes, control, utilisation, queue lengths and lost cells of each queue."""
    return [
        (
            port["name"],
            " ".join(queue["classes"]),
            port["control"]["scheme"],
            f"{port['utilisation']:.3f}",
            mean.format(queue["queue_mean_cells"]),
            f"{queue['queue_max_cells']:,}",
            f"{queue['queue_max_of_run_cells']:,}",
            f"{queue['cells_dropped']:,}",
        )
        for port in ports
        for queue in port["queues"]
    ]


def result_document(result: Result) -> Document:
    """The run: what was simulated, its warnings, flows, ports and traces."""
    summary = result.summary
    parts: list[Block] = [Paragraph(_simulated(result))]
    parts += [
        Remark(f"{warning['code']}: {warning['message']}", "bad") for warning in result.warnings
    ]
    flows = summary["flows"]
    shown = at_a_glance(result.outcome)
    if "packet_hops" in summary:
        first = packets.flows_table(flows[:MOST_FLOWS])
        queues, totals = packets.queues_table(shown), packets.totals_text(summary)
    else:
        first = flows_table(flows[:MOST_FLOWS], NARROW)
        queues, totals = narrow_queues_table(shown), _totals(shown["totals"], flows)
    rest = _rest(len(flows) - MOST_FLOWS, "flows, in Result.flows")
    parts.append(Section("Flows", (first, *rest)))
    rest = _rest(shown["other_queues"], "queues, none of them longer in the run, in Result.queues")
    parts.append(Section("Queues of output ports", (queues, *rest)))
    if "packet_hops" in summary and "links" in shown:
        parts.append(Section("Links that err", (packets.links_table(shown),)))
    parts.append(Paragraph(totals))
    return Document("Run", (*parts, *_traces(result)))


def _simulated(result: Result) -> str:
    import tomllib  # the command line does not need it

    summary = result.summary
    template = tomllib.loads(result.resolved)["topology"]["template"]
    hops, unit = hops_of(summary)
    return (
        f"{template}, {counted(len(summary['flows']), 'flow')}, "
        f"{summary['simulated_seconds']:g} s simulated, {hops:,} {unit}, "
        f"seed {summary['seed']}, digest {summary['digest']}"
    )


def _rest(count: int, what: str) -> tuple[Block, ...]:
    return (Remark(f"{count} further {what}"),) if count > 0 else ()


def _totals(totals: Mapping[str, Any], flows: Iterable[Mapping[str, Any]]) -> str:
    fairness = totals["jain_index"]
    jain = "" if fairness is None else f", Jain index {fairness:.4f}"
    loss = totals["cell_loss_ratio"]
    lost = _elsewhere(totals)
    return f"{_delivered(totals, flows)}, {lost}cell loss ratio {number(loss)}{jain}"


def _delivered(totals: Mapping[str, Any], flows: Iterable[Mapping[str, Any]]) -> str:
    """The TCP throughput of all flows over TCP; without one, what the flows delivered together."""
    flows = list(flows)
    if any(map(_is_over_tcp, flows)) or not flows:
        return f"TCP throughput {totals['tcp_throughput_bits_per_second'] / 1e6:.3f} Mbit/s"
    # A group has the mean of its members.
    rates = (one["tcp_throughput_bits_per_second"] * (one.get("members") or 1) for one in flows)
    return f"delivered {sum(rates) / 1e6:.3f} Mbit/s without TCP"


def _elsewhere(totals: Mapping[str, Any]) -> str:
    """Text on losses on links and at policers, and on damaged PDUs; empty if there are none."""
    lost, errored = totals["cells_lost_on_links"], totals["packets_errored"]
    cells = f"cells lost on links {lost:,}, " if lost else ""
    policed = str(totals.get("policers", ""))
    return cells + policed + (f"PDUs with errored payloads {errored:,}, " if errored else "")


def _traces(result: Result) -> tuple[Block, ...]:
    traced = {series.kind for series in result.traces if len(series)}
    kinds = [kind for kind in DRAWN if kind in traced][:MOST_DRAWN]
    if not kinds:
        return ()

    def drawn() -> str:
        from cellrate.simulation.figures import svg

        return svg(result.plot(*kinds))

    return (Figure(drawn, f"{' and '.join(kinds)} over time"),)
