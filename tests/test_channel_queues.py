"""Ports of ATM switches with a queue for each channel, through the installed package."""

from __future__ import annotations

import cellrate
import pytest
from cellrate import theory

# Three hosts send cells at 15 Mbit/s each, by persistent sources, to a line of 20 Mbit/s.
OVERLOAD = """
run.duration = "400 ms"
measure.from = "100 ms"
switch.buffer = "3000 cells"
[topology]
template = "n-source"
link_rate = "15 Mbit/s"
bottleneck_rate = "20 Mbit/s"
access = "10 us"
bottleneck = "10 us"
egress = "10 us"
"""
FLOWS = "".join(
    f'[[flow]]\nname = "w{weight}"\nservice = "ubr"\nweight = {weight}\n'
    'source.kind = "persistent"\n'
    for weight in (2, 3, 5)
)


def shares(schedule: dict[str, object], text: str = OVERLOAD + FLOWS) -> list[float]:
    """Shares of the line of the flows."""
    overrides = {"switch.schedule": schedule, "switch.buffer": "infinite"}
    flows = cellrate.run(text, overrides=overrides).summary["flows"]
    rates = [flow["arrived_throughput_bits_per_second"] * 53 / 48 for flow in flows]
    return [rate / 20e6 for rate in rates]


@pytest.mark.parametrize("discipline", ["weighted-round-robin", "scfq", "wf2q-plus"])
def test_channels_with_cells_share_the_line_by_weight(discipline: str) -> None:
    assert shares({"discipline": discipline}) == pytest.approx([0.2, 0.3, 0.5], abs=1e-3)


def test_queues_of_their_own_end_the_lock_of_phases() -> None:
    # Cells of equal periods keep their order in one full queue, where the first takes the place.
    text = (OVERLOAD + FLOWS).replace("weight =", "# weight =")
    flows = cellrate.run(text).summary["flows"]
    rates = [flow["arrived_throughput_bits_per_second"] for flow in flows]
    assert max(rates) > 10 * min(rates)
    assert shares({"discipline": "scfq"}, text) == pytest.approx([1 / 3] * 3, abs=1e-3)


def test_what_a_channel_leaves_goes_to_the_others_by_weight() -> None:
    cbr = '[[flow]]\nname = "slow"\nservice = "ubr"\nweight = 100\n'
    cbr += 'source = { kind = "cbr", rate = "10 Mbit/s" }\n'
    found = shares({"discipline": "wf2q-plus"}, OVERLOAD + FLOWS + cbr)
    assert found == pytest.approx([0.1, 0.15, 0.25, 0.5], abs=1e-3)


# Twenty-one cells come at 1.2 Gbit/s every 100 ms; three other hosts always have cells.
BURST = OVERLOAD.replace("15 Mbit/s", "1.2 Gbit/s").replace("3000 cells", "infinite")
BURST = (
    BURST.replace("400 ms", "1 s")
    + """
[[flow]]
name = "burst"
service = "ubr"
source = { kind = "on-off", peak = "1.2 Gbit/s", period = "100 ms", duty_cycle = 0.000070667 }
"""
)


@pytest.mark.parametrize("discipline", ["wf2q-plus", "scfq"])
def test_a_burst_of_cells_comes_close_to_the_published_delay(discipline: str) -> None:
    others = "".join(
        f'[[flow]]\nname = "o{number}"\nservice = "ubr"\n'
        'source = { kind = "cbr", rate = "8 Mbit/s" }\n'
        for number in range(3)
    )
    overrides = {"switch.schedule": {"discipline": discipline}, "measure.cell_delay": True}
    flows = cellrate.run(BURST + others, overrides=overrides).summary["flows"]
    law = {"share": 0.25, "burst_bytes": 21 * 53, "largest_frame_bytes": 53}
    bounds = {
        "wf2q-plus": theory.wf2q_plus_delay_seconds(20e6, **law),
        "scfq": theory.scfq_delay_seconds(20e6, **law, queues=4),
    }
    bound = bounds[discipline]
    # A cell time at the access and one at the egress, and three links.
    links = 2 * 424 / 1.2e9 + 30e-6
    found = flows[0]["cell_delay_max_seconds"]
    assert 0.95 * bound < found - links <= bound * (1 + 1e-9)
