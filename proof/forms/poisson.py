"""Test of Poisson sources against M/D/1."""

import numpy as np
from cellrate import _core
from cellrate.theory import queueing

from proof.forms.case import Case, exceeding
from proof.forms.judges import Floats, students
from proof.forms.line import (
    ALARM,
    FAULTS,
    LINE,
    PROPAGATION_SECONDS,
    SCENARIO,
    summary_and_port,
)

SOURCES = 4
BEGIN, END = 3000, 23_000
STEP = 7.3
"""Interval between samples of the queue, in ms."""


def case(load: float, depth: int) -> Case:
    """Four Poisson sources with this load together; P(N > k) is tested for every k < depth."""
    rate = load * LINE
    levels = np.arange(float(depth))

    def scenario(fault: float) -> str:
        return SCENARIO.format(
            source=f'kind = "poisson", rate = "{rate / SOURCES} cells/s"',
            line=LINE / (1 + fault),
            sources=SOURCES,
            begin=BEGIN,
            end=END,
            sample=STEP,
            jitter=0,
        )

    def observe(outcome: _core.Outcome) -> list[float]:
        summary, port = summary_and_port(outcome)
        delays = [flow["cell_delay_mean_seconds"] for flow in summary["flows"]]
        wait = float(np.mean(delays)) - 1 / LINE - PROPAGATION_SECONDS
        mean = port["queues"][0]["queue_mean_cells"]
        return [wait, mean, *exceeding(outcome, BEGIN / 1e3, levels)]

    tails: Floats = np.asarray(queueing.md1_exceedance(rate, LINE, levels))
    wait = float(queueing.md1_mean_wait_seconds(rate, LINE))
    mean = float(queueing.md1_mean_queue_cells(rate, LINE))
    return Case(
        form="M/D/1",
        name=f"load {load:g}",
        scenario=scenario,
        observe=observe,
        quantities=("mean wait", "mean queue", *(f"P(N > {k})" for k in range(depth))),
        expected=np.array([wait, mean, *tails]),
        replications=30,
        alarm=ALARM,
        judge=students,
        powers=FAULTS,
    )


CASES = [case(0.3, 3), case(0.6, 6), case(0.9, 12)]
