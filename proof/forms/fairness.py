"""Steady rates of control schemes on random graphs against max-min fair rates.

Bounds that are set after a look at all errors predict nothing. So bounds come from the graphs of a
development set, and a fresh set, drawn by other seeds, shows if these bounds hold. The rule is in
docs/explanation/schemes.md.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from cellrate import _core

from proof.forms.filling import fair_rates, rates_among_all_channels
from proof.forms.graphs import (
    DEVELOPMENT,
    FRESH,
    ONE_WAY,
    TWO_WAY_LONG,
    TWO_WAY_SHORT,
    Family,
    Graph,
    drawn,
)

_CELL_BITS = 424
FAMILIES = (ONE_WAY, TWO_WAY_SHORT, TWO_WAY_LONG)
FRESH_GRAPHS = 100
"""Graphs of each kind for which bounds are stated."""
SETS = {DEVELOPMENT: 300, FRESH: FRESH_GRAPHS}
"""Numbers of graphs of each family in the campaign."""


@dataclass(frozen=True, slots=True)
class Errors:
    """Errors on a set of graphs; a graph's error is the largest relative error of a rate.

    Attributes:
        graphs: Number of graphs.
        beyond_1_percent: Number of graphs with an error above 1 %.
        beyond_5_percent: Number of graphs with an error above 5 %.
        worst_percent: Largest error in percent, to two decimals.
        worst_graph: Number of the graph with the largest error.
    """

    graphs: int
    beyond_1_percent: int
    beyond_5_percent: int
    worst_percent: float
    worst_graph: int

    @classmethod
    def of(cls, errors: Iterable[float]) -> Errors:
        """Counts the errors of graph 0, 1 and so on."""
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
        beyond_1_percent: Number of graphs that may miss the fair rates by more than 1 %.
        beyond_5_percent: Number of graphs that may miss the fair rates by more than 5 %.
        worst_percent: Error in percent that no graph may exceed.
    """

    beyond_1_percent: int
    beyond_5_percent: int
    worst_percent: float

    def __str__(self) -> str:
        """The bound in words."""
        counts = ((1, self.beyond_1_percent), (5, self.beyond_5_percent))
        parts = [
            f"{count} of {FRESH_GRAPHS} beyond {percent} %" for percent, count in counts if count
        ]
        return ", ".join([*parts, f"none beyond {self.worst_percent:g} %"])

    def broken_by(self, found: Errors) -> list[str]:
        """Sentences on errors larger than the bound allows; none if the bound holds.

        Of more graphs than `FRESH_GRAPHS`, the same share may miss the fair rates.
        """
        more = max(1.0, found.graphs / FRESH_GRAPHS)
        counts = (
            (1, found.beyond_1_percent, self.beyond_1_percent),
            (5, found.beyond_5_percent, self.beyond_5_percent),
        )
        broken = [
            f"{count} of {found.graphs} graphs are off by more than {percent} %"
            for percent, count, most in counts
            if count > more * most
        ]
        if found.worst_percent > self.worst_percent:
            broken.append(f"graph {found.worst_graph} is off by {found.worst_percent:g} %")
        return broken


@dataclass(frozen=True, slots=True)
class Promise:
    """Closeness of the rates of a scheme to max-min fair ones.

    Attributes:
        scheme: Name of the scheme in reports.
        control: Lines of the table `switch.control`.
        target: Share of a link that the scheme allocates.
        bounds: Bounds on the graphs of each of `FAMILIES`.
        expected_two_way: Computes the rates that the scheme comes near to if flows go both ways.
    """

    scheme: str
    control: str
    target: Fraction
    bounds: tuple[Bound, Bound, Bound]
    expected_two_way: Callable[[Graph, Fraction], list[Fraction]] = fair_rates

    def expected(self, graph: Graph, *, two_way: bool) -> list[float]:
        """Rates in kbit/s that the scheme comes near to; flows may go both ways."""
        found = (self.expected_two_way if two_way else fair_rates)(graph, self.target)
        return [float(rate) for rate in found]


PRECISE = Bound(0, 0, 1)
PROMISES = (
    Promise(
        "ERICA, delta 0, intervals of 5 ms",
        'scheme = "erica"\ndelta = 0.0\ninterval = "5 ms"\ninterval_cells = "1000000 cells"',
        Fraction(9, 10),
        (PRECISE, Bound(15, 8, 25), Bound(17, 10, 48)),
    ),
    Promise(
        "ERICA, delta 0, intervals of 1 ms or 100 cells",
        'scheme = "erica"\ndelta = 0.0',
        Fraction(9, 10),
        (Bound(29, 4, 8), Bound(45, 13, 18), Bound(61, 19, 24)),
    ),
    Promise(
        "FMMRA, ERmax falls to the advertised rate, thresholds out of reach",
        'scheme = "fmmra"\ntarget_utilisation = 0.95\ner_max_floor = "advertised-rate"\n'
        'qt = "1000000 cells"\ndqt = "1000000 cells"',
        Fraction(95, 100),
        (Bound(10, 0, 2), Bound(6, 0, 2), Bound(20, 16, 29)),
    ),
    Promise(
        "consistent marking",
        'scheme = "charny"',
        Fraction(95, 100),
        (Bound(6, 6, 12), Bound(6, 0, 4), Bound(8, 7, 26)),
        expected_two_way=rates_among_all_channels,
    ),
    Promise(
        "OSU, precise shares, intervals of 5 ms",
        'scheme = "osu"\nfairness = "precise"\ninterval = "5 ms"',
        Fraction(9, 10),
        (PRECISE, PRECISE, Bound(7, 7, 11)),
        expected_two_way=rates_among_all_channels,
    ),
    Promise(
        "CAPC",
        'scheme = "capc"',
        Fraction(95, 100),
        (Bound(34, 0, 4), Bound(45, 7, 10), Bound(48, 7, 131)),
    ),
)
"""The schemes with bounds, and parameters for which the bounds are stated."""
CASES = list(product(PROMISES, FAMILIES))
SETTLED_MS = 500
"""Time from which rates are steady where all flows go one way."""
SETTLED_TWO_WAY_MS = 1500
"""Time from which rates are steady where flows go both ways and RM cells are rare."""


def rates(graph: Graph, control: str, settled_ms: int) -> list[float]:
    """Rate of each flow in kbit/s, RM cells included, over 200 ms.

    Args:
        graph: Network and flows.
        control: Lines of the table `switch.control`.
        settled_ms: Beginning of these 200 ms, in ms from the start of the run.
    """
    text = graph.scenario(control, settled_ms, settled_ms + 200)
    report = json.loads(_core.Scenario(text, "random graph").run().summary())
    return [
        vc["cells_sent"] * _CELL_BITS / report["window_seconds"] / 1000
        for vc in report["vcs"]
        if vc["name"].endswith("forward")
    ]


def error(found: Iterable[float], expected: Iterable[float]) -> float:
    """Largest relative error of a rate."""
    return max(abs(a / b - 1) for a, b in zip(found, expected, strict=True))


def error_on(promise: Promise, family: Family, number: int, of: str = DEVELOPMENT) -> float:
    """Largest relative error of a rate under a scheme on one random graph of a set."""
    graph = drawn(family, number, of)
    found = rates(graph, promise.control, SETTLED_TWO_WAY_MS if family.two_way else SETTLED_MS)
    return error(found, promise.expected(graph, two_way=family.two_way))


def campaign(
    graphs: Mapping[str, int], pool: ThreadPoolExecutor, advance: Callable[[], None]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Errors of every scheme on random graphs of every family, and the bounds that they break.

    The development set breaks a bound only if the code has changed since bounds were set, so this
    is a fault. A bound that the fresh set breaks is a result: the bound predicted wrongly.

    Args:
        graphs: Number of graphs of each family, by set.
        pool: Makes the runs.
        advance: Called after each run.

    Returns:
        A row for each scheme and family, and sentences on faults.
    """
    rows, faults = [], []
    for promise, family in CASES:
        bound = promise.bounds[FAMILIES.index(family)]
        row: dict[str, Any] = {"scheme": promise.scheme, "family": family.name}
        row |= {"bound": asdict(bound), "in_words": str(bound)}
        broken: dict[str, list[str]] = {}
        for of, count in graphs.items():
            futures = [
                pool.submit(error_on, promise, family, number, of) for number in range(count)
            ]
            for future in futures:
                future.add_done_callback(lambda _: advance())
            errors = Errors.of(future.result() for future in futures)
            row[of], broken[of] = asdict(errors), bound.broken_by(errors)
        rows.append(row | {"broken_by_fresh": broken[FRESH]})
        name = f"{promise.scheme}, {family.name}"
        faults += [f"{name}: {what}; stated: {bound}" for what in broken[DEVELOPMENT]]
    return rows, faults


def table(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Lines on the rows of a campaign."""
    for row in rows:
        name = f"{row['scheme']}, {row['family']}"
        for of in SETS:
            yield (
                f"{name}, {of} set: {row[of]['beyond_1_percent']} of {row[of]['graphs']} graphs "
                f"off by more than 1 %, {row[of]['beyond_5_percent']} by more than 5 %, the worst "
                f"by {row[of]['worst_percent']:g} %; stated: {row['in_words']}"
            )
        yield from (f"broken: {name}, fresh set: {what}" for what in row["broken_by_fresh"])
