"""Cycles of a loop under EFCI: the assumption that a run is long enough for them."""

from __future__ import annotations

from cellrate.advice.explain.subject import Subject
from cellrate.advice.formulas import Situation
from cellrate.advice.formulas.fluid import DoesNotApply, loop_of
from cellrate.common.numbers import seconds
from cellrate.theory import AssumptionError
from cellrate.theory.efci import limit_cycle

# So many cycles show the steady state.
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
    return (f"the run lasts for {CYCLES} cycles of {seconds(period)}",)
