"""The network of a scenario before it runs: delays, rates, loads by hand."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path

import pytest
from cellrate import ScenarioError, _core
from cellrate.advice.formulas.growth import certain_growth_cells_per_second
from cellrate.simulation.network import (
    Network,
    capacity_left_cells_per_second,
    mean_cells_per_second,
    offered_cells_per_second,
    overloaded_ports,
)
from hypothesis import given
from hypothesis import strategies as st

PAPERS = Path(__file__).parents[1] / "papers"
FILES = [
    path
    for path in sorted(PAPERS.glob("*/scenarios/*.toml"))
    if "link_layer" not in path.read_text("utf-8")
]


def of(path: str, *overrides: str) -> Network:
    return Network.of((PAPERS / path).read_text(encoding="utf-8"), path, overrides)


def template(name: str, *overrides: str) -> Network:
    return Network.of(_core.template(name), name, overrides)


def test_ohsakis_network() -> None:
    network = of("ohsaki95/scenarios/abr.toml")
    port = network.port("A->sink")
    # 300 KiB in cells of 53 bytes; 149.76 Mbit/s in cells of 424 bits.
    assert port.switch.buffer_cells == 5796
    assert port.cells_per_second == pytest.approx(353_207.547)
    assert (port.switch.scheme, port.switch.policy) == ("efci", "tail-drop")
    tcp = network.flows[0]
    assert tcp.propagation_round_trip_seconds == 0.002
    assert [tcp.feedback_delay_seconds(link) for link in tcp.forward] == [0.0, 0.001]
    assert tcp.tcp is not None
    assert tcp.abr is not None
    # 4312 + 40 + 8 + 8 bytes are 91 payloads of 48; 65,536 bytes hold 15 whole segments.
    assert (tcp.tcp.segment_cells, tcp.tcp.window_cells) == (91, 15 * 91)
    assert tcp.abr.pcr_cells_per_second == 353_200
    assert tcp.abr.mcr_cells_per_second == pytest.approx(353.2)
    # Ten sources at PCR, and random cells at the rate of their link for a moment.
    random = 149_763_000 / 424
    assert offered_cells_per_second(network, port) == pytest.approx(3_532_000 + random)
    assert overloaded_ports(network) == (port,)
    assert capacity_left_cells_per_second(network, port) == pytest.approx(148_262_400 / 424)


def test_mean_rates_and_who_takes_from_whom() -> None:
    network = of("kalyan97/scenarios/on-off-vbr.toml")
    port = network.port("A->B")
    vbr = network.flows[-1]
    assert mean_cells_per_second(vbr) == pytest.approx(124_410_000 / 2 / 424)
    assert mean_cells_per_second(network.flows[0]) is None
    assert capacity_left_cells_per_second(network, port) == pytest.approx(
        (155_520_000 - 62_205_000) / 424
    )
    behind = 'switch.priority=[["abr"], ["cbr", "vbr", "ubr", "random"]]'
    last = of("kalyan97/scenarios/on-off-vbr.toml", behind)
    assert capacity_left_cells_per_second(last, last.port("A->B")) == pytest.approx(155.52e6 / 424)


def test_the_ports_where_queues_can_grow() -> None:
    network = template("graph")
    # Two flows of 155.52 Mbit/s come to S1->S2 and to S2->S3; one flow to each of the others.
    assert [port.name for port in overloaded_ports(network)] == ["S1->S2", "S2->S3"]
    assert {flow.name for flow in network.flows_over(network.port("S2->S3"))} == {
        "long.1",
        "right.1",
    }
    with pytest.raises(ValueError, match="no output port 'S1->S9'; there are S1->S2"):
        network.port("S1->S9")


def tandem(last: int, to: str) -> str:
    """70 Mbit/s from a to c and 80 Mbit/s from b, over two switches."""

    def link(sender: str, receiver: str, rate: int = 100) -> str:
        ends = f'from = "{sender}", to = "{receiver}"'
        return f'{{ {ends}, rate = "{rate} Mbit/s", delay = "1 km" }}'

    def flow(sender: str, receiver: str, rate: int) -> str:
        source = f'source = {{ kind = "cbr", rate = "{rate} Mbit/s" }}'
        return f"""
[[flow]]
name = "{sender}"
service = "cbr"
from = "{sender}"
to = "{receiver}"
{source}
"""

    kinds = [*((name, "switch") for name in "AB"), *((name, "host") for name in "abcd")]
    nodes = ", ".join(f'{{ name = "{name}", kind = "{kind}" }}' for name, kind in kinds)
    hops = [link("a", "A"), link("b", "A"), link("A", "B"), link("B", "c", last), link("B", "d")]
    return (
        f"""
run = {{ duration = "200 ms" }}
[topology]
template = "graph"
node = [{nodes}]
link = [{", ".join(hops)}]
"""
        + flow("a", "c", 70)
        + flow("b", to, 80)
    )


def test_no_link_brings_more_than_it_carries() -> None:
    """70 and 80 Mbit/s leave a link of 100 as 100, whatever comes after it."""

    def growth(last: int, to: str) -> dict[str, tuple[float, float]]:
        network = Network.of(tandem(last, to))
        return {
            port.name: (
                offered_cells_per_second(network, port) * 424e-6,
                certain_growth_cells_per_second(network, port) * 424e-6,
            )
            for port in network.ports
            if network.flows_over(port)
        }

    together = growth(100, "c")
    assert together["A->B"] == pytest.approx((150, 50))
    assert together["B->c"] == pytest.approx((100, 0))
    assert growth(90, "c")["B->c"] == pytest.approx((100, 10))
    # As the two part, x has at least what y leaves it, 20, and at most its own 70.
    apart = growth(10, "d")
    assert apart["B->c"] == pytest.approx((70, 10))
    assert apart["B->d"] == pytest.approx((80, 0))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_papers_network_is_described(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    network = Network.of(text, str(path))
    assert json.loads(_core.Scenario(text, str(path)).network())["seed"] == network.seed
    for flow in network.flows:
        assert flow.forward[0].sender.switch is None
        assert all(a.receiver is b.sender for a, b in pairwise(flow.forward))
        assert math.isfinite(offered_cells_per_second(network, flow.forward[-1]))


def test_overrides_and_seeds_are_applied() -> None:
    network = Network.of(_core.template("n-source"), overrides={"flow.tcp.count": 2}, seed=9)
    assert ([flow.name for flow in network.flows], network.seed) == (["tcp.1", "tcp.2"], 9)
    with pytest.raises(ScenarioError, match="`count` is a string"):
        Network.of(_core.template("n-source"), overrides=["flow.tcp.count=many"])


@given(st.integers(1, 10_000), st.sampled_from([("Mbit/s", 1e6), ("kbit/s", 1e3)]))
def test_a_quantity_is_its_number_times_its_unit(number: int, unit: tuple[str, float]) -> None:
    assert _core.quantity(f"{number} {unit[0]}", "rate") == number * unit[1]


def test_a_wrong_quantity_says_what_is_allowed() -> None:
    assert _core.quantity("1000 km", "delay") == 0.005
    assert _core.quantity("infinite", "buffer") == math.inf
    with pytest.raises(ValueError, match=r"`155 Mbps` is not a rate .* did you mean `155 Mbit/s`"):
        _core.quantity("155 Mbps", "rate")
    with pytest.raises(ValueError, match="no quantity `length`; there are time, delay, rate"):
        _core.quantity("1 km", "length")
