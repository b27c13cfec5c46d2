"""The overview of a run over Ethernet: its flows, queues and totals."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from cellrate.common.document import Row, Table, columns
from cellrate.common.numbers import counted, number, seconds

if TYPE_CHECKING:
    from cellrate import _core

RATE = "acr_mean_bits_per_second"
OVER_ROCE = "rate_mean_bits_per_second"
CNPS = "cnps_received"
CREDITS = "credits_received"
AT_ROUTER = "router_queue_max_cells"
LOST = "packets_lost_on_links"
LINK_LAYER = 'link_layer = "ethernet"'
"""First line of a resolved scenario over Ethernet."""
OF_ATM = "atm-switch", "router"
"""Kinds of nodes that only a network with an ATM part has."""
MEANS = ("throughput_bits_per_second", "goodput_bits_per_second")
MOST_NAMED = 6
"""Greatest number of ports held by flow control that the totals name."""
SUMS = (
    *("packets_sent", "packets_dropped", LOST, "packets_marked", "segments_retransmitted"),
    "timeouts",
)


def is_over_ethernet(outcome: _core.Outcome, *, alone: bool = False) -> bool:
    """True for the outcome of a scenario over Ethernet; if `alone`, of one without an ATM part."""
    resolved = outcome.resolved()
    is_over_ethernet = resolved.startswith(LINK_LAYER)
    if not (alone and is_over_ethernet):
        return is_over_ethernet
    import tomllib  # a run without traces does not need it

    nodes = tomllib.loads(resolved)["topology"].get("node", [])
    return not any(node["kind"] in OF_ATM for node in nodes)


def overview(summary: Mapping[str, Any], most_flows: int, most_queues: int) -> dict[str, Any]:
    """The part of a summary that fits on a screen.

    Returns:
        The summary, with groups of flows if there are more than `most_flows`, and under `ports` the
        `most_queues` longest queues at which packets arrived or waited, each with its port;
        `other_queues` counts the rest. If links have bit errors, `links` has the `most_queues`
        links that lost most, and `other_links` counts the rest.
    """
    flows = summary["flows"]
    if len(flows) > most_flows:
        groups = groupby(flows, key=lambda flow: flow["group"])
        flows = [_of_group(name, list(members)) for name, members in groups]
    queues = [
        {**port, "queues": [queue]}
        for port in summary["ports"]
        for queue in port["queues"]
        if queue["packets_arrived"] > 0 or queue["queue_max_bytes"] > 0
    ]
    queues.sort(key=lambda port: -longest_of_run(port["queues"][0]))
    more = max(0, len(queues) - most_queues)
    links = sorted(summary.get("links", ()), key=_damage, reverse=True)
    erring = {
        "links": links[:most_queues],
        "other_links": max(0, len(links) - most_queues),
    }
    return {
        **summary,
        "flows": flows,
        "ports": queues[:most_queues],
        "other_queues": more,
        **(erring if links else {}),
        "held_ports": held_ports(summary),
    }


def _damage(link: Mapping[str, Any]) -> int:
    """Frames that bit errors lost on a link, or that the link sent again."""
    damaged: int = link["packets_lost"] + (link["packets_retried"] or 0)
    return damaged


def held_ports(summary: Mapping[str, Any]) -> list[str]:
    """Ports with a queue that sent nothing in the whole measuring window, though packets waited.

    A port sends if packets wait, unless flow control by priority or credit holds the packets. A
    queue has sent nothing if the line was idle, or if no packet arrived and the queue's length did
    not change. The second case counts only at ports under flow control, since a queue may also wait
    for queues of higher priority.
    """
    return [
        port["name"]
        for port in summary["ports"]
        if any(_is_held(port, queue) for queue in port["queues"])
    ]


def _is_held(port: Mapping[str, Any], queue: Mapping[str, Any]) -> bool:
    mean, most = queue["queue_mean_bytes"], queue["queue_max_bytes"]
    if not mean:
        return False
    stands = queue["packets_arrived"] == 0 and mean >= most * (1 - 1e-9)
    return port["utilisation"] == 0 or (stands and port["control"] is not None)


def _held_text(ports: Sequence[str]) -> str:
    """A sentence on ports that flow control held for the whole window; empty without them."""
    if not ports:
        return ""
    more = f" and {len(ports) - MOST_NAMED} more" if len(ports) > MOST_NAMED else ""
    named = f"{', '.join(ports[:MOST_NAMED])}{more}"
    return (
        f". Flow control held packets for the whole measuring window at "
        f"{counted(len(ports), 'port')}, which sent none of them: {named}"
    )


def longest_of_run(queue: Mapping[str, Any]) -> int:
    """Greatest length in bytes of a queue in the whole run, which a buffer must hold."""
    most: int = max(queue["queue_max_bytes"], queue["queue_max_before_window_bytes"] or 0)
    return most


def _of_group(name: str, members: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Means and sums over the flows of a group, and the greatest of their completion times."""
    ended = [flow["completion_seconds"] for flow in members]
    all_ended = all(time is not None for time in ended)
    return {
        "name": f"{name} ({len(members)}, mean)",
        **{key: _mean([flow[key] for flow in members]) for key in MEANS},
        **{key: sum(flow[key] for flow in members) for key in SUMS},
        "completion_seconds": max(ended) if all_ended else None,
        RATE: _mean([flow[RATE] for flow in members]),
        OVER_ROCE: _mean([flow[OVER_ROCE] for flow in members]),
        CNPS: sum(flow[CNPS] or 0 for flow in members),
        CREDITS: sum(flow[CREDITS] or 0 for flow in members),
        AT_ROUTER: max((flow[AT_ROUTER] or 0 for flow in members), default=0) or None,
    }


def _mean(values: Sequence[float | None]) -> float | None:
    """The mean of a measure over a group; None if the flows do not have the measure."""
    found = [value for value in values if value is not None]
    return sum(found) / len(found) if found else None


def _gbit(bits_per_second: float | None) -> str:
    return "-" if bits_per_second is None else f"{bits_per_second / 1e9:,.4f}"


def _time(time: float | None) -> str:
    return "-" if time is None else seconds(time)


def _count(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"


OF_FLOWS: dict[str, tuple[str, Callable[[Any], str]]] = {
    "goodput\nGbit/s": ("goodput_bits_per_second", _gbit),
    "delivered\nGbit/s": ("throughput_bits_per_second", _gbit),
    "packets\nsent": ("packets_sent", "{:,}".format),
    "packets\ndropped": ("packets_dropped", "{:,}".format),
    "segments\nsent again": ("segments_retransmitted", "{:,}".format),
    "timeouts": ("timeouts", "{:,}".format),
    "completion": ("completion_seconds", _time),
}
"""Measures of flows by the title of their column: key of the summary, and formatting function."""


def flows_table(flows: Iterable[Mapping[str, Any]]) -> Table:
    """A row for each flow, or group of flows.

    The table has a column of ACRs if a flow has rate control. If a flow is over RoCE, it has
    columns of the mean rate that control allows and of congestion notifications. If a flow enters
    ATM, there is a column of router queues.
    """
    flows = list(flows)
    shown = dict(OF_FLOWS)
    if any(flow[LOST] for flow in flows):
        shown["lost by\nbit errors"] = (LOST, "{:,}".format)
    if any(flow[RATE] is not None for flow in flows):
        shown["ACR\nGbit/s"] = (RATE, lambda rate: "-" if rate is None else _gbit(rate))
    if any(flow[OVER_ROCE] is not None for flow in flows):
        shown["allowed\nGbit/s"] = (OVER_ROCE, _gbit)
        shown["CNPs"] = (CNPS, lambda count: f"{count or 0:,}")
    if any(flow[CREDITS] for flow in flows):
        shown["credits\nreceived"] = (CREDITS, lambda count: f"{count or 0:,}")
    if any(flow[AT_ROUTER] is not None for flow in flows):
        title = "longest at\nrouter, cells"
        shown[title] = (AT_ROUTER, _count)
    rows = (
        Row((flow["name"], *(form(flow[key]) for key, form in shown.values()))) for flow in flows
    )
    return Table(columns("flow", *shown, numbers=range(1, len(shown) + 1)), tuple(rows))


def queues_table(shown: Mapping[str, Any]) -> Table:
    """A row for each queue of an overview; with a column of trimmed packets if a switch trims."""
    ports = shown["ports"]
    trims = any(queue["packets_trimmed"] is not None for port in ports for queue in port["queues"])
    found = (
        Row(
            (
                port["name"],
                " ".join(map(str, queue["priorities"])) if len(queue["priorities"]) < 8 else "all",
                f"{port['utilisation']:.3f}",
                f"{queue['queue_mean_bytes']:,.0f}",
                f"{queue['queue_max_bytes']:,}",
                f"{longest_of_run(queue):,}",
                f"{queue['packets_dropped']:,}",
                *((_count(queue["packets_trimmed"]),) if trims else ()),
            )
        )
        for port in ports
        for queue in port["queues"]
    )
    heads = columns(
        *("port", "priorities", "utilisation", "mean queue\nbytes", "longest\nbytes"),
        *("max of run\nbytes", "dropped\npackets"),
        *(("trimmed\npackets",) if trims else ()),
        numbers=range(2, 7 + trims),
    )
    more = "queues, none of them longer in the run"
    return Table(heads, tuple(found), more=more, others=shown["other_queues"])


def links_table(shown: Mapping[str, Any]) -> Table:
    """A row for each link of an overview with bit errors."""
    found = (
        Row(
            (
                link["name"],
                number(link["bit_error_ratio"]),
                f"{link['packets_arrived']:,}",
                _count(link["packets_retried"]),
                f"{link['packets_lost']:,}",
                number(link["packet_loss_ratio"]),
            )
        )
        for link in shown["links"]
    )
    titles = (
        "bit error\nratio",
        "packets\narrived",
        "sent\nagain",
        "lost by\nbit errors",
        "loss\nratio",
    )
    heads = columns("link that errs", *titles, numbers=range(1, 6))
    more = "links, none of which lost more"
    return Table(heads, tuple(found), more=more, others=shown["other_links"])


def atm_ports_table(ports: Iterable[Mapping[str, Any]]) -> Table:
    """A row for each port of an ATM switch."""
    found = (
        Row(
            (
                port["name"],
                f"{port['utilisation']:.3f}",
                f"{port['queue_mean_cells']:,.1f}",
                f"{port['queue_max_cells']:,}",
                f"{port['cells_dropped']:,}",
            )
        )
        for port in ports
    )
    titles = "utilisation", "mean queue\ncells", "longest\ncells", "dropped\ncells"
    return Table(columns("port of ATM", *titles, numbers=range(1, 5)), tuple(found))


def totals_text(summary: Mapping[str, Any]) -> str:
    """Sentences on the totals, on ports that flow control holds, and on groups that await flows."""
    totals = summary["totals"]
    fairness, tail = totals["jain_index"], totals["completion_p99_seconds"]
    ended, slowed = totals["flows_completed"], totals["slowdown_p99"]
    erred = totals["packets_lost_on_links"]
    return (
        f"throughput {_gbit(totals['throughput_bits_per_second'])} Gbit/s, "
        f"packet loss ratio of queues, acknowledgements included, "
        f"{number(totals['packet_loss_ratio'])}, "
        + (f"{counted(erred, 'packet')} lost by bit errors, " if erred else "")
        + f"timeouts {totals['timeouts']:,}, "
        f"Jain's index {'-' if fairness is None else f'{fairness:.4f}'}"
        + (
            f", {counted(ended, 'flow')} completed, 99 % of them within {_time(tail)}"
            if ended
            else ""
        )
        + ("" if slowed is None else f" and a slowdown of {slowed:,.2f}")
        + "".join(f". {_collective_text(one)}" for one in summary.get("collectives", ()))
        + _held_text(summary.get("held_ports", held_ports(summary)))
    )


def _collective_text(found: Mapping[str, Any]) -> str:
    """A sentence on a group whose flows await one another."""
    group, flows = found["group"], found["flows"]
    if found["completion_seconds"] is None:
        return f"Group {group}: {found['flows_completed']:,} of {flows:,} flows have ended"
    return (
        f"Group {group}: all {flows:,} flows ended within {_time(found['completion_seconds'])}; in "
        f"the chain that ended last, {found['straggler']} took longest "
        f"({_time(found['straggler_seconds'])})"
    )


def read_overview(outcome: _core.Outcome, most_flows: int, most_queues: int) -> dict[str, Any]:
    """The overview of an outcome."""
    return overview(json.loads(outcome.summary()), most_flows, most_queues)
