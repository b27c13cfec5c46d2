"""Statements on the oscillation of the control loop: whether it can occur, amplitude and period."""

from __future__ import annotations

import math
from collections.abc import Iterator

from cellrate.advice.explain.answer import Kind, NoStatement, Prediction, Statement, Value
from cellrate.advice.explain.capacity import minimum_rates_fail
from cellrate.advice.explain.claims import Claim
from cellrate.advice.explain.efci_cycle import unsteady
from cellrate.advice.explain.losses import loss_at
from cellrate.advice.explain.own_classes import unknown_windows
from cellrate.advice.explain.queues import contracts_fit
from cellrate.advice.explain.subject import AVOIDS_QUEUES, Subject, acknowledgement_share
from cellrate.advice.explain.throughput import start_up_seconds
from cellrate.advice.explain.times import NOTHING
from cellrate.advice.formulas import Situation
from cellrate.advice.formulas.fluid import assumptions_that_fail, loop_of
from cellrate.advice.formulas.situation import DoesNotApply, full_load_interval_seconds
from cellrate.common.numbers import counted, seconds
from cellrate.simulation.network.ends import Parameters
from cellrate.theory import AssumptionError
from cellrate.theory.efci import clips, limit_cycle

TOPIC = "oscillation"
# Cells at the ends of the path count as few up to this share of the queue.
FEW = 0.1
# Multiple of the time in which the link sends all windows, in which they grow behind a long queue.
GROWTH = 3


def statements(subject: Subject) -> Iterator[Prediction]:
    """Statements on the oscillation at every port that can be overloaded."""
    for situation in subject.bottlenecks:
        quantity = f"{situation.port.name}: oscillation of its loop"
        if situation.split:
            yield NoStatement(TOPIC, quantity, situation.split)
        elif situation.is_starved:
            yield NoStatement(TOPIC, quantity, NOTHING)
        elif situation.abr and situation.switch.scheme == "erica":
            yield from _erica(subject, situation)
        elif situation.abr and situation.switch.scheme == "efci":
            yield from _efci(subject, situation)
        elif situation.abr and situation.switch.scheme != "none":
            reason = f"cellrate has no theory of `{situation.switch.scheme}`"
            yield NoStatement(TOPIC, quantity, reason)
        elif unknown := unknown_windows(situation.elastic):
            yield NoStatement(TOPIC, quantity, unknown)
        elif situation.elastic:
            yield from _uncontrolled(subject, situation)


def _erica(subject: Subject, situation: Situation) -> Iterator[Prediction]:
    port, feedback = situation.port, situation.feedback_delays_seconds[-1]
    background = [flow.source for flow in situation.others if flow.kind == "on-off"]
    if not background:
        trip = situation.round_trips_seconds[-1] if situation.round_trips_seconds else feedback
        yield Statement(
            TOPIC,
            f"{port.name}: the control loop does not oscillate; {_when(situation)}explicit rates "
            f"settle in about two round trips, {seconds(2 * trip)}.",
            {"port": port.name, "oscillates": False, "settling_seconds": 2 * trip},
            fails=tuple(minimum_rates_fail(subject, [situation])),
            kind="prediction",
        )
        return
    for source in background:
        yield _follows_background(
            situation, source, full_load_interval_seconds(situation), feedback
        )


def _when(situation: Situation) -> str:
    """The condition under which explicit rates settle; empty if sources always have data."""
    if all(flow.kind == "persistent" for flow in situation.abr):
        return ""
    tcp = any(flow.tcp is not None for flow in situation.abr)
    after = "slow start is over and " if tcp else ""
    return f"once {after}all sources always have data to send, "


def _follows_background(
    situation: Situation, source: Parameters, interval: float, feedback: float
) -> Statement:
    """Compares ON and OFF times with the feedback delay (Kalyanaraman 1997, section 8.16.1).

    When the background turns OFF, sources get high rates. Cells at these rates arrive one feedback
    delay later, in the next ON time if the delay exceeds the OFF time. The correction takes a
    second delay, and comes after that ON time if the period is shorter than both delays. The
    condition is necessary, not sufficient. In simulations queues diverge if both delays together
    are about a whole number of periods.
    """
    period = source["period_seconds"]
    on, off = period * source["duty_cycle"], period * (1 - source["duty_cycle"])
    may_diverge = interval < off < feedback and period < 2 * feedback + interval
    how = (
        f"high rates granted in an OFF time of {seconds(off)} arrive {seconds(feedback)} later, in "
        "the ON time, which ends before a lower rate arrives, so queues may grow without end"
        if may_diverge
        else f"ABR rates follow the background with a delay of {seconds(feedback)}"
    )
    return Statement(
        TOPIC,
        f"{situation.port.name}: the background has a period of {seconds(period)}; {how}.",
        {
            "port": situation.port.name,
            "oscillates": True,
            "period_seconds": period,
            "on_seconds": on,
            "off_seconds": off,
            "feedback_delay_seconds": feedback,
            "may_diverge": may_diverge,
        },
        kind="prediction",
    )


def _efci(subject: Subject, situation: Situation) -> Iterator[Prediction]:
    port, quantity = situation.port, f"{situation.port.name}: the limit cycle"
    try:
        loop = loop_of(situation)
        cycle = limit_cycle(loop)
    except (AssumptionError, DoesNotApply) as error:
        yield NoStatement(TOPIC, quantity, str(error), "efci-cycle")
        return
    longest = float(cycle.maximum_queue_cells)
    fails = assumptions_that_fail(situation, loop, longest, clipped=bool(clips(loop, cycle)))
    fails += unsteady(subject, situation)
    ends = "and empties in each cycle" if cycle.empties else "and never empties"
    yield Statement(
        TOPIC,
        f"{port.name}: the queue swings between {cycle.minimum_queue_cells:,.0f} and "
        f"{cycle.maximum_queue_cells:,.0f} cells every {seconds(cycle.period_seconds)} {ends}; "
        f"the utilisation of the link is {cycle.utilisation:.1%}.",
        {
            "port": port.name,
            "oscillates": True,
            "period_seconds": cycle.period_seconds,
            "amplitude_cells": cycle.amplitude_cells,
            "minimum_queue_cells": cycle.minimum_queue_cells,
            "maximum_queue_cells": cycle.maximum_queue_cells,
            "maximum_acr_cells_per_second": cycle.maximum_acr_cells_per_second,
            "minimum_acr_cells_per_second": cycle.minimum_acr_cells_per_second,
            "utilisation": cycle.utilisation,
        },
        "efci-cycle",
        tuple(fails),
        "prediction",
        _claims(situation, longest, float(cycle.utilisation)),
    )


def _claims(situation: Situation, longest_cells: float, utilisation: float) -> tuple[Claim, ...]:
    """Claims on the utilisation in the limit cycle; none with losses or background traffic."""
    if situation.others or longest_cells > situation.switch.unrefused_cells:
        return ()
    name = situation.port.name
    return (Claim("utilisation", name, "about", utilisation, "utilisation by efci-cycle"),)


def _uncontrolled(subject: Subject, situation: Situation) -> Iterator[Statement]:
    port, values = situation.port, dict[str, Value](oscillates="only by loss")
    avoiding = sorted(
        {
            flow.tcp.recovery
            for flow in situation.elastic
            if flow.tcp is not None and flow.tcp.recovery in AVOIDS_QUEUES
        }
    )
    standing: Statement | None = None
    kind: Kind = "fact" if avoiding and not situation.abr else "prediction"
    if situation.abr:
        text = "the switch causes no oscillation: it controls no rates, and ACR rises to PCR"
    elif not all(flow.tcp is not None for flow in situation.elastic):
        text = "nothing oscillates, since nothing controls the rates of the sources"
    elif contracts_fit(situation):
        kept = "cells wait in the shapers"
        if any(flow.shaper is None for flow in situation.elastic):
            kept = "policers drop what is beyond them, or it waits in shapers"
        text = f"contracts let pass less than the link carries, so no queue stays here; {kept}"
        values["oscillates"] = False
    elif avoiding:
        text = "; ".join(AVOIDS_QUEUES[recovery] for recovery in avoiding)
    elif _loses_nothing(subject, situation):
        text, values["oscillates"] = "no cell is lost, so each window grows until it is full", False
        if situation.network.credit is not None:
            text += "; then cells wait in the sources until they have credit"
        else:
            standing = _standing(subject, situation)
    else:
        text = (
            "only TCP makes the queue oscillate: windows grow until a cell is lost or the window "
            "is full"
        )
    yield Statement(
        TOPIC,
        f"{port.name}: {text}.",
        {"port": port.name, **values},
        kind=kind,
    )
    if standing is not None:
        yield standing


def _loses_nothing(subject: Subject, situation: Situation) -> bool:
    """True if no cell of the flows over the port is expected to be lost anywhere."""
    flows = situation.elastic
    elsewhere = subject.network.links_lose or any(
        flow.is_dropped or flow.gfr is not None or math.isfinite(flow.source_queue_cells)
        for flow in flows
    )
    met = subject.bottlenecks_of(flows)
    return not elsewhere and all(loss_at(subject, one).expected == "no" for one in met)


def _standing(subject: Subject, situation: Situation) -> Statement | None:
    """Statement on the cells that wait once all windows are full: the windows minus the pipe.

    None if flows share other ports, have shapers, unequal round trips or pauses, or other cells
    cross.
    """
    flows = situation.elastic
    alone = not (situation.others or situation.sharing() or situation.has_other_bottlenecks)
    if any(flow.shaper is not None for flow in flows):
        return None
    if not alone or situation.has_unequal_round_trips or any(f.kind != "greedy" for f in flows):
        return None
    windows = subject.queue_answers(situation)["window-sum"]
    pipe = situation.port.cells_per_second * max(situation.round_trips_seconds, default=0.0)
    cells, port = (windows.cells or 0.0) - pipe, situation.port.name
    if cells <= 0:
        text = f"{port}: all windows together are less than the pipe, so no queue stays."
        return Statement(TOPIC, text, {"port": port, "standing_queue_cells": 0.0})
    fails = (
        *windows.fails,
        *_not_all_here(situation, cells),
        *_not_yet_full(subject, situation, windows.cells or 0.0),
    )
    return Statement(
        TOPIC,
        f"{port}: once all windows are full, the queue stays at about "
        f"{counted(round(cells), 'cell')}: all windows without what the pipe holds.",
        {"port": port, "standing_queue_cells": cells},
        windows.formula,
        fails,
        "prediction",
        (Claim("mean queue", port, "about", cells, "standing queue", situation.service),),
    )


def _not_all_here(situation: Situation, cells: float) -> Iterator[str]:
    """Assumptions that fail if a part of the windows is neither in the pipe nor in the queue."""
    forward = {link for flow in situation.network.flows for link in flow.forward if link.is_port}
    here = any(situation.port in flow.backward for flow in situation.network.flows)
    if here or any(not forward.isdisjoint(flow.backward) for flow in situation.elastic):
        yield (
            "all cells of windows are data, but data go both ways here: a part of each window is "
            "acknowledgements that wait behind data of the other direction"
        )
    rate = situation.port.cells_per_second
    slow = (
        link.cells_per_second < rate * acknowledgement_share(flow)
        for flow in situation.elastic
        for link in flow.backward
    )
    if any(slow):
        yield "acknowledgements do not wait, but a link of theirs is too slow for them"
    settings = [flow.tcp.parameters for flow in situation.elastic if flow.tcp is not None]
    if any(one["processing_time_seconds"] > 0 for one in settings):
        yield "acknowledgements do not wait, but receivers take `processing_time`"
    # A source or a receiver may hold a segment, such as one that is not acknowledged yet.
    held = sum(flow.tcp.segment_cells for flow in situation.elastic if flow.tcp is not None)
    if held > FEW * cells:
        yield (
            "few cells wait at the ends of the path, but a segment of each source is "
            f"{counted(held, 'cell')} of {cells:,.0f}"
        )


def _not_yet_full(subject: Subject, situation: Situation, windows: float) -> Iterator[str]:
    """Assumptions that fail if windows still grow in the measuring window."""
    flows = [(flow, flow.tcp) for flow in situation.elastic if flow.tcp is not None]
    first = [(tcp.parameters["initial_ssthresh_bytes"], tcp.window_bytes) for _, tcp in flows]
    if any(threshold is not None and threshold < window for threshold, window in first):
        yield "slow start opens the whole window, but it ends at `initial_ssthresh`"
    # RFC 5681 3.1: with delayed acknowledgements a window grows with every second segment.
    slow = 2 if any(tcp.parameters["delayed_ack"] for _, tcp in flows) else 1
    filling = GROWTH * windows / situation.port.cells_per_second
    full = max(
        flow.start_seconds + slow * (start_up_seconds(flow, tcp) + filling) for flow, tcp in flows
    )
    full += subject.network.start_jitter_seconds
    if full > subject.begin_seconds:
        yield (
            "all windows are full when the measuring window begins, at "
            f"{seconds(subject.begin_seconds)}, but they may grow until about {seconds(full)}"
        )
