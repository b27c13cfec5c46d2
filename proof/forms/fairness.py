"""Steady rates of control schemes on random graphs against max-min fair rates."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from cellrate import _core
from cellrate.simulation.runner import available_cores

from proof.forms.filling import fair_rates, rates_among_all_channels
from proof.forms.graphs import ONE_WAY, TWO_WAY_LONG, TWO_WAY_SHORT, Family, Graph, drawn

GRAPHS = 100
"""Graphs of each family for each promise in the campaign."""
_CELL_BITS = 424


FAMILIES = (ONE_WAY, TWO_WAY_SHORT, TWO_WAY_LONG)


@dataclass(frozen=True, slots=True)
class Bound:
    """Largest relative errors of the rates on the graphs of one family.

    Attributes:
        every: On every graph.
        most: On nine of ten.
    """

    every: float
    most: float

    def __str__(self) -> str:
        """The bound in words."""
        every, most = (f"{100 * share:g} %" for share in (self.every, self.most))
        return every if every == most else f"{every}, nine of ten {most}"

    def broken_by(self, errors: Sequence[float]) -> bool:
        """True if these errors of different graphs are too large.

        Args:
            errors: Largest relative error of a rate on each graph.
        """
        large = sum(error >= self.most for error in errors)
        return max(errors) >= self.every or 10 * large > len(errors)


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


PRECISE = Bound(0.01, 0.01)
PROMISES = (
    Promise(
        "ERICA, delta 0, intervals of 5 ms",
        'scheme = "erica"\ndelta = 0.0\ninterval = "5 ms"\ninterval_cells = "1000000 cells"',
        Fraction(9, 10),
        one_way=PRECISE,
        two_way_short=Bound(0.5, 0.05),
        two_way_long=Bound(0.5, 0.1),
    ),
    Promise(
        "ERICA, delta 0, intervals of 1 ms or 100 cells",
        'scheme = "erica"\ndelta = 0.0',
        Fraction(9, 10),
        one_way=Bound(0.1, 0.03),
        two_way_short=Bound(0.5, 0.1),
        two_way_long=Bound(0.5, 0.1),
    ),
    Promise(
        "FMMRA, ERmax falls to the advertised rate, thresholds out of reach",
        'scheme = "fmmra"\ntarget_utilisation = 0.95\ner_max_floor = "advertised-rate"\n'
        'qt = "1000000 cells"\ndqt = "1000000 cells"',
        Fraction(95, 100),
        one_way=Bound(0.02, 0.01),
        two_way_short=Bound(0.05, 0.02),
        two_way_long=Bound(0.2, 0.1),
    ),
    Promise(
        "consistent marking",
        'scheme = "charny"',
        Fraction(95, 100),
        one_way=Bound(0.1, 0.01),
        two_way_short=Bound(0.1, 0.01),
        two_way_long=Bound(0.1, 0.01),
        expected_two_way=rates_among_all_channels,
    ),
    Promise(
        "OSU, precise shares, intervals of 5 ms",
        'scheme = "osu"\nfairness = "precise"\ninterval = "5 ms"',
        Fraction(9, 10),
        one_way=PRECISE,
        two_way_short=PRECISE,
        two_way_long=PRECISE,
        expected_two_way=rates_among_all_channels,
    ),
    Promise(
        "CAPC",
        'scheme = "capc"',
        Fraction(95, 100),
        one_way=Bound(0.03, 0.02),
        two_way_short=Bound(0.1, 0.05),
        two_way_long=Bound(0.25, 0.1),
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


def error_on(promise: Promise, family: Family, number: int) -> float:
    """Largest relative error of a rate under a scheme on one random graph.

    Args:
        promise: The scheme.
        family: Kind of the graph.
        number: Which of them.
    """
    graph = drawn(family, number)
    found = rates(graph, promise.control, SETTLED_TWO_WAY_MS if family.two_way else SETTLED_MS)
    return error(found, promise.expected(graph, two_way=family.two_way))


def campaign(
    graphs: int, workers: int | None, advance: Callable[[], None]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Errors of every scheme on random graphs, and the promises that they break.

    Args:
        graphs: How many graphs of each family.
        workers: Runs at a time; all cores by default.
        advance: Called after each run.
    """
    told, broken = [], []
    with ThreadPoolExecutor(workers or available_cores()) as pool:
        for promise, family in product(PROMISES, FAMILIES):

            def run(
                number: int, promise: Promise = promise, family: Family = family
            ) -> tuple[float, int]:
                found = error_on(promise, family, number)
                advance()
                return found, number

            errors = sorted(pool.map(run, range(graphs)), reverse=True)
            told.append(_told(promise, family, errors))
            if promise.bound(family).broken_by([size for size, _ in errors]):
                broken.append(
                    "{scheme}, {family}: off by {worst} on graph {worst_graph}, beyond 1 % on "
                    "{beyond_1_percent} of {graphs}; stated are {bound}".format(**told[-1])
                )
    return told, broken


def _told(promise: Promise, family: Family, errors: list[tuple[float, int]]) -> dict[str, Any]:
    return {
        "scheme": promise.scheme,
        "family": family.name,
        "graphs": len(errors),
        "bound": str(promise.bound(family)),
        "beyond_1_percent": sum(size > 0.01 for size, _ in errors),
        "beyond_5_percent": sum(size > 0.05 for size, _ in errors),
        "worst": f"{100 * errors[0][0]:.2f} %",
        "worst_graph": errors[0][1],
    }
