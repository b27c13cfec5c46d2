"""Steady rates of control schemes on random graphs against max-min fair rates.

Errorss that are set after a look at all errors predict nothing. So bounds come from the graphs of a
development set, and a fresh set, drawn by other seeds, shows if these bounds hold. The rule is in
docs/explanation/schemes.md.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, NamedTuple

from cellrate import _core
from cellrate.theory.cell_conversions import CELL_BITS

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

FAMILIES = (ONE_WAY, TWO_WAY_SHORT, TWO_WAY_LONG)
FRESH_GRAPHS = 100
"""Graphs of each kind for which bounds are stated."""
SETS = {DEVELOPMENT: 300, FRESH: FRESH_GRAPHS}
"""Numbers of graphs of each family in the campaign."""


class Errors(NamedTuple):
    """Errors on a set of graphs, or bounds on the errors of `FRESH_GRAPHS` graphs.

    A graph's error is the largest relative error of a rate.
    """

    beyond_1_percent: int
    beyond_5_percent: int
    worst_percent: float

    @classmethod
    def of(cls, errors: Iterable[float]) -> Errors:
        """Numbers of graphs with larger errors, and the largest error to two decimals."""
        found = list(errors)
        beyond_1, beyond_5 = (sum(error > share for error in found) for share in (0.01, 0.05))
        return cls(beyond_1, beyond_5, round(100 * max(found), 2))

    def broken_by(self, found: Errors, graphs: int) -> list[str]:
        """Errors on a number of graphs that are larger than this bound; none if it holds.

        Of more graphs than `FRESH_GRAPHS`, the same share may miss the fair rates.
        """
        more = max(1.0, graphs / FRESH_GRAPHS)
        most = (more * self.beyond_1_percent, more * self.beyond_5_percent, self.worst_percent)
        return [
            f"{name} of {graphs} graphs: {value:g}, stated {limit:g}"
            for name, value, limit in zip(self._fields, found, most, strict=True)
            if value > limit
        ]


@dataclass(frozen=True, slots=True)
class Promise:
    """Closeness of the rates of a scheme to max-min fair ones: bounds for each of `FAMILIES`.

    `control` has the lines of the table `switch.control`, and `target` the share of a link that the
    scheme allocates. If flows go both ways, the scheme comes near to the rates `expected_two_way`.
    """

    scheme: str
    control: str
    target: float
    bounds: tuple[Errors, Errors, Errors]
    expected_two_way: Callable[[Graph, float], list[float]] = fair_rates


PRECISE = Errors(0, 0, 1)
PROMISES = (
    Promise(
        "ERICA, delta 0, intervals of 5 ms",
        'scheme = "erica"\ndelta = 0.0\ninterval = "5 ms"\ninterval_cells = "1000000 cells"',
        0.9,
        (PRECISE, Errors(15, 8, 25), Errors(17, 10, 48)),
    ),
    Promise(
        "ERICA, delta 0, intervals of 1 ms or 100 cells",
        'scheme = "erica"\ndelta = 0.0',
        0.9,
        (Errors(29, 4, 8), Errors(45, 13, 18), Errors(61, 19, 24)),
    ),
    Promise(
        "FMMRA, ERmax falls to the advertised rate, thresholds out of reach",
        'scheme = "fmmra"\ntarget_utilisation = 0.95\ner_max_floor = "advertised-rate"\n'
        'qt = "1000000 cells"\ndqt = "1000000 cells"',
        0.95,
        (Errors(10, 0, 2), Errors(6, 0, 2), Errors(20, 16, 29)),
    ),
    Promise(
        "consistent marking",
        'scheme = "charny"',
        0.95,
        (Errors(6, 6, 12), Errors(6, 0, 4), Errors(8, 7, 26)),
        expected_two_way=rates_among_all_channels,
    ),
    Promise(
        "OSU, precise shares, intervals of 5 ms",
        'scheme = "osu"\nfairness = "precise"\ninterval = "5 ms"',
        0.9,
        (PRECISE, PRECISE, Errors(7, 7, 11)),
        expected_two_way=rates_among_all_channels,
    ),
    Promise(
        "CAPC",
        'scheme = "capc"',
        0.95,
        (Errors(34, 0, 4), Errors(45, 7, 10), Errors(48, 7, 131)),
    ),
)
"""The schemes with bounds, and parameters for which the bounds are stated."""
CASES = list(product(PROMISES, FAMILIES))
SETTLED_MS = 500
"""Time from which rates are steady where all flows go one way."""
SETTLED_TWO_WAY_MS = 1500
"""Time from which rates are steady where flows go both ways and RM cells are rare."""


def rates(graph: Graph, control: str, settled_ms: int) -> list[float]:
    """Rate of each flow in kbit/s, RM cells included, over 200 ms from `settled_ms`.

    `control` has the lines of the table `switch.control`.
    """
    text = graph.scenario(control, settled_ms, settled_ms + 200)
    report = json.loads(_core.Scenario(text, "random graph").run().summary())
    return [
        vc["cells_sent"] * CELL_BITS / report["window_seconds"] / 1000
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
    expected = promise.expected_two_way if family.two_way else fair_rates
    return error(found, expected(graph, promise.target))


def campaign(
    graphs: Mapping[str, int], pool: ThreadPoolExecutor
) -> tuple[list[dict[str, Any]], list[str]]:
    """Errors of every scheme on random graphs of every family, and faults.

    The development set breaks a bound only if the code has changed since bounds were set, so this
    is a fault. A bound that the fresh set breaks is a result: the bound predicted wrongly.
    """
    rows, faults = [], []
    for promise, family in CASES:
        bound = promise.bounds[FAMILIES.index(family)]
        row: dict[str, Any] = {"scheme": promise.scheme, "family": family.name}
        row["bound"] = bound._asdict()
        broken: dict[str, list[str]] = {}
        for of, count in graphs.items():
            one = partial(error_on, promise, family, of=of)
            found = list(pool.map(one, range(count)))
            errors = Errors.of(found)
            worst = {"worst_graph": found.index(max(found))}
            row[of] = {"graphs": count, **errors._asdict(), **worst}
            broken[of] = bound.broken_by(errors, count)
        rows.append(row | {"broken_by_fresh": broken[FRESH]})
        print(json.dumps(rows[-1]), flush=True)
        faults += [f"{promise.scheme}, {family.name}: {what}" for what in broken[DEVELOPMENT]]
    return rows, faults
