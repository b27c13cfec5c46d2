"""The fluid model of EFCI (Ohsaki et al. 1995, section II)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from cellrate.advice.formulas.situation import DoesNotApply, PortFormula, Result, Situation
from cellrate.common.numbers import seconds
from cellrate.simulation.network import Abr
from cellrate.theory.efci import EfciLoop, clips, limit_cycle, maximum_queue_bound_cells
from cellrate.theory.efci.extremes import overload

# Greatest ratio of the highest to the lowest ACR of a cycle with which sources were seen to run in
# step. At a low ACR RM cells are rare, and sources rise again one after another.
SWING = 20
# Greatest RDF whose steps count as small, and greatest share of a cycle in which all sources start
# and count as starting together. Random runs beyond these three limits miss twice the stated error.
STEP, TOGETHER = 1 / 8, 0.2


def loop_of(situation: Situation) -> EfciLoop:
    """The loop at a port, with a decrease per RM cell as in the simulator.

    Raises:
        DoesNotApply: The port does not control a loop of equal sources by EFCI.
        AssumptionError: The loop is outside the model.
    """
    if situation.switch.scheme != "efci":
        raise DoesNotApply(f"the port does not mark by EFCI but uses `{situation.switch.scheme}`")
    kinds = {_parameters(flow.abr) for flow in situation.abr if flow.abr is not None}
    if not kinds:
        raise DoesNotApply("no elastic ABR flow crosses the port")
    if situation.split:
        raise DoesNotApply(situation.split)
    if len(kinds) > 1:
        raise DoesNotApply("ABR flows have different parameters; the model assumes equal ones")
    control = situation.switch.control
    high = control["high_cells"]
    pcr, mcr, rif, rdf, nrm = kinds.pop()
    return EfciLoop(
        sources=len(situation.abr),
        bandwidth_cells_per_second=situation.capacity_cells_per_second,
        round_trip_seconds=situation.round_trips_seconds[-1],
        high_cells=control["threshold_cells"] if high is None else high,
        low_cells=control["low_cells"],
        rif=rif,
        rdf=rdf,
        nrm=nrm,
        pcr_cells_per_second=pcr,
        mcr_cells_per_second=mcr,
        decrease="per-cell" if rdf < 1 else "continuous",
        growth="delayed",
    )


def _parameters(abr: Abr) -> tuple[float, float, float, float, float]:
    rates = (abr.pcr_cells_per_second, abr.mcr_cells_per_second)
    return (*rates, abr.rif, abr.rdf, float(abr.nrm))


def _bound(situation: Situation) -> Result:
    """The formula's bound of a queue that starts empty."""
    loop = loop_of(situation)
    fastest = loop.bw / loop.n * (1 + overload(loop, np.zeros(())))
    cells = float(maximum_queue_bound_cells(loop))
    found = _result(situation, loop, cells, clipped=bool(fastest > loop.pcr))
    return replace(found, fails=(*found.fails, *_starts_that_fail(situation, loop)))


def _steady(situation: Situation) -> Result:
    """The greatest queue of the limit cycle."""
    loop = loop_of(situation)
    cycle = limit_cycle(loop)
    cells = float(cycle.maximum_queue_cells)
    return _result(situation, loop, cells, clipped=bool(clips(loop, cycle)))


def _result(situation: Situation, loop: EfciLoop, cells: float, *, clipped: bool) -> Result:
    names = ["rif", "rdf", "nrm", "pcr_cells_per_second", "mcr_cells_per_second"]
    given = {
        "sources": float(loop.n),
        "bandwidth_cells_per_second": float(loop.bw),
        "round_trip_seconds": float(loop.tau),
        "high_cells": float(loop.high),
        "low_cells": float(loop.low),
        **{name: float(np.asarray(getattr(loop, name))) for name in names},
    }
    fails = tuple(assumptions_that_fail(situation, loop, cells, clipped=clipped))
    return Result(cells, given, fails)


def _starts_that_fail(situation: Situation, loop: EfciLoop) -> list[str]:
    """Assumptions on the first rise of the queue that do not hold at a port."""
    fails, bandwidth = [], _number(loop.bw)
    initial = sum(flow.abr.icr_cells_per_second for flow in situation.abr if flow.abr is not None)
    if initial > bandwidth:
        fails.append(
            "the queue is empty until ACR has grown to the fair share, but the ICRs add up to "
            f"{initial / bandwidth:.3g} times the bandwidth"
        )
    starts = [flow.start_seconds for flow in situation.abr]
    spread = max(starts) - min(starts) + situation.network.start_jitter_seconds
    period = _number(limit_cycle(loop).period_seconds)
    if spread > TOGETHER * period:
        fails.append(
            f"sources start together, but the last starts {seconds(spread)} after the first, in a "
            f"cycle of {seconds(period)}"
        )
    return fails


def _steps_that_fail(situation: Situation, loop: EfciLoop) -> list[str]:
    """Assumptions on the feedback by RM cells that do not hold in a loop."""
    fails, cycle = [], limit_cycle(loop)
    trip = _number(loop.tau)
    between = _number(loop.n) * _number(loop.nrm) / _number(loop.bw)
    if between > trip:
        fails.append(
            "feedback is continuous, but at the fair share an RM cell comes every "
            f"{seconds(between)}, longer than the round trip of {seconds(trip)}"
        )
    decrease = max(flow.abr.rdf for flow in situation.abr if flow.abr is not None)
    if STEP < decrease < 1:
        fails.append(f"ACR falls in small steps, but RDF = {decrease:g}")
    least = _number(cycle.minimum_acr_cells_per_second)
    most = _number(cycle.maximum_acr_cells_per_second)
    if most > SWING * least:
        fails.append(
            f"sources run in step, but in a cycle ACR falls from {most:,.0f} to {least:,.3g} "
            "cells/s, where RM cells are rare, and sources rise again one after another"
        )
    initial = max(flow.abr.icr_cells_per_second for flow in situation.abr if flow.abr is not None)
    if initial > most:
        fails.append(
            f"the run begins within the cycle, but ICR = {initial:,.0f} cells/s is above the "
            f"greatest ACR of the cycle, {most:,.0f}"
        )
    return fails


def _number(value: npt.ArrayLike) -> float:
    return float(np.asarray(value))


def assumptions_that_fail(
    situation: Situation, loop: EfciLoop, cells: float, *, clipped: bool
) -> list[str]:
    """Assumptions of the fluid model that do not hold at a port.

    Args:
        situation: The port.
        loop: The loop at the port.
        cells: The longest queue by the model.
        clipped: True if ACR would leave the range from MCR to PCR.
    """
    fails = []
    if clipped:
        fails.append("ACR stays below PCR and above MCR, but here the cycle would pass one of them")
    if situation.has_unequal_round_trips:
        fails.append("round trips are equal; the longest is used")
    fails += _steps_that_fail(situation, loop)
    windows = [flow.tcp.window_cells for flow in situation.abr if flow.tcp is not None]
    trip = situation.round_trips_seconds[-1]
    pipe = trip * situation.capacity_cells_per_second
    if len(windows) == len(situation.abr) and sum(windows) < pipe + cells:
        fails.append(
            f"sources always have cells to send, but all TCP windows hold {sum(windows):,} cells, "
            f"less than the pipe and this queue, {pipe + cells:,.0f}"
        )
    if any(flow.kind == "transfer" for flow in situation.abr):
        fails.append("sources send without end")
    if situation.has_varying_background:
        fails.append("the bandwidth is constant, but the background varies; its mean is subtracted")
    if len(situation.abr) < len(situation.elastic):
        fails.append("all elastic flows are ABR")
    if situation.has_other_bottlenecks:
        fails.append("there is one bottleneck")
    return fails


BOUND = PortFormula(
    "q-max",
    "greatest queue under EFCI, if the queue starts empty",
    "Ohsaki et al. 1995 (5), corrected; decrease per RM cell is ours",
    _bound,
)
STEADY = PortFormula(
    "efci-cycle",
    "greatest queue of the limit cycle under EFCI",
    "Ohsaki et al. 1995, section II.C; decrease per RM cell and delayed growth are ours",
    _steady,
)
