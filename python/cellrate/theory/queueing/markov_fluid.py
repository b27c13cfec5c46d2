"""Markov fluid of ON-OFF sources with exponential periods into a line: Anick, Mitra, Sondhi."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import lru_cache

import numpy as np

from cellrate.theory.arrays import Numbers, plain
from cellrate.theory.assumptions import (
    require,
    require_not_negative,
    require_positive,
    require_whole,
)
from cellrate.theory.formula import Formula

# A weight is a product of ratios of eigenvalues that may lie close together, very small ones times
# very large ones: with so many digits all that a float holds is right.
DIGITS = 60
MOST_SOURCES = 2000


def fluid_utilisation(
    sources: Numbers,
    peak_cells_per_second: Numbers,
    on_seconds: Numbers,
    off_seconds: Numbers,
    link_cells_per_second: Numbers,
) -> Numbers:
    """Mean rate of the sources together as a share of the line.

    Raises:
        AssumptionError: A number is out of range, or the sources' mean rate is not below the line.
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
    below = "the sources' mean rate must be below the line, or the queue grows without end"
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
    """P(Q > queue) of an unlimited buffer at any time, the sources being a fluid while ON.

    Anick, Mitra and Sondhi 1982, Stochastic theory of a data-handling system with multiple sources:
    all eigenvalues are roots of quadratic equations, and the coefficients products of their ratios.
    Cells instead of a fluid add about the queue of N*D/D/1.

    Args:
        sources: Number of sources, alike and independent.
        peak_cells_per_second: Rate of a source that is ON.
        on_seconds: Mean of the exponential ON periods.
        off_seconds: Mean of the exponential OFF periods.
        link_cells_per_second: Rate of the line.
        queue_cells: Length of the queue.

    Raises:
        AssumptionError: As `fluid_utilisation`, a queue below 0, or more than 2000 sources.
    """
    modes = _modes(sources, peak_cells_per_second, on_seconds, off_seconds, link_cells_per_second)
    require_not_negative(queue_cells=queue_cells)
    queues = np.asarray(queue_cells, dtype=float)
    with localcontext(prec=DIGITS):
        burst = Decimal(peak_cells_per_second) * Decimal(on_seconds)
        found = [
            float(sum(a * (z * Decimal(x) / burst).exp() for z, a in modes.terms))
            for x in queues.ravel().tolist()
        ]
    return plain(np.reshape(found, queues.shape))


def fluid_decay_per_cell(
    sources: int,
    peak_cells_per_second: float,
    on_seconds: float,
    off_seconds: float,
    link_cells_per_second: float,
) -> float:
    """Rate eta of the tail, P(Q > x) ~ exp(-eta x): (1 - rho) (1/on + 1/off) / (peak - C/N).

    Same source. The queue must be able to grow.

    Args:
        sources: Number of sources.
        peak_cells_per_second: Rate of a source that is ON.
        on_seconds: Mean of the exponential ON periods.
        off_seconds: Mean of the exponential OFF periods.
        link_cells_per_second: Rate of the line.

    Raises:
        AssumptionError: As `fluid_utilisation`, or all sources together do not exceed the line.
    """
    load = float(
        fluid_utilisation(
            sources, peak_cells_per_second, on_seconds, off_seconds, link_cells_per_second
        )
    )
    excess = peak_cells_per_second - link_cells_per_second / sources
    allowed = "all sources together must exceed the line, or there is never a queue"
    require(excess > 0, "peak_cells_per_second", peak_cells_per_second, allowed)
    return (1 - load) * (1 / on_seconds + 1 / off_seconds) / excess


@dataclass(frozen=True)
class _Modes:
    """P(Q > x) = sum of a exp(z x / (peak * on)) over pairs of an eigenvalue z and a weight a."""

    terms: tuple[tuple[Decimal, Decimal], ...]


@lru_cache(maxsize=32)
def _modes(
    sources: int,
    peak_cells_per_second: float,
    on_seconds: float,
    off_seconds: float,
    link_cells_per_second: float,
) -> _Modes:
    """Modes with time in ON periods and the queue in what a source sends in one."""
    fluid_utilisation(
        sources, peak_cells_per_second, on_seconds, off_seconds, link_cells_per_second
    )
    require(sources <= MOST_SOURCES, "sources", sources, f"must be at most {MOST_SOURCES}")
    with localcontext(prec=DIGITS):
        birth = Decimal(on_seconds) / Decimal(off_seconds)
        line = Decimal(link_cells_per_second) / Decimal(peak_cells_per_second)
        if line >= sources:
            return _Modes(())
        found = _eigenvalues(int(sources), birth, line)
        all_on = (birth / (1 + birth)) ** int(sources)
        terms = []
        for z, total in found:
            weight = all_on * total
            for other, _ in found:
                if other is not z:
                    weight *= other / (other - z)
            terms.append((z, weight))
    return _Modes(tuple(terms))


def _eigenvalues(n: int, birth: Decimal, line: Decimal) -> list[tuple[Decimal, Decimal]]:
    """The eigenvalues below 0, each with the sum of its eigenvector (whose last element is 1)."""
    half, found = Decimal(n) / 2, []
    for k in range(n // 2 + 1):
        for z in _roots(half - k, half, half - line, birth):
            root = ((z + 1 - birth) ** 2 + 4 * birth).sqrt()
            # Squaring has joined the equations of k and of n - k; the sign tells which it is.
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
    if a == 0:  # twice the same
        roots = [-linear / (2 * square)] if square else []
    elif square == 0:
        roots = [-constant / linear]
    else:
        root = (linear * linear - 4 * square * constant).sqrt()
        # Without a difference of like numbers.
        q = -(linear + (root if linear >= 0 else -root)) / 2
        roots = [q / square, constant / q]
    return [z for z in roots if z < 0]


FORMULA = Formula(
    name="on-off-fluid",
    about="queue of ON-OFF sources with exponential periods before a line, as a fluid",
    equation="P(Q > q) = sum_k a_k exp(z_k q), slowest (1-rho) (1/on + 1/off) / (peak - C/N)",
    source="Anick, Mitra and Sondhi 1982, Bell System Technical Journal 61 (8)",
    results={
        "utilisation": fluid_utilisation,
        "exceedance_probability": fluid_exceedance,
        "decay_per_cell": fluid_decay_per_cell,
    },
)
