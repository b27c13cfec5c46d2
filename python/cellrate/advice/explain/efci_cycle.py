"""The limit cycle of EFCI in a run: if the run shows the cycle, and how full links are."""

from __future__ import annotations

from cellrate.advice.explain.subject import EQUAL, Subject
from cellrate.advice.formulas import Situation
from cellrate.advice.formulas.fluid import loop_of
from cellrate.advice.formulas.situation import DoesNotApply
from cellrate.advice.marking import only_marks
from cellrate.common.numbers import seconds
from cellrate.theory import AssumptionError
from cellrate.theory.efci import limit_cycle

# Number of cycles in which a run shows the steady state.
CYCLES = 5
# Cycles of which the measuring window may hold a part of one more.
MANY = 15


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


def cycle_utilisation(subject: Subject, situation: Situation) -> float | str:
    """The utilisation of a port, or the assumption that fails if no formula gives it.

    1 under schemes that write rates: the link, or the target, is then always full. Schemes that
    only mark let the queue and the rates swing, by the limit cycle of EFCI.
    """
    if not situation.abr or not only_marks(situation.switch.control):
        return 1.0
    answer = subject.queue_answers(situation).get("efci-cycle")
    empty = f"the link {situation.port.name} is never empty, but"
    if answer is None:
        scheme = situation.switch.scheme
        return f"{empty} `{scheme}` only marks, and no formula here gives its utilisation"
    if answer.fails or unsteady(subject, situation):
        return f"{empty} `efci` only marks, and its limit cycle does not apply here"
    cycle = limit_cycle(loop_of(situation))
    if situation.is_two_way and cycle.utilisation < EQUAL:
        return f"{empty} `efci` only marks, and its limit cycle counts no cells of the way back"
    if cycle.utilisation < EQUAL and MANY * float(cycle.period_seconds) > subject.window_seconds:
        period = seconds(float(cycle.period_seconds))
        return f"{empty} the limit cycle takes {period}, long for the measuring window"
    return float(cycle.utilisation)
