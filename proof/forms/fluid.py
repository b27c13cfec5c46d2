"""Exponential ON-OFF sources in long bursts: the Markov fluid of Anick, Mitra and Sondhi 1982."""

from functools import cache

import numpy as np
from cellrate import _core
from cellrate.theory import queueing

from proof.forms.case import Case, exceeding
from proof.forms.judges import Floats, drawn
from proof.forms.line import ALARM, LINE, SCENARIO, summary_and_port

SOURCES, BURST_CELLS = 5, 500.0
LEVELS = BURST_CELLS * np.array([0.1, 0.3, 0.6, 1.0, 2.0])
"""Tested lengths of the queue in cells; whole numbers."""
BEGIN, END = 30_000, 600_000
DRAWS = 3000
"""Number of runs drawn from the model, which give the distribution of a mean."""
FAULTS = {0.05: 0.8, -0.05: 0.8}
"""Relative errors of the time for a cell, and the least probability with which a test notices each;
draws from the model with such a line give 0.86 (on-off, load 0.4, +0.05) to 1.0."""


def allowed(
    model: tuple[int, float, float, float, float], load: float, *, streams: int
) -> tuple[Floats, Floats]:
    """Limits of the mean observations of a queue of cells, from those of the fluid's queue.

    A source keeps the fraction of a cell that a burst leaves for the next burst. In any interval a
    stream of cells is thus ahead of its fluid, or behind, by less than a cell. So the work of J
    streams differs from the fluid's work by less than J cell times, and P(N > q) is between the
    fluid's probabilities at q + J and at q - J. The fraction is uniform and independent of the
    fluid, so arrivals between two instants equal the fluid's on average. The work is the greatest
    excess of such arrivals over the line's service, so its mean is at least the fluid's, and at
    most J/2 greater. With the cell in transmission counted whole, the system has half a cell more
    than the work, while there is work.

    Args:
        model: Number of sources, peak, mean ON and OFF times, rate of the line.
        load: Load of the line.
        streams: Number of streams of cells from the sources.

    Returns:
        The least and the greatest means of utilisation, mean queue, and exceedances.
    """
    mean = float(queueing.fluid_mean_queue_cells(*model)) + load / 2
    least, most = (
        np.asarray(queueing.fluid_exceedance(*model, LEVELS + shift))
        for shift in (streams, -streams)
    )
    return np.array([load, mean, *least]), np.array([load, mean + streams / 2, *most])


def periods(peak: float, load: float) -> tuple[float, float]:
    """Mean ON and OFF times in s of a source with a peak in cells/s, for a load of the line."""
    on = BURST_CELLS / peak
    return on, on * (SOURCES * peak / (load * LINE) - 1)


@cache
def draws(peak: float, load: float) -> Floats:
    """Observations of runs of the model, drawn without the simulator; a row per run of `DRAWS`.

    The sources are a fluid with constant rate until a source turns on or off. A row has
    utilisation, mean queue, and shares of time above each level.
    """
    random = np.random.default_rng(0)
    on, off = (LINE * period for period in periods(peak, load))
    active = random.binomial(SOURCES, on / (on + off), DRAWS).astype(float)
    queue, now, seen = np.zeros(DRAWS), np.zeros(DRAWS), np.zeros((DRAWS, 2 + len(LEVELS)))
    while now.min() < END:
        turning_off, turning_on = active / on, (SOURCES - active) / off
        rate = turning_off + turning_on
        turn = np.minimum(now + random.exponential(size=DRAWS) / rate, END)
        if now.min() < BEGIN:  # an interval that contains BEGIN is cut at BEGIN
            turn = np.where(now < BEGIN, np.minimum(turn, BEGIN), turn)
        drift = active * peak / LINE - 1
        length = turn - now
        after = np.maximum(queue + drift * length, 0)
        measured = now >= BEGIN
        seen += np.where(measured[:, None], _interval(queue, drift, after, length), 0)
        # An exponential interval has no memory, so it begins anew where it was cut.
        cut = (turn == BEGIN) | (turn == END)
        sign = np.where(random.random(DRAWS) * rate < turning_off, -1, 1)
        active += np.where(cut, 0, sign)
        queue, now = after, turn
    seen /= END - BEGIN
    seen[:, 1] += load / 2  # a cell in transmission is counted whole
    return seen


def _interval(queue: Floats, drift: Floats, after: Floats, length: Floats) -> Floats:
    """Cells sent, integral of the queue, and time above each level, in an interval of one drift."""
    sent = (drift + 1) * length + queue - after
    empty_from = np.where(drift < 0, np.minimum(length, -queue / np.minimum(drift, -1e-12)), length)
    area = (queue + after) / 2 * empty_from
    low, high = np.minimum(queue, after), np.maximum(queue, after)
    span = np.maximum(high - low, 1e-12)
    part = np.clip((high[:, None] - LEVELS) / span[:, None], 0, 1)
    constant = (drift == 0)[:, None]
    above = np.where(constant, queue[:, None] > LEVELS, part) * empty_from[:, None]
    return np.column_stack([sent, area, above])


def case(peak: float, load: float, *, together: bool) -> Case:
    """Test of five ON-OFF sources with a peak in cells/s and a load of the line.

    `together` makes one flow of kind `mmdp` instead of five of kind `exponential-on-off`.
    """
    burstiness = SOURCES * peak / (load * LINE)
    on, off = periods(peak, load)

    def scenario(fault: float) -> str:
        rate = f'peak = "{peak} cells/s", mean_on = "{on} s"'
        source = f'kind = "exponential-on-off", {rate}, mean_off = "{off} s"'
        all_of_them = f'kind = "mmdp", sources = {SOURCES}, {rate}, burstiness = {burstiness}'
        return SCENARIO.format(
            source=all_of_them if together else source,
            line=LINE / (1 + fault),
            sources=1 if together else SOURCES,
            begin=BEGIN,
            end=END,
            sample=97,
            jitter=0,
        )

    def observe(outcome: _core.Outcome) -> list[float]:
        _, port = summary_and_port(outcome)
        mean = port["queues"][0]["queue_mean_cells"]
        return [port["utilisation"], mean, *exceeding(outcome, BEGIN / 1e3, LEVELS)]

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
        judge=drawn(lambda: draws(peak, load)),
        powers=FAULTS,
        allowed=allowed(model, load, streams=1 if together else SOURCES),
    )


CASES = [
    case(peak, load, together=together)
    for peak, load in [(400.0, 0.7), (1200.0, 0.4)]
    for together in (False, True)
]
