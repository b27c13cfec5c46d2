"""Disciplines that share a line of Ethernet among queues, through the installed package."""

from __future__ import annotations

import cellrate
import pytest
from cellrate import theory

# Three hosts send datagrams at 9 Gbit/s each, in frames of 538, 1,038 and 1,538 bytes on the line.
OVERLOAD = """
link_layer = "ethernet"
run.duration = "6 ms"
measure.from = "1 ms"
switch = { buffer = "100 kB", queues = [[7], [5], [0]] }
[topology]
template = "single-switch"
link_rate = "10 Gbit/s"
access = "1 us"
bottleneck = "1 us"
[[flow]]
name = "small"
priority = 7
source = { kind = "cbr", rate = "9 Gbit/s" }
datagram = "472 bytes"
[[flow]]
name = "medium"
priority = 5
source = { kind = "cbr", rate = "9 Gbit/s" }
datagram = "972 bytes"
[[flow]]
name = "large"
priority = 0
source = { kind = "cbr", rate = "9 Gbit/s" }
"""
LINE_BYTES = (538, 1_038, 1_538)


@pytest.mark.parametrize(
    ("schedule", "shares"),
    [
        ({"discipline": "wf2q-plus", "weights": [5, 3, 2]}, (0.5, 0.3, 0.2)),
        ({"discipline": "scfq", "weights": [5, 3, 2]}, (0.5, 0.3, 0.2)),
        ({"discipline": "weighted-round-robin", "weights": [1, 1, 1]}, (0.173, 0.333, 0.494)),
    ],
)
def test_queues_with_frames_share_the_line(
    schedule: dict[str, object], shares: tuple[float, ...]
) -> None:
    summary = cellrate.run(OVERLOAD, overrides={"switch.schedule": schedule}).summary
    packets = [flow["packets_delivered"] for flow in summary["flows"]]
    bits = [8 * number * line for number, line in zip(packets, LINE_BYTES, strict=True)]
    assert [one / 5e-3 / 10e9 for one in bits] == pytest.approx(shares, abs=2e-3)


# Bursts of 20 frames of 1,538 bytes on the line come at 100 Gbit/s, every 0.5 ms. Three other
# hosts always have frames.
BURSTS = """
link_layer = "ethernet"
run.duration = "20 ms"
switch = { buffer = "1 MB", queues = [[7], [5], [3], [0]] }
[topology]
template = "single-switch"
link_rate = "100 Gbit/s"
bottleneck_rate = "10 Gbit/s"
access = "1 us"
bottleneck = "1 us"
[[flow]]
name = "burst"
priority = 7
source = { kind = "on-off", peak = "100 Gbit/s", period = "500 us", duty_cycle = 0.0049216 }
"""
OTHERS = "".join(
    f'[[flow]]\nname = "other-{priority}"\npriority = {priority}\nsource.kind = "persistent"\n'
    for priority in (5, 3, 0)
)


@pytest.mark.parametrize("discipline", ["wf2q-plus", "scfq"])
def test_a_burst_comes_close_to_the_published_delay(discipline: str) -> None:
    schedule = {"discipline": discipline, "weights": [1, 1, 1, 1]}
    summary = cellrate.run(BURSTS + OTHERS, overrides={"switch.schedule": schedule}).summary
    burst = summary["flows"][0]
    assert burst["packets_delivered"] % 20 == 0
    # While 20 frames come within 19 frame times of 100 Gbit/s, tokens come at 2.5 Gbit/s.
    sigma = (20 - 19 * 2.5 / 100) * 1_538
    law = {"share": 0.25, "burst_bytes": sigma}
    bound = {
        "wf2q-plus": theory.wf2q_plus_delay_seconds(10e9, **law),
        "scfq": theory.scfq_delay_seconds(10e9, **law, queues=4),
    }[discipline]
    # The access link takes 1,526 bytes, and the two links take 1 us each.
    queued = burst["packet_delay_p99_seconds"] - 1_526 * 8 / 100e9 - 2e-6
    assert 0.95 * bound < queued <= bound
