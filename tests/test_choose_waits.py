"""Waits of `choose` beside queues of higher priority."""

from __future__ import annotations

import math

import cellrate
import pytest
from cellrate.advice.choosing.waits import Service, Waits
from cellrate.simulation.network import Network
from cellrate.simulation.runner import Job

VBR = cellrate.template("n-source-vbr")
LINE = 155.52e6 / 424
PEAK = 124.416e6 / 424
"""On for half of 40 ms, so 2,934 cells in a period, or half as many beyond the mean."""


def service(*settings: str) -> Service:
    network = Network.of_scenario(Job(VBR, "v.toml", settings).scenario())
    return Service.of(network, network.port("A->B"))


@pytest.mark.parametrize("cells", [300, 1_000])
def test_no_cell_waits_longer_and_some_wait_nearly_as_long(cells: int) -> None:
    """Sources without control keep the buffer full while the background is on."""
    settings = (
        f"switch.buffer={cells} cells",
        "switch.control={scheme='none'}",
        "tcp.min_rto=20 ms",
        "run.duration=500 ms",
        "measure={from='0 s', cell_delay=true}",
    )
    flows = cellrate.run(VBR, overrides=settings).summary["flows"]
    tcp = [one for one in flows if one["group"] == "tcp"]
    least = min(one["cell_delay_min_seconds"] for one in tcp)
    waited = max(one["cell_delay_max_seconds"] for one in tcp) - least
    longest = service().longest_seconds(cells)
    assert longest == pytest.approx(cells / (LINE - PEAK))
    # The cells of the window in service, and those of background that come at once.
    assert 0.98 * longest < waited < longest + 20 / LINE


def test_a_long_wait_spans_several_bursts() -> None:
    found = service()
    mean, burst = PEAK / 2, PEAK / 2 * 0.02
    cells = (LINE - PEAK) * 0.02
    assert found.longest_seconds(cells) == pytest.approx(0.02)
    assert found.longest_seconds(100_000) == pytest.approx((100_000 + burst) / (LINE - mean))
    assert found.mean_seconds(1_000) == pytest.approx(1_000 / (LINE - mean))
    for longest in (1e-3, 0.02, 0.3):
        back = found.longest_seconds(found.cells_within(longest))
        assert back == pytest.approx(longest)


def test_words_say_what_a_wait_counts() -> None:
    def words(*settings: str) -> str:
        network = Network.of_scenario(Job(VBR, "v.toml", settings).scenario())
        return " ".join(Waits.of(network, ["A->B"]).words())

    assert "counts its bursts, too" in words()
    random = "flow.vbr.source={kind='poisson', rate='60 Mbit/s'}"
    assert "wait longer while it sends more" in words(random)
    assert words("switch.priority=[['cbr','vbr','abr','ubr']]") == ""
    # Above the line on average nothing is left: no wait has a limit.
    full = "flow.vbr.source={kind='cbr', rate='160 Mbit/s'}"
    assert "may take the whole line" in words(full)
    assert math.isfinite(service(full).longest_seconds(10))
