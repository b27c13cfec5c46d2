"""Statements on ports that can be overloaded, their capacity for elastic flows, and fair shares."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from cellrate.advice.explain import minimum_rates
from cellrate.advice.explain.answer import NoStatement, Prediction, Statement, Value
from cellrate.advice.explain.subject import (
    Subject,
    allocated_cells_per_second,
    mbit,
    missed_target,
    target_utilisation,
)
from cellrate.advice.formulas import Situation
from cellrate.advice.formulas.growth import certain_growth_cells_per_second
from cellrate.advice.marking import only_marks
from cellrate.simulation.network import (
    Flow,
    booked_cells_per_second,
    lasting_cells_per_second,
    offered_cells_per_second,
)
from cellrate.theory import MaxMin

BOTTLENECK = "bottleneck"
NOTHING = "elastic flows have nothing"
# Schemes that share by the CCR that each channel states, not by the cells that it sends.
COUNTS_CCR = frozenset({"charny", "ucsc"})


def bottlenecks(subject: Subject) -> Iterator[Prediction]:
    """Statements on every port that can be overloaded, and on the capacity left there."""
    if not subject.bottlenecks:
        yield Statement(
            BOTTLENECK,
            "No port can receive more than its link carries, so a cell waits only for cells that "
            "arrive at the same time.",
            {"ports": []},
        )
    for situation in subject.bottlenecks:
        yield _overload(subject, situation)
        if situation.others:
            yield _background(situation)
        control = situation.switch.control
        if situation.abr and (target_utilisation(control) != 1.0 or control["scheme"] == "phantom"):
            yield _target(situation)
        yield from _overbooked(situation)
        yield from _beyond(subject, situation)
        growth = certain_growth_cells_per_second(subject.network, situation.port)
        if growth > 0:
            yield _endless(situation, growth)


def _overload(subject: Subject, situation: Situation) -> Statement:
    port = situation.port
    offered = offered_cells_per_second(subject.network, port)
    lasting = lasting_cells_per_second(subject.network, port)
    count = len(situation.flows)
    but = ""
    if lasting <= port.cells_per_second:
        but = f", but in the long run contracts let pass at most {mbit(lasting)}"
    return Statement(
        BOTTLENECK,
        f"{port.name}: {count} flow{'s' if count > 1 else ''} could send {mbit(offered)} to a "
        f"link of {mbit(port.cells_per_second)}{but}.",
        {
            "port": port.name,
            "flows": count,
            "offered_cells_per_second": offered,
            "lasting_cells_per_second": lasting,
            "link_cells_per_second": port.cells_per_second,
        },
    )


def _background(situation: Situation) -> Statement:
    left = situation.capacity_cells_per_second
    names = ", ".join(dict.fromkeys(flow.group for flow in situation.others))
    taken = situation.background_cells_per_second()
    varies = ", in bursts" if situation.has_varying_background else ""
    most, least = ("at most ", "at least ") if is_policed(situation) else ("", "")
    rest = f"elastic flows have {least}{mbit(max(0.0, left))}"
    if left <= 0 and not least:
        compete = situation.elastic and not situation.is_starved
        rest = "elastic flows compete with it for the link" if compete else NOTHING
    return Statement(
        BOTTLENECK,
        f"{situation.port.name}: background ({names}) sends {most}{mbit(taken)} on average"
        f"{varies}; {rest}.",
        {
            "port": situation.port.name,
            "background_cells_per_second": taken,
            "left_cells_per_second": max(0.0, left),
            "starved": situation.is_starved,
        },
        "available-bandwidth",
    )


def is_policed(situation: Situation) -> bool:
    """True if a policer may drop more of the background than the part above the long-run rate.

    A policer drops the end of a burst although the link is free later. With a small CDVT it also
    drops cells that come early.
    """
    return any(flow.is_dropped for flow in situation.others)


def policed_background(situations: Iterable[Situation]) -> list[str]:
    """Assumption that fails if only an upper limit of the background at some ports is known."""
    names = [situation.port.name for situation in situations if is_policed(situation)]
    return [
        f"background at {name} passes its policer at its long-run rate, but the policer may drop "
        "more, so elastic flows may get more"
        for name in names[:1]
    ]


def counted_back(situations: Iterable[Situation]) -> list[str]:
    """Assumption that fails if a scheme also gives a share to channels of the other direction."""
    return [
        f"channels use their shares, but `{found.switch.scheme}` also gives one at "
        f"{found.port.name} to the channel of acknowledgements and RM cells of each flow in the "
        "other direction, which states a high CCR and sends little"
        for found in situations
        if found.switch.scheme in COUNTS_CCR
        and any(flow.abr and found.port in flow.backward for flow in found.network.flows)
    ][:1]


def held_back(situations: Iterable[Situation]) -> list[str]:
    """Assumption that fails if a scheme counts background that weights of queues hold back."""
    return [
        f"background takes no more of {found.port.name} than its queue's weight allows, but "
        f"`{found.switch.scheme}` counts all that comes as missing capacity"
        for found in situations
        if found.switch.queue_weights
        and found.abr
        and found.switch.scheme != "none"
        and found.others
    ][:1]


def _target(situation: Situation) -> Statement:
    share = target_utilisation(situation.switch.control)
    handed_out, left = allocated_cells_per_second(situation), situation.capacity_cells_per_second
    more, missed = "", missed_target(situation.switch.control)
    if missed:
        more = f", but {missed}"
    elif handed_out > max(0.0, left):
        more = (
            f". The link has only {mbit(left)} for these flows, so the queue grows while they use "
            "what is allocated"
        )
    verb = "means to allocate" if missed else "allocates"
    by = f", by its target utilisation of {share:g}"
    if situation.switch.scheme == "phantom":
        by = f" and {mbit(left - handed_out)} to its imaginary flow"
    return Statement(
        BOTTLENECK,
        f"{situation.port.name}: the switch {verb} {mbit(handed_out)} to ABR flows{by}{more}.",
        {
            "port": situation.port.name,
            "target_utilisation": share,
            "handed_out_cells_per_second": handed_out,
        },
    )


def _overbooked(situation: Situation) -> Iterator[Statement]:
    """Statement on MCRs and other traffic that together exceed the link."""
    booked, port = _booked_beyond(situation), situation.port
    if booked is not None:
        yield Statement(
            BOTTLENECK,
            f"{port.name}: MCRs and traffic that does not yield book {mbit(booked)} of a link of "
            f"{mbit(port.cells_per_second)}. ABR sources may always send at MCR, so the queue "
            "grows while all of them do.",
            {
                "port": port.name,
                "booked_cells_per_second": booked,
                "link_cells_per_second": port.cells_per_second,
            },
        )


def _booked_beyond(situation: Situation) -> float | None:
    """The rate that a port has promised, if MCRs of ABR make it exceed the link; else None."""
    booked = booked_cells_per_second(situation.network, situation.port)
    held = any(flow.abr and flow.abr.mcr_cells_per_second > 0 for flow in situation.abr)
    return booked if held and booked > situation.port.cells_per_second * (1 + 1e-9) else None


def _beyond(subject: Subject, situation: Situation) -> Iterator[Statement]:
    """Statement on a scheme whose shares, with the MCRs, add up to more than the link carries."""
    if not situation.abr or isinstance(subject.shares_or_reason(), str):
        return
    found = minimum_rates.overload(situation.switch.control, subject.held(situation))
    if found is None or situation.has_other_bottlenecks:
        return
    asked, carried = found
    yield Statement(
        BOTTLENECK,
        f"{situation.port.name}: `{situation.switch.scheme}` gives shares as if there were no MCR. "
        f"With MCRs flows may send {mbit(asked)}, but the link has {mbit(carried)} for them, so "
        "the queue grows while they do.",
        {
            "port": situation.port.name,
            "asked_cells_per_second": asked,
            "carried_cells_per_second": carried,
        },
    )


def minimum_rates_fail(subject: Subject, situations: Iterable[Situation]) -> list[str]:
    """Assumptions of the fair shares that fail at some ports because of MCRs."""
    situations = list(situations)
    beyond = [
        f"a link carries the MCRs over it, but those over {found.port.name} and its other traffic "
        "exceed the link"
        for found in situations
        if _booked_beyond(found) is not None
    ]
    if beyond or isinstance(subject.shares_or_reason(), str):
        return beyond
    return list(
        dict.fromkeys(
            reason
            for found in situations
            if found.abr and found.switch.scheme != "none"
            for reason in minimum_rates.fails(
                found.port.name,
                found.switch.control,
                subject.held(found),
                has_other_bottlenecks=found.has_other_bottlenecks,
            )
        )
    )


def _endless(situation: Situation, growth: float) -> Statement:
    """Statement on a queue that grows without end, or on the cells lost once the buffer is full."""
    port, switch = situation.port, situation.switch
    values: dict[str, Value] = {"port": port.name, "growth_cells_per_second": growth}
    if math.isfinite(switch.buffer_cells):
        share = growth / (growth + port.cells_per_second)
        values |= {"lost_cells_per_second": growth, "least_lost_share": share}
        so = (
            f"once the buffer is full, at least {growth:,.0f} cells/s are lost, and at least "
            f"{share:.3g} of all cells that arrive"
        )
    else:
        so = f"the queue grows without end, by {growth:,.0f} cells/s"
        if math.isinf(switch.unrefused_cells):
            values["endless_growth_cells_per_second"] = growth
        else:
            so += f", unless `{switch.policy}` refuses cells"
    return Statement(
        BOTTLENECK,
        f"{port.name}: flows without any control send more than the link carries, so {so}.",
        values,
        kind="prediction",
    )


FAIR_SHARES = "fair shares"
FORMULA = "max-min"


def fair_shares(subject: Subject) -> Iterator[Prediction]:
    """Statements on the max-min fair share of every group of flows and on its bottleneck."""
    shares = subject.shares_or_reason()
    if isinstance(shares, str):
        yield NoStatement(FAIR_SHARES, "fair shares", shares, FORMULA)
        return
    for name, flows in subject.elastic_groups.items():
        yield _share(subject, name, flows, shares)


def _share(subject: Subject, name: str, flows: Sequence[Flow], shares: MaxMin) -> Statement:
    rates = [shares.rates[flow.name] for flow in flows]
    low, high = min(rates), max(rates)
    held_back = {shares.bottlenecks[flow.name] for flow in flows}
    links = sorted(link for link in held_back if link is not None)
    own = "its contract" if any(flow.enforced_contracts for flow in flows) else "PCR"
    why = f"its bottleneck is {', '.join(links)}" if links else f"its limit is {own}"
    if links and None in held_back:
        why += f" or {own}"
    amount = mbit(low) if low == high else f"{mbit(low)} to {mbit(high)}"
    whose = f"of each of {len(flows)} flows" if len(flows) > 1 else "of its flow"
    of = _shared(subject.bottlenecks_of(flows), set(links))
    return Statement(
        FAIR_SHARES,
        f"{name}: the max-min fair share {whose} is {amount}, with cell "
        f"headers and RM cells; {why}. A run may share otherwise{of}.",
        {
            "group": name,
            "flows": len(flows),
            "least_cells_per_second": low,
            "greatest_cells_per_second": high,
            "bottlenecks": links,
        },
        FORMULA,
        tuple(_fails(subject, flows)),
    )


def _shared(bottlenecks: Iterable[Situation], links: set[str]) -> str:
    """A clause on switches that allocate less than the link rate, unlike `theory max-min`."""
    targets = (
        target_utilisation(situation.switch.control)
        for situation in bottlenecks
        if situation.port.name in links and situation.abr
    )
    parts = {part for part in targets if part < 1.0}
    if not parts:
        return ""
    shown = " or ".join(f"{part:g}" for part in sorted(parts))
    return (
        f". The shares divide what switches allocate, {shown} of the capacity; `cellrate theory "
        "max-min` divides the whole capacity"
    )


def _fails(subject: Subject, flows: Sequence[Flow]) -> list[str]:
    met = subject.bottlenecks_of(flows)
    fails = [*unfair(subject, flows), *policed_background(met), *counted_back(met)]
    fails += minimum_rates_fail(subject, met)
    fails += [*held_back(met), *missed_targets(flows)]
    if any(flow.kind in ("transfer", "messages", "www") for flow in flows):
        fails.append("flows have data without end")
    return fails


def missed_targets(flows: Sequence[Flow]) -> list[str]:
    """Assumption that fails if a scheme on the path lets more pass than its target."""
    ports = (link for flow in flows if flow.abr for link in flow.forward if link.is_port)
    reasons = (missed_target(port.switch.control) for port in ports)
    return [f"switches keep their target, but {reason}" for reason in reasons if reason][:1]


def unfair(subject: Subject, flows: Sequence[Flow]) -> list[str]:
    """Assumptions of the fair shares that fail for some of the flows."""
    if any(flow.abr is None for flow in flows):
        return [
            (
                "switches share the rate fairly, but without ABR losses and round trips decide the "
                "shares"
            )
        ]
    reasons = map(_unfair, subject.bottlenecks_of(flows))
    return list(dict.fromkeys(reason for reason in reasons if reason))


def _unfair(situation: Situation) -> str:
    """Reason why the scheme of a port does not give fair shares; empty if it does."""
    if situation.switch.scheme == "none":
        return "switches compute shares, but no switch here controls ABR, so ACR rises to PCR"
    unequal = situation.has_unequal_round_trips or situation.has_other_bottlenecks
    if only_marks(situation.switch.control) and unequal:
        return (
            "switches compute shares: marks come more often over more switches, and later over "
            "longer ways"
        )
    return ""
