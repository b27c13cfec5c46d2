"""Statements of theory on a scenario before it runs: by hand, and others on other scenarios."""

from __future__ import annotations

import functools
import json
import math
import re
import sys
from itertools import pairwise
from pathlib import Path

import cellrate
import numpy as np
import pytest
from cellrate import _core, run
from cellrate.advice.explain import Explanation, explain
from cellrate.advice.explain.claims import Claim, Quantity, records
from cellrate.simulation.network import Network
from cellrate.simulation.runner import Job, run_many
from conftest import Command
from explained import (
    GREEDY,
    LINK,
    PAPERS,
    PLAIN,
    SHORTLY,
    UBR,
    broken,
    find,
    measured,
    number,
    of,
    one,
    silence,
    template,
    well_formed,
)

from proof.measured.expected import rows
from proof.measured.explained import Found, held_against_runs
from proof.measured.random_scenarios import random_jobs

FILES = [
    path
    for path in sorted(PAPERS.glob("*/scenarios/*.toml"))
    if "link_layer" not in path.read_text("utf-8")
]


TEMPLATES = tuple(
    one["name"]
    for one in json.loads(_core.registry())["templates"]
    if "link_layer" not in _core.template(one["name"])
)


def test_a_scenario_that_changes_is_explained_until_its_first_change() -> None:
    change = (
        'changes=[{at="10 ms", set={"switch.buffer"="7 cells"}}, {at="20 ms", set={"abr.rif"=0.5}}]'
    )
    first, *rest = template("n-source", change).verdict
    assert first.startswith("All statements are about the network before its first change")
    assert "at 0.01 s (`switch.buffer`); one more change follows" in first
    assert rest == list(template("n-source").verdict)


def test_flows_that_do_not_send_are_not_counted() -> None:
    silent = template("two-way", "flow.back.sends=false")
    alone = template("n-source", "flow.tcp.count=3")
    note, *rest = silent.verdict
    assert note == "3 flows have `sends = false`: no statement counts them."
    assert rest == list(alone.verdict)


def test_messages_are_no_data_without_end() -> None:
    shares = find(template("lan-messages"), "fair shares", "least_cells_per_second")
    assert any("data without end" in reason for reason in shares[0].fails)
    # The guaranteed sources leave 25 of 150 Mbit/s on average.
    left = one(template("lan-messages"), "bottleneck", "left_cells_per_second")
    assert left == pytest.approx(25e6 / 424, rel=1e-3)


def test_credit_bounds_the_queue_and_loses_nothing() -> None:
    said = of("gerla95/scenarios/fcvc.toml")
    # N2 + N3 = 11 cells for each of 15 channels: the paper's buffer.
    [bound] = [one for one in said.statements if one.formula == "credit-buffer"]
    assert bound.values["queue_cells"] == 165
    assert (bound.kind, bound.fails) == ("bound", ())
    assert {one.values["expected"] for one in find(said, "loss", "expected")} == {"no"}
    assert "credit" in silence(said)["buffer-law"]
    # Without N3, what 150 Mbit/s bring in 140 us and two cell times: 51.5 cells.
    [bound] = [
        one
        for one in of(
            "gerla95/scenarios/fcvc.toml", "fcvc={n2='10 cells'}", "switch.buffer=infinite"
        ).statements
        if one.formula == "credit-buffer"
    ]
    assert bound.values["queue_cells"] == 15 * (10 + 52)
    # Their memory is shared: no bound of a channel.
    adaptive = "fcvc={allocation='adaptive'}"
    shared = of("gerla95/scenarios/fcvc.toml", adaptive, "switch.buffer=infinite")
    assert "memory" in silence(shared)["credit-buffer"]


TWO_WAY = (
    'switch={buffer="infinite", control={scheme="none"}}',
    'fcvc={n2="10 cells", vc_rate="100 Mbit/s"}',
    "tcp.mss=64 bytes",
    "topology.egress=1 km",
    "topology.access=20 km",
    "topology.bottleneck=300 km",
    "tcp.window=128 KiB",
    "run.duration=400 ms",
    "measure.from=200 ms",
)
UNDER_CREDIT = (
    '{{name="x", count={forward}, service="ubr", source={{kind="greedy"}}}}, '
    '{{name="y", count=2, reverse=true, service="ubr", source={{kind="greedy"}}}}'
)


@pytest.mark.parametrize("forward", [4, 30])
def test_channels_of_acknowledgements_hold_credits_too(forward: int) -> None:
    """By hand: N3 is what 100 Mbit/s bring in two propagation times and two cell times of a link.

    At 5 us for a km, links of 20 km have 200 us, links of 1 km have 10 us. With the cell times of
    155.52 Mbit/s that is 48.5 and 3.7 cells, so N2 + N3 is 59 and 14. All channels to B enter
    switch A over links of 20 km, and all channels to A enter B over links of 1 km.
    """
    flows = f"flow=[{UNDER_CREDIT.format(forward=forward)}]"
    said = template("n-source", *TWO_WAY, flows)
    bounds = {
        one.values["port"]: one.values["queue_cells"]
        for one in said.statements
        if one.formula == "credit-buffer" and one.kind == "bound"
    }

    assert bounds == {"A->B": (forward + 2) * 59, "B->A": (forward + 2) * 14}
    text = " ".join(said.verdict)
    assert f"A->B: at most {(forward + 2) * 59:,} cells wait" in text
    assert f"B->A: at most {(forward + 2) * 14:,} cells wait" in text
    run = measured(_core.template("n-source"), *TWO_WAY, flows)
    assert not broken(said, run)
    longest = {
        port["name"]: max(
            max(queue["queue_max_cells"], queue["queue_max_before_window_cells"])
            for queue in port["queues"]
        )
        for port in run["ports"]
    }
    # Credits of data channels alone are no bound where many acknowledgements return.
    assert forward < 30 or longest["B->A"] > 2 * 14


def test_the_target_is_of_the_link_or_of_what_is_left() -> None:
    def handed_out(form: str) -> object:
        settings = "target_utilisation=0.9", f'capacity_form="{form}"'
        said = of(
            "kalyan97/scenarios/on-off-vbr.toml", *(f"switch.control.{one}" for one in settings)
        )
        return one(said, "bottleneck", "handed_out_cells_per_second")

    # Background takes 0.4 of the link on average.
    assert handed_out("of-link") == pytest.approx((0.9 - 0.4) * LINK, rel=1e-4)
    assert handed_out("of-remainder") == pytest.approx(0.9 * 0.6 * LINK, rel=1e-4)


def test_windows_below_the_pipe_never_fill_it() -> None:
    """By hand: segments of 1,460 bytes take 32 cells, and 25 Mbit/s bring 295 cells in 5 ms."""
    settings = (
        *UBR,
        "flow.tcp.count=3",
        "topology.bottleneck_rate=25 Mbit/s",
        *(f"topology.{link}={km} km" for link, km in (("access", 1), ("egress", 1))),
        "topology.bottleneck=498 km",
        "tcp.mss=1460 bytes",
    )
    filled = {
        window: template("n-source", *settings, f"tcp.window={1460 * window} bytes")
        for window in (3, 4)
    }
    # Three windows of three segments are 288 cells, and of four 384.
    assert not find(filled[3], "time constants", "fill_round_trips")
    assert "288 cells, do not fill the pipe of 295" in silence(filled[3])["round-trips-to-fill"]
    assert find(filled[4], "time constants", "fill_round_trips")


def test_ohsakis_abr() -> None:
    said = of("ohsaki95/scenarios/abr.toml")
    left = (149.76e6 - 1.4976e6) / 424
    assert one(said, "bottleneck", "left_cells_per_second") == pytest.approx(left)
    assert one(said, "fair shares", "greatest_cells_per_second") == pytest.approx(left / 10)
    total = one(said, "TCP throughput", "total_throughput_bits_per_second")
    acks = 2 / 91
    assert total == pytest.approx(left * 424 * 30 / (31 + acks) * 4312 / (91 * 53))
    # N Nrm / BW.
    assert one(said, "time constants", "rm_interval_seconds") == pytest.approx(320 / left)
    # Q_max from nothing, by its two phases: AIR = RIF PCR / Nrm, RDF = -Nrm / ln(1 - 1/16).
    air, rdf = 353_200 / 64 / 32, -32 / math.log(1 - 1 / 16)
    rise = math.sqrt(2 * 2898 / (air * left)) + 0.002
    bound = air * left / 2 * rise**2 + 10 * rdf * (air * rise - math.log(1 + air * rise))
    found = {s.formula: s.values["queue_cells"] for s in find(said, "queue", "queue_cells")}
    assert found["q-max"] == pytest.approx(bound)
    cycle = find(said, "oscillation", "amplitude_cells")[0].values
    assert cycle["maximum_queue_cells"] == found["efci-cycle"]
    assert number(found["efci-cycle"]) < bound
    assert one(said, "loss", "expected") == "yes"
    assert "ERICA" in silence(said)["buffer-law"]


def test_more_than_the_link_carries_is_lost_for_certain() -> None:
    source = 'flow.tcp.source={kind="cbr", rate="10 Mbit/s"}'
    settings = "flow.tcp.service=cbr", source, "switch.buffer=100 cells"
    # 12 times 10 Mbit/s into 100, and 9 times.
    over = template("n-source", *settings, "flow.tcp.count=12", 'topology.link_rate="100 Mbit/s"')
    growth = one(over, "bottleneck", "growth_cells_per_second")
    assert growth == pytest.approx(20e6 / 424)
    assert one(over, "bottleneck", "left_cells_per_second") == 0
    assert "elastic flows have nothing" in find(over, "bottleneck", "left_cells_per_second")[0].text
    assert one(over, "loss", "expected") == "yes"
    within = template("n-source", *settings, "flow.tcp.count=9", 'topology.link_rate="100 Mbit/s"')
    assert not find(within, "bottleneck", "growth_cells_per_second")
    assert one(within, "loss", "expected") == "no"


OVERBOOKED = """
[run]
duration = "1 s"
[measure]
from = "300 ms"
[topology]
template = "n-source"
link_rate = "155.52 Mbit/s"
access = "1 km"
bottleneck = "1000 km"
egress = "1 km"
[switch]
buffer = "100 cells"
[[flow]]
name = "video"
count = 12
service = "cbr"
source = { kind = "cbr", rate = "12.96 Mbit/s" }
[[flow]]
name = "voice"
count = 2
service = "cbr"
source = { kind = "cbr", rate = "1 Mbit/s" }
[[flow]]
name = "data"
count = 2
service = "ubr"
"""
"""CBR of 157.52 Mbit/s goes before TCP on a link of 155.52 Mbit/s."""


def explained(text: str, *overrides: str) -> Explanation:
    return explain(Network.of(text, "scenario", overrides))


def texts(said: Explanation) -> str:
    return " ".join(statement.text for statement in said.statements)


def test_background_above_the_link_leaves_tcp_nothing() -> None:
    said, summary = explained(OVERBOOKED), measured(OVERBOOKED)
    assert summary["totals"]["tcp_throughput_bits_per_second"] == 0
    assert "leaves TCP nothing" in said.verdict[0]
    carried = number(one(said, "TCP throughput", "carried_bits_per_second"))
    # 12 + 2 + 1 cells at the ends of the window and two of each flow, of 43 bytes of payload.
    assert 0 < carried < (15 + 4) * 48 * 8 / 0.7
    # One window of each flow may have passed before the measuring window.
    bound = number(one(said, "TCP throughput", "bound_bits_per_second"))
    assert bound < carried + 2 * 65536 * 8 / 0.7 + 1
    assert broken(said, summary) == []
    assert not find(said, "time constants", "queue_room_cells")
    assert not find(said, "time constants", "fill_round_trips")
    assert not find(said, "oscillation", "oscillates")
    # The RTO of 1 s does exceed the round trip of 10 ms.
    assert "does not exceed" not in texts(said)


def test_a_full_buffer_loses_and_an_endless_one_grows() -> None:
    said, summary = explained(OVERBOOKED), measured(OVERBOOKED)
    [full] = find(said, "bottleneck", "growth_cells_per_second")
    assert full.values["lost_cells_per_second"] == pytest.approx(2e6 / 424)
    assert full.values["least_lost_share"] == pytest.approx(2 / 157.52)
    assert "without end" not in full.text
    # 0.7 s of it, but for the cells that are under way.
    assert summary["totals"]["cells_dropped"] == pytest.approx(0.7 * 2e6 / 424, abs=2)
    assert "the buffer loses cells in every run" in said.verdict[1]
    endless = explained(OVERBOOKED, "switch.buffer=infinite")
    assert "the queue grows without end, by 4,717 cells/s" in endless.verdict[1]
    assert not find(endless, "bottleneck", "lost_cells_per_second")


def test_background_below_the_link_leaves_tcp_the_rest() -> None:
    """11 x 12.96 + 2 Mbit/s leave 10.96 Mbit/s; windows of 1 KiB arrive early."""
    tcp = "tcp.window=1 KiB", "tcp.mss=512 bytes"
    settings = "flow.video.count=11", "topology.bottleneck=1 km", *tcp
    said, summary = explained(OVERBOOKED, *settings), measured(OVERBOOKED, *settings)
    bound = number(one(said, "TCP throughput", "bound_bits_per_second"))
    rest = 10.96e6 * 48 / 53
    assert 0.5 * rest < summary["totals"]["tcp_throughput_bits_per_second"] <= bound
    assert bound < rest + (2 * 1024 + 40 * 48) * 8 / 0.7
    assert broken(said, summary) == []


@pytest.mark.parametrize(
    "setting",
    [
        "flow.video.service=ubr",
        'flow.video.policer={pcr="1 Mbit/s", cdvt="1 ms"}',
        "switch.buffer=10 cells",
        "flow.video.start=900 ms",
        'switch.discard={policy="double-epd"}',
    ],
)
def test_only_background_that_is_certain_to_go_first_is_subtracted(setting: str) -> None:
    said, summary = explained(OVERBOOKED, setting), measured(OVERBOOKED, setting)
    assert number(one(said, "TCP throughput", "carried_bits_per_second")) > 10e6
    assert broken(said, summary) == []


def test_background_in_the_queue_of_tcp_competes_with_it() -> None:
    ubr = "flow.video.service=ubr", "flow.voice.service=ubr", "topology.bottleneck=1 km"
    clock = "tcp.min_rto=20 ms", "tcp.initial_rto=100 ms", "tcp.granularity=10 ms"
    settings = *ubr, *clock, "tcp.mss=8 bytes"
    said = explained(OVERBOOKED, *settings)
    [background] = find(said, "bottleneck", "left_cells_per_second")
    assert "compete" in background.text
    assert not background.values["starved"]
    assert "leaves TCP nothing" not in said.verdict[0]
    summary = measured(OVERBOOKED, *settings)
    assert summary["totals"]["tcp_throughput_bits_per_second"] > 0
    assert broken(said, summary) == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_papers_scenario_is_explained(path: Path) -> None:
    well_formed(explain(Network.of(path.read_text(encoding="utf-8"), str(path))))


@pytest.mark.parametrize("name", TEMPLATES)
@pytest.mark.parametrize("scheme", ["none", "efci", "erica"])
def test_every_template_is_explained_under_every_scheme(name: str, scheme: str) -> None:
    well_formed(template(name, f'switch.control={{scheme="{scheme}"}}'))


def test_a_port_that_only_returning_cells_can_fill_is_explained() -> None:
    well_formed(template("two-way", 'switch.control={scheme="efci"}', "flow.back.count=1"))


def test_a_bound_needs_the_background_from_the_start() -> None:
    def fails(*settings: str) -> tuple[str, ...]:
        said = of("fmmra/scenarios/efci.toml", *settings)
        [total] = find(said, "TCP throughput", "total_throughput_bits_per_second")
        return total.fails

    late = "background is there from the start, but vbr starts at 300 ms"
    assert late in fails()
    assert not [one for one in fails("flow.vbr.start=10 ms") if "background" in one]


def test_what_several_links_carry_hangs_on_who_gets_it() -> None:
    def fails(path: str, *settings: str) -> tuple[str, ...]:
        [total] = find(of(path, *settings), "TCP throughput", "total_throughput_bits_per_second")
        return total.fails

    def skewed(path: str) -> bool:
        return any("marks come more often over more switches" in one for one in fails(path))

    assert skewed("ohsaki95/scenarios/parking-lot.toml")
    assert not skewed("ohsaki95/scenarios/abr.toml")
    assert not skewed("ohsaki95/scenarios/ubr.toml")


ALONE = ('flow=[{name="tcp", service="ubr", count=10}]', "tcp.min_rto=1 s")
"""TCP without background, whose timers do not expire while all windows wait."""
TAIL_DROP = ("switch.discard={policy='tail-drop'}",)


def test_a_larger_buffer_loses_nothing() -> None:
    def expected(buffer: str) -> str:
        said = of("ohsaki95/scenarios/abr.toml", f"switch.buffer={buffer}")
        return str(one(said, "loss", "expected"))

    # The limit cycle reaches 6500 cells, the queue from nothing 8789, all windows hold 13,650.
    buffers = ("6400 cells", "8700 cells", "8800 cells", "13650 cells")
    assert [expected(buffer) for buffer in buffers] == ["yes", "possible", "no", "no"]
    ubr = "ohsaki95/scenarios/ubr.toml"
    assert one(of(ubr), "loss", "expected") == "yes"
    # The pipe takes some of the windows, but slow start may send them in bursts.
    kept = of(ubr, "switch.buffer=13000 cells", *TAIL_DROP)
    assert one(kept, "loss", "expected") == "possible"
    # EPD refuses PDUs from half the buffer on.
    assert one(of(ubr, "switch.buffer=13700 cells"), "loss", "expected") == "possible"
    whole = of(ubr, "switch.buffer=27400 cells", *ALONE)
    assert one(whole, "loss", "expected") == "no"
    # No cell has CLP = 1, so the limit of such cells decides nothing.
    tagged = (*ALONE, *TAIL_DROP, "switch.buffer=20000 cells", "switch.clp_threshold=1000 cells")
    assert one(of(ubr, *tagged), "loss", "expected") == "possible"
    dfba = "switch.discard={policy='dfba'}"
    assert one(of(ubr, "switch.buffer=30332 cells", *ALONE, dfba), "loss", "expected") == "possible"
    law = of("kalyan97/scenarios/file-transfer.toml", "switch.buffer=36700 cells")
    assert one(law, "loss", "expected") == "possible"


@pytest.mark.parametrize(
    ("file", "settings"),
    [
        ("ohsaki95/scenarios/abr.toml", ["switch.buffer=6400 cells"]),
        ("ohsaki95/scenarios/abr.toml", ["switch.buffer=8800 cells"]),
        ("ohsaki95/scenarios/ubr.toml", ["switch.buffer=5000 cells"]),
        ("kalyan97/scenarios/file-transfer.toml", ["switch.buffer=36800 cells"]),
        # All windows are 13,650 cells. DFBA keeps no PDU out below 0.45 of the buffer; intelligent
        # tail drop keeps four cells for last cells of PDUs.
        *(
            (
                "ohsaki95/scenarios/ubr.toml",
                [*ALONE, f"switch.buffer={buffer}", f"switch.discard={policy}"],
            )
            for buffer, policy in [
                ("30334 cells", "{policy='dfba'}"),
                ("4000 cells", "{policy='dfba'}"),
                ("13654 cells", "{policy='intelligent-tail-drop'}"),
            ]
        ),
        (
            "ohsaki95/scenarios/ubr.toml",
            [*ALONE, *TAIL_DROP, "switch.buffer=20000 cells", "switch.clp_threshold=13650 cells"],
        ),
    ],
)
def test_the_simulator_loses_where_theory_expects_it(file: str, settings: list[str]) -> None:
    expected = one(of(file, *settings), "loss", "expected")
    assert expected in {"yes", "no"}
    short = [*settings, "run.duration=1 s", "measure.from=0 s", "measure.events=[]"]
    result = run(str(PAPERS / file), overrides=short)
    assert (result.summary["totals"]["cells_dropped"] > 0) == (expected == "yes")


def test_short_runs_contradict_no_statement() -> None:
    """As the scenarios are, and with buffers that hold everything."""
    transfers = (PAPERS / "kalyan97/scenarios/file-transfer.toml").read_text(encoding="utf-8")
    ubr = (PAPERS / "ohsaki95/scenarios/ubr.toml").read_text(encoding="utf-8")
    texts = {
        "transfers": transfers.replace('duration = "5 s"', 'duration = "1 s"'),
        "ubr": ubr.replace('duration = "50 s"', 'duration = "500 ms"'),
    }
    shown, found = rows(texts, functools.partial(run_many, workers=2))
    assert (found.scenarios, found.broken) == (4, [])
    assert found.bounds > 4
    assert found.right["loss by window-sum: yes"] == [True]
    assert [row.cells()[:2] for row in shown][1] == ["ubr", "133.91"]


@pytest.mark.parametrize(
    ("name", "settings", "windows", "needed"),
    [
        ("n-source-vbr", ('switch.control={scheme="efci"}',), 92_160, 95_160),
        (
            "two-way",
            (
                'flow.there.service="ubr"',
                'flow.back.service="ubr"',
                'switch.control={scheme="none"}',
                'topology.bottleneck="10km"',
            ),
            18_432,
            21_504,
        ),
    ],
)
def test_rm_cells_and_acknowledgements_need_buffer_beside_windows(
    name: str, settings: tuple[str, ...], windows: int, needed: int
) -> None:
    """With these buffers the first lost 2,862 cells, the second has a queue of 20,931 cells."""

    def expected(buffer: int) -> set[object]:
        said = template(name, *settings, f"switch.buffer={buffer} cells")
        return {statement.values["expected"] for statement in find(said, "loss", "expected")}

    assert "no" not in expected(windows)
    assert "no" not in expected(needed - 1)
    assert expected(needed) == {"no"}
    # The upper limit of the queue counts them, too; the formula is that of its paper.
    endless = template(name, *settings, "switch.buffer=infinite")
    sums = [one for one in find(endless, "queue", "queue_cells") if one.formula == "window-sum"]
    assert {one.values["queue_cells"] for one in sums} == {windows}
    assert {claim.value for one in sums for claim in one.claims} == {needed}
    assert f", with up to {needed - windows:,} RM cells and acknowledgements" in str(sums[0])


def test_contracts_that_let_pass_less_than_the_link_are_the_limit() -> None:
    flow = (
        '{name="pol", count=2, service="cbr", source={kind="cbr", rate="100 Mbit/s"}, '
        'policer={pcr="20 Mbit/s", action="drop"}}'
    )
    settings = f"flow=[{flow}]", UBR[0], "abr={}"
    said = template("n-source", *settings)
    assert "contracts let pass at most 40.00 Mbit/s" in find(said, "bottleneck", "port")[0].text
    assert said.verdict[-1] == "Limit: contracts of the flows."
    assert "policers drop cells beyond contracts" in said.verdict[1]
    summary = measured(_core.template("n-source"), *settings)
    [port] = [one for one in summary["ports"] if one["name"] == "A->B"]
    assert port["utilisation"] * 155.52 == pytest.approx(40, rel=0.01)
    channels = [one for one in summary["vcs"] if one["cells_policed"]]
    policed = sum(one["cells_policed"] for one in channels)
    share = policed / sum(one["cells_sent"] for one in channels)
    assert share == pytest.approx(number(one(said, "loss", "least_policed_share")), rel=0.01)


def test_no_queue_of_windows_stays_where_contracts_let_pass_less_than_the_link() -> None:
    shaped = f'{{name="tcp", count=4, service="ubr", shaper={{pcr="20 Mbit/s"}}, {GREEDY}}}'
    policer = 'policer={pcr="10 Mbit/s", scr="5 Mbit/s", mbs="100 cells", action="drop"}'
    policed = f'{{name="pol", count=2, service="ubr", {policer}, {GREEDY}}}'
    settings = f"flow=[{shaped}, {policed}]", UBR[0], "abr={}"
    said = template("n-source", *settings)
    assert said.verdict[-1].startswith("Limit: tcp by its contract, pol by its contract.")
    [windows] = find(said, "queue", "queue_cells")
    assert "contracts let pass less" in windows.fails[-1]
    assert "no queue stays here" in find(said, "oscillation", "oscillates")[0].text
    # 12 cells at 155.52 Mbit/s, where the contract has a cell in 42.4 us.
    least = 11 * (424 / 10e6 - 424 / 155.52e6)
    assert one(said, "loss", "least_cdvt_seconds") == pytest.approx(least)
    # With a burst of 10 cells, SCR decides: 11 (84.8 - 2.7263) us, less 9 (84.8 - 42.4) us.
    small = template(
        "n-source", f"flow=[{policed.replace('100 cells', '10 cells')}]", *settings[1:]
    )
    assert number(one(small, "loss", "least_cdvt_seconds")) == pytest.approx(521.21e-6, abs=1e-8)
    summary = measured(_core.template("n-source"), *settings)
    [port] = [one for one in summary["ports"] if one["name"] == "A->B"]
    assert port["queues"][-1]["queue_max_cells"] < 20
    assert not broken(said, summary)


def test_the_summary_has_the_limit_below_a_larger_bound() -> None:
    endless = template("n-source").verdict[1]
    assert "no formula bounds" not in endless
    assert re.search(r"A->B: at most 11,129 cells are expected to wait \(held in", endless)
    large = template("n-source", "switch.buffer=1000000 cells").verdict[1]
    assert "at most 1,000,000 cells wait, at most 11,129 cells are expected (held" in large


def test_video_in_front_of_all_else_has_a_queue_of_its_own() -> None:
    """Twenty streams of which nine would fit the line at their peak."""
    file = "kalyan97/scenarios/video.toml"
    assert "stay below the link rate" in silence(of(file))["fractional-queue"]
    said = of(file, "flow.video.source.sources=20")
    [queue] = [found for found in said.statements if found.formula == "fractional-queue"]
    mean, deviation, peak = (rate / 424 for rate in (5e6, 5e6, 15e6))
    rates = np.linspace(0.0, peak, 200_001)
    weights = np.exp(-(((rates - mean) / deviation) ** 2) / 2)
    kept = np.average(rates, weights=weights)
    values = queue.values
    assert values["mean_cells_per_second"] == pytest.approx(kept, rel=1e-4)
    spread = math.sqrt(np.average((rates - kept) ** 2, weights=weights))
    assert values["deviation_cells_per_second"] == pytest.approx(spread, rel=1e-4)
    left, hurst = 149.76e6 / 424 - 20 * kept, 0.8
    variance = 20 * spread**2 * 0.06 ** (2 - 2 * hurst)
    kappa = hurst**hurst * (1 - hurst) ** (1 - hurst)
    cells = (-math.log(1e-6) * 2 * kappa**2 * variance / left ** (2 * hurst)) ** 2.5
    assert values["queue_cells"] == pytest.approx(cells, rel=1e-3)
    assert any("18% of it lies below zero or above the peak" in reason for reason in queue.fails)
    shared = of(file, "flow.video.source.sources=20", 'switch.priority=[["vbr", "abr"]]')
    assert "share the streams' queue" in silence(shared)["fractional-queue"]


def test_failing_assumptions_are_named() -> None:
    def fails(*overrides: str) -> str:
        said = of("ohsaki95/scenarios/abr.toml", *overrides).statements
        return " ".join(assumption for one in said for assumption in one.fails)

    assert "round trips are equal" not in fails()
    assert "PCR" not in fails()
    # One flow of another group with a longer link.
    far = (
        'flow=[{name="near", service="abr", count=5, source={kind="persistent"}},'
        ' {name="far", service="abr", access="5 ms", source={kind="persistent"}}]'
    )
    assert "round trips are equal" in fails(far)
    assert "would pass one of them" in fails("abr.pcr=20 Mbit/s")
    assert "windows hold" in fails("tcp.window=8624 bytes")


@pytest.mark.parametrize(
    ("target", "max_alloc", "applies", "holds"),
    [
        (0.9, True, True, True),
        # 1.1 times the target is more than the link.
        (0.93, True, False, False),
        (1.0, True, False, False),
        (0.93, False, True, True),
        # The load is the link's at most, and no share of the link empties a queue.
        (1.0, False, False, True),
    ],
)
def test_the_buffer_law_asks_for_a_load_below_the_link(
    *, target: float, max_alloc: bool, applies: bool, holds: bool
) -> None:
    settings = (
        f"switch.control.target_utilisation={target}",
        f"switch.control.max_alloc={str(max_alloc).lower()}",
    )
    said = template("n-source", *settings).statements
    [law] = [one for one in said if one.formula == "buffer-law"]
    assert law.applies is applies
    longest = max(
        max(queue["queue_max_cells"], queue["queue_max_before_window_cells"] or 0)
        for port in measured(cellrate.template("n-source"), *settings)["ports"]
        for queue in port["queues"]
    )
    assert (longest <= number(law.values["queue_cells"])) is holds


def test_no_loss_is_not_expected_where_the_buffer_law_does_not_apply() -> None:
    lesson = json.loads((PAPERS.parent / "lab/lessons/buffer.json").read_text(encoding="utf-8"))[
        "text"
    ]
    settings = ("flow.tcp.count=50", 'switch.buffer="40000 cells"')
    verdict = explain(Network.of(lesson, "buffer.toml", settings)).verdict
    assert "losses are possible" in verdict[1]
    assert measured(lesson, *settings)["totals"]["cells_dropped"] > 0


def test_losses_of_links_are_not_those_of_buffers() -> None:
    said = template("n-source", "link_errors={cell_loss_ratio=1e-3}").verdict[1]
    assert "no buffer loses a cell" in said
    assert said.endswith("links lose cells.")


def test_a_prediction_whose_error_is_not_known_is_not_expected() -> None:
    osu = 'switch.control={scheme="osu"}'
    throughput = template("two-way", osu).verdict[0]
    assert "result from a formula (its error is not known" in throughput
    assert "expected" not in throughput
    fmmra = 'switch.control={scheme="fmmra"}'
    assert "are expected (within" in template("n-source", fmmra).verdict[0]


def test_max_min_of_the_graph() -> None:
    said = template("graph", "topology.node.S2.control.target_utilisation=1.0")
    rates = {
        s.values["group"]: s.values["least_cells_per_second"]
        for s in find(said, "fair shares", "group")
    }
    # S2->S3 gives 50 Mbit/s to both; of 0.9 * 155.52 Mbit/s of S1->S2 the rest is for `left`.
    assert rates["long"] == rates["right"] == pytest.approx(50e6 / 424)
    assert rates["left"] == pytest.approx((0.9 * 155.52e6 - 50e6) / 424)


def test_a_network_without_a_bottleneck_says_so() -> None:
    said = template("n-source", "flow.tcp.count=1")
    assert [one.values for one in said.statements if one.topic == "bottleneck"] == [{"ports": []}]
    assert find(said, "loss", "expected") == []


def test_the_command_prints_text_or_one_object(command: Command) -> None:
    text = (PAPERS / "ohsaki95/scenarios/abr.toml").read_text(encoding="utf-8")
    shown = command("explain", "-", stdin=text)
    assert shown.returncode == 0, shown.stderr
    said = "greatest queue under EFCI, if the queue starts empty: 8,789 cells, and the buffer has"
    assert f"{said} room for 5,796. [q-max]" in " ".join(shown.stdout.split())
    assert "[buffer-law]: the coefficients are" not in shown.stdout
    shown = command("explain", "-", "--all", stdin=text)
    assert "[buffer-law]: the coefficients are" in shown.stdout
    found = json.loads(command("explain", "-", "--json", "--set", "x=1", stdin=text).stdout or "{}")
    assert found == {}
    found = json.loads(command("explain", "-", "--json", stdin=text).stdout)
    assert {entry["topic"] for entry in found["statements"]} >= {"bottleneck", "queue", "loss"}
    wrong = command("explain", "-", "--set", "flow.tcp.count=0", stdin=text)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "count" in wrong.stderr


def test_early_discard_loses_cells_of_a_buffer_without_limit() -> None:
    epd = 'switch.discard={policy="epd", threshold="500 cells"}', 'flow.tcp.service="ubr"'
    said = template("n-source", *epd)
    assert one(said, "loss", "expected") == "yes"
    assert measured(_core.template("n-source"), *epd)["totals"]["cells_dropped"] > 0
    # Without a threshold it has nothing to act on.
    no_limit = template("n-source", 'switch.discard={policy="epd"}', 'flow.tcp.service="ubr"')
    assert one(no_limit, "loss", "expected") == "no"


def test_no_run_breaks_a_bound() -> None:
    """Of the campaign of 2,000 scenarios, whose findings `explain` quotes, other ones."""
    found = held_against_runs(random_jobs(20, 20261))
    assert found.bounds > 50
    assert found.broken == []
    assert set(found.predictions()) & set(records())


def test_a_broken_bound_is_found() -> None:
    """Of a run with more sources than were explained."""
    job = Job(_core.template("n-source"), "n", ("run.duration=100 ms", "measure.from=50 ms"))
    network = Network.of_scenario(job.scenario())
    narrow = explain(Network.of(job.text, "n", (*job.overrides, 'topology.link_rate="10 Mbit/s"')))
    [outcome] = run_many([job])
    fair, wrong = Found(), Found()
    fair.add(job, explain(network), outcome)
    wrong.add(job, narrow, outcome)
    assert (fair.scenarios, fair.broken) == (1, [])
    assert len(wrong.broken) >= 2


def test_a_prediction_carries_its_error(command: Command) -> None:
    shown = command("explain", "-", stdin=_core.template("n-source")).stdout
    record = records()["queue by buffer-law"]
    assert record.held is not None
    assert record.cases >= 30
    assert shown.splitlines()[3].strip().startswith("Throughput: TCP delivers at most 121.3")
    assert f"held in {int(100 * record.held)} % of {record.cases:,} random" in " ".join(
        shown.split()
    )
    assert "does not apply: it assumes that switches bring the load down to the target" in shown
    # The number comes last.
    refused = next(line for line in shown.splitlines() if "does not apply" in line)
    assert "Mbit/s" not in refused


def test_a_claim_reads_its_number_off_the_summary() -> None:
    queues = [
        {
            "classes": ["cbr"],
            "queue_max_cells": 5,
            "queue_max_before_window_cells": None,
            "cells_dropped": 0,
        },
        {
            "classes": ["ubr"],
            "queue_max_cells": 7,
            "queue_max_before_window_cells": 30,
            "cells_dropped": 2,
        },
    ]
    summary = {
        "flows": [
            {"group": "a", "tcp_throughput_bits_per_second": 2.0, "balance": {}},
            {"group": "b", "tcp_throughput_bits_per_second": 3.0, "balance": {}},
            {"group": "b", "tcp_throughput_bits_per_second": 9.0, "balance": None},
        ],
        "ports": [{"name": "p", "utilisation": 0.5, "queues": queues}],
    }

    def of_summary(quantity: Quantity, entity: str, service: str = "") -> float:
        return Claim(quantity, entity, "at most", 1.0, "", service).measured(summary)

    assert of_summary("throughput", "") == 5
    assert of_summary("throughput", "b") == 3
    assert of_summary("utilisation", "p") == 0.5
    assert (of_summary("queue", "p"), of_summary("queue", "p", "cbr")) == (30, 5)
    assert (of_summary("lost", "p"), of_summary("lost", "p", "cbr")) == (2, 0)
    with pytest.raises(KeyError, match="q"):
        of_summary("queue", "q")
    assert Claim("queue", "p", "about", 40.0, "").error(30.0) == pytest.approx(0.25)


def network_of_pairs(pairs: int, flows: int) -> str:
    """So many flows over each of several pairs of switches, whose ports all limit them."""
    parts = ['run = { duration = "100 ms" }\ntopology.template = "graph"\n']
    for pair in range(pairs):
        path = [f"src{pair}", f"a{pair}", f"b{pair}", f"dst{pair}"]
        for name, kind in zip(path, ("host", "switch", "switch", "host"), strict=True):
            parts.append(f'[[topology.node]]\nname = "{name}"\nkind = "{kind}"\n')
        for (near, far), rate in zip(pairwise(path), (622, 150, 622), strict=True):
            parts.append(
                f'[[topology.link]]\nfrom = "{near}"\nto = "{far}"\nrate = "{rate} Mbit/s"\n'
                'delay = "1 ms"\n'
            )
        parts.append(
            f'[[flow]]\nname = "f{pair}"\ncount = {flows}\nservice = "abr"\n'
            f'from = "{path[0]}"\nto = "{path[-1]}"\nsource = {{ kind = "greedy" }}\n'
        )
    return "".join(parts)


def calls_of_explain(text: str) -> int:
    """Calls of functions, of Python or C, that an explanation takes."""
    found = 0

    def called(_frame: object, event: str, _argument: object) -> None:
        nonlocal found
        found += event in {"call", "c_call"}

    network = Network.of(text)
    sys.setprofile(called)
    try:
        explain(network)
    finally:
        sys.setprofile(None)
    return found


@pytest.mark.parametrize(
    "sizes",
    [[(1, 100), (1, 200), (1, 400)], [(20, 3), (40, 3), (80, 3)]],
    ids=["flows", "bottlenecks"],
)
def test_twice_the_network_takes_twice_the_calls(sizes: list[tuple[int, int]]) -> None:
    calls_of_explain(network_of_pairs(1, 1))  # what a process computes once
    one, two, four = (calls_of_explain(network_of_pairs(*size)) for size in sizes)
    assert (four - two) / (two - one) < 2.05, (one, two, four)


GROUP = '{{name="{name}", service="abr", access="{access}", source={{kind="greedy"}}{more}}}'


@pytest.mark.parametrize(
    ("access", "more", "kind"),
    [
        ("1 km", "", ""),
        ("900 km", "", ", unequal round trips"),
        ("1 km", ', abr={mcr="10 Mbit/s"}', ", unequal end systems"),
        ("1 km", ', tcp={window="512 KiB"}', ", unequal end systems"),
        ("900 km", ", abr={nrm=16}", ", unequal round trips, unequal end systems"),
    ],
)
def test_a_record_holds_only_for_its_kind(access: str, more: str, kind: str) -> None:
    near = GROUP.format(name="near", access="1 km", more="")
    far = GROUP.format(name="far", access=access, more=more)
    control = 'switch.control={scheme="osu"}', 'measure.from="600 ms"', 'run.duration="1 s"'
    said = template("n-source", *control, f"flow=[{near}, {far}]")
    claims = [
        claim
        for statement in said.statements
        if statement.formula == "peak-throughput"
        for claim in statement.claims
    ]
    group = "group throughput" if kind else "throughput"
    assert [claim.topic for claim in claims] == [
        f"{group} under osu{kind}", f"{group} under osu{kind}", f"throughput under osu{kind}",
    ]  # fmt: skip
    known = all(claim.topic in records() for claim in claims)
    assert ("error is not known" in said.verdict[0]) is not known
    assert known is ("end systems" not in kind)


def test_flows_over_several_bottlenecks_are_a_kind_of_their_own() -> None:
    said = template("parking-lot", 'switch.control={scheme="charny"}')
    topics = {claim.topic for one in said.statements for claim in one.claims}
    assert "throughput under charny, background in bursts, several bottlenecks" in topics


def test_groups_with_unequal_round_trips_stay_within_their_record_or_have_none() -> None:
    """Under OSU near and far groups differ by a fifth and more from their equal max-min shares."""
    groups = ", ".join(
        GROUP.format(name=name, access=access, more="")
        for name, access in {"metro": "10 km", "ocean": "6000 km"}.items()
    )
    settings = (
        'switch.control={scheme="osu"}', f"flow=[{groups}]", "flow.ocean.count=4",
        'measure.from="3 s"', 'run.duration="5 s"',
    )  # fmt: skip
    said = template("n-source", *settings)
    summary = measured(_core.template("n-source"), *settings)
    claims = [claim for one in said.statements for claim in one.claims if claim.sense == "about"]
    of_groups = [claim for claim in claims if claim.entity in {"metro", "ocean"}]
    assert max(claim.error(claim.measured(summary)) for claim in of_groups) > 0.1
    assert min(records()[claim.topic].within or 0.0 for claim in of_groups) > 0.1
    shares = find(said, "fair shares", "group")
    assert {one.kind for one in shares} == {"fact"}
    assert all("max-min fair share" in one.text for one in shares)


def test_more_than_a_buffer_takes_is_not_expected(command: Command) -> None:
    def line(buffer: str) -> str:
        control = "--set", 'switch.control={scheme="charny"}', "--set", f'switch.buffer="{buffer}"'
        shown = command("explain", "-", *control, stdin=_core.template("n-source")).stdout
        shown = re.sub(r"\n    +", " ", shown)
        [found] = [one for one in shown.splitlines() if "all TCP windows in one queue" in one]
        return found

    assert line("2000 cells").strip().startswith("A->B: all TCP windows in one queue")
    assert re.search("30,720 cells.*, and the buffer has room for 2,000", line("2000 cells"))
    assert line("infinite").strip().startswith("upper limit: A->B")


def test_cells_of_periodic_sources_may_come_at_once() -> None:
    source = "flow.tcp.service=cbr", 'flow.tcp.source={kind="cbr", rate="1.5 Mbit/s"}'
    settings = *source, "flow.tcp.count=100", PLAIN[0], "flow.tcp.stagger=0 s"
    said = template("n-source", *settings, 'switch.buffer="50 cells"')
    assert one(said, "loss", "expected") == "possible"
    assert "n-d-d-1" in {one.formula for one in said.statements}
    enough = template("n-source", *settings, 'switch.buffer="100 cells"')
    assert "at most 100 cells wait, and no buffer loses a cell" in enough.verdict[1]
    for text, loses in (("50 cells", True), ("100 cells", False)):
        summary = measured(_core.template("n-source"), *settings, f"switch.buffer={text}", *SHORTLY)
        assert (summary["totals"]["cells_dropped"] > 0) is loses


def test_cells_of_periodic_sources_over_abr_may_come_in_bursts() -> None:
    """ACR below the source's rate holds cells back, and a higher ACR then sends them at once."""
    source = 'flow.tcp.source={kind="cbr", rate="20 Mbit/s"}', "flow.tcp.count=2"
    settings = *source, "switch.control.scheme=erica", "measure.from=0 s", "run.duration=100 ms"
    said = template("n-source", *settings)
    assert "n-d-d-1" not in {one.formula for one in said.statements}
    port = measured(_core.template("n-source"), *settings)["ports"][0]
    assert port["queues"][0]["queue_max_cells"] > 2


def test_one_flow_is_spoken_of_in_the_singular() -> None:
    single = template("n-source", "flow.tcp.count=1", 'topology.bottleneck_rate="50 Mbit/s"')
    assert "the max-min fair share of its flow is" in texts(single)
    assert "of each of 2 flows" in texts(template("n-source", "flow.tcp.count=2"))
    silent = template("n-source", "flow.tcp.count=1", "flow.tcp.sends=false")
    assert silent.verdict[0] == "1 flow has `sends = false`: no statement counts it."
