"""Splits the experiments of a paper into halves, before any result is looked at."""

from __future__ import annotations

from collections.abc import Mapping


def halves(results: Mapping[str, int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Experiments of either half, with numbers of results as equal as going greedily makes them.

    From the experiment with the most results to that with the fewest, in the paper's order where
    equal, each goes where there are fewer results so far. Nothing but these numbers decides.

    Args:
        results: How many results an experiment has, in the paper's order.
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
