"""Eigenvalues and weights of the Markov fluid of ON-OFF sources, in closed form."""

from __future__ import annotations

from decimal import Decimal, localcontext
from functools import lru_cache
from typing import TypeAlias

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
    """P(Q > queue)."""
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
