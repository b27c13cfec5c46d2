"""Exponential ON-OFF sources in long bursts: the Markov fluid of Anick, Mitra and Sondhi 1982."""

from __future__ import annotations

from functools import cache

import numpy as np
from cellrate import _core
from cellrate.theory import queueing

from proof.forms.arrays import Floats
from proof.forms.case import Case, exceeding
from proof.forms.judges import Drawn
from proof.forms.line import ALARM, LINE, before_the_line, summary_and_port
from proof.forms.nulls import fluid

SOURCES, BURST_CELLS = 5, 500.0
LEVELS = BURST_CELLS * np.array([0.1, 0.3, 0.6, 1.0, 2.0])
"""Of the queue, in cells; whole numbers."""
BEGIN, END = 30_000, 600_000
DRAWS = 3000
"""From which the distribution of a mean is taken."""
FAULTS = {0.05: 0.8, -0.05: 0.8}
"""Shares by which times for a cell are wrong, and how often that is noticed at least: by draws from
the model with such a line, 0.86 (on-off, load 0.4, +0.05) to 1.0."""


def allowed(
    model: tuple[int, float, float, float, float], load: float, *, streams: int
) -> tuple[Floats, Floats]:
    """Between what means a queue of cells has where that of the fluid is known.

    The sources keep what a burst leaves of a cell for the next. In any interval one stream of cells
    is thus ahead of its fluid, or behind, by less than a cell, so the work of J streams is less
    than J cell times from that of the fluid: P(N > q) is between the fluid's at q + J and at q - J.
    What a stream has left of a cell is uniform, and independent of the fluid: cells that arrive
    between two instants are on average what the fluid is, so that the work, the largest of what
    such intervals bring beyond what the line takes, is on average no less than the fluid's, and at
    most J/2 more. Cells in the system, the one in transmission counted whole, are half a cell more
    than the work while there is any.

    Args:
        model: Sources, peak, mean ON and OFF times, line.
        load: Of the line.
        streams: How many streams of cells the sources are.

    Returns:
        The least and the most of utilisation, mean queue, and exceedances.
    """
    mean = float(queueing.fluid_mean_queue_cells(*model)) + load / 2
    least, most = (
        np.asarray(queueing.fluid_exceedance(*model, LEVELS + shift))
        for shift in (streams, -streams)
    )
    return np.array([load, mean, *least]), np.array([load, mean + streams / 2, *most])


def periods(peak: float, load: float) -> tuple[float, float]:
    """Mean ON and OFF times of a source, in seconds.

    Args:
        peak: Cells per second of one source that is ON.
        load: Of the line.
    """
    on = BURST_CELLS / peak
    return on, on * (SOURCES * peak / (load * LINE) - 1)


@cache
def _drawn(peak: float, load: float, runs: int, number: int) -> Floats:
    on, off = (LINE * period for period in periods(peak, load))
    drawn = fluid.draw(SOURCES, peak / LINE, (on, off), LEVELS, (BEGIN, END), runs, number)
    drawn[:, 1] += load / 2  # a cell in transmission is counted whole
    return drawn


def case(peak: float, load: float, *, together: bool) -> Case:
    """Five sources.

    Args:
        peak: Cells per second of one source that is ON.
        load: Of the line.
        together: They are one flow of kind `mmdp`, not five of kind `exponential-on-off`.
    """
    burstiness = SOURCES * peak / (load * LINE)
    on, off = periods(peak, load)

    def scenario(fault: float) -> str:
        rate = f'peak = "{peak} cells/s", mean_on = "{on} s"'
        one = f'kind = "exponential-on-off", {rate}, mean_off = "{off} s"'
        all_of_them = f'kind = "mmdp", sources = {SOURCES}, {rate}, burstiness = {burstiness}'
        return before_the_line(
            all_of_them if together else one,
            fault=fault,
            sources=1 if together else SOURCES,
            begin=BEGIN,
            end=END,
            sample=97,
        )

    def observe(outcome: _core.Outcome) -> list[float]:
        _, port = summary_and_port(outcome)
        mean = port["queues"][0]["queue_mean_cells"]
        return [port["utilisation"], mean, *exceeding(outcome, BEGIN / 1e3, LEVELS)]

    def null(runs: int, number: int) -> Floats:
        return _drawn(peak, load, runs, number)

    model = SOURCES, peak, on, off, LINE
    tails = np.asarray(queueing.fluid_exceedance(*model, LEVELS))
    return Case(
        form="Markov fluid",
        name=f"{'mmdp' if together else 'on-off'}, peak {peak / LINE:g} lines, load {load:g}",
        scenario=scenario,
        observe=observe,
        quantities=("utilisation", "mean queue", *(f"P(Q > {level:g})" for level in LEVELS)),
        expected=np.array([load, float(queueing.fluid_mean_queue_cells(*model)), *tails]),
        replications=24,
        alarm=ALARM,
        judge=Drawn(lambda: null(DRAWS, 0)),
        null=null,
        powers=FAULTS,
        allowed=allowed(model, load, streams=1 if together else SOURCES),
    )


CASES = [
    case(peak, load, together=together)
    for peak, load in [(400.0, 0.7), (1200.0, 0.4)]
    for together in (False, True)
]
