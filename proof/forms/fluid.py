"""Exponential ON-OFF sources in long bursts: the Markov fluid of Anick, Mitra and Sondhi 1982."""

from __future__ import annotations

import numpy as np
from cellrate import _core
from cellrate.theory import queueing

from proof.forms.case import Case, exceeding
from proof.forms.line import ALARM, LINE, before_the_line, summary_and_port

SOURCES, BURST_CELLS = 5, 100.0
BURSTS = np.array([0.1, 0.3, 0.6, 1.0, 2.0, 3.0])
"""Levels of the queue, in mean bursts."""
BEGIN = 10_000


def case(peak: float, load: float, *, together: bool) -> Case:
    """Five sources.

    Args:
        peak: Cells per second of one source that is ON.
        load: Of the line.
        together: They are one flow of kind `mmdp`, not five of kind `exponential-on-off`.
    """
    levels = BURST_CELLS * BURSTS
    burstiness = SOURCES * peak / (load * LINE)
    on = BURST_CELLS / peak
    off = on * (burstiness - 1)

    def scenario(fault: float) -> str:
        rate = f'peak = "{peak} cells/s", mean_on = "{on} s"'
        one = f'kind = "exponential-on-off", {rate}, mean_off = "{off} s"'
        all_of_them = f'kind = "mmdp", sources = {SOURCES}, {rate}, burstiness = {burstiness}'
        return before_the_line(
            all_of_them if together else one,
            fault=fault,
            sources=1 if together else SOURCES,
            begin=BEGIN,
            end=600_000,
            sample=97,
        )

    def observe(outcome: _core.Outcome) -> list[float]:
        _, port = summary_and_port(outcome)
        mean = port["queues"][0]["queue_mean_cells"]
        return [port["utilisation"], mean, *exceeding(outcome, BEGIN / 1e3, levels)]

    model = SOURCES, peak, on, off, LINE
    tails = np.asarray(queueing.fluid_exceedance(*model, levels))
    return Case(
        form="Markov fluid",
        name=f"{'mmdp' if together else 'on-off'}, peak {peak / LINE:g} lines, load {load:g}",
        scenario=scenario,
        observe=observe,
        quantities=("utilisation", "mean queue", *(f"P(Q > {level:g})" for level in levels)),
        expected=np.array([load, float(queueing.fluid_mean_queue_cells(*model)), *tails]),
        replications=32,
        false_alarm=ALARM,
    )


CASES = [
    case(peak, load, together=together)
    for peak, load in [(400.0, 0.7), (1200.0, 0.4)]
    for together in (False, True)
]
