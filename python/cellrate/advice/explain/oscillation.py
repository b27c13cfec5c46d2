"""Statements on the oscillation of the control loop: whether it can occur, amplitude and period."""

from __future__ import annotations

from collections.abc import Iterator

from cellrate.advice.explain.answer import NoStatement, Prediction, Statement, Value
from cellrate.advice.explain.claims import Claim
from cellrate.advice.explain.subject import AVOIDS_QUEUES, Subject
from cellrate.advice.formulas import Situation
from cellrate.advice.formulas.fluid import assumptions_that_fail, loop_of
from cellrate.advice.formulas.situation import DoesNotApply, full_load_interval_seconds
from cellrate.common.numbers import counted, seconds
from cellrate.simulation.network import Flow, contract_cells_per_second
from cellrate.simulation.network.ends import Parameters
from cellrate.theory import AssumptionError
from cellrate.theory.efci import clips, limit_cycle

# Number of cycles in which a run shows the steady state.
CYCLES = 5


def unsteady(subject: Subject, situation: Situation) -> tuple[str, ...]:
    """The assumption that fails if the run ends before the limit cycle is reached."""
    try:
        period = float(limit_cycle(loop_of(situation)).period_seconds)
    except (AssumptionError, DoesNotApply):
        return ()
    started = max(flow.start_seconds for flow in situation.abr)
    lasts = subject.end_seconds - started - subject.network.start_jitter_seconds
    if lasts >= CYCLES * period:
        return ()
    return (f"the run lasts for {CYCLES} cycles, each of {seconds(period)}",)


TOPIC = "oscillation"


def statements(subject: Subject) -> Iterator[Prediction]:
    """Statements on the oscillation at every port that can be overloaded."""
    for situation in subject.bottlenecks:
        if situation.split:
            quantity = f"{situation.port.name}: oscillation of its loop"
            yield NoStatement(TOPIC, quantity, situation.split)
        elif situation.abr and situation.switch.scheme == "erica":
            yield from _erica(situation)
        elif situation.abr and situation.switch.scheme == "efci":
            yield from _efci(subject, situation)
        elif situation.abr and situation.switch.scheme != "none":
            reason = f"cellrate has no theory of `{situation.switch.scheme}`"
            yield NoStatement(TOPIC, f"{situation.port.name}: oscillation of its loop", reason)
        elif situation.elastic:
            yield _uncontrolled(subject, situation)


def _erica(situation: Situation) -> Iterator[Prediction]:
    port, feedback = situation.port, situation.feedback_delays_seconds[-1]
    background = [flow.source for flow in situation.others if flow.kind == "on-off"]
    if not background:
        trip = situation.round_trips_seconds[-1] if situation.round_trips_seconds else feedback
        yield Statement(
            TOPIC,
            f"{port.name}: the control loop does not oscillate; {_when(situation)}explicit rates "
            f"settle in about two round trips, {seconds(2 * trip)}.",
            {"port": port.name, "oscillates": False, "settling_seconds": 2 * trip},
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
    fails = assumptions_that_fail(situation, longest, clipped=bool(clips(loop, cycle)))
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


def _uncontrolled(subject: Subject, situation: Situation) -> Statement:
    port, values = situation.port, dict[str, Value](oscillates="only by loss")
    if situation.abr:
        text = "the switch causes no oscillation: it controls no rates, and ACR rises to PCR"
    elif not all(flow.tcp is not None for flow in situation.elastic):
        text = "nothing oscillates, since nothing controls the rates of the sources"
    elif subject.lossless and not any(_avoids_queues(flow) for flow in situation.elastic):
        text, values["oscillates"] = "no cell is lost, so each window grows until it is full", False
        standing = _standing_cells(situation)
        if _wait_in_shapers(situation):
            text += "; then cells wait in the shapers"
        elif standing is not None:
            text += f"; then the queue stays at about {counted(round(standing), 'cell')}"
            values["standing_queue_cells"] = standing
    else:
        text = (
            "only TCP makes the queue oscillate: windows grow until a cell is lost or the window "
            "is full"
        )
    return Statement(
        TOPIC,
        f"{port.name}: {text}.",
        {"port": port.name, **values},
        kind="prediction",
    )


def _avoids_queues(flow: Flow) -> bool:
    return flow.tcp is not None and flow.tcp.recovery in AVOIDS_QUEUES


def _wait_in_shapers(situation: Situation) -> bool:
    """True if the long-run rates of all shapers together are at most that of the link."""
    elastic = sum(map(contract_cells_per_second, situation.elastic))
    return elastic <= situation.capacity_cells_per_second


def _standing_cells(situation: Situation) -> float | None:
    """Cells that wait once all windows are full: the windows without what the path carries.

    None if flows share other ports, have shapers, unequal round trips or pauses, or other cells
    cross.
    """
    flows = situation.elastic
    alone = not (situation.others or situation.sharing() or situation.has_other_bottlenecks)
    if any(flow.shaper is not None for flow in flows):
        return None
    if not alone or situation.has_unequal_round_trips or any(f.kind != "greedy" for f in flows):
        return None
    windows = sum(flow.tcp.window_cells for flow in flows if flow.tcp is not None)
    pipe = situation.port.cells_per_second * max(situation.round_trips_seconds, default=0.0)
    return max(0.0, windows - pipe)
