"""When a measured value meets a printed one. Fixed before any result was looked at."""

from collections.abc import Mapping
from statistics import fmean

TOLERANCES = {"throughput": 0.10, "rate": 0.10, "queue": 0.25, "whole": 0.01}
LOSS_FACTOR = 2.0
WITHIN = (0.05, 0.10, 0.25)
"""Relative differences that are counted besides, whatever the score."""


def meets(score: str, printed: float, measured: float) -> bool:
    """Whether a value is met.

    Throughputs and rates within 10 %, maximum queues within 25 %, shares that are the whole within
    1 %, loss counts within a factor of two, where a printed 0 is met by 0 alone.

    Raises:
        ValueError: If there is no such score.
    """
    if score == "loss":
        if printed == 0 or measured == 0:
            return printed == measured
        return 1 / LOSS_FACTOR <= measured / printed <= LOSS_FACTOR
    if score not in TOLERANCES:
        raise ValueError(f"no score `{score}`")
    return within(printed, measured, TOLERANCES[score])


def within(printed: float, measured: float, share: float) -> bool:
    """Whether a value differs by at most that share of the printed one, from 0 not at all."""
    return abs(measured - printed) <= share * abs(printed)


def in_order(rows: Mapping[str, tuple[float, float]]) -> dict[str, bool]:
    """Which rows of a group keep the printed order.

    One that does lies, as measured, between the rows with the next smaller and the next larger
    printed value (their means, where several print the same).

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
    """(measured - printed) / printed; nothing if 0 is printed."""
    return (measured - printed) / printed if printed else None
