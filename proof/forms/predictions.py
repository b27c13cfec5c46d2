"""Statements on graphs that nobody has seen, made by one rule from graphs that were.

Bounds that are set after a look at all errors predict nothing. So the graphs of a development set
give the bounds, by `Bound.after`, and a fresh set, drawn by seeds of its own, shows if they hold.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from scipy import stats

DEVELOPMENT_GRAPHS = 300
"""Graphs of each kind from which bounds are set."""
FRESH_GRAPHS = 100
"""Graphs of each kind that bounds are stated for, and held to."""
CHANCE = 1e-3
"""Probability at most that more of the fresh graphs miss 1 %, or 5 %, than the bound says, were
they like those of the development set."""
MARGIN = 1.5
"""Largest error allowed to that of the development set."""


@dataclass(frozen=True, slots=True)
class Errors:
    """Errors on a set of graphs; that of a graph is the largest relative error of a rate.

    Attributes:
        graphs: Number of graphs.
        beyond_1_percent: Number of those with a larger error.
        beyond_5_percent: The same.
        worst_percent: Largest error in percent, to two decimals.
        worst_graph: The graph's number.
    """

    graphs: int
    beyond_1_percent: int
    beyond_5_percent: int
    worst_percent: float
    worst_graph: int

    @classmethod
    def of(cls, errors: Iterable[float]) -> Errors:
        """Counts errors.

        Args:
            errors: Those of graph 0, 1 and so on.
        """
        found = list(errors)
        worst = max(found)
        return cls(
            graphs=len(found),
            beyond_1_percent=sum(error > 0.01 for error in found),
            beyond_5_percent=sum(error > 0.05 for error in found),
            worst_percent=round(100 * worst, 2),
            worst_graph=found.index(worst),
        )


@dataclass(frozen=True, slots=True)
class Bound:
    """Largest errors on `FRESH_GRAPHS` graphs of one kind.

    Attributes:
        beyond_1_percent: Number of graphs that may miss the fair rates by more.
        beyond_5_percent: The same.
        worst_percent: Error that none may have.
    """

    beyond_1_percent: int
    beyond_5_percent: int
    worst_percent: float

    @classmethod
    def after(cls, seen: Errors) -> Bound:
        """The bound that a development set gives.

        Numbers of graphs are the least that as many fresh ones exceed with a probability of
        `CHANCE` at most: with a uniform prior of the share that misses, theirs is beta-binomial.
        The largest error has no such law. It is `MARGIN` times that of the set, up to the next
        whole percent.

        Args:
            seen: Errors on the development set.
        """
        worst = math.ceil(round(MARGIN * seen.worst_percent, 6))
        return cls(
            beyond_1_percent=_most(seen.beyond_1_percent, seen.graphs) if worst > 1 else 0,
            beyond_5_percent=_most(seen.beyond_5_percent, seen.graphs) if worst > 5 else 0,
            worst_percent=worst,
        )

    def __str__(self) -> str:
        """The bound in words."""
        counts = ((1, self.beyond_1_percent), (5, self.beyond_5_percent))
        parts = [
            f"{count} of {FRESH_GRAPHS} beyond {percent} %" for percent, count in counts if count
        ]
        return ", ".join([*parts, f"none beyond {self.worst_percent:g} %"])

    def broken_by(self, found: Errors) -> list[str]:
        """Errors larger than the bound allows; none if it holds.

        Args:
            found: Errors on any number of graphs; of more than it was stated for the same share
                may miss.
        """
        more = max(1.0, found.graphs / FRESH_GRAPHS)
        counts = (
            (1, found.beyond_1_percent, self.beyond_1_percent),
            (5, found.beyond_5_percent, self.beyond_5_percent),
        )
        told = [
            f"{count} of {found.graphs} graphs are off by more than {percent} %"
            for percent, count, most in counts
            if count > more * most
        ]
        if found.worst_percent > self.worst_percent:
            told.append(f"graph {found.worst_graph} is off by {found.worst_percent:g} %")
        return told


def _most(count: int, graphs: int) -> int:
    """Least number that fresh graphs exceed with a probability of `CHANCE` at most.

    Args:
        count: How many of the development set missed.
        graphs: Graphs in that set.
    """
    law = stats.betabinom(FRESH_GRAPHS, count + 1, graphs - count + 1)
    return next(most for most in range(FRESH_GRAPHS + 1) if law.sf(most) <= CHANCE)
