"""Targets of a buffer other than no loss: a loss ratio, a delay, one port of several."""

from __future__ import annotations

import math
import tomllib

import cellrate
import pytest
from cellrate import ScenarioError, _core
from cellrate.advice.explain import explain
from cellrate.advice.sizing import Question, SizingError
from cellrate.advice.sizing.confidence import upper_mean
from cellrate.advice.sizing.report import report, verdict
from cellrate.simulation.network import Network, service_cells_per_second
from sizing_questions import BACKGROUND, UBR, ask

LINK = 155.52e6 / 424
PERIODIC = """
run = { duration = "100 ms", start_jitter = "1 ms" }
[topology]
template = "single-switch"
link_rate = "155.52 Mbit/s"
access = "1 km"
bottleneck = "1 km"
[[flow]]
name = "x"
count = 12
service = "cbr"
source = { kind = "cbr", rate = "14 Mbit/s" }
"""


def test_what_any_buffer_loses_may_be_allowed() -> None:
    # 168 Mbit/s come to 155.52: 7.43 % have to be lost in the long run.
    least = 1 - 155.52 / 168
    never = ask(PERIODIC, loss_ratio=0.07)
    assert never.endless is not None
    assert never.endless.least_loss_ratio == pytest.approx(least)
    assert (never.unlimited, never.buffer_cells) == ((), None)
    assert "Any buffer loses 0.0743 of all cells" in verdict(never)[0]
    allowed = ask(PERIODIC, loss_ratio=0.1)
    assert allowed.endless is None
    assert allowed.buffer_cells is not None
    assert 0.07 < (allowed.mean_loss_ratio or 0) <= 0.1
    # Without a limit 29,434 cells a second remain, for 100 ms.
    assert allowed.buffer_cells < 100 < allowed.unlimited[0].longest_queue_cells


def test_a_delay_is_that_of_the_queue_itself() -> None:
    # Traffic that shares the queue is in it, and takes nothing from the rate of its service.
    alone = ask(PERIODIC, "flow.x.count=10", delay_seconds=1e-4)
    assert alone.buffer_cells == math.floor(1e-4 * LINK)
    assert alone.mean_loss_ratio == 0
    endless = ask(PERIODIC, delay_seconds=1e-3)
    assert endless.buffer_cells == math.floor(1e-3 * LINK)
    assert (endless.mean_loss_ratio or 0) > 0.06

    def rate(*settings: str) -> float:
        network = Network.of(BACKGROUND, overrides=settings)
        return service_cells_per_second(network, network.port("A->B"))

    # Half the time 124.41 Mbit/s in front of ABR; beside it; behind it.
    assert rate() == pytest.approx((155.52e6 - 62.205e6) / 424)
    assert rate('switch.priority=[["cbr", "vbr", "abr", "ubr", "random"]]') == pytest.approx(LINK)
    assert rate('switch.priority=[["abr"], ["cbr", "vbr", "ubr", "random"]]') == pytest.approx(LINK)
    short = "flow.tcp.count=2", 'run.duration="20 ms"'
    waits = ask(BACKGROUND, *short, delay_seconds=1e-3)
    assert "waits longer than this delay while queues of higher priority" in " ".join(
        verdict(waits)
    )


LATER = """
run = { duration = "300 ms" }
measure = { from = "0 s", cell_delay = true }
[topology]
template = "n-source"
link_rate = "155.52 Mbit/s"
bottleneck_rate = "40 Mbit/s"
access = "10 km"
bottleneck = "100 km"
egress = "10 km"
[switch]
priority = [["abr"], ["ubr"]]
control = { scheme = "none" }
[[flow]]
name = "a"
count = 3
service = "abr"
abr = { pcr = "10 Mbit/s", icr = "10 Mbit/s" }
source = { kind = "persistent" }
[[flow]]
name = "u"
count = 2
service = "ubr"
source = { kind = "persistent" }
"""


def test_a_delay_counts_elastic_flows_of_higher_priority_at_their_most() -> None:
    # Three ABR flows take 30 of 40 Mbit/s, so 10 remain: 5 ms hold 117 cells of 424 bits.
    answer = ask(LATER, seeds=1, delay_seconds=5e-3)
    assert answer.buffer_cells == math.floor(5e-3 * 10e6 / 424) == 117
    run = cellrate.run(LATER, overrides={"switch.buffer": "117 cells"})
    [late] = {flow["cell_delay_p50_seconds"] for flow in run.summary["flows"][3:4]}
    # 120 km of fibre, a cell time on either further line, and the full buffer.
    propagation = 120 * 5e-6
    assert late - propagation == pytest.approx(5e-3, rel=0.04)
    of_all = "those of every queue"
    assert of_all in " ".join(verdict(answer))
    assert of_all not in " ".join(verdict(ask(UBR, seeds=1, delay_seconds=1e-4)))
    # PCR of the line leaves nothing, so no buffer bounds the delay.
    with pytest.raises(SizingError, match="higher priority can use the whole link A->B"):
        ask(LATER, "flow.a.abr.pcr=155.52 Mbit/s", seeds=1, delay_seconds=5e-3)


def test_runs_without_loss_bound_the_share_of_runs_and_no_mean() -> None:
    assert upper_mean([0.0] * 20) is None
    assert upper_mean([0.0, 0.1]) == pytest.approx(0.05 + 6.3138 * 0.05, rel=1e-3)
    short = 'run.duration="20 ms"'
    answer = ask(UBR, short, seeds=3, delay_seconds=1.0)
    assert answer.upper_loss_ratio is None
    # 1 - 0.05^(1/3).
    assert "95% confidence at most 63.2% of runs " in " ".join(verdict(answer))
    some = ask(UBR, short, seeds=3, delay_seconds=1e-4)
    assert "No run loses a cell" not in " ".join(verdict(some))


def test_the_sum_of_windows_says_what_it_leaves_out() -> None:
    """Of each 31 data cells of a window one RM cell more, and one at either end."""
    answer = ask(_core.template("n-source"), seeds=1)
    window = Network.of(_core.template("n-source"), "n", ()).flows[0].tcp.window_cells  # type: ignore[union-attr]
    beside = 5 * (window // 31 + 2)
    assert f"up to {beside:,} RM cells and acknowledgements" in str(report(answer))
    assert "beside these" not in str(report(ask(UBR, seeds=1)))


def test_a_buffer_is_that_of_the_switch_of_the_port() -> None:
    question = Question(_core.template("graph"), "graph.toml", ("switch.buffer=7 cells",))
    network = question.network

    def buffers(at: str | None) -> dict[str, float]:
        job = question.job(1, 100, at=None if at is None else network.port(at))
        tried = Network.of(job.text, job.path, job.overrides)
        return {n.name: n.switch.buffer_cells for n in tried.nodes if n.switch is not None}

    assert buffers("S2->S3") == {"S1": math.inf, "S2": 100, "S3": math.inf}
    assert buffers(None) == {"S1": 100, "S2": 100, "S3": 100}
    both = Question(BACKGROUND, "template.toml")
    job = both.job(1, 100, at=both.network.port("A->B"))
    resolved = _core.Scenario(job.text, job.path, list(job.overrides)).resolved()
    assert tomllib.loads(resolved)["switch"]["buffer"] == "100 cells"


def test_other_ports_are_spoken_of() -> None:
    template = _core.template("n-source")
    network = Network.of(template)
    last = next(port.name for port in network.ports if port.name.startswith("B->"))
    short = 'run.duration="200 ms"', 'measure.from="0 s"'
    # The flows meet at the first switch, and part at the second.
    answer = ask(template, *short, seeds=1, port=last, delay_seconds=3e-5)
    said = " ".join(verdict(answer))
    assert "Queues are longer at A->B" in said
    lost = answer.runs[0].cells_dropped_elsewhere
    assert f"Other ports have the same buffer, and lose {lost:,} cells" in said
    alone = ask(template, *short, seeds=1, delay_seconds=1.0)
    assert "longer at" not in " ".join(verdict(alone))
    assert "Other ports" not in " ".join(verdict(alone))


def test_a_port_without_flows_needs_no_buffer() -> None:
    with pytest.raises(SizingError, match=r"no flow crosses .* 'A->src.x.1'; flows cross A->sink"):
        ask(PERIODIC, port="A->src.x.1")


def test_the_picture_is_that_of_the_longest_queue() -> None:
    poisson = 'flow.x.source={kind="poisson", rate="14 Mbit/s"}'
    answer = ask(PERIODIC, "flow.x.count=11", poisson, seeds=4)
    assert answer.queue is not None
    *_, second, longest = sorted(answer.each_cells)
    # Of samples, which need not meet the longest moment.
    assert second < float(answer.queue.maximum.max()) <= longest


def test_under_credits_the_buffer_is_what_they_reserve() -> None:
    """A cell less is refused, whatever the longest queue; an own port names its own need."""
    settings = (
        "run.duration=100 ms",
        "measure.from=0 s",
        "flow.tcp.service=ubr",
        'switch.control={scheme="none"}',
        "fcvc={}",
    )
    text = cellrate.template("n-source")
    answer = ask(text, *settings, port="A->B")
    assert answer.buffer_cells is not None
    words = " ".join(verdict(answer))
    assert f"need a buffer of {answer.buffer_cells} cells at A->src.tcp.1, but" in words
    assert "The credits at A->B alone need 80 cells, but other ports have the same buffer." in words
    assert "with a cell less" not in words.replace("buffer with a cell less is refused", "")
    enough, fewer = (f"switch.buffer={answer.buffer_cells - less} cells" for less in (0, 1))
    cellrate.run(text, overrides=[*settings, enough])
    with pytest.raises(ScenarioError, match="credits of all channels"):
        cellrate.run(text, overrides=[*settings, fewer])


HELD = """
run = { duration = "50 ms" }
fcvc = { n2 = "7 cells", n3 = "203 cells" }
[topology]
template = "single-switch"
link_rate = "155.52 Mbit/s"
bottleneck_rate = "60 Mbit/s"
access = "30 km"
bottleneck = "30 km"
[[flow]]
name = "p"
count = 3
service = "ubr"
source = { kind = "persistent" }
"""


def test_credits_hold_back_sources_that_send_above_the_line() -> None:
    # N2 + N3 of three channels are 630 cells, however long sources try to send 467 Mbit/s to 60.
    held = ask(HELD, seeds=1)
    assert (held.endless, held.buffer_cells) == (None, 630)
    assert held.unlimited[0].longest_queue_cells <= 630
    # A class without credits is not held: 62 Mbit/s beside the others exceed 60 for ever.
    beside = 'flow=[{name="c", service="cbr", source={kind="cbr", rate="62 Mbit/s"}}]'
    free = ask(HELD, beside)
    assert free.endless is not None
    assert free.endless.per_second == pytest.approx(2e6 / 424)
    said = " ".join(explain(Network.of(HELD)).verdict)
    assert "no buffer loses a cell" in said
    texts = " ".join(one.text for one in explain(Network.of(HELD)).statements)
    assert "grows without end" not in texts
