"""Video whose rates are fractional Gaussian noise: Whittle's estimate of its Hurst parameter."""

import itertools
import math
from functools import cache

import numpy as np
from cellrate import _core
from cellrate.simulation.series import series_of
from scipy import stats
from scipy.special import zeta

from proof.forms.case import Case
from proof.forms.judges import Floats, normal

VALUES = 2048
"""Number of values in a series, which is one block of the noise."""
INTERVAL_MS = 20
CELLS, DEVIATION = 100, 20
"""Mean and standard deviation of the cells of an interval; 0 and the peak are five deviations
away."""
SERIES = 20
STEP = 0.005
BINS = 24
THREE_ERRORS = float(2 * stats.norm.sf(3))
EXCESS = 2.0
"""`Case.excess`: for such short series the estimate is slightly biased, and its error exceeds the
asymptotic one. Of sets of series that are drawn without the simulator, not 0.0027 but 0.0028
(H = 0.6) to 0.0044 (H = 0.9) are beyond three standard errors."""
FAULTS = {0.02: 0.95, -0.02: 0.95}
"""Errors of the Hurst parameter, six standard errors each, and the probability that they are
noticed, as deviations of more than three."""

_SCENARIO = """
[run]
duration = "{end} ms"
[measure]
from = "0 ms"
traces = ["utilisation"]
sample = "{interval} ms"
trace_points = 1000000
[topology]
template = "single-switch"
link_rate = "10000 Gbit/s"
bottleneck_rate = "{peak} cells/s"
access = "1 us"
bottleneck = "1 us"
[[flow]]
name = "video"
service = "vbr"
source = {{ kind = "mpeg2", mean = "{mean} cells/s", standard_deviation = "{deviation} cells/s", \
peak = "{peak} cells/s", hurst = {hurst}, interval_low = "{interval} ms", \
interval_high = "{interval} ms", block = {values} }}
"""


def power(frequency: Floats, hurst: float) -> Floats:
    """Power spectrum of fractional Gaussian noise of variance 1, in closed form.

    The sum over all aliases of a frequency is Hurwitz' zeta function (Sinai 1976; Beran 1994,
    Statistics for Long-Memory Processes, section 2.3). Frequencies are in radians per value, above
    0 and up to pi.
    """
    s, turn = 2 * hurst + 1, frequency / (2 * math.pi)
    aliases = (2 * math.pi) ** -s * (zeta(s, turn) + zeta(s, 1 - turn))
    amplitude = 2 * math.sin(math.pi * hurst) * math.gamma(s)
    return np.asarray(amplitude * (1 - np.cos(frequency)) * aliases)


def frequencies() -> Floats:
    """Frequencies of a periodogram, 0 and pi left out."""
    return 2 * math.pi * np.arange(1.0, VALUES // 2) / VALUES


def periodogram(values: Floats) -> Floats:
    """Periodogram of a series of `VALUES` values, at `frequencies`."""
    return np.asarray(np.abs(np.fft.rfft(values)[1 : VALUES // 2]) ** 2 / VALUES)


@cache
def _grid(hurst: float) -> tuple[Floats, Floats, Floats]:
    """Hurst parameters around `hurst`; for each, reciprocal powers, and mean log of the powers."""
    grid = hurst + STEP * np.arange(-20.0, 21.0)
    powers = np.array([power(frequencies(), h) for h in np.minimum(grid, 0.9999)])
    return np.minimum(grid, 0.9999), 1 / powers, np.log(powers).mean(axis=1)


def whittle(periodogram: Floats, around: float) -> float:
    """Whittle's estimate: the Hurst parameter whose spectrum fits a periodogram best.

    The estimate is the minimum of a parabola through the best point of a grid and its neighbours.
    The grid has steps of 0.005, up to 0.1 from `around`.
    """
    grid, reciprocals, logarithms = _grid(around)
    misfits = np.log(reciprocals @ periodogram) + logarithms
    best = int(np.clip(misfits.argmin(), 1, len(grid) - 2))
    before, at, after = misfits[best - 1 : best + 2]
    return float(grid[best] + STEP * (before - after) / (2 * (before - 2 * at + after)))


def standard_error(hurst: float) -> float:
    """Standard error of the estimate from one series, by the Fisher information of a periodogram.

    Each ordinate is exponentially distributed with the power as mean, up to an unknown scale.
    """
    low, high = (np.log(power(frequencies(), hurst + sign * 1e-4)) for sign in (-1, 1))
    slope = (high - low) / 2e-4
    return float(1 / np.sqrt(((slope - slope.mean()) ** 2).sum()))


def bins(values: Floats) -> Floats:
    """Means of values at `frequencies` in bins of equal width on a logarithmic scale."""
    edges = np.unique(np.geomspace(1, VALUES // 2, BINS + 1).astype(int))
    return np.array([values[a - 1 : b - 1].mean() for a, b in itertools.pairwise(edges)])


def case(hurst: float) -> Case:
    """Test of twenty series, each with the cells of 2048 intervals."""

    def scenario(fault: float) -> str:
        per_second = 1000 / INTERVAL_MS
        return _SCENARIO.format(
            end=(VALUES + 1) * INTERVAL_MS,
            interval=INTERVAL_MS,
            mean=CELLS * per_second,
            deviation=DEVIATION * per_second,
            peak=2 * CELLS * per_second,
            hurst=hurst + fault,
            values=VALUES,
        )

    def observe(outcome: _core.Outcome) -> list[float]:
        (trace,) = series_of(outcome)
        # The line is as fast as the peak, so the share of time that it is busy is a rate.
        cells = trace.maximum[:VALUES] * 2 * CELLS / DEVIATION
        spectrum = periodogram(cells)
        return [whittle(spectrum, hurst), *bins(spectrum)]

    return Case(
        form="fractional noise",
        name=f"H = {hurst:g}",
        scenario=scenario,
        observe=observe,
        quantities=("Whittle's estimate of H",),
        expected=np.array([hurst]),
        replications=SERIES,
        alarm=THREE_ERRORS,
        judge=normal(standard_error(hurst)),
        powers=FAULTS,
        excess=EXCESS,
    )


CASES = [case(hurst) for hurst in (0.6, 0.7, 0.8, 0.9)]
