"""Periodic cells with uniform phases: N*D/D/1."""

from __future__ import annotations

from functools import cache

import numpy as np
from cellrate import _core
from cellrate.theory import queueing

from proof.forms.arrays import Floats
from proof.forms.case import Case, exceeding
from proof.forms.judges import Drawn
from proof.forms.line import ALARM, FAULTS, LINE, before_the_line, summary_and_port
from proof.forms.nulls import periodic

SAMPLES = 97
"""In two periods, so that they fall on as many places of one."""
DRAWS = 20_000
"""From which the distribution of a mean is taken."""


def case(sources: int, period_ms: int, depth: int, replications: int) -> Case:
    """Sources of one cell every period each.

    Args:
        sources: How many.
        period_ms: Their period; the line takes 1 ms for a cell.
        depth: P(N > k) is tested for every k below.
        replications: Each has its own phases.
    """
    rate = LINE / period_ms
    levels = np.arange(float(depth))

    def scenario(fault: float) -> str:
        # After two periods every one is like the last.
        return before_the_line(
            f'kind = "cbr", rate = "{rate} cells/s"',
            fault=fault,
            sources=sources,
            begin=2 * period_ms,
            end=4 * period_ms,
            sample=round(2 * period_ms / SAMPLES, 3),
            jitter=period_ms,
        )

    def observe(outcome: _core.Outcome) -> list[float]:
        _, port = summary_and_port(outcome)
        mean = port["queues"][0]["queue_mean_cells"]
        return [mean, *exceeding(outcome, 2e-3 * period_ms, levels)]

    def null(runs: int, number: int) -> Floats:
        return periodic.draw(sources, period_ms, levels, SAMPLES, runs, number)

    tails = np.asarray(queueing.periodic_exceedance(sources, rate, LINE, levels))
    mean = float(queueing.periodic_mean_queue_cells(sources, rate, LINE))
    return Case(
        form="N*D/D/1",
        name=f"{sources} sources at load {sources / period_ms:.2g}",
        scenario=scenario,
        observe=observe,
        quantities=("mean queue", *(f"P(N > {k})" for k in range(depth))),
        expected=np.array([mean, *tails]),
        replications=replications,
        alarm=ALARM,
        judge=Drawn(cache(lambda: null(DRAWS, 0))),
        null=null,
        powers=FAULTS,
    )


CASES = [case(10, 12, 5, 200), case(45, 50, 8, 200), case(95, 100, 8, 200)]
