"""`tune` tells losses outside the measuring window, and throughput of bytes from before it."""

from __future__ import annotations

from collections.abc import Iterator

import cellrate
import pytest
from cellrate.advice.tuning.answer import Answer
from cellrate.advice.tuning.laboratory import AS_IT_IS, Setting
from cellrate.advice.tuning.options import TuneOptions
from cellrate.advice.tuning.report import EARLIER_NOTE, headline, report
from cellrate.advice.tuning.tune import tune
from cellrate.common.document import Row, Section, Table
from cellrate.simulation.runner import Job

# Slow start overflows the buffer, and losses end long before the window.
SLOW_START = """
link_layer = "ethernet"
[run]
duration = "12 ms"
[measure]
from = "10 ms"
[topology]
template = "single-switch"
link_rate = "1 Gbit/s"
access = "20 us"
bottleneck = "20 us"
[switch]
buffer = "60 kB"
[switch.aqm]
algorithm = "threshold"
k = "8 packets"
[tcp]
recovery = "dctcp"
min_rto = "1 ms"
granularity = "1 ms"
[[flow]]
name = "long"
count = 4
"""


def tuned(vary: str, objective: str | None = None) -> Answer:
    options = TuneOptions(vary=(vary,), objective=objective, seeds=1)
    return tune(Job(SLOW_START, "slow-start.toml"), options)


def lost_share(*overrides: str, of: str = SLOW_START) -> float:
    """Dropped bytes of sent bytes, of the flows' balances over the whole run."""
    flows = cellrate.run(of, overrides=overrides, seed=1).summary["flows"]
    found = [flow["balance"] for flow in flows]
    sent = sum(one["sent_once_bytes"] + one["retransmitted_bytes"] for one in found)
    return float(sum(one["dropped_bytes"] for one in found) / sent)


def test_losses_outside_the_window_stand_beside_the_loss() -> None:
    whole = lost_share()
    assert whole > 0
    windows = "tcp.window=8 KiB,64 KiB"
    answer = tuned(windows, "loss,throughput")
    assert answer.as_it_is.means["loss"] == 0
    assert answer.as_it_is.means["loss-of-run"] == pytest.approx(whole)
    shown = answer.fresh_runs_of(AS_IT_IS) or answer.as_it_is
    said = f"window but loses {shown.means['loss-of-run']:.2g} of the bytes in the whole run"
    assert any(said in sentence for sentence in headline(answer))
    # 4 * 8 KiB fit in the buffer.
    assert lost_share("tcp.window=8 KiB") == 0
    least = tuned(windows, "loss-of-run")
    assert least.chosen.setting.overrides == ("tcp.window=8 KiB",)
    assert ": loses 0 of the bytes in the whole run, " in " ".join(headline(least))


# Eight senders of files overflow the buffer early; switches trim their packets, and drop none.
TRIMMING = """
link_layer = "ethernet"
run.duration = "3 ms"
switch = { buffer = "30 kB", queues = [[7], [0]], trim_priority = 7 }
[topology]
template = "single-switch"
link_rate = "10 Gbit/s"
access = "1 us"
bottleneck = "1 us"
[[flow]]
name = "f"
count = 8
source = { kind = "transfer", size = "60 kB" }
roce = { resend = "selective" }
"""


@pytest.mark.parametrize("begin", ["0 s", "500 us"])
def test_trimmed_payload_is_not_called_lost(begin: str) -> None:
    """A window of the whole run has all losses, and a shorter one leaves some out."""
    job = Job(TRIMMING, "trimming.toml", (f"measure.from={begin}",))
    totals = cellrate.run(TRIMMING).summary["totals"]
    assert totals["packets_dropped"] == 0
    vary = ("flow.f.roce.timeout=100 us,200 us",)
    named = tune(job, TuneOptions(vary=vary, objective="loss,loss-of-run", seeds=1))
    cut = named.chosen.means["loss-of-run"]
    assert named.chosen.means["loss"] == 0
    assert cut == pytest.approx(lost_share(*named.chosen.setting.overrides, of=TRIMMING))
    in_run = f"loses or trims {cut:.2g} of the bytes in the whole run"
    no_loss = "loses no packets in the measuring window"
    assert f"{no_loss}, {in_run}, " in " ".join(headline(named))
    words = " ".join(headline(tune(job, TuneOptions(vary=vary, objective="loss", seeds=1))))
    assert (f"{no_loss} but loses or trims 0." in words) == (begin != "0 s")
    assert (f"{no_loss}, " in words) == (begin == "0 s")


def rows_of(part: object) -> Iterator[Row]:
    if isinstance(part, Section):
        for one in part.parts:
            yield from rows_of(one)
    elif isinstance(part, Table):
        yield from part.rows


def test_a_throughput_above_the_line_has_a_note() -> None:
    answer = tuned("switch.aqm.k=4 packets,40 packets")
    [section] = [
        part
        for part in report(answer).parts
        if isinstance(part, Section) and part.title == "Simulated settings"
    ]
    notes = dict(zip((one.setting.label for one in answer.ranked), rows_of(section), strict=False))
    # The second setting loses packets of slow start, and recovers from them in the window: more
    # arrives than the line carries.
    high = answer.of(Setting((("switch.aqm.k", "40 packets"),)))
    run = cellrate.run(SLOW_START, overrides=high.setting.overrides, seed=1)
    assert run.summary["totals"]["throughput_bits_per_second"] > 1e9
    assert high.means["throughput"] == pytest.approx(1e9 * 1460 / 1538)
    assert {label: row.note for label, row in notes.items()} == {
        "as it is": "",
        "k 4 packets": "",
        "k 40 packets": EARLIER_NOTE,
    }
