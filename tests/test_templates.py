"""Templates that stand for networks of the literature are those networks."""

from __future__ import annotations

import json
import math

import pytest
from cellrate import Result, _core
from cellrate.simulation.network import Flow, Network, fair_shares

CELLS_PER_MBIT = 1e6 / 424
GFC_1 = {"A": 50 / 9, "B": 100 / 9, "C": 100 / 3, "D": 50 / 9, "E": 100 / 9, "F": 50.0}
GFC_2 = {"A": 10.0, "B": 5.0, "C": 35.0, "D": 35.0, "E": 35.0, "F": 10.0, "G": 5.0, "H": 52.5}


def network(name: str, *overrides: str) -> Network:
    return Network.of(_core.template(name), name, overrides)


def length_km(flow: Flow) -> float:
    return sum(link.delay_seconds for link in flow.forward) / 5e-6


@pytest.mark.parametrize(("name", "rates", "flows"), [("gfc-1", GFC_1, 23), ("gfc-2", GFC_2, 22)])
def test_generic_fairness_configurations_have_their_rates(
    name: str, rates: dict[str, float], flows: int
) -> None:
    found = fair_shares(network(name)).rates
    assert len(found) == flows
    for flow, rate in found.items():
        # Flows have an MCR of next to nothing.
        assert rate / CELLS_PER_MBIT == pytest.approx(rates[flow[0]], rel=1e-3)


@pytest.mark.parametrize(("name", "rates"), [("gfc-1", GFC_1), ("gfc-2", GFC_2)])
def test_erica_is_fair_on_them(name: str, rates: dict[str, float]) -> None:
    """Each flow has the payload of 0.9 of its rate, 31 data cells of 32, whatever its way."""
    summary = Result(_core.Scenario(_core.template(name), name, []).run()).summary
    for flow in summary["flows"]:
        expected = 0.9e6 * rates[flow["name"][0]] * 31 / 32 * 48 / 53
        # ERICA settles from above where a link is another's bottleneck.
        assert 0.98 < flow["tcp_throughput_bits_per_second"] / expected < 1.12


def test_the_parking_lot_is_marsans() -> None:
    found = network("parking-lot").groups()
    for number, flow in enumerate(found["tcp"], 1):
        assert length_km(flow) == pytest.approx(1000)
        assert flow.access.delay_seconds / 5e-6 == pytest.approx(800 - 100 * (7 - number))
        assert flow.propagation_round_trip_seconds == pytest.approx(10e-3)
    # Node 6 is 700 km from every source: some 7 ms there and back.
    last = network("parking-lot").port("S6->S7")
    for flow in network("parking-lot").groups()["tcp"]:
        delay = flow.feedback_delays_seconds[len(flow.forward) - 2]
        assert delay == pytest.approx(7e-3), last.name
    for number, flow in enumerate(found["background"], 1):
        crossed = [link.name for link in flow.forward[1:-1]]
        assert crossed == [f"S{number}->S{number + 1}"]
        assert flow.own_rate is not None
        assert flow.own_rate.mean_cells_per_second / CELLS_PER_MBIT == pytest.approx(30)


@pytest.mark.parametrize("switches", [2, 3, 20])
def test_a_parking_lot_has_any_length(switches: int) -> None:
    settings = f"topology.switches={switches}", 'topology.span="3000 km"'
    flows = "flow.tcp.count=40", "flow.background.count=1"
    last = f"S{switches - 1}->S{switches}"
    found = network("parking-lot", *settings, *flows)
    assert len(found.flows_over(found.port(last))) == 40 + (switches == 2)
    assert {round(length_km(flow)) for flow in found.flows} == {3000}


def test_unequal_lengths_are_marsans() -> None:
    found = network("unequal-lengths").groups()
    access = [found[name][0].access.delay_seconds / 5e-6 for name in ("near", "b", "c", "d", "far")]
    assert access == pytest.approx([2, 10, 50, 200, 250])
    assert length_km(found["far"][0]) == pytest.approx(1750)


def test_a_satellite_is_behind_the_queue_or_before_it() -> None:
    bottleneck = network("satellite").groups()["tcp"][0]
    assert bottleneck.propagation_round_trip_seconds == pytest.approx(0.55)
    assert bottleneck.feedback_delays_seconds[1] == pytest.approx(10e-3)
    # The setting that the template names.
    settings = [
        word.removeprefix("--set ")
        for line in str(_core.template("satellite")).splitlines()
        if line.startswith("#   cellrate run")
        for word in line.replace("my.toml ", "").split(" --set ")[1:]
    ]
    assert len(settings) == 2
    feedback = network("satellite", *settings).groups()["tcp"][0]
    assert feedback.propagation_round_trip_seconds == pytest.approx(0.55)
    assert feedback.feedback_delays_seconds[1] == pytest.approx(0.55, rel=1e-3)


def test_the_lan_offers_what_gerlas_does() -> None:
    guaranteed = network("lan-messages").groups()["vbr"][0].own_rate
    assert guaranteed is not None
    assert guaranteed.mean_cells_per_second / CELLS_PER_MBIT == pytest.approx(125, rel=1e-3)
    assert guaranteed.peak_cells_per_second / CELLS_PER_MBIT == pytest.approx(150, rel=1e-3)


def test_messages_arrive_at_the_rate_at_which_they_are_written() -> None:
    """Ten applications of 2.5 Mbit/s with a link for themselves; 10 s of some 12,500 messages."""
    overrides = [
        'flow.vbr.source.peak="1 kbit/s"',
        'run.duration="10 s"',
        'switch.buffer="infinite"',
    ]
    outcome = _core.Scenario(_core.template("lan-messages"), "lan-messages", overrides).run()
    totals = json.loads(outcome.summary())["totals"]
    # The standard error of exponential lengths at exponential times: sqrt(2 / 12,500), 1.3 %.
    throughput = totals["goodput_bits_per_second"]
    assert math.isclose(throughput, 25e6, rel_tol=0.05)
