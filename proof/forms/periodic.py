"""Periodic cells with uniform phases: N*D/D/1."""

from functools import cache

import numpy as np
from cellrate import _core
from cellrate.theory import queueing

from proof.forms.case import Case, exceeding
from proof.forms.judges import Floats, drawn
from proof.forms.line import ALARM, FAULTS, LINE, SCENARIO, summary_and_port

SAMPLES = 97
"""Number of samples in two periods; odd, so that all fall on different places of one period."""
DRAWS = 20_000
"""Number of runs drawn from the model, which give the distribution of a mean."""


def case(sources: int, period_ms: int, depth: int, replications: int) -> Case:
    """Test of sources that each send one cell per period, while the line takes 1 ms for a cell.

    P(N > k) is tested for every k below `depth`.
    """
    rate = LINE / period_ms
    levels = np.arange(float(depth))

    def scenario(fault: float) -> str:
        # After two periods, every period is like the period before.
        return SCENARIO.format(
            source=f'kind = "cbr", rate = "{rate} cells/s"',
            line=LINE / (1 + fault),
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
        judge=drawn(cache(lambda: draws(sources, period_ms, levels))),
        powers=FAULTS,
    )


def draws(sources: int, period: float, levels: Floats) -> Floats:
    """Observations of runs of the model, drawn without the simulator; a row per run of `DRAWS`.

    A row has the mean queue over a period, and the shares of equidistant samples above each level.
    The phases of the sources are uniform in the period, which is in cell times.
    """
    times = np.sort(np.random.default_rng(0).random((DRAWS, sources))) * period
    gaps = np.diff(times, axis=1, append=times[:, :1] + period)
    work, after = np.zeros(len(times)), np.empty_like(times)
    # An empty queue at the start is forgotten within the first period.
    for arrival in range(2 * sources):
        now = arrival % sources
        after[:, now] = work + 1
        work = np.maximum(after[:, now] - gaps[:, now], 0)
    mean = after.sum(axis=1) / period  # Little: every cell's time in the system
    first = np.floor(times * SAMPLES / period)
    shares = [_seen(times, gaps, after - level, period / SAMPLES, first) for level in levels]
    return np.column_stack([mean, *(seen / SAMPLES for seen in shares)])


def _seen(times: Floats, gaps: Floats, above: Floats, step: float, first: Floats) -> Floats:
    """Number of samples with work above a level; `above` is the excess on arrival."""
    end = times + np.clip(above, 0, gaps)
    return np.asarray((np.floor(end / step) - first).sum(axis=1))


CASES = [case(10, 12, 5, 200), case(45, 50, 8, 200), case(95, 100, 8, 200)]
