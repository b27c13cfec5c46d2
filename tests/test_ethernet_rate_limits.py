"""PCR and MCR of hosts over Ethernet in `explain`: by hand, and against runs."""

from __future__ import annotations

import cellrate
import pytest
from cellrate.advice.explain import Explanation

SCENARIO = """
link_layer = "ethernet"
[run]
duration = "8 ms"
[topology]
template = "single-switch"
link_rate = "100 Gbit/s"
access = "1 us"
bottleneck = "1 us"
[switch]
buffer = "2 MB"
[switch.control]
scheme = "SCHEME"
interval = "50 us"
[[flow]]
name = "f"
count = 2
rate_control = { nrm = 16, icr = "1 Gbit/s" }
[[flow]]
name = "g"
count = 4
rate_control = { nrm = 16, icr = "RATE", LIMIT = "RATE" }
"""


def scenario(limit: str, rate: str, scheme: str = "erica") -> str:
    return SCENARIO.replace("LIMIT", limit).replace("RATE", rate).replace("SCHEME", scheme)


def shares(said: Explanation) -> tuple[object, object]:
    [found] = said.topics()["fair shares"]
    return found.values["least_bits_per_second"], found.values["greatest_bits_per_second"]


def test_pcr_limits_what_flows_could_send_and_share() -> None:
    """By hand: 2 lines of 100 Gbit/s and 4 flows at 1; of ERICA's 90 Gbit/s 86 are left for two."""
    text = scenario("pcr", "1 Gbit/s")
    said = cellrate.explain(text)
    [port] = [one for one in said.topics()["bottleneck"] if "offered_bits_per_second" in one.values]
    assert port.values["offered_bits_per_second"] == pytest.approx(204e9)
    assert shares(said) == pytest.approx((1e9, 43e9))
    bounds = {
        one.values["group"]: one
        for one in said.topics()["TCP throughput"]
        if "bound_by" in one.values
    }
    assert "each, by PCR, and" in bounds["g"].text
    # In 8 ms 650.2 frames of 1,538 bytes pass at PCR, and one is under way.
    frames = 8e-3 * 1e9 / 8 / 1538
    bound = 8 * (frames + 1) * 1460 / 8e-3
    assert bounds["g"].values["greatest_bound_bits_per_second"] == pytest.approx(bound)
    for flow in cellrate.run(text).summary["flows"]:
        measured = flow["tcp_throughput_bits_per_second"]
        assert measured <= (bound if flow["group"] == "g" else 95e9)
        assert measured > 0.9 * bound


def test_flows_whose_pcrs_fit_have_no_bottleneck() -> None:
    text = scenario("pcr", "1 Gbit/s").replace('icr = "1 Gbit/s" }', 'pcr = "20 Gbit/s" }', 1)
    [told] = cellrate.explain(text).topics()["bottleneck"]
    assert told.values == {"ports": []}


def test_a_rate_is_the_greater_of_mcr_and_a_share() -> None:
    """By hand: CAPC allocates 95 Gbit/s; four MCRs of 20 Gbit/s leave 7.5 for each of two."""
    said = cellrate.explain(scenario("mcr", "20 Gbit/s", "capc"))
    assert shares(said) == pytest.approx((7.5e9, 20e9))
    assert not said.topics()["fair shares"][0].fails
    below = cellrate.explain(scenario("mcr", "10 Gbit/s", "capc"))
    assert shares(below) == pytest.approx((95e9 / 6, 95e9 / 6))


def test_shares_and_mcrs_above_the_line_are_named() -> None:
    """ERICA gives 15 Gbit/s to each of two beside 80: 110 of a line of 100 Gbit/s."""
    said = cellrate.explain(scenario("mcr", "20 Gbit/s"))
    assert "`erica` at A->sink gives shares as if there were no MCR" in str(
        said.topics()["fair shares"][0].fails
    )
    # With MCRs of 16 Gbit/s the sum is 94, which the line carries.
    carried = cellrate.explain(scenario("mcr", "16 Gbit/s"))
    assert shares(carried) == pytest.approx((15e9, 16e9))
    assert not carried.topics()["fair shares"][0].fails


def test_mcrs_above_the_line_leave_no_shares() -> None:
    said = cellrate.explain(scenario("mcr", "30 Gbit/s"))
    assert "sum of its flows' MCRs" in str(said.without_statement)
