"""Max-min fair rates: configurations worked out by hand, and what makes rates max-min fair."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence

import pytest
from cellrate.theory import AssumptionError, MaxMin, max_min
from cellrate.theory.max_min import Demand, Fairness, filling_level
from hypothesis import given, settings
from hypothesis import strategies as some

Graph = tuple[dict[str, float], dict[str, list[str]]]


def test_parking_lot() -> None:
    """One long flow and one short flow per hop: each hop is shared in halves."""
    links = {"L1": 150.0, "L2": 150.0, "L3": 90.0}
    flows = {"long": ["L1", "L2", "L3"], "1": ["L1"], "2": ["L2"], "3": ["L3"]}
    found = max_min(links, flows)
    assert found.rates == pytest.approx({"long": 45, "1": 105, "2": 105, "3": 45})
    assert found.bottlenecks == {"long": "L3", "1": "L1", "2": "L2", "3": "L3"}
    assert found.advertised == pytest.approx({"L1": 105, "L2": 105, "L3": 45})


def test_a_link_that_nobody_uses_advertises_all_of_it() -> None:
    found = max_min({"used": 10.0, "idle": 7.0}, {"A": ["used"]})
    assert (found.loads["idle"], found.advertised["idle"]) == (0, 7)


def groups(**counts: int) -> dict[str, list[str]]:
    return {group: [f"{group}{n}" for n in range(count)] for group, count in counts.items()}


def rates_of(links: dict[str, float], counts: dict[str, int], routes: dict[str, str]) -> MaxMin:
    """Groups of flows, each over the links that its route names."""
    flows = {
        flow: routes[group].split() for group, flows in groups(**counts).items() for flow in flows
    }
    return max_min(links, flows)


def test_generic_fairness_configuration_1() -> None:
    """Five switches in a row; the rates in Mbit/s that the ATM Forum's papers give for it."""
    found = rates_of(
        {"12": 50, "23": 150, "34": 150, "45": 100},
        {"A": 3, "B": 3, "C": 3, "D": 6, "E": 6, "F": 2},
        {"A": "12 23 34", "B": "23 34 45", "C": "34", "D": "12", "E": "45", "F": "23"},
    )
    expected = {"A": 50 / 9, "B": 100 / 9, "C": 100 / 3, "D": 50 / 9, "E": 100 / 9, "F": 50.0}
    for flow, rate in found.rates.items():
        assert rate == pytest.approx(expected[flow[0]])
    # The links in the middle are full too, but for others.
    assert found.bottlenecks["A0"] == "12"
    assert found.bottlenecks["B0"] == "45"
    assert found.loads == pytest.approx({"12": 50, "23": 150, "34": 150, "45": 100})


def test_generic_fairness_configuration_2() -> None:
    """A graph with the allocations of the second configuration."""
    found = rates_of(
        {"a": 40, "b": 50, "1": 150, "2": 150, "3": 150},
        {"A": 3, "B": 3, "C": 3, "D": 1, "E": 2, "F": 1, "G": 7, "H": 2},
        {
            "A": "a 1 2 3",
            "B": "b 1 2 3",
            "C": "1",
            "D": "2",
            "E": "2",
            "F": "a",
            "G": "b",
            "H": "3",
        },
    )
    expected = {"A": 10, "B": 5, "C": 35, "D": 35, "E": 35, "F": 10, "G": 5, "H": 52.5}
    for flow, rate in found.rates.items():
        assert rate == pytest.approx(expected[flow[0]])


FOUR = {"w": ["L"], "x": ["L"], "y": ["L"], "z": ["L"]}


def test_a_flow_at_its_peak_is_held_back_by_no_link() -> None:
    found = max_min({"L": 10.0}, {"A": ["L"], "B": ["L"]}, pcr={"A": 5.0})
    assert found.rates == {"A": 5.0, "B": 5.0}
    assert found.bottlenecks == {"A": None, "B": "L"}


@pytest.mark.parametrize(
    ("fairness", "options", "expected"),
    [
        # MCRs of 100 leave 100 for four.
        ("mcr-plus-share", {"mcr": {"w": 60, "x": 40}}, [85, 65, 25, 25]),
        # 60 is above the share; 140 are left for three.
        ("max-of-mcr-and-share", {"mcr": {"w": 60, "x": 40}}, [60, 140 / 3, 140 / 3, 140 / 3]),
        # 60 and 55 are above the share of 42.5; MCRs below the share do not matter.
        ("max-of-mcr-and-share", {"mcr": {"w": 60, "x": 55, "y": 9}}, [60, 55, 42.5, 42.5]),
        ("proportional-to-mcr", {"mcr": {"w": 1, "x": 2, "y": 3, "z": 4}}, [20, 40, 60, 80]),
        ("mcr-plus-share", {"weights": {"w": 5}}, [125, 25, 25, 25]),
        ("mcr-plus-share", {"pcr": {"w": 20, "x": 45}}, [20, 45, 67.5, 67.5]),
        ("mcr-plus-share", {"pcr": dict.fromkeys(FOUR, 30)}, [30, 30, 30, 30]),
        (
            "mcr-plus-share",
            {"mcr": {"w": 50, "x": 30}, "pcr": {"w": 60}, "weights": {"x": 2}},
            # w is at 60; x = 30 + 2 s, y = z = s and 4 s = 110.
            [60, 85, 27.5, 27.5],
        ),
    ],
)
def test_definitions_on_one_link_of_200(
    fairness: Fairness, options: dict[str, dict[str, float]], expected: list[float]
) -> None:
    found = max_min({"L": 200}, FOUR, fairness=fairness, **options)
    assert list(found.rates.values()) == pytest.approx(expected)
    # A multiple of MCRs is no rate.
    assert bool(found.advertised) is (fairness != "proportional-to-mcr")


def test_a_link_that_is_not_full_advertises_what_is_left() -> None:
    found = max_min({"L": 200}, FOUR, pcr=dict.fromkeys(FOUR, 30))
    assert found.bottlenecks == dict.fromkeys(FOUR)
    assert found.advertised["L"] == 30 + 80


@some.composite
def graphs(draw: some.DrawFn) -> Graph:
    count = draw(some.integers(1, 6))
    links = {f"L{n}": float(draw(some.integers(1, 100))) for n in range(count)}
    routes = some.lists(some.sampled_from(sorted(links)), min_size=1, max_size=4, unique=True)
    flows = {f"f{n}": draw(routes) for n in range(draw(some.integers(1, 10)))}
    return links, flows


@some.composite
def demands(draw: some.DrawFn) -> tuple[Graph, dict[str, dict[str, float]], Fairness]:
    """A graph, with MCRs that its links can hold."""
    links, flows = draw(graphs())
    crowd = {link: sum(link in route for route in flows.values()) for link in links}
    floors = {f: min(links[link] / crowd[link] for link in route) for f, route in flows.items()}
    mcr = {f: floor * draw(some.integers(1, 16)) / 16 for f, floor in floors.items()}
    pcr = {
        f: floor * draw(some.sampled_from([1.0, 1.5, 4.0, 100.0])) for f, floor in floors.items()
    }
    fairness = draw(some.sampled_from(Fairness.__args__))  # type: ignore[attr-defined]
    if fairness == "proportional-to-mcr":
        return (links, flows), {"mcr": mcr, "pcr": pcr}, fairness
    weights = {f: float(draw(some.integers(1, 5))) for f in flows}
    return (links, flows), {"mcr": mcr, "pcr": pcr, "weights": weights}, fairness


def over(link: str, flows: Mapping[str, Sequence[str]]) -> list[str]:
    return [flow for flow, route in flows.items() if link in route]


@given(demands())
@settings(max_examples=300)
def test_each_flow_is_at_its_pcr_or_has_a_bottleneck(
    case: tuple[Graph, dict[str, dict[str, float]], Fairness],
) -> None:
    (links, flows), options, fairness = case
    found = max_min(links, flows, fairness=fairness, **options)
    for link, rate in links.items():
        assert found.loads[link] <= rate * (1 + 1e-9)
    for flow, rate in found.rates.items():
        if fairness != "proportional-to-mcr":
            assert rate >= options["mcr"][flow] * (1 - 1e-9)
        bottleneck = found.bottlenecks[flow]
        if bottleneck is None:
            assert rate == pytest.approx(options["pcr"][flow])
            continue
        # The link is full, and no flow over it that could give something has a greater share.
        assert found.loads[bottleneck] == pytest.approx(links[bottleneck])
        for other in over(bottleneck, flows):
            least = 0.0 if fairness == "proportional-to-mcr" else options["mcr"][other]
            gives = found.rates[other] > least * (1 + 1e-9)
            assert not gives or found.shares[other] <= found.shares[flow] * (1 + 1e-9)


@given(graphs(), some.randoms(use_true_random=False))
def test_the_order_of_links_and_flows_does_not_matter(graph: Graph, chance: object) -> None:
    import random

    assert isinstance(chance, random.Random)
    links, flows = graph
    names, numbers = list(flows), list(links)
    chance.shuffle(names)
    chance.shuffle(numbers)
    again = max_min({link: links[link] for link in numbers}, {name: flows[name] for name in names})
    assert again.rates == pytest.approx(max_min(links, flows).rates)


@given(graphs())
def test_no_rate_can_grow_without_hurting_one_that_is_no_greater(graph: Graph) -> None:
    links, flows = graph
    rates = max_min(links, flows).rates
    for flow, route in flows.items():
        room = math.inf
        for link in route:
            greater = sum(max(0.0, rates[f] - rates[flow]) for f in over(link, flows))
            room = min(room, links[link] - sum(rates[f] for f in over(link, flows)) + greater)
        assert room <= 1e-9 * max(links.values())


@pytest.mark.parametrize(
    ("links", "flows", "options", "message"),
    [
        ({"L": 0.0}, {"A": ["L"]}, {}, r"link L = 0\.0: must be above 0"),
        ({"L": 1.0}, {"A": ["M"]}, {}, "flow A = M: there is no such link; there are L"),
        ({"L": 1.0}, {"A": []}, {}, "flow A = no link"),
        ({"L": 1.0}, {"A": ["L", "L"]}, {}, "must not have a link twice"),
        ({"L": 1.0}, {"A": ["L"]}, {"mcr": {"B": 1.0}}, "mcr = B: there is no such flow"),
        ({"L": 1.0}, {"A": ["L"]}, {"mcr": {"A": 2.0}}, r"link L = 1\.0: must be at least the sum"),
        ({"L": 1.0}, {"A": ["L"]}, {"pcr": {"A": math.nan}}, "pcr of A = nan"),
        ({"L": 1.0}, {"A": ["L"]}, {"weights": {"A": 0.0}}, r"weight of A = 0\.0"),
        ({"L": 1.0}, {"A": ["L"]}, {"fairness": "proportional-to-mcr"}, "needs an MCR above 0"),
        (
            {"L": 1.0},
            {"A": ["L"], "B": ["L"]},
            {"fairness": "proportional-to-mcr", "mcr": {"A": 0.5, "B": 0.6}},
            "sum of its flows' MCRs, 1.1",
        ),
    ],
)
def test_what_has_no_fair_rates(
    links: dict[str, float],
    flows: dict[str, list[str]],
    options: dict[str, dict[str, float]],
    message: str,
) -> None:
    with pytest.raises(AssumptionError, match=message):
        max_min(links, flows, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("shared", [1e9, 1e3])
def test_work_grows_with_the_network_and_not_with_its_square(
    monkeypatch: pytest.MonkeyPatch, shared: float
) -> None:
    """Links that are full one after the other, and one that all flows cross."""
    looked_at: list[int] = []

    def counted(demands: Sequence[Demand], capacity: float) -> float:
        looked_at.append(len(demands))
        return filling_level(demands, capacity)

    monkeypatch.setattr(sys.modules[max_min.__module__], "filling_level", counted)

    def work(count: int) -> int:
        looked_at.clear()
        links = {f"own {i}": 100.0 + i for i in range(count)} | {"shared": shared * count}
        flows = {f"long {i}": [f"own {i}", "shared"] for i in range(count)}
        found = max_min(links, flows | {f"short {i}": [f"own {i}"] for i in range(count)})
        assert found.rates["long 0"] == 50.0
        return sum(looked_at)

    assert work(400) <= 2.1 * work(200)


def test_a_link_with_a_corner_for_each_flow_is_looked_at_a_few_times() -> None:
    class Counted(Demand):
        asked = 0

        def rate(self, share: float) -> float:
            type(self).asked += 1
            return super().rate(share)

    def work(count: int) -> int:
        Counted.asked = 0
        demands = [Counted(0.0, 1.0, 0.0, 1.0 + i) for i in range(count)]
        level = filling_level(demands, count * (count + 1) / 2 - 0.5)
        assert level == pytest.approx(count - 0.5)
        return Counted.asked

    assert work(400) <= 3 * work(200)
