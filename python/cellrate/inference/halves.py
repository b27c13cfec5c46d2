"""Splits the experiments of a paper into halves, before any result is looked at."""

from __future__ import annotations

from collections.abc import Mapping


def halves(results: Mapping[str, int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Splits experiments into halves with about equal numbers of results.

    Goes from the experiment with the most results to that with the fewest (in the paper's order
    among equals) and puts each into the half with fewer results so far. Only these numbers decide.

    Args:
        results: Number of results of each experiment, in the paper's order.
    """
    parts: tuple[list[str], list[str]] = ([], [])
    counts = [0, 0]
    for experiment in sorted(results, key=lambda name: -results[name]):
        side = 0 if counts[0] <= counts[1] else 1
        parts[side].append(experiment)
        counts[side] += results[experiment]
    order = list(results)
    first, second = (tuple(sorted(part, key=order.index)) for part in parts)
    return first, second
