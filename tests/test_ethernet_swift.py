"""Swift over Ethernet: beside line rate, and what explain says of losses."""

from __future__ import annotations

import cellrate
import pytest

TEMPLATE = cellrate.template("dcqcn")
WITHOUT_PFC = TEMPLATE.replace('[pfc]\nxoff = "100 kB"', "")
SWIFT: dict[str, object] = {"flow.answer.roce.control": {"algorithm": "swift"}}
FAR = """
link_layer = "ethernet"
run.duration = "30 ms"
measure.from = "15 ms"
topology.template = "single-switch"
topology.link_rate = "25 Gbit/s"
topology.access = "20 us"
topology.bottleneck = "30 us"
flow = [{ name = "f", count = 4, roce.control = { algorithm = "swift" } }]
"""


def test_windows_keep_an_incast_from_pauses() -> None:
    """Sixteen windows of ten packets of 1,086 bytes are 174 kB at first, 10.9 kB of each link."""

    def measured(settings: dict[str, object]) -> tuple[float, float, float]:
        summary = cellrate.run(TEMPLATE, overrides=settings).summary
        assert summary["totals"]["flows_completed"] == 16
        assert summary["totals"]["packets_dropped"] == 0
        pauses = sum(port["control"]["pause_frames_sent"] for port in summary["ports"])
        [port] = [port for port in summary["ports"] if port["name"] == "A->sink"]
        longest = port["queues"][0]["queue_max_bytes"]
        return pauses, summary["totals"]["completion_p99_seconds"], longest

    pauses, ends, longest = measured(SWIFT)
    more_pauses, least, _ = measured({"flow.answer.roce.control": {"algorithm": "none"}})
    assert pauses == 0 < more_pauses
    assert least < 1.001 * ends < 1.05 * least
    assert 160e3 < longest < 250e3


def test_explain_says_that_windows_may_exceed_the_buffer() -> None:
    little = cellrate.explain(WITHOUT_PFC, overrides=SWIFT | {"switch.buffer": "50 kB"})
    assert "the windows of Swift may exceed the buffer" in str(little.topics()["loss"])


@pytest.mark.parametrize(
    ("settings", "target", "packets", "mbit"),
    [
        # 77.344 us are missing.
        ((), "23.053 us", 0.16411, 14.413),
        # 0.344 us are missing, and a flow sends 81 whole packets in a round trip of 100.747 us.
        (('flow.f.roce.control.base="97 us"', "flow.f.count=1"), "100.05 us", 81.83, 7_186),
    ],
)
def test_a_target_below_the_path_is_warned_of_with_the_rate_that_is_left(
    settings: tuple[str, ...], target: str, packets: float, mbit: float
) -> None:
    """The empty path delays by 100 us, and by 1,094 and twice 74 bytes at 25 Gbit/s: 100.397 us.

    Flow scaling adds 32.656 us / sqrt(cwnd) - 3.266 us, and a full packet takes 1,106 bytes.
    """
    run = cellrate.run(FAR, overrides=settings)
    [told] = [one["message"] for one in run.warnings if "`base`" in one["message"]]
    assert f"target delay of {target}, below the least delay of a flow, 100.4 us" in told
    found = told.split("about ")[1].split()
    assert float(found[0]) == pytest.approx(packets, rel=0.03)
    assert float(found[2]) == pytest.approx(mbit, rel=0.001)
    goodput = run.flows.row(0, named=True)["goodput_bits_per_second"]
    assert goodput == pytest.approx(mbit * 1e6 * 1_024 / 1_106, rel=0.03)


def test_a_target_above_the_path_is_not_warned_of() -> None:
    for base in ("97.4 us", "120 us"):
        run = cellrate.run(FAR, overrides={"flow.f.roce.control.base": base})
        assert not any("`base`" in one["message"] for one in run.warnings)
