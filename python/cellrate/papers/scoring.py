"""Rules by which a measured value meets a printed one, fixed before any result was known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from statistics import fmean

from cellrate.papers.paper import LEAST, READINGS_NEEDED, Claim, Drawn, Explanation, Published

TOLERANCES = {"throughput": 0.10, "rate": 0.10, "queue": 0.25, "whole": 0.01}
LOSS_FACTOR = 2.0
WITHIN = (0.05, 0.10, 0.25)
"""Relative differences; reports count the values that are within each."""


def meets(score: str, printed: float, measured: float, place: float = 0.0) -> bool:
    """True if a measured value meets a printed one.

    Throughputs and rates must be within 10 %, longest queues within 25 %, shares printed as 1
    within 1 %, losses within a factor of two. A loss, printed or measured, that is below half a
    unit of the last printed place counts as half a unit. So a loss printed as 0 is met by measured
    losses of at most one such unit. Any other value printed as 0 is met by at most half a unit.

    Args:
        score: A key of `TOLERANCES`, or `loss`.
        printed: The printed value.
        measured: The measured value, in the same unit.
        place: One unit of the last printed place, 0 if it is unknown.

    Raises:
        ValueError: If there is no such score.
    """
    least = place / 2
    if score == "loss":
        low, high = sorted((max(printed, least), max(measured, least)))
        return high <= LOSS_FACTOR * low
    if score not in TOLERANCES:
        raise ValueError(f"no score `{score}`")
    if printed == 0:
        return abs(measured) <= least
    return within(printed, measured, TOLERANCES[score])


def last_place(printed: str, value: float) -> float:
    """One unit of the last place of a printed number, in the unit of the value; 0 if unknown.

    >>> last_place("0.0", 0.0), last_place("1,163", 1163.0), last_place("103.32", 103.32)
    (0.1, 1.0, 0.01)
    >>> last_place("64 K", 65536.0)
    0.0

    """
    try:
        number = Decimal(printed.replace(",", "").rstrip("%").strip())
    except InvalidOperation:
        return 0.0
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int) or float(number) != value:
        return 0.0
    return float(Decimal(1).scaleb(exponent))


def within(printed: float, measured: float, share: float) -> bool:
    """True if a value differs from the printed one by at most a share of the latter."""
    return abs(measured - printed) <= share * abs(printed)


def in_order(rows: Mapping[str, tuple[float, float]]) -> dict[str, bool]:
    """For each row of a group, True if it keeps the printed order.

    A row keeps the order if its measured value lies between the measured values of the rows with
    the next smaller and the next larger printed value. Rows with equal printed values count by
    their mean.

    Args:
        rows: Printed and measured value of each row.
    """
    levels: dict[float, list[float]] = {}
    for printed, measured in rows.values():
        levels.setdefault(printed, []).append(measured)
    order = sorted(levels)
    means = [fmean(levels[printed]) for printed in order]
    result = {}
    for name, (printed, measured) in rows.items():
        i = order.index(printed)
        above = i == 0 or measured > means[i - 1]
        below = i + 1 == len(order) or measured < means[i + 1]
        result[name] = above and below
    return result


def relative_difference(printed: float, measured: float) -> float | None:
    """(measured - printed) / printed; None if 0 is printed."""
    return (measured - printed) / printed if printed else None


class Standing(StrEnum):
    """Classes of disagreements between a paper and the simulation."""

    IMPOSSIBLE = "impossible"
    """A proof shows that the printed result contradicts the rest of the paper, or physics."""
    CONSISTENT = "consistent"
    """Single events, such as a loss, decide; the printed result is in the middle 95 % of seeds."""
    DEPENDS = "depends"
    """The result is met in at least 2.5 % of joint readings (sets of values of open parameters)."""
    CONTRADICTED = "contradicted"
    """The result is met in less than 2.5 % of joint readings and, if seeds decide it, of seeds. So
    it does not follow from the paper."""
    UNDECIDED = "undecided"
    """There are too few joint readings (sets of values of open parameters) to decide."""


def standing_of(
    of: Published | Claim,
    explanation: Explanation | None,
    drawn: Drawn | None,
    readings: Sequence[bool],
) -> Standing:
    """Class of the disagreement: a printed value not met, or a claim that does not always hold.

    Args:
        of: The value or claim.
        explanation: The paper's data on the disagreement, if any.
        drawn: The distribution of the value or claim over many seeds, if measured.
        readings: For each joint reading True if the value is met or the claim holds.
    """
    if explanation is not None and explanation.impossible:
        return Standing.IMPOSSIBLE
    if drawn is not None and _is_consistent(of, drawn):
        return Standing.CONSISTENT
    if readings and 100 * sum(readings) >= LEAST * max(len(readings), READINGS_NEEDED):
        return Standing.DEPENDS
    return Standing.CONTRADICTED if len(readings) >= READINGS_NEEDED else Standing.UNDECIDED


def _is_consistent(of: Published | Claim, drawn: Drawn) -> bool:
    if isinstance(of, Claim):
        return of.about_runs and drawn.happens
    place = last_place(of.printed, of.value or 0.0)
    return of.value is not None and drawn.consistent_with(of.value, place)
