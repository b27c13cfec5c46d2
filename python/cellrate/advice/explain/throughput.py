"""Statements on TCP throughput: bounds, and predictions from fair shares and windows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from cellrate.advice.explain.answer import NoStatement, Prediction, Statement, Value
from cellrate.advice.explain.capacity import (
    counted_back,
    minimum_rates_fail,
    missed_targets,
    policed_background,
    unfair,
)
from cellrate.advice.explain.claims import Claim
from cellrate.advice.explain.efci_cycle import cycle_utilisation
from cellrate.advice.explain.losses import loss_at
from cellrate.advice.explain.other_traffic import OtherTraffic
from cellrate.advice.explain.own_classes import unknown_windows
from cellrate.advice.explain.rate_bounds import (
    Limit,
    bound_together,
    crowded_links,
    flow_bound,
    holds_one_segment,
    outstanding_bytes,
    waits_for_acknowledgements,
)
from cellrate.advice.explain.subject import (
    EQUAL,
    Subject,
    acknowledgement_share,
    handed_out_cells_per_second,
    rm_cells,
)
from cellrate.advice.formulas.credit import credited_cells_per_second
from cellrate.advice.formulas.situation import Situation
from cellrate.common.numbers import seconds
from cellrate.simulation.network import (
    Flow,
    Link,
    Tcp,
    contract_cells_per_second,
    mean_cells_per_second,
)
from cellrate.theory import MaxMin, peak_throughput_bits_per_second
from cellrate.theory.cell_conversions import CELL_BITS
from cellrate.theory.peak_throughput import data_share

TOPIC = "TCP throughput"
FORMULA = "peak-throughput"
# Share of the run after which a start of background counts as late.
LATE = 0.01
# Time until TCP takes 5 % more than background leaves it; see `_grown_queues`.
SETTLES_BESIDE = math.log(21) - 1 / 1.05
# Rates do not follow a background that changes within so many round trips.
FOLLOW = 10
# RM cells beyond those by Nrm count as few up to this share of all cells.
FEW = 0.0025
BY = {
    "link": "its slowest link",
    "pcr": "PCR",
    "contract": "its contract",
    "credit": "its credits in the round trip of a link",
    "window": "a window in each round trip",
    "delayed-ack": "a segment in each interval of delayed acknowledgements",
    "processing": "the processing time of a segment at the receiver",
    "size": "the size of the file",
}
TOGETHER = "what links have left for the group"


def statements(subject: Subject) -> Iterator[Prediction]:
    """Bounds for every group of flows over TCP and for all together, then expected values."""
    groups = {
        name: found for name, flows in subject.network.groups().items() if (found := _tcp(flows))
    }
    if not groups:
        yield NoStatement(TOPIC, "TCP throughput", "no flow runs over TCP", FORMULA)
        return
    together = {name: bound_together(subject, flows) for name, flows in groups.items()}
    every = [flow for flows in groups.values() for flow in flows]
    crowded = crowded_links(subject, every)
    for name, flows in groups.items():
        yield _bound(subject, name, flows, together[name], crowded)
        yield _window(subject, name, flows)
    total = bound_together(subject, every) if len(groups) > 1 else min(together.values())
    yield _bound_of_all(total, bound_together(subject, every, early=False))
    shares = unknown_windows(flow for flow, _ in every) or subject.shares_or_reason()
    if isinstance(shares, str):
        yield NoStatement(TOPIC, "expected TCP throughput", shares, FORMULA)
    else:
        yield from _expected(subject, groups, shares)


def _tcp(flows: Sequence[Flow]) -> list[tuple[Flow, Tcp]]:
    """The flows that use TCP, each with its parameters of TCP."""
    return [(flow, flow.tcp) for flow in flows if flow.tcp is not None]


def _bound(
    subject: Subject,
    name: str,
    flows: Sequence[tuple[Flow, Tcp]],
    together: float,
    crowded: frozenset[Link],
) -> Statement:
    bounds = [flow_bound(subject, flow, tcp) for flow, tcp in flows]
    rates = [min(bound.bits_per_second, together) for bound in bounds]
    limits = (BY[bound.by] if bound.bits_per_second <= together else TOGETHER for bound in bounds)
    by = " or ".join(dict.fromkeys(limits))
    return Statement(
        TOPIC,
        f"{name}: at most {_between(min(rates), max(rates))} each, by {by}.",
        {
            "group": name,
            "least_bound_bits_per_second": min(rates),
            "greatest_bound_bits_per_second": max(rates),
            "bound_by": list(dict.fromkeys(_limits(subject, flows, crowded))),
        },
        kind="bound",
        claims=(Claim("throughput", name, "at most", together, "throughput"),),
    )


def _limits(
    subject: Subject, flows: Sequence[tuple[Flow, Tcp]], crowded: frozenset[Link]
) -> Iterator[Limit]:
    """The limit of each flow: its own bound, or a link that many flows share.

    A flow is limited by its own bound if its links can carry all flows at their bounds, or if the
    bound is below the fair share.
    """
    shares = subject.shares_or_reason()
    alone = [flow for flow, _ in flows]
    met = subject.bottlenecks_of(alone)
    is_fair = not unfair(subject, alone) and not minimum_rates_fail(subject, met)
    for flow, tcp in flows:
        bound = flow_bound(subject, flow, tcp)
        has_room = crowded.isdisjoint(flow.forward)
        if not has_room and is_fair and not isinstance(shares, str):
            share = _peak(flow, tcp, shares.rates[flow.name] * CELL_BITS)
            has_room = bound.bits_per_second < share
        yield bound.by if has_room else "link"


def _bound_of_all(total: float, carried: float) -> Statement:
    """Statement on the bound of all flows, and on the part carried in the measuring window."""
    more = (
        f": links carry {_megabits(carried)} Mbit/s, and data that were sent before the window may "
        "arrive in it"
        if carried < EQUAL * total
        else ""
    )
    return Statement(
        TOPIC,
        f"All flows together deliver at most {_megabits(total)} Mbit/s of TCP payload in the "
        f"measuring window{more}.",
        {"bound_bits_per_second": total, "carried_bits_per_second": carried},
        kind="bound",
        claims=(Claim("throughput", "", "at most", total, "throughput"),),
    )


@dataclass(frozen=True)
class _Group:
    """Expected rates of a group, and the assumptions of the prediction that fail.

    Attributes:
        rates: Expected TCP throughput of each flow in bit/s.
        common: Assumptions whose failure makes the total wrong, too.
        skewed: Assumptions whose failure only divides the total over a link in another way.
    """

    rates: list[float]
    common: list[str]
    skewed: list[str]


def _expected(
    subject: Subject, groups: dict[str, list[tuple[Flow, Tcp]]], shares: MaxMin
) -> Iterator[Prediction]:
    """Expected rates: fair shares less headers, padding and RM cells, or what windows allow."""
    used = _used(subject)
    left = _left_by_links(subject, shares, used)
    rates = {
        flow: _rate(subject, flow, tcp, left[flow])
        for flows in groups.values()
        for flow, tcp in flows
    }
    others = _other_traffic(subject, rates, left)
    found = {name: _group(subject, flows, shares, rates, others) for name, flows in groups.items()}
    # The total over one link does not depend on its division among flows; over several it does.
    several = len({shares.bottlenecks[f.name] for flows in groups.values() for f, _ in flows}) > 1
    for name, group in found.items():
        tcp, abr = groups[name][0][1], groups[name][0][0].abr
        rm = ""
        if abr is not None:
            rm = f", and one of {abr.nrm} is an RM cell"
            nrm, returned, acks = rm_cells(groups[name][0][0])
            if returned:
                more = 1 - 1 / nrm - float(data_share(nrm, returned, acks))
                rm += f", {more:.2%} are returned RM cells of the other direction"
        cycles = [
            used[one] for flow, _ in groups[name] if (one := shares.bottlenecks[flow.name]) in used
        ]
        if cycles:
            rm += f", and the link is used to {min(cycles):.1%} in its limit cycle"
        yield Statement(
            TOPIC,
            f"{name}: a segment of {tcp.mss_bytes:,} bytes takes {tcp.segment_cells} cells{rm}, "
            f"so each flow delivers {_between(min(group.rates), max(group.rates))} of its fair "
            "share.",
            {
                "group": name,
                "least_throughput_bits_per_second": min(group.rates),
                "greatest_throughput_bits_per_second": max(group.rates),
                "segment_cells": tcp.segment_cells,
            },
            FORMULA,
            tuple(group.common + group.skewed),
            "prediction",
            (_claim(subject, name, sum(group.rates), used),),
        )
    total = sum(sum(group.rates) for group in found.values())
    fails = [one for group in found.values() for one in group.common]
    fails += [one for group in found.values() for one in group.skewed if several]
    yield Statement(
        TOPIC,
        f"All flows together deliver {total / 1e6:.2f} Mbit/s of TCP payload.",
        {"total_throughput_bits_per_second": total},
        FORMULA,
        tuple(dict.fromkeys(fails)),
        "prediction",
        (_claim(subject, "", total, used),),
    )


def _claim(subject: Subject, group: str, rate: float, used: dict[str, float]) -> Claim:
    """The claim of the expected throughput, to be compared with runs under the same control.

    If flows differ, the total may be right although the shares are not.
    """
    what = "group throughput" if group and subject.differences else "throughput"
    how = "by efci-cycle" if min(used.values(), default=1.0) < EQUAL else "under"
    kind = f"{what} {how} {subject.controls}{subject.surroundings}{subject.differences}"
    return Claim("throughput", group, "about", rate, kind)


def _used(subject: Subject) -> dict[str, float]:
    """By port, the utilisation in the limit cycle, where a formula gives one below 1."""
    found = {one.port.name: cycle_utilisation(subject, one) for one in subject.bottlenecks}
    return {name: used for name, used in found.items() if isinstance(used, float) and used < 1}


def _rate(subject: Subject, flow: Flow, tcp: Tcp, cells_per_second: float) -> float:
    """Expected rate of a flow in bit/s: what links leave, or what its own limits allow."""
    credit, most = subject.network.credit, math.inf
    if credit is not None:
        most = credited_cells_per_second(credit, flow.forward, flow.backward, flow.service)
    peak = _peak(flow, tcp, min(cells_per_second, most) * CELL_BITS)
    processing = processing_seconds(tcp)
    processed = 8 * tcp.mss_bytes / processing if processing else math.inf
    bound = flow_bound(subject, flow, tcp).bits_per_second
    return min(peak, bound, window_rate(flow, tcp), processed)


def _left_by_links(subject: Subject, shares: MaxMin, used: dict[str, float]) -> dict[Flow, float]:
    """Rate of each elastic flow in cells/s if only links limit it.

    That is its fair share, less the time in which its link is idle in a limit cycle, and less the
    credit cells that its data channel carries for acknowledgements.
    """
    return {
        flow: shares.rates[flow.name]
        * used.get(shares.bottlenecks[flow.name] or "", 1.0)
        / (1 + acknowledgement_share(flow) * subject.credit_share(flow.ack_service))
        for flows in subject.elastic_groups.values()
        for flow in flows
    }


def _other_traffic(
    subject: Subject, rates: dict[Flow, float], left: dict[Flow, float]
) -> OtherTraffic:
    """The loads of links if all flows send at their expected rates.

    Args:
        subject: The network.
        rates: Expected TCP throughput of each flow in bit/s.
        left: Rate of each elastic flow in cells/s if only links limited it.
    """
    cells, window_limited = dict(left), set[Flow]()
    for flow, rate in rates.items():
        if flow.tcp is None:
            continue
        peak = _peak(flow, flow.tcp, left[flow] * CELL_BITS)
        if peak:
            cells[flow] *= min(1.0, rate / peak)
        if window_rate(flow, flow.tcp) <= rate < EQUAL * peak:
            window_limited.add(flow)
    return OtherTraffic(subject, cells, left, frozenset(window_limited))


def _group(
    subject: Subject,
    flows: Sequence[tuple[Flow, Tcp]],
    shares: MaxMin,
    expected: dict[Flow, float],
    others: OtherTraffic,
) -> _Group:
    rates, slow, timed = list[float](), list[str](), list[str]()
    for flow, tcp in flows:
        share = shares.rates[flow.name]
        rates.append(expected[flow])
        timed += _by_time(flow, share) if not others.is_limited(flow) else []
        if flow.abr is not None and window_rate(flow, tcp, share) < EQUAL * rates[-1]:
            slow.append(
                "a segment leaves at the rate of the link, but at the fair share a segment takes "
                f"{seconds(tcp.segment_cells / share)}, for which the window is too small"
            )
    alone = [flow for flow, _ in flows]
    common = [*_no_end(alone), *_steady(subject, flows), *_target(alone), *_late(subject, alone)]
    met = subject.bottlenecks_of(alone)
    common += [*policed_background(met), *counted_back(met)]
    common += minimum_rates_fail(subject, met)
    common += [*slow[:1], *timed[:1], *_between_bursts(subject, alone), *others.fails(alone)]
    if not all(rates):
        common.append(
            "RM cells leave room for data, but with this Nrm returned RM cells leave none"
        )
    return _Group(rates, common, unfair(subject, alone))


def window_rate(flow: Flow, tcp: Tcp, cells_per_second: float = math.inf) -> float:
    """Payload in bit/s of a window in each round trip of an otherwise empty path.

    The round trip begins with the first cell of a segment and ends once the last cell of its
    acknowledgement is processed; each link stores a cell before it forwards it.

    Args:
        flow: The flow.
        tcp: Parameters of the flow's TCP.
        cells_per_second: The source's rate, if it is below those of the links and PCR.
    """
    rate = min(cells_per_second, *(link.cells_per_second for link in flow.forward))
    if flow.abr is not None:
        rate = min(rate, flow.abr.pcr_cells_per_second)
    rate = min([rate, *(float(one["pcr_cells_per_second"]) for one in flow.enforced_contracts)])
    back = min((link.cells_per_second for link in flow.backward), default=math.inf)
    trip = (
        (flow.propagation_round_trip_seconds or 0.0)
        + sum(1 / link.cells_per_second for link in (*flow.forward, *flow.backward))
        + (tcp.segment_cells - 1) / rate
        + (tcp.acknowledgement_cells - 1) / back
        + 2 * processing_seconds(tcp)
    )
    return 8 * outstanding_bytes(flow, tcp) / trip


def processing_seconds(tcp: Tcp) -> float:
    """Mean time in seconds for which a host processes a segment or an acknowledgement."""
    settings = tcp.parameters
    variation = float(settings["processing_variation_seconds"])
    return float(settings["processing_time_seconds"]) + variation / 2


def _between_bursts(subject: Subject, flows: Sequence[Flow]) -> Iterator[str]:
    """Assumptions that fail if flows cannot use all capacity that a bursty background leaves."""
    for situation in subject.bottlenecks_of(flows):
        if not situation.has_varying_background:
            continue
        times = [_burst_seconds(flow) for flow in situation.others]
        known = [one for one in times if one is not None]
        trip = max(situation.round_trips_seconds, default=0.0)
        shortest = min(known, default=math.inf)
        if len(known) < len(times):
            yield (
                f"rates follow the background at {situation.port.name}, which is not an ON-OFF "
                "source"
            )
        elif shortest < FOLLOW * trip:
            yield (
                f"rates follow the background at {situation.port.name}, but a round trip takes "
                f"{seconds(trip)}, and the background keeps a rate for only {seconds(shortest)}"
            )
        over = [(flow, flow.tcp) for flow in situation.elastic if flow.tcp is not None]
        if not over:
            continue
        silent = handed_out_cells_per_second(situation) + situation.background_cells_per_second()
        need = sum(_peak(flow, tcp, silent * CELL_BITS) for flow, tcp in over) / len(over)
        most = sum(window_rate(flow, tcp) for flow, tcp in over)
        if most < need:
            yield (
                f"windows fill {situation.port.name} while its background is silent, but windows "
                f"allow only {_megabits(most)} of {_megabits(need)} Mbit/s"
            )


def _burst_seconds(flow: Flow) -> float | None:
    """The shorter of the mean times in which an ON-OFF source sends and is silent.

    Infinite for a steady rate; None for other sources.
    """
    source = flow.source
    if flow.own_rate and flow.own_rate.mean_cells_per_second == flow.own_rate.peak_cells_per_second:
        return math.inf
    if source["kind"] == "on-off":
        on = float(source["duty_cycle"])
        return float(source["period_seconds"]) * min(on, 1 - on)
    if source["kind"] == "exponential-on-off":
        return min(float(source["mean_on_seconds"]), float(source["mean_off_seconds"]))
    return None


def _peak(flow: Flow, tcp: Tcp, share_bits_per_second: float) -> float:
    """Payload rate in bit/s at a fair share: full segments, padded, without RM cells."""
    sizes = tcp.mss_bytes, tcp.overhead_bytes
    return _peak_of(share_bits_per_second, *sizes, *rm_cells(flow))


@lru_cache(maxsize=4096)  # cached, because many flows of a large network have equal shares
def _peak_of(
    share_bits_per_second: float, mss: int, overhead: int, nrm: int, returned: bool, beside: float
) -> float:
    return float(
        peak_throughput_bits_per_second(
            share_bits_per_second,
            mss,
            overhead_bytes=overhead,
            nrm=nrm,
            returned_rm_cells=returned,
            acknowledgement_share=beside,
        )
    )


def _by_time(flow: Flow, share_cells_per_second: float) -> list[str]:
    """Assumption that fails if RM cells come by Trm and not by Nrm (TM 4.0, source rule 3)."""
    nrm, returned, beside = rm_cells(flow)
    if flow.abr is None:
        return []
    own = share_cells_per_second / nrm
    found = share_cells_per_second * (1 - float(data_share(nrm, returned, beside))) - own
    least = 1 / float(flow.abr.parameters["trm_seconds"])
    more = max(0.0, least - own) + (max(0.0, least - found) if returned else 0.0)
    if more <= FEW * share_cells_per_second:
        return []
    due = f"more RM cells are due, by Trm = {seconds(1 / least)}"
    return [f"one of {nrm} cells is an RM cell, but at these rates {due}"]


def _no_end(flows: Sequence[Flow]) -> list[str]:
    """Assumption that fails if sources may have less to send than their share."""
    if any(flow.kind != "greedy" for flow in flows):
        return ["sources have data without end"]
    return []


def _steady(subject: Subject, flows: Sequence[tuple[Flow, Tcp]]) -> Iterator[str]:
    """Assumptions that fail if TCP starts, or waits for a timeout, in the measuring window."""
    over = max(flow.start_seconds + start_up_seconds(flow, tcp) for flow, tcp in flows)
    over += subject.network.start_jitter_seconds
    if over > subject.begin_seconds:
        yield (
            "slow start ends before the measuring window begins, at "
            f"{seconds(subject.begin_seconds)}, but slow start lasts until about {seconds(over)}"
        )
    met = subject.bottlenecks_of(flow for flow, _ in flows)
    yield from _grown_queues(subject, met)
    yield from _unchecked(subject, met)
    if any(flow.is_dropped for flow, _ in flows):
        yield (
            "no cell is lost, but a policer drops cells beyond the contract, and no formula here "
            "says how long TCP pauses then"
        )
    elif any(flow.source_queue_cells < tcp.window_cells for flow, tcp in flows):
        yield "no cell is lost, but windows overflow the queues of the sources"
    elif subject.network.links_lose:
        yield "links lose no cell"
    elif any(loss_at(subject, situation).expected != "no" for situation in met):
        yield (
            "no cell is lost, but losses are possible, and no formula here says how long TCP "
            "pauses then"
        )
    elif any(_may_expire(subject, flow, tcp) for flow, tcp in flows):
        yield "no timer expires early, but full queues delay cells longer than the least timeout"
    for flow, tcp in flows:
        if holds_one_segment(flow, tcp) and not waits_for_acknowledgements(subject, flow, tcp):
            interval = seconds(tcp.parameters["delayed_ack_interval_seconds"])
            yield (
                "the receiver acknowledges at once, but a window holds one segment, whose "
                f"acknowledgement the receiver delays by up to {interval}"
            )
            break


def _unchecked(subject: Subject, met: Iterable[Situation]) -> Iterator[str]:
    """Assumption that fails if a flow that nothing slows shares a queue with TCP."""
    if subject.network.credit is not None:
        return
    for situation in met:
        queue_of = situation.switch.queue_of
        over_tcp = {queue_of(flow.service) for flow in situation.elastic if flow.tcp}
        found = {
            flow.group
            for flow in situation.elastic
            if flow.tcp is None and flow.abr is None and queue_of(flow.service) in over_tcp
        }
        if found:
            sends = "send" if len(found) > 1 else "sends"
            yield (
                f"a control or losses slow every flow at {situation.port.name}, but "
                f"{', '.join(sorted(found))} {sends} as fast as the links allow"
            )


def _grown_queues(subject: Subject, met: Iterable[Situation]) -> Iterator[str]:
    """Assumption that fails if a queue that background shares has not reached its length in time.

    Windows of W cells bring W C / Q cells/s through a queue of Q cells on a line of C cells/s, so
    beside background that leaves L the queue grows by W C / Q - L. TCP takes more than L until Q is
    W C / L; it takes 5 % more than L after (ln 21 - 1 / 1.05) W C / L^2.
    """
    for situation in met:
        windows = sum(
            flow.tcp.window_cells for flow in situation.elastic if flow.tcp and flow.abr is None
        )
        left = situation.capacity_cells_per_second
        sharing = situation.sharing()
        if not (windows and sharing and left > 0):
            continue
        shared = sum(mean_cells_per_second(flow) or 0.0 for flow in sharing)
        lasts = SETTLES_BESIDE * windows * (left + shared) / left**2
        if lasts > subject.begin_seconds:
            yield (
                f"the queue of {situation.port.name}, which background shares, has its final "
                f"length before the measuring window begins, but needs about {seconds(lasts)}"
            )


def start_up_seconds(flow: Flow, tcp: Tcp) -> float:
    """Twice the time in which slow start opens the whole window from one segment, in seconds.

    Vegas doubles its window in every second round trip. The acknowledgement of a first window of
    one segment waits for the receiver's clock if the receiver delays it.
    """
    doublings = math.log2(max(1.0, tcp.window_bytes / tcp.mss_bytes)) + 1
    if tcp.recovery == "vegas":
        doublings *= 2
    settings = tcp.parameters
    waits = settings["delayed_ack"] and settings["initial_window"] == 1
    first = settings["delayed_ack_interval_seconds"] if waits else 0.0
    trip = (flow.propagation_round_trip_seconds or 0.0) + 2 * processing_seconds(tcp)
    return float(first + 2 * doublings * trip)


def _may_expire(subject: Subject, flow: Flow, tcp: Tcp) -> bool:
    """True if windows of TCP in queues of the path or a host last longer than the least timeout."""
    path = (*flow.forward, *flow.backward)
    held = [subject.tcp_cells_over[link] / link.cells_per_second for link in path]
    shaped = tcp.window_cells / contract_cells_per_second(flow)
    processed = tcp.window_bytes / tcp.mss_bytes * processing_seconds(tcp)
    longest = max(*held, shaped, processed) + (flow.propagation_round_trip_seconds or 0.0)
    return bool(longest > tcp.parameters["min_rto_seconds"])


def _target(flows: Sequence[Flow]) -> list[str]:
    """Assumption that fails if switches may allocate more than their target."""
    if missed := missed_targets(flows):
        return missed
    switches = {link.switch for flow in flows if flow.abr for link in flow.forward if link.is_port}
    deltas = [s.control["delta"] for s in switches if s.control.get("max_alloc")]
    if not max(deltas, default=0):
        return []
    most = f"tolerates a load of up to {1 + max(deltas):g} times the target"
    return [f"switches bring the load down to the target, but `max_alloc` {most}"]


def _late(subject: Subject, flows: Sequence[Flow]) -> list[str]:
    """Assumption that fails for background that starts late, although its mean is subtracted."""
    met = subject.bottlenecks_of(flows)
    others = {other.group: other.start_seconds for situation in met for other in situation.others}
    soon = LATE * subject.network.duration_seconds
    return [
        f"background is there from the start, but {group} starts at {seconds(start)}"
        for group, start in others.items()
        if start > soon
    ]


def _between(low: float, high: float) -> str:
    """Text of one rate or of two in Mbit/s."""
    return (
        f"{_megabits(low)} Mbit/s"
        if low == high
        else f"{_megabits(low)} to {_megabits(high)} Mbit/s"
    )


def _megabits(rate: float) -> str:
    return f"{rate / 1e6:.2f}" if rate >= 1e6 else f"{rate / 1e6:.4g}"


def _window(subject: Subject, name: str, flows: Sequence[tuple[Flow, Tcp]]) -> Statement:
    """Statement on the window that fills a flow's path, and the number of flows with less."""
    tcp = flows[0][1]
    trips = [flow.propagation_round_trip_seconds or 0.0 for flow, _ in flows]
    limited = sum(flow_bound(subject, flow, tcp).by == "window" for flow, tcp in flows)
    held = tcp.window_bytes // tcp.mss_bytes * tcp.mss_bytes
    values: dict[str, Value] = {
        "group": name,
        "window_bytes": held,
        "window_limited_flows": limited,
    }
    longest = seconds(max(trips))
    if any(waits_for_acknowledgements(subject, flow, own) for flow, own in flows):
        interval = tcp.parameters["delayed_ack_interval_seconds"]
        rate = 8 * tcp.mss_bytes / interval
        values["delayed_ack_limit_bits_per_second"] = rate
        text = (
            f"{name}: a window holds one segment of {tcp.mss_bytes:,} bytes, and each segment "
            f"waits for a delayed acknowledgement, {seconds(interval)}, which allows "
            f"{_megabits(rate)} Mbit/s. A window of two segments does not wait"
        )
        return Statement(TOPIC, f"{text}.", values)
    text = f"{name}: a window holds whole segments of {held:,} bytes for a round trip of {longest}"
    if max(trips) > 0:
        rate = 8 * held / max(trips)
        values["window_limit_bits_per_second"] = rate
        text += f", which allows {rate / 1e6:.2f} Mbit/s"
    if limited == len(flows):
        text += "; no flow alone fills its path"
    elif limited:
        their = "their" if limited > 1 else "its"
        text += f"; {limited} of {len(flows)} flows cannot fill {their} path alone"
    return Statement(TOPIC, f"{text}.", values)
