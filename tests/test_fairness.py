"""Control schemes on random graphs against max-min fair rates, and graphs on which they miss them.

Bounds for graphs that nobody has seen are `make closed-forms` (`ARGS="--only fairness"`).
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from proof.forms.fairness import (
    PROMISES,
    SETTLED_TWO_WAY_MS,
    Promise,
    error,
    error_on,
    rates,
)
from proof.forms.filling import fair_rates, rates_among_all_channels
from proof.forms.graphs import (
    ONE_WAY,
    TWO_WAY_LONG,
    TWO_WAY_SHORT,
    Family,
    Graph,
    Hop,
    Link,
    drawn,
)

FAIR: dict[Family, tuple[int, ...]] = {
    ONE_WAY: (0, 2, 4, 5),
    TWO_WAY_SHORT: (0, 2, 3),
    TWO_WAY_LONG: (3, 8),
}
"""Graphs on which every scheme is fair: none has what keeps one of them from it (below)."""
CASES = [(family, number) for family, numbers in FAIR.items() for number in numbers]
TARGET = 0.95


def there(*links: int) -> tuple[Hop, ...]:
    return tuple((link, True) for link in links)


def back(*links: int) -> tuple[Hop, ...]:
    return tuple((link, False) for link in links)


def row(links: list[tuple[int, int]], *flows: tuple[Hop, ...]) -> Graph:
    """Switches in a row, between them links of rates in kbit/s and delays in us."""
    joined = (Link(first, first + 1, *link) for first, link in enumerate(links))
    return Graph(len(links) + 1, tuple(joined), flows)


class Share(NamedTuple):
    """Rate of one flow in kbit/s, and what it should be."""

    found: float
    fair: float


def shares(graph: Graph, control: str, target: float, settled_ms: int = 500) -> list[Share]:
    found = rates(graph, control, settled_ms)
    return [Share(*pair) for pair in zip(found, fair_rates(graph, target), strict=True)]


def worst(told: list[Share]) -> float:
    return error(*zip(*told, strict=True))


ONE_LINK = row([(100_000, 1000)], there(0), back(0))
DRAINED = row(
    [(101_311, 5726), (113_611, 340), (25_000, 26)], there(0, 1), there(1, 2), there(1, 2)
)
FMMRA = 'scheme = "fmmra"\ntarget_utilisation = 0.95\ner_max_floor = "advertised-rate"'
OUT_OF_REACH = '\nqt = "1000000 cells"\ndqt = "1000000 cells"'
OSU = 'scheme = "osu"\nfairness = "precise"\ninterval = "5 ms"'
ERICA = 'scheme = "erica"\ndelta = 0.0\ninterval = "5 ms"\ninterval_cells = "1000000 cells"'


def test_the_reference_is_what_can_be_worked_out_by_hand() -> None:
    # The last link gives 0.95 * 25 / 2 = 11.875 to each of two; the second gives the first flow the
    # rest, 0.95 * 113.611 - 23.75 = 84.18045.
    assert fair_rates(DRAINED, TARGET) == pytest.approx([84_180.45, 11_875, 11_875])
    # r + r / 31 = 95, or 95 / 2.
    assert fair_rates(ONE_LINK, TARGET) == pytest.approx([92_031.25] * 2)
    assert rates_among_all_channels(ONE_LINK, TARGET) == pytest.approx([47_500] * 2)


@pytest.mark.parametrize(("family", "number"), CASES, ids=lambda one: getattr(one, "name", one))
@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.scheme)
def test_rates_are_max_min_fair_where_nothing_keeps_a_scheme_from_it(
    promise: Promise, family: Family, number: int
) -> None:
    levels = {round(rate, 3) for rate in fair_rates(drawn(family, number), promise.target)}
    assert len(levels) > 1, "a single bottleneck asks little of a scheme"
    assert error_on(promise, family, number) < 0.01


def test_a_scheme_that_is_not_fair_is_noticed() -> None:
    """OSU with equal shares of whoever is there, ERICA that takes any load up to 1.1 for right."""
    basic = 'scheme = "osu"\nfairness = "basic"\ninterval = "5 ms"'
    for control in basic, ERICA.replace("delta = 0.0", "delta = 0.1"):
        errors = [
            worst(shares(drawn(family, number), control, 0.9, SETTLED_TWO_WAY_MS))
            for family, number in CASES[::3]
        ]
        assert sum(error > 0.01 for error in errors) > len(errors) / 2, errors


def test_draining_a_queue_over_a_long_way_keeps_fmmra_from_the_fair_rates() -> None:
    """The target falls by a tenth above DQT, and a round trip later the queue fills again."""
    assert 0.02 < worst(shares(DRAINED, FMMRA, TARGET)) < 0.05
    assert worst(shares(DRAINED, FMMRA + OUT_OF_REACH, TARGET)) < 0.005


def test_the_clip_to_a_fair_share_of_idle_channels_keeps_erica_from_the_fair_rates() -> None:
    """The fourth flow shares the last link backward with the first; both should have 31 Mbit/s.

    It also crosses the second link backward, with three channels of RM cells, where the fair share
    is 0.9 * 69.688 / 4 = 15.68 Mbit/s. When the last link has cut its rate below that, the second
    lets it rise no further, for an interval in each two.
    """
    graph = row(
        [(47_886, 1193), (69_688, 1841), (71_846, 1011)],
        back(2),
        there(0, 1, 2),
        there(1, 2),
        back(2, 1),
        there(2),
        there(1),
    )
    target = 0.9
    told = shares(graph, ERICA, target, 1500)
    assert told[0].fair == pytest.approx(told[3].fair)
    assert told[3].found < 0.7 * told[3].fair
    assert told[0].found > 1.3 * told[0].fair
    assert worst(shares(graph, ERICA + "\nclip_to_fair_share = false", target, 1500)) < 0.05


def test_marks_removed_for_a_slow_channel_cost_a_fast_one_of_consistent_marking() -> None:
    """The flow of one hop alternates between 47.69 and 41.70 = (107.157 - 23.75) / 2 Mbit/s.

    The fourth link allocates 107.157 Mbit/s: 11.875 to each of two flows, 35.72 to one that the
    last link stops, and the rest to the flow of one hop. While a cell of a flow of 11.875 passes,
    107.157 - 11.875 - 35.72 - 41.70 = 17.86 are left to it, less than the marks of 35.72 and 41.70,
    which are removed.
    """
    graph = row(
        [(25_000, 173), (112_797, 1), (112_797, 944), (112_797, 24), (112_797, 810)],
        there(4),
        there(0, 1, 2),
        there(2),
        there(0, 1, 2),
        there(2, 3, 4),
        there(4),
    )
    told = shares(graph, 'scheme = "charny"', TARGET)
    assert told[2].fair == pytest.approx(47_688, rel=1e-3)
    assert 41_700 < told[2].found < 0.95 * told[2].fair
    assert worst([*told[:2], *told[3:]]) < 0.01


def test_channels_without_data_claim_a_share_of_marking_and_of_precise_shares() -> None:
    """One flow each way: half of the link, instead of what backward RM cells leave."""
    for scheme, target in ('scheme = "charny"', TARGET), (OSU, 0.9):
        for share in shares(ONE_LINK, scheme, target):
            assert share.found == pytest.approx(target * 50_000, rel=0.01)
    for scheme, target in (FMMRA, TARGET), (ERICA, 0.9):
        assert worst(shares(ONE_LINK, scheme, target)) < 0.01


def test_an_interval_shorter_than_from_rm_cell_to_rm_cell_keeps_osu_from_the_fair_rates() -> None:
    """At 2.6 Mbit/s 32 cells take 5.2 ms, so an interval of 5 ms does not see every channel."""
    graph = drawn(TWO_WAY_LONG, 244)
    expected = rates_among_all_channels(graph, 0.9)
    assert error(rates(graph, OSU, 4000), expected) > 0.05
    assert error(rates(graph, OSU.replace("5 ms", "10 ms"), 4000), expected) < 0.01


def test_an_interval_much_shorter_than_the_round_trip_keeps_capc_from_the_fair_rates() -> None:
    """Rates are raised interval by interval before the load shows it, 15 ms later."""
    graph = drawn(TWO_WAY_LONG, 70)
    assert worst(shares(graph, 'scheme = "capc"', TARGET, SETTLED_TWO_WAY_MS)) > 0.3
    slow = 'scheme = "capc"\ninterval = "5 ms"'
    assert worst(shares(graph, slow, TARGET, SETTLED_TWO_WAY_MS)) < 0.01
