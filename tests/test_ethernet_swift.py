"""Swift over Ethernet: beside line rate, and what explain says of losses."""

from __future__ import annotations

import cellrate

TEMPLATE = cellrate.template("dcqcn")
WITHOUT_PFC = TEMPLATE.replace('[pfc]\nxoff = "100 kB"', "")
SWIFT: dict[str, object] = {"flow.answer.roce.control": {"algorithm": "swift"}}


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
