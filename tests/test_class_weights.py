"""Weights among the queues of classes over ATM, through the installed package."""

from __future__ import annotations

import cellrate
import pytest
from cellrate.advice.explain import explain
from cellrate.simulation.network import (
    Network,
    capacity_left_cells_per_second,
    service_cells_per_second,
)
from explained import broken, measured, number, one

# Hosts send cells at 15 Mbit/s each, by persistent sources, to a line of 20 Mbit/s: one of class
# cbr, two of class vbr, three of class ubr.
OVERLOAD = """
run.duration = "400 ms"
measure.from = "100 ms"
switch.priority = [["cbr"], ["vbr"], ["ubr"]]
[topology]
template = "n-source"
link_rate = "15 Mbit/s"
bottleneck_rate = "20 Mbit/s"
access = "10 us"
bottleneck = "10 us"
egress = "10 us"
""" + "".join(
    f'[[flow]]\nname = "{name}"\nservice = "{service}"\nweight = {weight}\n'
    'source.kind = "persistent"\n'
    for name, service, weight in [
        ("c", "cbr", 1),
        ("v1", "vbr", 1),
        ("v2", "vbr", 3),
        ("u1", "ubr", 1),
        ("u2", "ubr", 1),
        ("u3", "ubr", 2),
    ]
)


def shares(discipline: str, classes: dict[str, object] | None) -> list[float]:
    """Shares of the line of the flows."""
    schedule = {"discipline": discipline} | ({"classes": classes} if classes else {})
    flows = cellrate.run(OVERLOAD, overrides={"switch.schedule": schedule}).summary["flows"]
    return [flow["arrived_throughput_bits_per_second"] * 53 / 48 / 20e6 for flow in flows]


@pytest.mark.parametrize("discipline", ["weighted-round-robin", "scfq", "wf2q-plus"])
def test_queues_share_the_line_and_channels_share_the_queue(discipline: str) -> None:
    # Queues get 5/10, 3/10 and 2/10, whatever the number of their channels.
    found = shares(discipline, {"weights": [5, 3, 2]})
    assert found == pytest.approx([0.5, 0.075, 0.225, 0.05, 0.05, 0.1], abs=1e-3)
    # By priority the first queue gets all it sends, the second what is left, the last nothing.
    found = shares(discipline, None)
    assert found == pytest.approx([0.75, 0.0625, 0.1875, 0, 0, 0], abs=1e-3)


def test_what_a_queue_leaves_goes_to_the_others_by_weight() -> None:
    # The share of the first queue is 10/12, but it has only 3/4; the rest is shared as 1 to 1.
    found = shares("wf2q-plus", {"weights": [10, 1, 1]})
    assert found == pytest.approx([0.75, 1 / 32, 3 / 32, 1 / 32, 1 / 32, 1 / 16], abs=1e-3)


def test_a_strict_queue_goes_first_and_the_others_share_the_rest() -> None:
    found = shares("wf2q-plus", {"weights": [4, 1], "strict": 1})
    assert found == pytest.approx([0.75, 0.05, 0.15, 0.0125, 0.0125, 0.025], abs=1e-3)


# An ABR flow and 18 Mbit/s of CBR at a line of 20 Mbit/s.
BESIDE = """
run.duration = "400 ms"
measure.from = "200 ms"
switch = { buffer = "2000 cells", priority = [["cbr"], ["abr"], ["ubr"]] }
[topology]
template = "n-source"
link_rate = "40 Mbit/s"
bottleneck_rate = "20 Mbit/s"
access = "10 us"
bottleneck = "10 us"
egress = "10 us"
[[flow]]
name = "a"
service = "abr"
source.kind = "persistent"
[[flow]]
name = "c"
service = "cbr"
source = { kind = "cbr", rate = "18 Mbit/s" }
"""


@pytest.mark.parametrize(
    ("schedule", "left", "served"),
    [
        (None, 2.0, 2.0),
        # CBR has its share of 3/4, ABR 1/4.
        ("[3, 1, 1]", 5.0, 5.0),
        # CBR asks for less than its share.
        ("[29, 1, 1]", 2.0, 2.0),
    ],
)
def test_the_capacity_left_follows_the_weights(
    schedule: str | None, left: float, served: float
) -> None:
    more = f'switch.schedule={{discipline="scfq", classes={{weights={schedule}}}}}'
    settings = [more] if schedule else []
    network = Network.of(BESIDE, "beside.toml", settings)
    port = network.port("A->B")
    bits = 424 / 1e6
    assert capacity_left_cells_per_second(network, port) * bits == pytest.approx(left)
    assert service_cells_per_second(network, port) * bits == pytest.approx(served)
    # A run agrees: without a scheme ABR sends at PCR, so CBR gets the rest of the line.
    flow = cellrate.run(BESIDE, overrides=settings).summary["flows"][1]
    rate = flow["arrived_throughput_bits_per_second"] * 53 / 48
    assert rate == pytest.approx((20 - left) * 1e6, rel=2e-3)


def test_explain_says_that_a_scheme_knows_no_weights() -> None:
    weights = 'switch.schedule={discipline="scfq", classes={weights=[3, 1, 1]}}'
    scheme = 'switch.control={scheme="erica"}'

    def fails(*settings: str) -> str:
        said = explain(Network.of(BESIDE, "beside.toml", settings))
        return " ".join(fail for found in said.statements for fail in found.fails)

    assert "`erica` counts all that comes as missing capacity" in fails(weights, scheme)
    assert "counts all that comes" not in fails(scheme)
    assert "counts all that comes" not in fails(weights)


def test_background_goes_before_tcp_only_from_a_strict_queue() -> None:
    tcp = ['flow.a.service="ubr"', 'flow.a.source={kind="greedy"}', 'switch.buffer="infinite"']

    def most(classes: str) -> tuple[float, float]:
        """The bound of TCP's throughput and that of a run, in Mbit/s."""
        settings = [*tcp, f'switch.schedule={{discipline="scfq", classes={classes}}}']
        said = explain(Network.of(BESIDE, "beside.toml", settings))
        summary = measured(BESIDE, *settings)
        assert broken(said, summary) == []
        bound = number(one(said, "TCP throughput", "bound_bits_per_second"))
        return bound / 1e6, summary["totals"]["tcp_throughput_bits_per_second"] / 1e6

    # 12 cells carry 512 bytes, so 5 Mbit/s of cells carry 4.03 Mbit/s of payload.
    bound, ran = most("{weights=[3, 1, 1]}")
    assert ran == pytest.approx(5 * 512 * 8 / (12 * 424), rel=0.02)
    assert bound > ran
    bound, ran = most("{weights=[1, 1], strict=1}")
    assert ran <= bound < 2
    # 24 Mbit/s of CBR would take the whole line, but has a share.
    tcp.append('flow.c.source.rate="24 Mbit/s"')
    weighted = 'switch.schedule={discipline="scfq", classes={weights=[3, 1, 1]}}'
    for schedule, starved in (([], True), ([weighted], False)):
        said = explain(Network.of(BESIDE, "beside.toml", [*tcp, *schedule]))
        assert one(said, "bottleneck", "starved") is starved
    bound, ran = most("{weights=[3, 1, 1]}")
    assert bound > ran > 3.9
