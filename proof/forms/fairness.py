"""Steady rates of control schemes on random graphs against max-min fair rates."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from cellrate import _core
from cellrate.simulation.runner import available_cores

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
from proof.forms.predictions import DEVELOPMENT_GRAPHS, FRESH_GRAPHS, Bound, Errors

_CELL_BITS = 424


FAMILIES = (ONE_WAY, TWO_WAY_SHORT, TWO_WAY_LONG)


@dataclass(frozen=True, slots=True)
class Promise:
    """Closeness of the rates of a scheme to max-min fair ones.

    Attributes:
        scheme: Name for people.
        control: Lines of the table `switch.control`.
        target: Share of a link that it allocates.
        one_way: Bound where all flows go one way.
        two_way_short: The same where they go both ways over short links.
        two_way_long: The same over links as long as those of flows one way.
        expected_two_way: Rates that it comes near to where flows go both ways.
    """

    scheme: str
    control: str
    target: Fraction
    one_way: Bound
    two_way_short: Bound
    two_way_long: Bound
    expected_two_way: Callable[[Graph, Fraction], list[Fraction]] = fair_rates

    def bound(self, family: Family) -> Bound:
        """Bound on the graphs of a family.

        Args:
            family: One of `FAMILIES`.
        """
        return (self.one_way, self.two_way_short, self.two_way_long)[FAMILIES.index(family)]

    def expected(self, graph: Graph, *, two_way: bool) -> list[float]:
        """Rates in kbit/s that the scheme comes near to.

        Args:
            graph: Network and flows.
            two_way: True where flows go both ways.
        """
        found = (self.expected_two_way if two_way else fair_rates)(graph, self.target)
        return [float(rate) for rate in found]


PRECISE = Bound(0, 0, 1)
PROMISES = (
    Promise(
        "ERICA, delta 0, intervals of 5 ms",
        'scheme = "erica"\ndelta = 0.0\ninterval = "5 ms"\ninterval_cells = "1000000 cells"',
        Fraction(9, 10),
        one_way=PRECISE,
        two_way_short=Bound(15, 8, 25),
        two_way_long=Bound(17, 10, 48),
    ),
    Promise(
        "ERICA, delta 0, intervals of 1 ms or 100 cells",
        'scheme = "erica"\ndelta = 0.0',
        Fraction(9, 10),
        one_way=Bound(29, 4, 8),
        two_way_short=Bound(45, 13, 18),
        two_way_long=Bound(61, 19, 24),
    ),
    Promise(
        "FMMRA, ERmax falls to the advertised rate, thresholds out of reach",
        'scheme = "fmmra"\ntarget_utilisation = 0.95\ner_max_floor = "advertised-rate"\n'
        'qt = "1000000 cells"\ndqt = "1000000 cells"',
        Fraction(95, 100),
        one_way=Bound(10, 0, 2),
        two_way_short=Bound(6, 0, 2),
        two_way_long=Bound(20, 16, 29),
    ),
    Promise(
        "consistent marking",
        'scheme = "charny"',
        Fraction(95, 100),
        one_way=Bound(6, 6, 12),
        two_way_short=Bound(6, 0, 4),
        two_way_long=Bound(8, 7, 26),
        expected_two_way=rates_among_all_channels,
    ),
    Promise(
        "OSU, precise shares, intervals of 5 ms",
        'scheme = "osu"\nfairness = "precise"\ninterval = "5 ms"',
        Fraction(9, 10),
        one_way=PRECISE,
        two_way_short=PRECISE,
        two_way_long=Bound(7, 7, 11),
        expected_two_way=rates_among_all_channels,
    ),
    Promise(
        "CAPC",
        'scheme = "capc"',
        Fraction(95, 100),
        one_way=Bound(34, 0, 4),
        two_way_short=Bound(45, 7, 10),
        two_way_long=Bound(48, 7, 131),
    ),
)
"""The schemes that promise something, with parameters for which they do."""
SETTLED_MS = 500
"""Time from which rates are steady where all flows go one way."""
SETTLED_TWO_WAY_MS = 1500
"""The same where flows go both ways: channels without data send few forward RM cells."""


def rates(graph: Graph, control: str, settled_ms: int) -> list[float]:
    """Rate of each flow in kbit/s, RM cells included, over 200 ms.

    Args:
        graph: Network and flows.
        control: Lines of the table `switch.control`.
        settled_ms: Beginning of these 200 ms.
    """
    text = graph.scenario(control, settled_ms, settled_ms + 200)
    report = json.loads(_core.Scenario(text, "random graph").run().summary())
    return [
        vc["cells_sent"] * _CELL_BITS / report["window_seconds"] / 1000
        for vc in report["vcs"]
        if vc["name"].endswith("forward")
    ]


def error(found: Iterable[float], expected: Iterable[float]) -> float:
    """Largest relative error of a rate.

    Args:
        found: Rates.
        expected: What they should be.
    """
    return max(abs(a / b - 1) for a, b in zip(found, expected, strict=True))


def error_on(promise: Promise, family: Family, number: int, of: str = DEVELOPMENT) -> float:
    """Largest relative error of a rate under a scheme on one random graph.

    Args:
        promise: The scheme.
        family: Kind of the graph.
        number: Which of them.
        of: Which set of graphs.
    """
    graph = drawn(family, number, of)
    found = rates(graph, promise.control, SETTLED_TWO_WAY_MS if family.two_way else SETTLED_MS)
    return error(found, promise.expected(graph, two_way=family.two_way))


SETS = {DEVELOPMENT: DEVELOPMENT_GRAPHS, FRESH: FRESH_GRAPHS}
"""Numbers of graphs of each family in the campaign."""


def campaign(
    graphs: Mapping[str, int], workers: int | None, advance: Callable[[], None]
) -> list[dict[str, Any]]:
    """Errors of every scheme on random graphs of every family.

    Args:
        graphs: How many graphs of each family, by set.
        workers: Runs at a time; all cores by default.
        advance: Called after each run.
    """
    told = []
    with ThreadPoolExecutor(workers or available_cores()) as pool:
        for promise, family in product(PROMISES, FAMILIES):
            row: dict[str, Any] = {"scheme": promise.scheme, "family": family.name}
            for of, count in graphs.items():

                def run(
                    number: int, promise: Promise = promise, family: Family = family, of: str = of
                ) -> float:
                    found = error_on(promise, family, number, of)
                    advance()
                    return found

                row[of] = asdict(Errors.of(pool.map(run, range(count))))
            told.append(row)
    return told


def judged(
    told: Sequence[dict[str, Any]], earlier: Sequence[dict[str, Any]]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Findings of a campaign beside the bounds, and how the development set breaks them.

    It cannot break them unless the code has changed since they were set, so that is a fault. What
    the fresh set breaks is a result: the bound predicted wrongly.

    Args:
        told: What it has found.
        earlier: The same of an earlier one, of which the sets that this has not are kept.
    """
    rows, broken = [], []
    for number, (promise, family) in enumerate(product(PROMISES, FAMILIES)):
        kept = {of: earlier[number][of] for of in SETS if earlier and of in earlier[number]}
        bound, found = promise.bound(family), kept | told[number]
        breaks = {of: bound.broken_by(Errors(**found[of])) for of in SETS if of in found}
        row = {"scheme": promise.scheme, "family": family.name, "bound": asdict(bound)}
        row |= {"in_words": str(bound), **{of: found[of] for of in breaks}}
        rows.append(row | {"broken_by_fresh": breaks.get(FRESH, [])})
        broken += [
            f"{promise.scheme}, {family.name}: {what}; stated: {bound}"
            for what in breaks.get(DEVELOPMENT, [])
        ]
    return rows, broken
