"""Queue of ON-OFF sources with exponential periods, as a Markov fluid (Anick, Mitra, Sondhi)."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from scipy import optimize

from cellrate.theory.assumptions import (
    require,
    require_not_negative,
    require_positive,
    require_whole,
)
from cellrate.theory.formula import Formula, Numbers, plain

# A weight is a product of very small and very large ratios of eigenvalues, which may be close to
# each other. With this many digits, all digits of the resulting float are right.
DIGITS = 60

# P(Q > x) is the sum of a exp(z x) over pairs (z, a) of an eigenvalue z < 0 and its weight a.
Modes: TypeAlias = tuple[tuple[Decimal, Decimal], ...]


@lru_cache(maxsize=32)
def fluid_modes(sources: int, birth: float, line: float) -> Modes:
    """Modes of the queue (Anick, Mitra and Sondhi 1982).

    The unit of time is the mean ON period, and the unit of the queue is the amount that a source
    sends in a mean ON period.

    Args:
        sources: Number of sources.
        birth: Rate from OFF to ON: mean ON period over mean OFF period.
        line: Rate of the line in peak rates of a source; above the sources' mean rate.
    """
    if line >= sources:
        return ()
    with localcontext(prec=DIGITS):
        rate = Decimal(birth)
        eigenvalues = _eigenvalues(sources, rate, Decimal(line))
        all_on = (rate / (1 + rate)) ** sources
        modes = []
        for z, total in eigenvalues:
            weight = all_on * total
            for other, _ in eigenvalues:
                if other is not z:
                    weight *= other / (other - z)
            modes.append((z, weight))
    return tuple(modes)


def exceedance(modes: Modes, queue: float) -> float:
    """Probability P(Q > queue) of a longer queue."""
    with localcontext(prec=DIGITS):
        return float(sum(a * (z * Decimal(queue)).exp() for z, a in modes))


def mean_queue(modes: Modes) -> float:
    """Mean queue: the integral of P(Q > queue)."""
    with localcontext(prec=DIGITS):
        return float(sum(-a / z for z, a in modes))


def _eigenvalues(n: int, birth: Decimal, line: Decimal) -> list[tuple[Decimal, Decimal]]:
    """Eigenvalues below 0, each with the sum of its eigenvector (whose last element is 1)."""
    half, found = Decimal(n) / 2, []
    for k in range(n // 2 + 1):
        for z in _roots(half - k, half, half - line, birth):
            root = ((z + 1 - birth) ** 2 + 4 * birth).sqrt()
            # Squaring has joined the equations of k and of n - k; the sign distinguishes them.
            number = k if z * (half - line) + half * (1 + birth) >= 0 else n - k
            first = (-(z + 1 - birth) + root) / (2 * birth)
            second = (-(z + 1 - birth) - root) / (2 * birth)
            found.append((z, (1 - first) ** number * (1 - second) ** (n - number)))
    return found


def _roots(a: Decimal, half: Decimal, b: Decimal, birth: Decimal) -> list[Decimal]:
    """Roots z below 0 of A z^2 + B z + C.

    A = a^2 - b^2, B = 2 (1 - birth) a^2 - N (1 + birth) b, C = (1 + birth)^2 (a^2 - N^2/4).
    """
    square = a * a - b * b
    linear = 2 * (1 - birth) * a * a - 2 * half * (1 + birth) * b
    constant = -((1 + birth) ** 2) * (half * half - a * a)
    if a == 0:  # a double root
        roots = [-linear / (2 * square)] if square else []
    elif square == 0:
        roots = [-constant / linear]
    else:
        root = (linear * linear - 4 * square * constant).sqrt()
        # This form avoids the difference of nearly equal numbers.
        q = -(linear + (root if linear >= 0 else -root)) / 2
        roots = [q / square, constant / q]
    return [z for z in roots if z < 0]


# The work grows with the square of the number of sources.
MOST_SOURCES = 2000
# Relative difference of a ratio of rates from a whole number that counts as rounding.
ROUNDING = 1e-12


def fluid_utilisation(
    sources: Numbers,
    peak_cells_per_second: Numbers,
    on_seconds: Numbers,
    off_seconds: Numbers,
    link_cells_per_second: Numbers,
) -> Numbers:
    """Mean total rate of the sources as a share of the line.

    Raises:
        AssumptionError: A number is out of range, or the sources' mean rate is not below the
            link rate.
    """
    require_whole(1, sources=sources)
    require_positive(
        peak_cells_per_second=peak_cells_per_second,
        on_seconds=on_seconds,
        off_seconds=off_seconds,
        link_cells_per_second=link_cells_per_second,
    )
    on = np.asarray(on_seconds) / (np.asarray(on_seconds) + np.asarray(off_seconds))
    mean = np.asarray(sources) * np.asarray(peak_cells_per_second) * on
    load = mean / np.asarray(link_cells_per_second)
    below = "the sources' mean rate must be below the link rate, or the queue grows without end"
    require(load < 1, "sources", sources, below)
    return plain(load)


def fluid_exceedance(
    sources: int,
    peak_cells_per_second: float,
    on_seconds: float,
    off_seconds: float,
    link_cells_per_second: float,
    queue_cells: Numbers,
) -> Numbers:
    """P(Q > queue) of an unlimited buffer at any time, if sources send a fluid while ON.

    Anick, Mitra and Sondhi 1982, Stochastic theory of a data-handling system with multiple sources:
    all eigenvalues are roots of quadratic equations, and the coefficients are products of their
    ratios. Cells instead of a fluid add about the queue of N*D/D/1.

    Args:
        sources: Number of sources, independent with equal parameters.
        peak_cells_per_second: Rate of a source that is ON.
        on_seconds: Mean of the exponential ON periods.
        off_seconds: Mean of the exponential OFF periods.
        link_cells_per_second: Rate of the line.
        queue_cells: Length of the queue.

    Raises:
        AssumptionError: A number is out of range, the sources' mean rate is not below the link
            rate, the queue is below 0, or there are more than 2000 sources.
    """
    source = peak_cells_per_second, on_seconds, off_seconds
    modes = _modes(sources, *source, link_cells_per_second)
    require_not_negative(queue_cells=queue_cells)
    queues = np.asarray(queue_cells, dtype=float) / (peak_cells_per_second * on_seconds)
    found = [exceedance(modes, queue) for queue in queues.ravel().tolist()]
    return plain(np.reshape(found, queues.shape))


def fluid_decay_per_cell(
    sources: int,
    peak_cells_per_second: float,
    on_seconds: float,
    off_seconds: float,
    link_cells_per_second: float,
) -> float:
    """Rate eta of the tail, P(Q > x) ~ exp(-eta x): (1 - rho) (1/on + 1/off) / (peak - C/N).

    Anick, Mitra and Sondhi 1982. The sources' total peak rate must exceed the link rate.

    Args:
        sources: Number of sources.
        peak_cells_per_second: Rate of a source that is ON.
        on_seconds: Mean of the exponential ON periods.
        off_seconds: Mean of the exponential OFF periods.
        link_cells_per_second: Rate of the line.

    Raises:
        AssumptionError: A number is out of range, the sources' mean rate is not below the link
            rate, or their total peak rate does not exceed it.
    """
    load = float(
        fluid_utilisation(
            sources, peak_cells_per_second, on_seconds, off_seconds, link_cells_per_second
        )
    )
    excess = peak_cells_per_second - link_cells_per_second / sources
    allowed = "the sources' total peak rate must exceed the link rate, or no queue builds up"
    require(excess > 0, "peak_cells_per_second", peak_cells_per_second, allowed)
    return (1 - load) * (1 / on_seconds + 1 / off_seconds) / excess


def fluid_mean_queue_cells(
    sources: int,
    peak_cells_per_second: float,
    on_seconds: float,
    off_seconds: float,
    link_cells_per_second: float,
) -> float:
    """Mean queue of an unlimited buffer, the integral of P(Q > q).

    Raises:
        AssumptionError: A number is out of range, the sources' mean rate is not below the link
            rate, or there are more than 2000 sources.
    """
    source = peak_cells_per_second, on_seconds, off_seconds
    modes = _modes(sources, *source, link_cells_per_second)
    return peak_cells_per_second * on_seconds * mean_queue(modes)


def fluid_buffer_cells(
    sources: int,
    peak_cells_per_second: float,
    on_seconds: float,
    off_seconds: float,
    link_cells_per_second: float,
    *,
    probability: float = 1e-9,
) -> float:
    """Length that the queue of an unlimited buffer exceeds with a probability; 0 if it never does.

    Args:
        sources: Number of sources.
        peak_cells_per_second: Rate of a source that is ON.
        on_seconds: Mean of the exponential ON periods.
        off_seconds: Mean of the exponential OFF periods.
        link_cells_per_second: Rate of the line.
        probability: Share of the time in which the queue may be longer.

    Raises:
        AssumptionError: A number is out of range, the sources' mean rate is not below the link
            rate, there are more than 2000 sources, or the probability is below 1e-300 or not below
            1.
    """
    allowed = "must be at least 1e-300 and below 1"
    require(1e-300 <= probability < 1, "probability", probability, allowed)
    source = peak_cells_per_second, on_seconds, off_seconds
    modes = _modes(sources, *source, link_cells_per_second)
    if exceedance(modes, 0.0) <= probability:
        return 0.0
    # No mode decays more slowly than this one.
    slowest = -float(max(z for z, _ in modes))
    most = math.log(float(sum(abs(a) for _, a in modes)) / probability) / slowest
    found = optimize.brentq(
        lambda x: math.log(exceedance(modes, x) / probability), 0.0, most + 1 / slowest
    )
    return peak_cells_per_second * on_seconds * float(found)


def _modes(
    sources: int,
    peak_cells_per_second: float,
    on_seconds: float,
    off_seconds: float,
    link_cells_per_second: float,
) -> Modes:
    source = peak_cells_per_second, on_seconds, off_seconds
    fluid_utilisation(sources, *source, link_cells_per_second)
    require(sources <= MOST_SOURCES, "sources", sources, f"must be at most {MOST_SOURCES}")
    line = link_cells_per_second / peak_cells_per_second
    # If the line is a whole number of peaks, one state has no drift; rounding must not add any.
    whole = round(line)
    line = float(whole) if abs(line - whole) <= ROUNDING * line else line
    return fluid_modes(int(sources), on_seconds / off_seconds, line)


FORMULA = Formula(
    name="on-off-fluid",
    about="queue of ON-OFF sources with exponential periods before a line, as a fluid",
    equation="P(Q > q) = sum_k a_k exp(z_k q), slowest (1-rho) (1/on + 1/off) / (peak - C/N)",
    source="Anick, Mitra and Sondhi 1982, Bell System Technical Journal 61 (8)",
    results={
        "utilisation": fluid_utilisation,
        "mean_queue_cells": fluid_mean_queue_cells,
        "exceedance_probability": fluid_exceedance,
        "buffer_cells": fluid_buffer_cells,
        "decay_per_cell": fluid_decay_per_cell,
    },
)
