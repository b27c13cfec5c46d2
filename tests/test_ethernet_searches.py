"""Searches by simulation over Ethernet: the buffer of a port, parameters of queue management."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import islice
from pathlib import Path

import cellrate
import pytest
from cellrate import _core
from cellrate.advice import sizing
from cellrate.advice.choosing import Effort, Goals, choose_over_ethernet
from cellrate.advice.choosing.checking import CHECKS, MORE_TRIES
from cellrate.advice.choosing.choosing import Budget
from cellrate.advice.choosing.first_windows import FirstWindows
from cellrate.advice.choosing.goals import KEEPS_BACKGROUND
from cellrate.advice.choosing.over_ethernet import _Search
from cellrate.advice.choosing.packet_alternatives import CROSSED, Alternative, at_first
from cellrate.advice.choosing.packet_choice import SHOWN, PacketChoice, PacketOption
from cellrate.advice.choosing.packet_goals import objective_of, within_reach
from cellrate.advice.choosing.whole_runs import WholeRuns
from cellrate.advice.tuning.declared import ResolvedScenario
from cellrate.advice.tuning.laboratory import AS_IT_IS
from cellrate.advice.tuning.measures import TOO_SHORT, bottleneck
from cellrate.advice.tuning.shares import over_ethernet
from cellrate.common.document import Table
from cellrate.common.document.terminal_text import lines_of_parts
from cellrate.common.numbers import number, seconds
from cellrate.simulation.network.ethernet_view import FrameNetwork
from cellrate.simulation.runner import Job, run_many
from conftest import Command

# Two windows of 44 segments meet at a port: one frame is in service, one has left.
CALM = {
    "flow.answer.count": 2,
    "flow.answer.source": {"kind": "greedy"},
    "tcp.window": "65535 bytes",
    "tcp.initial_window": 44,
    "tcp.min_rto": "200 ms",
    "run.duration": "5 ms",
}


@pytest.fixture
def incast(tmp_path: Path) -> Path:
    place = tmp_path / "incast.toml"
    place.write_text(cellrate.template("incast"), encoding="utf-8")
    return place


def test_the_sized_buffer_loses_nothing_and_a_byte_less_does(incast: Path) -> None:
    for settings in (CALM, {"run.duration": "20 ms"}):
        answer = cellrate.size_buffer(incast, overrides=settings, seeds=2)
        assert isinstance(answer, sizing.PacketAnswer)
        assert answer.buffer_bytes is not None
        worst = answer.unlimited[answer.each_bytes.index(answer.buffer_bytes)].seed
        for octets, loses in ((answer.buffer_bytes, False), (answer.buffer_bytes - 1, True)):
            buffer = {"switch.buffer": f"{octets} bytes"}
            run = cellrate.run(incast, overrides=settings | buffer, seed=worst)
            assert (run.summary["totals"]["packets_dropped"] > 0) is loses
    calm = cellrate.size_buffer(incast, overrides=CALM, seeds=1)
    assert isinstance(calm, sizing.PacketAnswer)
    [windows] = [one for one in calm.formulas if one.name == "window-sum"]
    assert (windows.buffer_bytes, windows.fails) == (2 * 44 * 1518, ())
    assert 0.9 * windows.buffer_bytes < (calm.buffer_bytes or 0) <= windows.buffer_bytes


GROWING = """
link_layer = "ethernet"
run = { duration = "2 ms" }
[topology]
template = "single-switch"
link_rate = "10 Gbit/s"
access = "5 us"
bottleneck = "10 us"
[[flow]]
name = "d"
count = 3
datagram = "1000 bytes"
source = { kind = "cbr", rate = "5 Gbit/s" }
"""


def test_datagrams_above_the_line_grow_without_end_and_need_no_run() -> None:
    """15 Gbit/s to 10: frames of 1,046 bytes take 1,066 of the line, and a third is lost."""

    def none(jobs: object) -> list[_core.Outcome]:
        raise AssertionError(jobs)

    never = sizing.size_port(sizing.Question(GROWING, "grow.toml"), none)
    assert isinstance(never, sizing.PacketAnswer)
    assert (never.buffer_bytes, never.unlimited) == (None, ())
    assert never.endless is not None
    assert never.endless.per_second == pytest.approx(5e9 / 8 * 1046 / 1066)
    assert never.endless.least_loss_ratio == pytest.approx(1 / 3)
    assert "Any buffer loses 0.333 of all packets" in " ".join(never.words())
    told = never.as_json()["grows_without_end"]
    assert (told["simulated"], told["bytes_per_second"]) == (False, never.endless.per_second)
    # The arithmetic is that of a run: the queue of 2 ms but the way to the switch.
    run = cellrate.run(GROWING).summary
    longest = run["ports"][0]["queues"][-1]["queue_max_bytes"]
    assert longest == pytest.approx(never.endless.per_second * (2e-3 - 5.9e-6), abs=4 * 1046)
    assert run["ports"][0]["name"] == never.port
    # Two sources fill the line and no more; a host's line brings no more than its rate.
    full = cellrate.size_buffer(GROWING, overrides={"flow.d.count": 2}, seeds=2)
    assert isinstance(full, sizing.PacketAnswer)
    assert (full.endless, full.buffer_bytes) == (None, 2 * 1046)
    assert "All 2 seeds need this buffer." in " ".join(full.words())
    assert "confidence" not in " ".join(full.words())
    alone = cellrate.size_buffer(
        GROWING, overrides={"flow.d.count": 1, "flow.d.source.rate": "15 Gbit/s"}, seeds=1
    )
    assert isinstance(alone, sizing.PacketAnswer)
    assert alone.endless is None
    allowed = cellrate.size_buffer(GROWING, seeds=1, loss_ratio=0.4)
    assert isinstance(allowed, sizing.PacketAnswer)
    assert allowed.buffer_bytes is not None
    assert "the queue grows without end, by 613," in " ".join(allowed.words())


def test_a_run_shows_growth_that_arithmetic_does_not() -> None:
    """Selective repeats may wait, so only a run tells that three lines of RoCE fill one."""
    control = {"control": {"algorithm": "none"}}
    sent = {"flow": [{"name": "r", "count": 3, "roce": control}]}
    certain = cellrate.size_buffer(GROWING, overrides=sent, seeds=1)
    seen = cellrate.size_buffer(
        GROWING, overrides=sent | {"flow.r.roce.resend": "selective"}, seeds=1
    )
    assert isinstance(certain, sizing.PacketAnswer)
    assert isinstance(seen, sizing.PacketAnswer)
    assert certain.endless is not None
    assert seen.endless is not None
    assert (certain.endless.seen, seen.buffer_bytes) == (None, None)
    assert seen.endless.seen is not None
    assert certain.endless.per_second == pytest.approx(20e9 / 8 * 1086 / 1106)
    assert seen.endless.per_second == pytest.approx(certain.endless.per_second, rel=0.01)
    assert "so any finite buffer overflows at some time" in " ".join(seen.words())
    # Windows of 13,698 segments of 1,518 bytes bound a queue that has not yet reached them.
    windows = {"flow": [{"name": "t", "count": 3}], "tcp.window": "20 MB"}
    rising = cellrate.size_buffer(GROWING, overrides=windows | {"run.duration": "5 ms"}, seeds=1)
    assert isinstance(rising, sizing.PacketAnswer)
    assert rising.endless is not None
    assert rising.endless.bound == 3 * (20_000_000 // 1460) * 1518
    assert "The TCP windows admit at most 62,380,692 bytes" in " ".join(rising.words())
    # Files end: their queue only looks endless in a run that ends before them.
    files = sent | {"flow.r.source": {"kind": "transfer", "size": "4 MB"}}
    ends = cellrate.size_buffer(GROWING, overrides=files, seeds=1)
    assert isinstance(ends, sizing.PacketAnswer)
    assert ends.endless is None
    assert "The queue does not grow without end, but reaches" in " ".join(ends.words())
    brief = sent | {"run.duration": "1 ps"}
    moment = cellrate.size_buffer(GROWING, overrides=brief, seeds=1, loss_ratio=0.9)
    assert isinstance(moment, sizing.PacketAnswer)
    assert moment.buffer_bytes == 1086
    assert "too short to tell whether the queue grows" in " ".join(moment.words())


def test_room_under_pfc_is_that_of_the_formula_and_less_loses() -> None:
    """XOFF of 100 kB, and what 40 Gbit/s bring until a pause acts, for 17 links to one switch.

    Acknowledgements of the sink, and its CNPs, have two priorities; data have one.
    """
    text = cellrate.template("dcqcn")
    found = cellrate.size_buffer(text, seeds=2)
    assert isinstance(found, sizing.LosslessAnswer)
    [room] = {link.room_bytes for link in found.links}
    assert found.memory_bytes == {"A": (16 + 2) * room}
    assert "Flows use several priorities of sink->A; each" in " ".join(found.words())
    assert (found.packets_dropped, found.loses) == (0, None)
    full = found.links[0]
    assert full.held_bytes is not None
    assert 0.9 < full.held_bytes / room <= 1
    # A packet less than what a run took of the headroom loses frames.
    less = {"pfc.headroom": f"{full.held_bytes - 100_000 - 1_100} bytes"}
    short = cellrate.size_buffer(text, overrides=less, seeds=2)
    assert isinstance(short, sizing.LosslessAnswer)
    assert short.packets_dropped > 0
    assert short.loses is not None


MIXED = """
link_layer = "ethernet"
run.duration = "5 ms"
switch = { buffer = "60 kB", queues = [[3], [0]] }
[topology]
template = "single-switch"
link_rate = "10 Gbit/s"
access = "1 us"
bottleneck = "2 us"
"""
RDMA = """
[pfc]
priorities = [3]
[[flow]]
name = "rdma"
priority = 3
source = { kind = "cbr", rate = "5 Gbit/s" }
datagram = "1000 bytes"
"""
BULK = """
[[flow]]
name = "bulk"
count = 2
"""


def test_where_pfc_covers_some_priorities_the_answer_tells_of_the_others() -> None:
    """RoCE beside TCP: two windows overflow the queue of TCP, which no pause protects."""
    mixed = cellrate.size_buffer(MIXED + RDMA + BULK, seeds=1)
    assert isinstance(mixed, sizing.LosslessAnswer)
    run = cellrate.run(MIXED + RDMA + BULK, seed=1).summary
    dropped = sum(one["packets_dropped"] for one in run["flows"] if one["group"] == "bulk")
    assert mixed.packets_dropped == mixed.covered.others_dropped == dropped > 0
    words = " ".join(mixed.words())
    assert "This space is for priority 3 alone." in words
    assert f"Switches dropped {dropped} packets in 1 run, of them {dropped} data packets" in words
    way = "on a scenario without `pfc` and without rdma; datagrams at the rates of rdma"
    assert way in words
    for target in ({"loss_ratio": 0.01}, {"delay_seconds": 1e-4}, {"port": "A->sink"}):
        with pytest.raises(sizing.SizingError, match=r"lose no frame of priority 3\. To size the"):
            cellrate.size_buffer(MIXED + RDMA + BULK, seeds=1, **target)
    # That way is open.
    alone = cellrate.size_buffer(MIXED + BULK, seeds=1, loss_ratio=0.01)
    assert isinstance(alone, sizing.PacketAnswer)
    # Where PFC covers all flows, there are no others to tell of.
    whole = cellrate.size_buffer(MIXED + RDMA, seeds=1)
    assert isinstance(whole, sizing.LosslessAnswer)
    assert "other priorities" not in " ".join(whole.words())


def test_room_under_credits_is_measured_where_reports_have_the_link() -> None:
    text = cellrate.template("leaf-spine")
    found = cellrate.size_buffer(text, overrides={"cbfc": {}}, seeds=2)
    assert isinstance(found, sizing.LosslessAnswer)
    assert {link.switch for link in found.links} == set(found.memory_bytes)
    assert set(found.memory_bytes) == {f"leaf{n}" for n in (1, 2, 3, 4)} | {"spine1", "spine2"}
    # A greedy flow of a host holds all credits of its link at once.
    assert found.links[0].share == 1.0
    assert all(link.share is None or link.share <= 1 for link in found.links)


def test_formulas_are_of_the_seed_whose_flows_need_most(tmp_path: Path) -> None:
    """A permutation draws the flows of a port anew with each seed."""
    place = tmp_path / "leaf-spine.toml"
    place.write_text(cellrate.template("leaf-spine"), encoding="utf-8")
    found = cellrate.size_buffer(place, seeds=3)
    assert isinstance(found, sizing.PacketAnswer)
    flows = {}
    for seed in (1, 2, 3):
        network = json.loads(_core.Scenario(place.read_text(), "l.toml", (), seed).network())
        link = next(at for at, one in enumerate(network["links"]) if one["name"] == found.port)
        flows[seed] = sum(link in flow["forward"] for flow in network["flows"])
    most = max(flows, key=flows.__getitem__)
    assert flows[most] > flows[1]
    [windows] = [one for one in found.formulas if one.name == "window-sum"]
    assert windows.seed == most
    one_window = (1024 * 1024 // 1460 + 1) * 1518
    assert windows.buffer_bytes == pytest.approx(flows[most] * one_window, rel=0.01)
    assert f"window-sum (flows of seed {most}) does not apply" in str(found.document())
    # At 10 Gbit/s a full frame of 1,518 bytes takes the time of 1,538.
    drain = seconds(8 * (found.buffer_bytes or 0) * 1538 / 1518 / 10e9)
    assert next(found.words()).endswith(
        "bytes in each queue; in frames of 1,518 bytes, with preambles and gaps, the line sends "
        f"them in {drain}."
    )


def test_a_loss_or_a_delay_sizes_a_buffer(command: Command, incast: Path) -> None:
    short = ("--set", "run.duration=20 ms", "--seeds", "2", "--json")
    lossy = json.loads(command("size-buffer", incast.name, "--loss", "0.02", *short).stdout)
    assert 0 < lossy["buffer_bytes"] < 4_500_000
    assert sum(run["loss_ratio"] for run in lossy["runs"]) / 2 <= 0.02
    delayed = json.loads(command("size-buffer", incast.name, "--delay", "100 us", *short).stdout)
    # 32 last frames of 862 bytes and full ones of 1,518 fill 125,012 bytes of the line.
    assert delayed["buffer_bytes"] == 123_132
    shown = command("size-buffer", incast.name, *short[:4])
    assert "bytes in each queue" in shown.stdout
    assert "it assumes that" in shown.stdout
    assert "cell" not in shown.stdout.replace("cellrate", "")
    for options, message in (
        (("--credit-cells", "10"), "credits count bytes"),
        (("--port", "A->B"), "they cross A->sink"),
        (("--set", "switch.memory.total=1 MB"), "`switch.memory` limits queues, too"),
    ):
        refused = command("size-buffer", incast.name, *options)
        assert (refused.returncode, message in refused.stderr) == (2, True), refused.stderr


@pytest.mark.parametrize("segment", [100, 1460])
def test_frames_leave_the_sized_buffer_within_the_delay(incast: Path, segment: int) -> None:
    """Frames wait for preambles and gaps as well, which small frames have many of."""
    settings = {"tcp.mss": f"{segment} bytes", "run.duration": "50 ms"}
    answer = cellrate.size_buffer(incast, overrides=settings, seeds=1, delay_seconds=200e-6)
    assert isinstance(answer, sizing.PacketAnswer)
    assert "The delay spans the time from a frame's last bit at A->sink" in " ".join(answer.words())
    buffer = {"switch.buffer": f"{answer.buffer_bytes} bytes"}
    run = cellrate.run(incast, overrides=settings | buffer)
    # Before the queue: the first line and both propagation delays of 1 us.
    before = 2e-6 + 8 * (segment + 58 + 8) / 10e9
    waits = [flow["packet_delay_p99_seconds"] - before for flow in run.summary["flows"]]
    assert 0.99 * 200e-6 < max(waits) <= 200e-6
    with pytest.raises(sizing.SizingError, match="a frame alone takes"):
        cellrate.size_buffer(incast, overrides=settings, seeds=1, delay_seconds=5e-8)


def test_a_delay_counts_what_queues_of_higher_priority_take() -> None:
    """7 of 10 Gbit/s go first: of 3 Gbit/s, 100 us hold 37,500 bytes of frames of 1,266 each."""
    first = {"name": "hi", "priority": 7, "datagram": "1200 bytes"}
    last = {"name": "lo", "datagram": "1200 bytes", "source": {"kind": "cbr", "rate": "5 Gbit/s"}}

    def settings(source: dict[str, str], **more: object) -> dict[str, object]:
        flows = [last, first | {"source": source}]
        return {"switch.queues": [[7], [0]], "flow": flows, **more}

    steady = settings({"kind": "cbr", "rate": "7 Gbit/s"})
    answer = cellrate.size_buffer(GROWING, overrides=steady, seeds=1, delay_seconds=100e-6)
    assert isinstance(answer, sizing.PacketAnswer)
    frames = (37_500 + 12) // 1266
    assert frames * 1246 <= (answer.buffer_bytes or 0) < (frames + 1) * 1246
    assert "queues of higher priority send above their mean rate" in " ".join(answer.words())
    limited = steady | {"switch.buffer": f"{answer.buffer_bytes} bytes"}
    late = cellrate.run(GROWING, overrides=limited).summary["flows"][0]
    # Before the queue: 15 us of fibre and the first line.
    before = 15e-6 + 8 * 1266 / 10e9
    assert late["packet_delay_p50_seconds"] - before == pytest.approx(100e-6, rel=0.05)
    greedy = settings({"kind": "greedy"})
    greedy["flow"][1].pop("datagram")  # type: ignore[index]
    turns = settings(
        {"kind": "cbr", "rate": "7 Gbit/s"},
        **{"switch.schedule": {"discipline": "wf2q-plus", "weights": [1, 1]}},
    )
    for asked, why in ((greedy, "can use the whole line A->sink"), (turns, "queues take turns")):
        with pytest.raises(sizing.SizingError, match=why):
            cellrate.size_buffer(GROWING, overrides=asked, seeds=1, delay_seconds=100e-6)


def test_a_loss_ratio_of_several_runs_has_its_bound(incast: Path) -> None:
    """Student's t by hand: with two runs the bound is 6.3138 standard errors above the mean."""
    drawn = {"run.duration": "20 ms", "run.start_jitter": "20 us"}
    answer = cellrate.size_buffer(incast, overrides=drawn, seeds=2, loss_ratio=0.05)
    assert isinstance(answer, sizing.PacketAnswer)
    one, other = (run.loss_ratio for run in answer.runs)
    bound = (one + other) / 2 + 6.3138 * abs(one - other) / 2
    assert answer.upper_loss_ratio == pytest.approx(bound, rel=1e-4)
    assert one != other
    assert f"at most {bound:.3g} with 95% confidence" in " ".join(answer.words())


def test_tune_searches_the_declared_range_of_queue_management(
    command: Command, incast: Path
) -> None:
    settings = ("--set", "switch.aqm.algorithm=threshold", "--set", "tcp.recovery=dctcp")
    options = (*settings, "--set", "run.duration=10 ms", "--budget", "4", "--seeds", "1")
    done = command("tune", incast.name, *options, "--objective", "queue-max,completion", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    [parameter] = found["varied"]
    assert parameter == {
        "path": "switch.aqm.k", "low": "5 packets", "high": "1000 packets", "scale": "log"
    }  # fmt: skip
    # Frames at one instant are in drawn order anyway; only the longer run is a check.
    assert found["checks"][-1]["settings"] == found["chosen"]["settings"]
    assert found["checks"][-1]["with_drawn_starts"] is None
    assert found["checks"][-1]["queue_packets_in_longer_run"] is not None
    measures = found["chosen"]["measures"]
    assert {"queue_packets", "queue_max_packets", "completion_seconds"} <= measures.keys()
    in_bytes = command(
        *("tune", incast.name, *options, "--vary", "switch.aqm.k=10 kB..300 kB"),
        *("--objective", "queue"),
    )
    assert in_bytes.returncode == 0, in_bytes.stderr
    assert "10000 bytes to 300000 bytes" in in_bytes.stdout
    assert "Gbit/s" in in_bytes.stdout
    none = command("tune", incast.name)
    assert "the algorithm of `switch.aqm` has no parameters" in none.stderr


def test_choose_keeps_queues_short_by_marks(command: Command, tmp_path: Path) -> None:
    text = cellrate.template("dctcp")
    # The scenario's own control becomes one that fills the buffer.
    for was, becomes in (
        ('k = "65 packets"', ""),
        ('"threshold"', '"none"'),
        ('"dctcp"', '"reno"'),
    ):
        assert was in text
        text = text.replace(was, becomes)
    (tmp_path / "d.toml").write_text(text, encoding="utf-8")
    options = (
        "--set",
        "run.duration=15 ms",
        "--set",
        "measure.from=8 ms",
        "--seeds",
        "2",
        "--tries",
        "1",
        "--loss",
        "0.01",
    )
    done = command("choose", "d.toml", *options, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    best = found["options"][0]
    assert found["recommended"].startswith(f"{best['recovery']}")
    assert best["marks"]
    assert best["fairness"] >= 0.9
    assert best["loss"] <= 0.01
    own = next(one for one in found["options"] if one["recovery"] is None)
    assert best["queue_packets"] < own["queue_packets"] / 4
    most = max(
        one["throughput_bits_per_second"]
        for one in found["options"]
        if one["fairness"] >= 0.9 and one["loss"] <= 0.01 and one["seeds"] == 2
    )
    assert best["throughput_bits_per_second"] >= 0.95 * most
    # What it recommends runs as written, and the written scenario is the same.
    again = command("run", tmp_path / "out" / "d-chosen.toml", "--json")
    assert json.loads(again.stdout)["totals"]["packet_loss_ratio"] <= 0.01
    for option in ("--delay=1 ms", "--settling=1 s", "--switches=efci"):
        refused = command("choose", "d.toml", option)
        assert refused.returncode == 2
        assert f"{option.partition('=')[0]} has no meaning over Ethernet" in refused.stderr


# Two sources that would send 20 Gbit/s over a line of 10.
CONTROLLED = """
link_layer = "ethernet"
run.duration = "20 ms"
measure.from = "5 ms"
switch = { buffer = "100 kB", control = { scheme = "none" } }
flow = [{ name = "f", count = 2, source = { kind = "persistent" }, rate_control = {} }]
[topology]
template = "n-source"
link_rate = "10 Gbit/s"
access = "1 us"
bottleneck = "10 us"
egress = "1 us"
"""


def until(phase: str, job: Job, goals: Goals, effort: Effort) -> PacketChoice:
    """A choice that reaches its time limit where the first phase with a text begins."""
    now = 0.0

    def phases(text: str, _done: int, _all: int) -> None:
        nonlocal now
        now = 1.0 if text.removeprefix("running each alternative: ").startswith(phase) else now

    return choose_over_ethernet(job, goals, effort, budget=Budget(0.5, lambda: now), phases=phases)


def test_the_own_control_is_told_from_the_defaults_of_its_scheme() -> None:
    effort = Effort(settings=1, seeds=1)
    shorter = ("switch.control.high=20 packets", "switch.control.low=10 packets")
    for more, told, rows in (
        (shorter, "efci with high 30760 bytes, low 15380 bytes, and sources with RIF 1/16", 1),
        ((), "efci with all parameters at their defaults, and sources with RIF 1/16", 0),
    ):
        settings = ('switch.control={scheme="efci"}', "flow.f.rate_control.rif=0.0625")
        rdf = "flow.f.rate_control.rdf=0.0625"
        base = Job(CONTROLLED, "controlled.toml", (*settings, rdf, *more))
        found = until("control erica", base, Goals(), effort)
        labels = {one.alternative.name for one in found.options}
        assert "the scenario's own" in labels
        assert ("control efci" in labels) == bool(rows)
        words = " ".join(found.words())
        assert f"The scenario's own control is {told} and RDF 1/16." in words
        assert ("`control efci` has the defaults of efci instead" in words) == bool(rows)


def test_a_choice_names_what_the_time_limit_left_out() -> None:
    job, effort = Job(CONTROLLED, "c.toml"), Effort(settings=1, seeds=2)
    answer = until("control rrm-pid", job, Goals(), effort)
    not_tried = "control rrm-pid; searches for the best of these kinds: the scenario's own, control"
    *_, last = answer.words()
    assert last.startswith(f"The time limit ended the search. Not yet tried: {not_tried}; ")
    unchecked = f"{answer.best.label} with other seeds than those of the search"
    assert f"; {unchecked}. The same command" in last
    assert any(text.startswith(f"{answer.best.label} was not run") for text in answer.words())


def test_the_recommended_numbers_are_those_of_seeds_that_the_search_has_not_used() -> None:
    starts = ("run.start_jitter=1 ms",)
    job, effort = Job(CONTROLLED, "c.toml", starts), Effort(settings=1, seeds=2)
    answer = choose_over_ethernet(job, Goals(), effort)
    assert answer.checked is not None
    assert answer.best == answer.checked
    assert (answer.best.seeds, answer.options[0].seeds) == (16, 2)
    shares = [
        max(
            port["utilisation"]
            for port in cellrate.run(
                CONTROLLED, overrides=[*starts, *answer.best.overrides], seed=seed
            ).summary["ports"]
        )
        for seed in range(1, 19)
    ]
    assert answer.best.means["utilisation"] == pytest.approx(sum(shares[2:]) / 16, rel=1e-9)
    assert sum(shares[:2]) / 2 != pytest.approx(sum(shares[2:]) / 16, rel=1e-9)
    words = " ".join(answer.words())
    assert "in 16 runs with seeds that the search did not use." in words
    assert "Second with the seeds of the search: " in words
    assert answer.as_json()["check"]["option"]["seeds"] == 16
    # An option that then misses a goal is told, and is not the recommended one.
    lost = (replace(answer.best, overrides=answer.options[0].overrides), ["loses all"])
    other = replace(answer, checked=None, rejected=(lost,))
    assert other.best.overrides != answer.options[0].overrides
    told = "seeds that the search did not use: loses all."
    assert any(text.endswith(told) for text in other.words())


@pytest.mark.parametrize(
    ("algorithm", "acts", "told"), [("codel", 0, 1), ("codel", 3, 0), ("none", 0, 0)]
)
def test_queue_management_that_never_acted_is_no_merit(
    algorithm: str, acts: int, told: int
) -> None:
    means = dict.fromkeys(SHOWN)
    option = PacketOption(Alternative("reno", algorithm), AS_IT_IS, 2, means, acts, 0, ())
    goals = Goals()
    objective = objective_of(goals, files=False)
    choice = PacketChoice(Job("", "x.toml"), goals, objective, 2, (option,), {}, 2, 0)
    assert sum("codel dropped and marked no packet" in text for text in choice.words()) == told


def test_a_choice_that_rests_on_locked_phases_is_doubted_first() -> None:
    one = PacketOption(Alternative("reno", "none"), AS_IT_IS, 2, dict.fromkeys(SHOWN), 0, 1, ())
    other = replace(one, alternative=Alternative("sack", "none"), locked_runs=0)
    goals = Goals()
    of_both = (Job("", "x.toml"), goals, objective_of(goals, files=False), 2)
    first, *more = PacketChoice(*of_both, (one, other), {}, 2, 0).words()
    assert first.startswith("In 1 of 2 runs the TCP sources run in step")
    assert any(text.startswith("The table marks 1 of 2 options") for text in more)
    # The doubt is that of the recommended option alone.
    first, *more = PacketChoice(*of_both, (other, one), {}, 2, 0, checked=other).words()
    assert first.startswith("Recommended: sack")


# Two sources over TCP; the slow start overflows the buffer before the measuring window.
OVER_TCP = """
link_layer = "ethernet"
run.duration = "200 ms"
measure.from = "100 ms"
switch.buffer = "60 kB"
tcp = { recovery = "cubic", window = "1 MiB", min_rto = "10 ms" }
flow = [{ name = "f", count = 2, source = { kind = "greedy" } }]
[topology]
template = "n-source"
link_rate = "1 Gbit/s"
access = "1 us"
bottleneck = "10 us"
egress = "1 us"
"""


def test_every_recovery_is_tried_and_unmet_goals_are_said_first(
    command: Command, tmp_path: Path
) -> None:
    (tmp_path / "t.toml").write_text(OVER_TCP, encoding="utf-8")
    goals = ("--throughput", "9 Gbit/s", "--fairness", "0.5", "--loss", "0.5")
    short = ("--set", "run.duration=60 ms", "--set", "measure.from=30 ms")
    options = ("choose", "t.toml", *goals, *short, "--seeds=1", "--tries=1")
    done = command(*options)
    assert done.returncode == 0, done.stderr
    text = " ".join(done.stdout.split())
    wanted = (
        "at most 0.5 of the packets lost in the whole run; at least 9 Gbit/s; a fairness of 0.5"
    )
    assert f"Goals: {wanted} or more." in text
    nearest = "No alternative that was run meets all goals. The nearest is "
    assert text.index(nearest) < text.index("Recommended: ")
    unmet = text[text.index(nearest) :].split(". ")[1]
    assert ", which delivers 0.9" in unmet
    assert MORE_TRIES in text
    found = json.loads(command(*options, "--json").stdout)
    # Others were run with the seeds of the check as well, and none of them comes nearer.
    compared = found["check"]["compared"]
    assert 1 <= len(compared) < CHECKS
    [less_near] = [one for one in found["words"] if one.startswith("Run with the same seeds")]
    assert less_near.count("; ") == len(compared) - 1
    [only] = found["missed"]
    assert only.startswith("delivers 0.9")
    tried = {one["recovery"] or "cubic" for one in found["options"]}
    assert tried == {one["name"] for one in json.loads(_core.registry())["recoveries"]}
    crossed = {one["recovery"] for one in found["options"] if one["algorithm"] == "codel"}
    assert len(crossed) == CROSSED + 1
    assert "dctcp" in crossed
    known = json.loads(_core.registry())
    [untried] = [one for one in found["words"] if one.startswith("Not tried: ")]
    for table in ("pauses", "credit", "roce"):
        names = {one["name"] for one in known[table]} - {"none"}
        assert names <= {*untried.replace(",", " ").replace(";", " ").split()}
    assert "examples/studies/credit-against-rate.toml" in untried


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        (OVER_TCP, ("measure.from=195 ms", "tcp.recovery=reno")),
        (CONTROLLED, ("switch.buffer=20 kB", "measure.from=19 ms", "switch.control.scheme=erica")),
    ],
)
def test_losses_before_the_measuring_window_count(text: str, settings: tuple[str, ...]) -> None:
    job = Job(text, "t.toml", settings)
    window = cellrate.run(text, overrides=[*settings], seed=1).summary["totals"]
    assert window["packet_loss_ratio"] == 0
    ports = bottleneck(ResolvedScenario.of(job.scenario()).network)
    laboratory = WholeRuns(job, (1, 2, 3), ports, run_many, lambda _: False)
    laboratory.measure([AS_IT_IS], 1)
    [found] = laboratory.trials[AS_IT_IS]
    assert laboratory.simulated == 2
    whole = cellrate.run(text, overrides=[*settings, "measure.from=0 s"], seed=1).summary["totals"]
    assert whole["packet_loss_ratio"] > 0
    assert found.values["loss"] == whole["packet_loss_ratio"]
    laboratory.measure([AS_IT_IS], 3)
    for seed, other in zip((2, 3), laboratory.trials[AS_IT_IS][1:], strict=True):
        again = cellrate.run(text, overrides=[*settings, "measure.from=0 s"], seed=seed).summary
        assert other.values["loss"] == again["totals"]["packet_loss_ratio"] > 0
    assert found.values["throughput"] == window["throughput_bits_per_second"]


def test_the_longest_queue_of_a_choice_is_that_of_the_whole_run(incast: Path) -> None:
    """All bursts meet at the start, before the window; DCTCP then keeps the queue short."""
    settings = (
        *('run.duration="12 ms"', 'measure.from="6 ms"', 'flow.answer.source={kind="greedy"}'),
        *("flow.answer.count=4", 'switch.buffer="2 MB"', 'tcp.recovery="dctcp"'),
        'switch.aqm={algorithm="threshold",k="10 packets"}',
    )
    base = Job(incast.read_text(encoding="utf-8"), incast.name, settings)
    found = until("reno", base, Goals(), Effort(seeds=1))
    own = next(one for one in found.options if one.label == "the scenario's own")
    summary = json.loads(run_many([replace(base, seed=1)])[0].summary())
    queues = [queue for port in summary["ports"] for queue in port["queues"]]
    longest = max(queue["queue_max_before_window_bytes"] for queue in queues)
    assert own.means["queue-peak"] == longest
    assert longest > 1.5 * max(queue["queue_max_bytes"] for queue in queues)
    assert "queue-peak, the longest queue of any port, are those of the whole run" in found.wanted()
    shown = f"queue-peak {number(found.best.means['queue-peak'] or 0)} bytes"
    assert shown in " ".join(found.words())


def test_first_windows_beyond_a_buffer_are_told_with_the_ways_out(incast: Path) -> None:
    text = incast.read_text(encoding="utf-8")

    def windows(*settings: str) -> FirstWindows | None:
        return FirstWindows.of(FrameNetwork.of_scenario(Job(text, "i", settings).scenario()))

    found = windows()
    assert found is not None
    # 32 windows of 10 frames, less those that leave while one window arrives.
    assert found.port.name == "A->sink"
    assert found.queue_bytes() == pytest.approx(310 * 1518)
    least = found.fitting_segments

    def lost(segments: int) -> int:
        size = f'flow.answer.source={{kind="transfer", size="{1460 * segments} bytes"}}'
        more = [size, f"tcp.initial_window={segments}", "run.duration=3 ms"]
        return int(cellrate.run(text, overrides=more).summary["totals"]["packets_dropped"])

    assert lost(least) == 0 < lost(least + 1)
    assert windows(f"tcp.initial_window={least}") is None
    assert windows("flow.answer.stagger=1 ms") is None
    assert windows("run.start_jitter=10 ms") is None
    assert windows("switch.buffer=500 kB") is None
    short = ("run.duration=15 ms",)
    answer = until("reno", Job(text, "i", short), Goals(), Effort(seeds=1))
    told = " ".join(answer.words())
    assert "make a queue of 470,580 bytes at A->sink; its buffer has 300,000" in told
    assert f"with a `tcp.initial_window` of {least} or less they fit" in told
    over_roce = "flow.answer.roce={control={algorithm='expresspass'}}"
    for way, named in (("pfc={}", "pfc={}"), ("cbfc={}", "cbfc={}"), (over_roce, "expresspass")):
        assert named in told
        totals = cellrate.run(text, overrides=[way, *short]).summary["totals"]
        assert totals["packets_dropped"] == 0
    assert "ways out" in told
    # The first RTO is 1 s by RFC 6298 2.1.
    assert "`tcp.initial_rto`, 1 s, so not in this run of 15 ms" in told
    soon = windows("tcp.initial_rto=10 ms")
    assert soon is not None
    assert "initial_rto" not in " ".join(soon.words())
    assert "ways out" not in " ".join(replace(answer, goals=Goals(loss=0.5)).words())


def test_the_price_of_a_default_goal_is_told() -> None:
    def option(recovery: str, gbit: float, fairness: float, loss: float) -> PacketOption:
        known = {"throughput": gbit * 1e9, "fairness": fairness, "loss": loss, "queue": 1.0}
        means = {name: known.get(name) for name in SHOWN}
        return PacketOption(Alternative(recovery, "none"), AS_IT_IS, 2, means, 1, 0, (recovery,))

    fair, unfair = option("sack", 5.9, 0.95, 0.0), option("cubic", 9.4, 0.5, 0.0)
    lossy = option("reno", 9.5, 0.5, 0.1)

    def said(goals: Goals, *options: PacketOption) -> str:
        objective = objective_of(goals, files=False)
        choice = PacketChoice(Job("", "x.toml"), goals, objective, 2, options, {}, 2, 0)
        return " ".join(choice.words())

    price = (
        "The goals cost throughput: cubic, none has 9.4 Gbit/s, but has a fairness of 0.500; "
        "sack, none has 5.9 Gbit/s, 37% less."
    )
    assert price in said(Goals(), fair, lossy, unfair)
    assert said(Goals(), fair, lossy, unfair).index(price) == 0
    assert "The goals cost" not in said(Goals(fairness=0.0), unfair, fair)
    assert "The goals cost" not in said(
        Goals(), replace(unfair, means={**unfair.means, "fairness": 1.0}), unfair
    )
    assert "The goals cost" not in said(Goals(), fair, replace(unfair, seeds=1))
    # If no file of any option ends in time, the run is too short.
    late = replace(fair, means={**fair.means, "unfinished": 2.0})
    assert TOO_SHORT in said(Goals(all_files_end=True), late)
    assert TOO_SHORT not in said(Goals(all_files_end=True), late, lossy)
    # A default fairness that the other goals leave out of reach does not decide; a given one does.
    means = [one.means for one in (unfair, lossy)]
    assert within_reach(Goals(), means).fairness == 0
    assert within_reach(Goals(insists_on_fairness=True), means).fairness == Goals.fairness
    assert within_reach(Goals(), [*means, fair.means]).fairness == Goals.fairness
    assert "so flows get unequal shares with the alternative below" in said(Goals(), unfair, lossy)


def test_rows_that_miss_a_goal_say_which() -> None:
    def option(name: str, gbit: float, fairness: float, loss: float, victim: float) -> PacketOption:
        known = {"throughput": gbit * 1e9, "fairness": fairness, "loss": loss, "victim": victim}
        means = {**dict.fromkeys(SHOWN), **known}
        return PacketOption(Alternative(name, "none"), AS_IT_IS, 2, means, 1, 0, (name,))

    goals = Goals(victim="v")
    victim = replace(
        objective_of(goals, files=False).criteria[2], name="victim", relative=True, tolerance=0.05
    )
    found = {
        "fair": option("reno", 9.0, 0.95, 0.0, 1e9),
        "unfair": option("cubic", 9.4, 0.5, 0.0, 2e9),
        "lossy": option("sack", 9.5, 0.8, 0.1, 2e9),
        "slow": option("vegas", 8.0, 0.95, 0.0, 2e9),
        "harmful": option("dctcp", 9.0, 0.95, 0.0, 0.9e9),
        "checked": option("newreno", 9.0, 0.95, 0.0, 1e9),
    }
    lost = replace(found["checked"], seeds=16), ["loses 0.01 of the packets"]
    objective = objective_of(goals, files=False, more=(victim,))
    choice = PacketChoice(
        Job("", "x.toml"), goals, objective, 2, (*found.values(),), {}, 2, 0, rejected=(lost,)
    )
    table = next(one for one in choice.document().parts if isinstance(one, Table))
    no = "does not meet the goals"
    assert dict(zip(found, (row.note for row in table.rows), strict=True)) == {
        "fair": "",
        "unfair": f"{no}: has a fairness of 0.500",
        "lossy": f"{no}: loses 0.1 of the packets, has a fairness of 0.800",
        "slow": f"{no}: has throughput 8 Gbit/s (best: 9 Gbit/s)",
        "harmful": f"{no}: has victim 0.9 Gbit/s (best: 1 Gbit/s)",
        "checked": f"{no} in 16 runs with seeds that the search did not use: {lost[1][0]}",
    }
    shown = lines_of_parts((table,), 80)
    assert all(len(line.plain) <= 80 for line in shown)


def test_rows_name_equal_runs_and_missing_seeds() -> None:
    """CoDel never acts here, and RED does; PIE and the threshold were run with one seed of two."""

    def option(algorithm: str, *digests: str) -> PacketOption:
        known = {"throughput": 9e9, "fairness": 0.95, "loss": 0.0, "queue": float(len(digests))}
        means = {**dict.fromkeys(SHOWN), **known}
        of = Alternative("vegas", algorithm)
        return PacketOption(of, AS_IT_IS, len(digests), means, 0, 0, (algorithm,), digests=digests)

    options = (
        option("none", "a", "b"),
        option("codel", "a", "b"),
        option("red", "a", "c"),
        option("pie", "a"),
        option("threshold", "d"),
    )
    goals = Goals()
    objective = objective_of(goals, files=False)
    checked = replace(options[0], seeds=16, means={**options[0].means, "queue": 7.0})
    choice = PacketChoice(
        Job("", "x.toml"), goals, objective, 2, options, {}, 2, 0, checked=checked
    )
    table = next(one for one in choice.document().parts if isinstance(one, Table))
    few = "not run with all 2 seeds"
    assert [row.note for row in table.rows] == [
        "",
        "same runs as vegas, none",
        "",
        f"{few}; same runs as vegas, none with the same seeds",
        few,
    ]
    words = " ".join(choice.words())
    assert "The search has equal runs for vegas, none and for vegas, codel; vegas, pie. " in words
    # Both have their numbers with the seeds of the search, not with those of the check.
    second, _, first = words.partition("Second ")[2].partition(" With these seeds ")
    assert second.startswith("with the seeds of the search: vegas, red: ")
    assert first.startswith("vegas, none has ")
    assert all("queue 2 packets" in text for text in (second, first))
    # A mean of one seed is not compared with those of two.
    fast = replace(options[-1], means={**options[-1].means, "throughput": 20e9})
    faster = replace(choice, options=(*options[:-1], fast))
    table = next(one for one in faster.document().parts if isinstance(one, Table))
    assert not any("does not meet" in str(row.note) for row in table.rows)
    # An option that failed in its check is not the second.
    rejected = ((replace(options[2], seeds=16), ["loses all"]),)
    words = " ".join(replace(choice, rejected=rejected).words())
    assert "Second with the seeds of the search: vegas, threshold: " in words
    alone = replace(choice, options=options[:2])
    assert not any(text.startswith("Second") for text in alone.words())


@pytest.mark.parametrize("loss", [0.0, 0.2])
def test_an_alternative_that_met_the_goals_once_is_run_with_every_seed(loss: float) -> None:
    """It is, if no alternative with every seed meets them; `loss` is that of the first one."""
    job = Job(OVER_TCP, "t.toml")
    plain = ResolvedScenario.of(job.scenario())
    work = _Search(job, plain, Goals(), Effort(seeds=2), run_many, lambda _: False, lambda *_: None)
    whole, once, lossy = islice(at_first(plain, work.network.flows), 3)
    laboratory = WholeRuns(job, (1, 2), bottleneck(work.network), run_many, lambda _: False)
    laboratory.measure([AS_IT_IS], 1)
    [run] = laboratory.trials[AS_IT_IS]

    def with_loss(value: float, seeds: int) -> WholeRuns:
        runs = (replace(run, values={**run.values, "loss": value, "fairness": 1.0}),) * seeds
        return replace(laboratory, trials={AS_IT_IS: runs})

    work.laboratories = {
        whole: with_loss(loss, 2), once: with_loss(0.0, 1), lossy: with_loss(0.1, 1)
    }  # fmt: skip
    work.repeat_promising()
    counts = [len(work.laboratories[one].trials[AS_IT_IS]) for one in (whole, once, lossy)]
    assert counts == [2, 2 if loss else 1, 1]


FILES = """
[[flow]]
name = "file"
count = 3
source = { kind = "transfer", size = "20 kB" }
start = "110 ms"
"""


def test_more_than_links_carry_is_no_throughput() -> None:
    """A line of 1 Gbit/s carries segments of 1,460 bytes in 1,538 octets."""
    network = FrameNetwork.of_scenario(Job(OVER_TCP, "x.toml").scenario())
    _, carried = over_ethernet(network)
    line = 1e9 * 1460 / 1538
    for told, found in ((1.1 * line, line), (0.9 * line, 0.9 * line)):
        each = told / len(network.flows)
        rates = [{"name": one.name, "throughput_bits_per_second": each} for one in network.flows]
        summary = {"flows": rates}
        assert carried.of(summary) == pytest.approx(found, rel=1e-9)


def test_flows_of_two_queues_count_within_each() -> None:
    """Weights of 4 to 1 give 4, 4, 1 and 1 parts: 0.735 by Jain's index of all four."""
    schedule = '{ discipline = "wf2q-plus", weights = [4, 1] }'
    queues = f'buffer = "60 kB", queues = [[3], [0]], schedule = {schedule}'
    flows = '{ name = "gold", count = 2, priority = 3 }, { name = "rest", count = 2 }'
    before, _, rest = OVER_TCP.partition("flow = [")
    before = before.replace("switch.buffer", f"switch = {{ {queues} }} #")
    text = f"{before}flow = [{flows}]{rest.partition(']')[2]}"
    network = FrameNetwork.of_scenario(Job(text, "x.toml").scenario())
    fairness, _ = over_ethernet(network)
    names = [one.name for one in network.flows]

    def index(*parts: float) -> float | None:
        flows = [
            {
                "name": name,
                "source": "greedy",
                "goodput_bits_per_second": part,
                "throughput_bits_per_second": part,
            }
            for name, part in zip(names, parts, strict=True)
        ]
        return fairness.of({"flows": flows})

    assert index(4, 4, 1, 1) == 1
    # (3 + 1)^2 / (2 (9 + 1)) in the queue of the unequal flows.
    assert index(4, 4, 3, 1) == index(3, 1, 4, 4) == 0.8


THREE_BESIDE_ONE = """
link_layer = "ethernet"
run.duration = "2 ms"
measure.from = "1 ms"
switch.buffer = "1 MB"
flow = [
    { name = "a", from = "h1", to = "h4", roce = {} },
    { name = "b", from = "h2", to = "h4", roce = {} },
    { name = "c", from = "h3", to = "h4", roce = {} },
    { name = "d", from = "h5", to = "h6", roce = {} },
]
[topology]
template = "leaf-spine"
leaves = 2
spines = 1
hosts_per_leaf = 4
host_rate = "10 Gbit/s"
spine_rate = "10 Gbit/s"
host_delay = "1 us"
spine_delay = "1 us"
"""


DATAGRAMS = """
    { name = "e", from = "h8", to = "h6", source = { kind = "cbr", rate = "4 Gbit/s" } },
"""


def test_flows_over_roce_count_by_their_max_min_shares() -> None:
    """A packet of RoCE has 1,024 octets of payload among 1,106 on the line of 10 Gbit/s."""
    line = 10e9 * 1024 / 1106
    fairness, carried = over_ethernet(
        FrameNetwork.of_scenario(Job(THREE_BESIDE_ONE, "x.toml").scenario())
    )
    rates = {"a.1": line / 3, "b.1": line / 3, "c.1": line / 3, "d.1": line}
    flows = [
        {
            "name": name,
            "source": "greedy",
            "goodput_bits_per_second": rate,
            "throughput_bits_per_second": rate,
        }
        for name, rate in rates.items()
    ]
    assert fairness.of({"flows": flows}) == pytest.approx(1.0)
    more = [
        {"name": name, "throughput_bits_per_second": 1.01 * rate} for name, rate in rates.items()
    ]
    assert carried.of({"flows": flows}) == carried.of({"flows": more}) == pytest.approx(2 * line)
    # Datagrams of 4 Gbit/s leave the only flow of their line 6 of 10.
    beside = THREE_BESIDE_ONE.replace("flow = [", f"flow = [{DATAGRAMS}")
    fairness, _ = over_ethernet(FrameNetwork.of_scenario(Job(beside, "x.toml").scenario()))
    flows[3] = {
        **flows[3],
        "goodput_bits_per_second": 1.0,
        "throughput_bits_per_second": 0.6 * line,
    }
    assert fairness.of({"flows": flows}) == pytest.approx(1.0)


BESIDE_DATAGRAMS = """
link_layer = "ethernet"
run = { duration = "2 ms" }
measure.from = "1 ms"
ethernet.mtu = "2200 bytes"
flow = [
    { name = "q", count = 2, roce = { payload = "2 KiB", control = { algorithm = "dcqcn" } } },
    { name = "bg", count = 3, datagram = "1000 bytes", priority = 6, source = CBR },
]
[topology]
template = "single-switch"
link_rate = "100 Gbit/s"
access = "1 us"
bottleneck = "1 us"
[switch]
buffer = "1 MB"
queues = [[6], [0]]
[pfc]
""".replace("CBR", '{ kind = "cbr", rate = "25 Gbit/s" }')


def test_background_is_no_throughput_and_must_keep_its_own() -> None:
    """Datagrams of 1,000 octets take 1,066 on the line, and packets of 2,048 take 2,130."""
    base = Job(BESIDE_DATAGRAMS, "x.toml")
    found = until("hpcc", base, Goals(bits_per_second=70e9), Effort(seeds=1))
    [background] = {one.means["background"] for one in found.options}
    assert background == pytest.approx(75e9 * 1000 / 1066, rel=1e-3)
    assert found.best.means["throughput"] == pytest.approx(25e9 * 2048 / 2130, rel=0.02)
    assert "delivers 24" in " ".join(found.words())
    assert KEEPS_BACKGROUND in found.wanted()
    held = replace(found.options[0], means={**found.options[0].means, "background": 60e9})
    relative = replace(found, goals=Goals())
    missed = relative.misses(held)
    assert missed == ["has background 60 Gbit/s (best: 70.36 Gbit/s)"]


def fairness(text: str) -> float | None:
    """The index by which `choose` and `tune` judge a run with seed 1."""
    criterion, _ = over_ethernet(FrameNetwork.of_scenario(Job(text, "x.toml", (), 1).scenario()))
    return criterion.of(cellrate.run(text, seed=1).summary)


def test_files_beside_other_flows_do_not_count_for_fairness() -> None:
    """Three files of 20 kB have the same small rate, beside two flows that share the line."""
    greedy = 'flow = [{ name = "f", count = 2, source = { kind = "greedy" } }]'
    assert greedy in OVER_TCP
    deep = OVER_TCP.replace("60 kB", "200 kB")
    mixed = deep.replace(greedy, "") + '[[flow]]\nname = "f"\ncount = 2\n' + FILES
    summary = cellrate.run(mixed, seed=1).summary
    one, other, *files = (flow["throughput_bits_per_second"] for flow in summary["flows"])
    assert files == 3 * [20_000 * 8 / 0.1]
    index = (one + other) ** 2 / (2 * (one**2 + other**2))
    assert fairness(mixed) == pytest.approx(index, rel=1e-12)
    # Two large rates and three small ones give about 2 / 5.
    assert summary["totals"]["jain_index"] < 0.45 < 0.5 <= index
    # Without files the index is that of the run, and files alone have none.
    plain = cellrate.run(deep, seed=1).summary
    assert fairness(deep) == pytest.approx(plain["totals"]["jain_index"], rel=1e-12)
    assert fairness(deep.replace(greedy, "") + FILES) is None
    answer = until("reno", Job(mixed, "m.toml"), Goals(), Effort(seeds=1))
    own = next(one for one in answer.options if one.label == "the scenario's own")
    assert own.means["fairness"] == pytest.approx(index, rel=1e-12)
    for one, told in ((answer, 1), (replace(answer, fairness_notes=()), 0)):
        table = next(part for part in one.document().parts if isinstance(part, Table))
        titles = [column.title for column in table.columns]
        assert titles.count("fairness\nno files") == told
        assert one.wanted().count("Fairness is that of the flows without files") == told


def test_a_control_is_chosen_where_flows_obey_rates(command: Command, tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(CONTROLLED, encoding="utf-8")
    done = command("choose", "c.toml", "--seeds=1", "--tries=1", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    best = found["options"][0]
    assert best["control"] not in (None, "none"), found["recommended"]
    assert best["loss"] <= 0.01
    own = next(one for one in found["options"] if one["control"] is None)
    # Without control nearly half of the frames are lost.
    assert own["loss"] > 0.4
    assert found["not_tried"] == []
    again = cellrate.run(CONTROLLED, overrides=best["overrides"], seed=1)
    assert again.summary["totals"]["packet_loss_ratio"] <= 0.02
    # Sources whose RIF is 1 are not those that marks need.
    rif = ("--set", "flow.f.rate_control.rif=1", "--vary", "switch.control.scheme=erica,efci")
    compared = command("compare", "c.toml", *rif, "--seeds", "1", "--measure", "goodput_gbit")
    told = "only mark packets (efci) rate_control.rif=0.0625 and rate_control.rdf=0.0625"
    assert told in " ".join(compared.stderr.split()), compared.stderr
    settings = ("--set", 'switch.control={scheme="efci", threshold="20 kB"}')
    few = ("--budget", "4", "--seeds", "1", "--objective", "throughput", "--json")
    tuned = command("tune", "c.toml", *settings, *few)
    assert tuned.returncode == 0, tuned.stderr
    varied = {one["path"]: one for one in json.loads(tuned.stdout)["varied"]}
    assert varied.keys() == {
        "switch.control.threshold", "flow.f.rate_control.rif", "flow.f.rate_control.rdf"
    }  # fmt: skip
    # From 2 to 95 % of the buffer.
    threshold = varied["switch.control.threshold"]
    assert (threshold["low"], threshold["high"]) == ("2000 bytes", "95000 bytes")
