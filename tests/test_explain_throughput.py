"""`explain` on the throughput of TCP: limits, shares, and what fails beside them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import cellrate
import pytest
from cellrate import _core
from cellrate.advice.explain import Explanation, Statement, explain
from cellrate.advice.explain.claims import records
from cellrate.schemes import allowing
from cellrate.simulation.network import Network
from cellrate.simulation.runner import Job, run_many
from explained import (
    GREEDY,
    LINK,
    PLAIN,
    SHORTLY,
    broken,
    find,
    measured,
    number,
    of,
    one,
    silence,
    template,
)


def test_kalyanaramans_file_transfer() -> None:
    said = of("kalyan97/scenarios/file-transfer.toml", "flow.tcp.count=15")
    # 0.9 of the link for 15.
    assert one(said, "bottleneck", "handed_out_cells_per_second") == pytest.approx(0.9 * LINK)
    assert one(said, "fair shares", "least_cells_per_second") == pytest.approx(0.06 * LINK)
    # Three links of 5 ms there and back; the bottleneck is behind one of them.
    assert one(said, "delays", "least_round_trip_seconds") == 0.03
    assert one(said, "delays", "feedback_delay_seconds") == 0.01
    assert one(said, "delays", "pipe_cells") == pytest.approx(0.03 * LINK)
    # 512 of 12 * 53 bytes; section 8.15.5 prints 110.9 without padding. One of 32 cells is an RM
    # cell, and RM cells of the channel of acknowledgements, of 2 cells each, are returned.
    total = one(said, "TCP throughput", "total_throughput_bits_per_second")
    assert total == pytest.approx(0.9 * 155.52e6 * 30 / (31 + 2 / 12) * 512 / 636)
    assert one(said, "TCP throughput", "window_limited_flows") == 0
    # (3 * 30 + 10) ms and 100 cells; 15 windows of 2048 segments.
    law, windows = find(said, "queue", "queue_cells")
    assert (law.formula, windows.formula) == ("buffer-law", "window-sum")
    assert law.values["queue_cells"] == pytest.approx(0.1 * LINK + 100)
    assert windows.values["queue_cells"] == 368_640
    # 2^(K-1) * 12 * 15 cells fill 11,004.
    trips = number(one(said, "time constants", "fill_round_trips"))
    assert 2 ** (trips - 1) * 180 == pytest.approx(0.03 * LINK)
    assert one(said, "oscillation", "oscillates") is False
    assert one(said, "loss", "expected") == "no"


def test_a_smaller_window_limits_the_flows() -> None:
    file = "kalyan97/scenarios/file-transfer.toml"
    # A line of 155.52 Mbit/s carries 121.3 Mbit/s of payload, 455,000 bytes in 30 ms.
    assert one(of(file, "tcp.window=460000 bytes"), "TCP throughput", "window_limited_flows") == 0
    limited = of(file, "tcp.window=200000 bytes")
    assert "no flow alone fills its path" in str(limited.topics()["TCP throughput"])
    assert one(limited, "TCP throughput", "window_limited_flows") == 2
    # 390 whole segments of 512 bytes in 30 ms; a window in each of 167 round trips of 5 s.
    rate = one(limited, "TCP throughput", "window_limit_bits_per_second")
    assert rate == pytest.approx(390 * 512 * 8 / 0.03)
    bound = one(limited, "TCP throughput", "greatest_bound_bits_per_second")
    # Whole segments of 512 bytes.
    assert bound == pytest.approx(167 * (200_000 // 512 * 512) * 8 / 5)


ERICA = ('switch.control={scheme="erica", target_utilisation=1.0}', 'tcp.mss="1024 bytes"')


@pytest.mark.parametrize(
    ("settings", "limit"),
    [
        ((), "the link A->B"),
        ((*ERICA, 'tcp.window="64 KiB"'), "the link A->B"),
        (
            (*ERICA, 'tcp.window="12 KiB"'),
            "near by its window, b by its window, c by its window and 2 more",
        ),
        ((*ERICA, 'flow.near.tcp.window="12 KiB"'), "near by its window, the link A->B"),
    ],
)
def test_the_limit_is_that_of_the_run(settings: tuple[str, ...], limit: str) -> None:
    """Five groups of one flow each, whose windows together would fill the link or not."""
    explained = template("unequal-lengths", *settings)
    assert explained.verdict[-1].startswith(f"Limit: {limit}. ")
    limits = {
        str(statement.values["group"]): statement.values["bound_by"]
        for statement in find(explained, "TCP throughput", "bound_by")
    }
    for flow in measured(_core.template("unequal-lengths"), *settings)["flows"][:5]:
        by_window = ["window"] if flow["window_limited_share"] > 0.5 else ["link"]
        assert limits[flow["name"].partition(".")[0]] == by_window


SHAPED = """
[run]
duration = "400 ms"
[measure]
from = "100 ms"
[topology]
template = "n-source"
link_rate = "155.52 Mbit/s"
access = "1 km"
bottleneck = "10 km"
egress = "1 km"
[switch]
buffer = "infinite"
[[flow]]
name = "t"
count = 5
service = "ubr"
[flow.source]
kind = "greedy"
"""


@pytest.mark.parametrize(
    "contract", ['pcr="100 Mbit/s", scr="20 Mbit/s", mbs="200 cells"', 'pcr="10 Mbit/s"']
)
def test_a_shaper_limits_tcp_to_its_long_run_rate(contract: str) -> None:
    shaper = f"flow.t.shaper={{{contract}}}"
    said = explain(Network.of(SHAPED, "shaped.toml", (shaper,)))
    rate = 20e6 if "scr" in contract else 10e6
    total = number(one(said, "TCP throughput", "total_throughput_bits_per_second"))
    # A segment of 512 bytes takes 12 cells of 53 bytes.
    assert total == pytest.approx(5 * rate * 512 / (12 * 53))
    summary = measured(SHAPED, shaper)
    assert total == pytest.approx(
        sum(flow["tcp_throughput_bits_per_second"] for flow in summary["flows"]), rel=0.01
    )
    assert not broken(said, summary)
    assert total < number(one(said, "TCP throughput", "bound_bits_per_second")) < 1.2 * total
    assert "result from a formula (its error is not known" in said.verdict[0]
    assert said.verdict[-1].startswith("Limit: t by its contract. ")
    assert not find(said, "oscillation", "standing_queue_cells")


def test_a_policer_that_drops_bounds_tcp_and_leaves_no_prediction() -> None:
    policer = 'flow.t.policer={pcr="10 Mbit/s", cdvt="2 ms", action="drop", frames="partial"}'
    said = explain(Network.of(SHAPED, "policed.toml", (policer,)))
    [total] = find(said, "TCP throughput", "total_throughput_bits_per_second")
    assert not total.applies
    assert "a policer drops cells beyond the contract" in str(total.fails)
    assert number(one(said, "TCP throughput", "bound_bits_per_second")) < 60e6
    assert not broken(said, measured(SHAPED, policer))
    tagged = explain(Network.of(SHAPED, "tagged.toml", (policer.replace("drop", "tag"),)))
    assert number(one(tagged, "TCP throughput", "bound_bits_per_second")) > 125e6


@pytest.mark.parametrize("place", ["policer", "shaper"])
def test_policed_background_is_an_upper_limit_and_shaped_background_a_mean(place: str) -> None:
    """ON-OFF sources of 150 Mbit/s for 8 of 40 ms under an SCR of 20 Mbit/s."""
    drop = ', cdvt="10 us", action="drop"' if place == "policer" else ""
    text = (
        SHAPED.replace("count = 5", "count = 3")
        + f"""
[[flow]]
name = "v"
count = 5
service = "vbr"
{place} = {{ pcr = "100 Mbit/s", scr = "20 Mbit/s", mbs = "200 cells"{drop} }}
[flow.source]
kind = "on-off"
peak = "150 Mbit/s"
period = "40 ms"
duty_cycle = 0.2
"""
    )
    said = explain(Network.of(text, "background.toml"))
    [background] = find(said, "bottleneck", "left_cells_per_second")
    [total] = find(said, "TCP throughput", "total_throughput_bits_per_second")
    policed = place == "policer"
    assert ("sends at most 100.00 Mbit/s" in background.text) is policed
    assert ("have at least 55.52 Mbit/s" in background.text) is policed
    assert ("the policer may drop more" in str(total.fails)) is policed
    assert ("no formula here predicts" in said.verdict[0]) is policed
    found = sum(
        flow["tcp_throughput_bits_per_second"]
        for flow in measured(text)["flows"]
        if flow["group"] == "t"
    )
    formula = number(total.values["total_throughput_bits_per_second"])
    assert (found > 1.5 * formula) is policed
    assert policed or found == pytest.approx(formula, rel=0.02)


@pytest.mark.parametrize("scheme", ["charny", "ucsc"])
def test_channels_of_the_other_direction_take_shares_that_they_do_not_use(scheme: str) -> None:
    """Each port has three channels of data, and three of acknowledgements with as high a CCR."""
    settings = f'switch.control={{scheme="{scheme}"}}', "run.duration=2 s", "measure.from=1 s"
    [total] = find(
        template("two-way", *settings), "TCP throughput", "total_throughput_bits_per_second"
    )
    assert "states a high CCR" in total.fails[0]
    [claim] = total.claims
    assert claim.error(claim.measured(measured(_core.template("two-way"), *settings))) > 0.3
    alone = template("n-source", *settings)
    assert find(alone, "TCP throughput", "total_throughput_bits_per_second")[0].applies


@pytest.mark.parametrize(
    ("duty", "period", "kilometres", "may_diverge"),
    [
        (0.8, 100, 1000, False),
        (0.8, 10, 1000, True),
        (0.7, 10, 1000, True),
        (0.8, 1, 1000, False),
        # Table 8.8: 1 ms of feedback is shorter than the OFF time.
        (0.8, 10, 100, False),
        # 5 ms, its second row, diverges, although the ON time is longer.
        (0.8, 10, 500, True),
        (0.8, 10, 400, False),
    ],
)
def test_background_that_the_feedback_is_too_late_for(
    duty: float, period: int, kilometres: int, *, may_diverge: bool
) -> None:
    said = of(
        "kalyan97/scenarios/on-off-vbr.toml",
        f"flow.vbr.source.duty_cycle={duty}",
        f'flow.vbr.source.period="{period} ms"',
        f'topology.access="{kilometres} km"',
    )
    assert one(said, "oscillation", "may_diverge") is may_diverge


def test_one_statement_rests_and_two_rest() -> None:
    contract = 'pcr="100 Mbit/s", scr="20 Mbit/s", mbs="200 cells", cdvt="10 us"'
    policed = f'flow.t.policer={{{contract}, action="drop"}}'
    bursts = 'kind="on-off", peak="150 Mbit/s", period="40 ms", duty_cycle=0.2'
    source = ("flow.t.service=vbr", f"flow.t.source={{{bursts}}}")
    one_fails = explain(Network.of(SHAPED, "policed.toml", (policed, *source)))
    assert " 1 statement below rests on" in one_fails.verdict[-1]
    two_fail = explain(Network.of(SHAPED, "shaped.toml", ('flow.t.shaper={pcr="10 Mbit/s"}',)))
    assert " 2 statements below rest on" in two_fail.verdict[-1]


def test_what_max_alloc_lets_through_is_within_the_bound() -> None:
    said = template("n-source")
    summary = measured(_core.template("n-source"))
    throughput = summary["totals"]["tcp_throughput_bits_per_second"]
    assert throughput > number(one(said, "TCP throughput", "total_throughput_bits_per_second"))
    # 31 of 32 cells carry data, 512 bytes in 12 of them; some of what was sent before the window.
    bound = number(one(said, "TCP throughput", "bound_bits_per_second"))
    assert throughput <= bound == pytest.approx(155.52e6 * 31 / 32 * 512 / 636, rel=1e-3)


def test_what_a_source_under_rate_control_sends_is_not_certain() -> None:
    poisson = (
        'flow=[{name="one", service="abr", count=2, source={kind="poisson", rate="100 Mbit/s"}}]'
    )
    assert not find(template("n-source", poisson), "bottleneck", "growth_cells_per_second")
    own = poisson.replace("abr", "cbr")
    excess = one(template("n-source", own), "bottleneck", "growth_cells_per_second")
    assert excess == pytest.approx((200e6 - 155.52e6) / 424)


def test_a_window_in_each_round_trip_is_the_bound_of_a_long_way() -> None:
    """4,000 km and a window of 64 KiB: 50 round trips of 40.02 ms in 2 s."""
    settings = (
        'topology.bottleneck="4000 km"',
        'tcp.window="64 KiB"',
        "flow.tcp.count=1",
        'measure.from="0 s"',
    )
    said = template("n-source", *settings)
    bound = number(one(said, "TCP throughput", "bound_bits_per_second"))
    assert bound == pytest.approx(50 * 65536 * 8 / 2)
    summary = measured(_core.template("n-source"), *settings)
    # 128 segments of 512 bytes fill the window, all but slow start's first round trips.
    assert 0.8 * bound < summary["totals"]["tcp_throughput_bits_per_second"] <= bound
    assert "window" in said.verdict[2]


def test_an_expected_throughput_is_that_of_the_steady_state() -> None:
    """ERICA hands out 0.9 of the link; slow start of 512 segments takes 10 round trips of 10 ms."""
    target = "switch.control.max_alloc=false"

    def total(*settings: str) -> Statement:
        said = template("n-source", target, *settings)
        [found] = find(said, "TCP throughput", "total_throughput_bits_per_second")
        return found

    expected = total()
    assert expected.fails == ()
    [claim] = expected.claims
    error = claim.error(claim.measured(measured(_core.template("n-source"), target)))
    assert error < (records()[claim.topic].within or 0.0) < 0.5
    [late] = total("measure.from=200 ms").fails
    # Twice ten round trips of 10.02 ms after the last of five starts, 10 ms apart.
    assert late.endswith("slow start lasts until about 240 ms")
    [lost] = total("switch.buffer=500 cells").fails
    assert "no cell is lost" in lost
    assert "links lose no cell" in total("link_errors.cell_loss_ratio=1e-6").fails
    [early] = total("tcp.min_rto=50 ms", "tcp.granularity=10 ms").fails
    assert "no timer expires early" in early


ONE_SEGMENT = """
[run]
duration = "4 s"
[topology]
template = "n-source"
link_rate = "155.52 Mbit/s"
access = "1 km"
bottleneck = "10 km"
egress = "1 km"
[tcp]
recovery = "reno"
mss = "9140 bytes"
window = "16 KiB"
delayed_ack = true
[[flow]]
name = "tcp"
service = "ubr"
"""


@pytest.mark.parametrize(
    ("mss", "window", "limit"), [(9140, "16 KiB", 365_600.0), (1460, "2 KiB", 58_400.0)]
)
def test_a_window_of_one_segment_waits_for_delayed_acknowledgements(
    mss: int, window: str, limit: float
) -> None:
    """A segment in each 200 ms (RFC 1122 4.2.3.2), and the run stays within one of it."""
    job = Job(ONE_SEGMENT, "one.toml", (f"tcp.mss={mss} bytes", f"tcp.window={window}"))
    said = explain(Network.of_scenario(job.scenario()))
    values = {key: value for one in said.statements for key, value in one.values.items()}
    assert values["delayed_ack_limit_bits_per_second"] == limit
    assert values["bound_by"] == ["delayed-ack"]
    bound = values["bound_bits_per_second"]
    [outcome] = run_many([job])
    measured = json.loads(outcome.summary())["totals"]["tcp_throughput_bits_per_second"]
    assert measured <= bound == pytest.approx(limit + 2 * 8 * mss / 4)
    assert measured == pytest.approx(limit, abs=8 * mss / 4)
    # Two segments are answered at once.
    roomy = explain(Network.of(ONE_SEGMENT, "one.toml", (f"tcp.mss={mss // 2} bytes",)))
    assert "delayed-ack" not in json.dumps([one.values for one in roomy.statements])


def test_a_window_of_one_segment_waits_for_its_own_transmission() -> None:
    # 9,140 bytes with 56 of headers and trailer are 192 cells of 2.726 us at 155.52 Mbit/s; the
    # round trip has 10.02 ms of propagation, six links and one more cell of the acknowledgement.
    said = template(
        "n-source", "flow.tcp.count=1", 'tcp.mss="9140 bytes"', 'tcp.window="16 KiB"',
        'switch.control={scheme="fmmra"}',
    )  # fmt: skip
    cell = 424 / 155.52e6
    trip = 10.02e-3 + (6 + 191 + 1) * cell
    expected = number(one(said, "TCP throughput", "total_throughput_bits_per_second"))
    assert expected == pytest.approx(8 * 9140 / trip, rel=1e-3)
    # What follows a background that is faster than ten round trips is not foretold.
    fast = template("n-source-vbr")
    for total in find(fast, "TCP throughput", "total_throughput_bits_per_second"):
        assert any("rates follow the background" in text for text in total.fails)
    assert "no formula here predicts" in fast.verdict[0]


def test_short_segments_both_ways_have_shares() -> None:
    said = template("two-way", 'tcp.mss="40 bytes"')
    # A segment has 96 bytes, 2 cells, and an acknowledgement 56, 2 cells. So the cells of both
    # directions are alike: for each cell one goes back.
    there, back = find(said, "fair shares", "greatest_cells_per_second")
    share = number(there.values["greatest_cells_per_second"])
    assert back.values["greatest_cells_per_second"] == pytest.approx(share)
    link = 0.9 * 155.52e6 / 424
    assert share * 3 * 2 == pytest.approx(link, rel=1e-3)


@pytest.mark.parametrize(
    ("template_name", "settings"),
    [
        ("n-source", ("abr.nrm=4", "tcp.delayed_ack=true", "tcp.mss=1460 bytes")),
        ("n-source", ("abr.nrm=8", "tcp.mss=536 bytes")),
        ("n-source", ("abr.nrm=16", "tcp.mss=300 bytes")),
        ("n-source", ("abr.nrm=4", 'flow.tcp.ack_service="ubr"')),
        ("n-source", ("abr.nrm=4", 'flow.tcp.ack_service="ubr"', "abr.frm_needs_data=true")),
        ("n-source", ("abr.nrm=8", 'switch.vsvd={at=["A"]}')),
        ("two-way", ("abr.nrm=4", "tcp.mss=300 bytes")),
    ],
)
def test_rm_cells_of_the_other_direction_are_returned_among_the_data(
    template_name: str, settings: tuple[str, ...]
) -> None:
    control = 'switch.control={scheme="erica", max_alloc=false}'
    settings = (control, "run.duration=2 s", "measure.from=1 s", *settings)
    said = template(template_name, *settings)
    summary = measured(_core.template(template_name), *settings)
    found = find(said, "TCP throughput", "total_throughput_bits_per_second")
    found += find(said, "TCP throughput", "segment_cells")
    assert len(found) > 1
    for statement in found:
        [claim] = statement.claims
        assert statement.fails == ()
        assert claim.error(claim.measured(summary)) < 0.002, statement.text


def test_rm_cells_that_trm_makes_due_are_not_counted() -> None:
    control = 'switch.control={scheme="erica", max_alloc=false}'
    [total] = find(
        template("n-source", control, 'abr.trm="0.78125 ms"'),
        "TCP throughput",
        "total_throughput_bits_per_second",
    )
    assert [reason for reason in total.fails if "Trm = 781" in reason]


def test_a_bound_above_the_links_says_why() -> None:
    said = template("n-source", "tcp.window=4 MiB", 'switch.buffer="2000 cells"')
    assert "with data sent before the measuring window" in said.verdict[0]
    bound, carried = (
        number(one(said, "TCP throughput", f"{key}_bits_per_second"))
        for key in ("bound", "carried")
    )
    assert bound > carried == pytest.approx(155.52e6 * 512 / 636, rel=1e-3)
    assert "links carry" not in template("n-source").verdict[0]


def test_rates_settle_once_tcp_fills_its_line() -> None:
    """Slow start over 60 ms takes longer than two round trips, so the sentence names it."""
    erica = 'switch.control={scheme="erica"}', 'topology.bottleneck="30 ms"'
    [said] = find(template("n-source", *erica), "oscillation", "settling_seconds")
    assert "once slow start is over and all sources always have data to send" in said.text
    always = 'flow.tcp.source={kind="persistent"}'
    [said] = find(template("n-source", *erica, always), "oscillation", "settling_seconds")
    assert "once" not in said.text


@pytest.mark.parametrize(
    ("template", "rate", "word"),
    [("n-source", "155.52 Mbit/s", "link"), ("explicit-rate", "100 Gbit/s", "line")],
)
def test_a_target_above_one_gives_no_share_above_the_link(
    template: str, rate: str, word: str
) -> None:
    text = cellrate.template(template)
    above, whole = (
        cellrate.explain(text, overrides={"switch.control.target_utilisation": target}).topics()
        for target in (1.7, 1.0)
    )
    assert above["fair shares"][0].text == whole["fair shares"][0].text
    [said] = [one.text for one in above["bottleneck"] if "target utilisation of 1.7" in one.text]
    assert f"The {word} " in said
    assert f"only {rate}" in said
    assert "so the queue grows" in said


FMMRA = 'switch.control={scheme="fmmra"}'


ERICA_TO_TARGET = 'switch.control={scheme="erica", max_alloc=false}'


def total(said: Explanation) -> Statement:
    """The statement on the expected throughput of all flows."""
    [found] = find(said, "TCP throughput", "total_throughput_bits_per_second")
    return found


def error(said: Explanation, summary: dict[str, Any]) -> float:
    """Error of the expected throughput of all flows; no bound may be broken."""
    assert broken(said, summary) == []
    [claim] = total(said).claims
    return claim.error(claim.measured(summary))


def beside(*groups: str) -> str:
    """The template `n-source` with further groups of flows."""
    return "\n".join([_core.template("n-source"), *(f"[[flow]]\n{group}" for group in groups)])


def failing(text: str, *settings: str) -> str:
    """The assumptions of the expected throughput of all flows that fail."""
    return "; ".join(total(explain(Network.of(text, "beside.toml", settings))).fails)


def test_a_link_under_marks_is_used_as_the_limit_cycle_says() -> None:
    efci = 'switch.control={scheme="efci", threshold="100 cells"}'
    steps = "abr.rif=0.0009765625", "abr.rdf=0.0625", "tcp.window=1 MiB"
    settings = efci, *steps, "run.duration=6 s", "measure.from=2 s"
    said = template("n-source", *settings)
    assert number(one(said, "oscillation", "utilisation")) < 0.5
    assert total(said).applies
    assert "47.4% in its limit cycle" in find(said, "TCP throughput", "segment_cells")[0].text
    assert error(said, measured(_core.template("n-source"), *settings)) < 0.02
    # Neither where the cycle does not apply, nor for schemes without a formula.
    for more in ('switch.control={scheme="becn"}', "abr.rdf=0.25"):
        assert "A->B is never empty" in failing(_core.template("n-source"), *settings, more)


def test_credits_limit_tcp_and_take_a_part_of_the_link() -> None:
    # N2 + N3 = 110 cells in the round trip of a link of 1000 km.
    few = *PLAIN, 'fcvc={n3="100 cells"}', "run.duration=1.2 s", "measure.from=600 ms"
    said = template("n-source", *few)
    assert one(said, "TCP throughput", "bound_by") == ["credit"]
    assert number(total(said).values["total_throughput_bits_per_second"]) == pytest.approx(
        5 * 110 / (0.01 + 12 / LINK) * 4096 / 12
    )
    assert error(said, measured(_core.template("n-source"), *few)) < 0.01
    # A credit for each ten cells of acknowledgements, of which there are two for a segment.
    many = *PLAIN, "fcvc={}", *SHORTLY
    said = template("n-source", *many)
    assert total(said).applies
    assert error(said, measured(_core.template("n-source"), *many)) < 1e-3
    adaptive = "fcvc={allocation='adaptive'}"
    assert "adaptive" in failing(_core.template("n-source"), *PLAIN, adaptive)
    # A credit for each cell fills the way back; ten round trips are few.
    assert "way back" in failing(_core.template("n-source"), *PLAIN, 'fcvc={n2="1 cells"}')
    assert "is long beside" in failing(_core.template("n-source"), *few, "run.duration=700 ms")
    assert "return at once" in failing(
        _core.template("n-source"), *few, "topology.link_rate=25 Mbit/s"
    )


CHARNY = 'switch.control={scheme="charny"}'
SETTLED = "run.duration=8 s", "measure.from=6 s"
BACK = 'name="back"\nreverse=true\nservice="cbr"\nsource={{kind="cbr", rate="{} Mbit/s"}}'


@pytest.mark.parametrize("control", [(FMMRA,), (ERICA_TO_TARGET,), PLAIN])
def test_acknowledgements_must_fit_the_way_back(control: tuple[str, ...]) -> None:
    assert "fit the way back, but B->A has" in failing(beside(BACK.format(140)), *control, *SHORTLY)
    assert failing(beside(BACK.format(100)), *control, *SHORTLY) == ""


def test_acknowledgements_wait_without_end_where_background_overloads_the_way_back() -> None:
    back = 'name="back"\nreverse=true\ncount=5\nservice="ubr"\nsource={kind="persistent"}'
    settings = (*PLAIN, *SHORTLY, 'switch.buffer="1000 cells"')
    said = explain(Network.of(beside(back), "beside.toml", settings))
    assert "the queue of B->A on their way grows without end" in str(expected(said).fails)
    # Windows whose acknowledgements are lost need not overflow the buffer.
    losses = {one.values["port"]: one for one in said.topics()["loss"] if "port" in one.values}
    assert losses["A->B"].values["expected"] == "possible"
    assert losses["B->A"].values["expected"] == "yes"


@pytest.mark.parametrize("time", ["1 ms", "200 us"])
def test_a_receiver_processes_one_segment_after_another(time: str) -> None:
    """A segment of 512 bytes in each 1 ms is 4.096 Mbit/s."""
    settings = (CHARNY, "flow.tcp.count=2", f'tcp.processing_time="{time}"')
    said = template("n-source", *settings)
    each = 4.096e6 if time == "1 ms" else 20.48e6
    assert expected(said).applies
    assert expected(said).values["total_throughput_bits_per_second"] == pytest.approx(2 * each)
    summary = measured(_core.template("n-source"), *settings)
    assert not broken(said, summary)
    found = summary["totals"]["tcp_throughput_bits_per_second"]
    assert found == pytest.approx(2 * each, rel=0.002)
    [bound] = find(said, "TCP throughput", "bound_by")
    assert bound.values["bound_by"] == ["processing"]


@pytest.mark.parametrize(
    ("control", "reason", "used"),
    [
        ('scheme="fmmra", target_utilisation=0.8', "uses more than 0.8", 1.0),
        ('scheme="fmmra", target_utilisation=0.8, er_max_floor="advertised-rate"', "", 0.8),
        ('scheme="osu", target_utilisation=0.8', "may use more than 0.8", 1.0),
        ('scheme="osu", target_utilisation=0.7, fairness="precise"', "", 0.7),
    ],
)
def test_a_target_that_a_scheme_does_not_keep_is_no_prediction(
    control: str, reason: str, used: float
) -> None:
    settings = (f"switch.control={{{control}}}", *SETTLED)
    statement = expected(template("n-source", *settings))
    assert (reason in str(statement.fails)) if reason else statement.applies
    ports = measured(_core.template("n-source"), *settings)["ports"]
    assert max(port["utilisation"] for port in ports) == pytest.approx(used, rel=0.02)


@pytest.mark.parametrize("flows", [1, 2])
def test_phantom_leaves_a_part_to_its_imaginary_flow(flows: int) -> None:
    """The imaginary flow has a fifth of the rate of a flow: 5 / 6 and 10 / 11 are left."""
    settings = ('switch.control={scheme="phantom"}', f"flow.tcp.count={flows}", *SETTLED)
    plain = number(
        expected(template("n-source", CHARNY, *settings[1:])).values[
            "total_throughput_bits_per_second"
        ]
    )
    said = number(
        expected(template("n-source", *settings)).values["total_throughput_bits_per_second"]
    )
    found = measured(_core.template("n-source"), *settings)["totals"]
    assert said == pytest.approx(found["tcp_throughput_bits_per_second"], rel=0.005)
    target = 0.95  # of Charny's algorithm
    assert said / plain == pytest.approx(5 * flows / (5 * flows + 1) / target, rel=1e-3)


@pytest.mark.parametrize(
    ("settings", "ends_seconds"),
    [
        # Nine doublings to 512 segments in round trips of 1.02 ms, twice, after a tick of 200 ms.
        (("tcp.delayed_ack=true", 'tcp.recovery="newreno"'), 0.2 + 2 * 10 * 1.02e-3),
        (("tcp.delayed_ack=false", 'tcp.recovery="newreno"'), 2 * 10 * 1.02e-3),
        # Vegas doubles its window in every second round trip.
        (("tcp.delayed_ack=false", 'tcp.recovery="vegas"'), 2 * 20 * 1.02e-3),
    ],
)
def test_slow_start_counts_the_tick_of_the_first_segment(
    settings: tuple[str, ...], ends_seconds: float
) -> None:
    def fails(begin_seconds: float) -> str:
        where = (CHARNY, "flow.tcp.count=2", 'flow.tcp.stagger="0 s"', 'topology.access="1 km"')
        when = (f'measure.from="{1e3 * begin_seconds} ms"', 'run.duration="1 s"')
        network = ('topology.bottleneck="100 km"', 'topology.egress="1 km"')
        return str(expected(template("n-source", *where, *when, *network, *settings)).fails)

    assert "slow start" in fails(0.95 * ends_seconds)
    assert "slow start" not in fails(1.05 * ends_seconds)


def test_acknowledgements_limit_plain_tcp() -> None:
    text, settings = beside(BACK.format(140)), (*PLAIN, *SHORTLY)
    [allows] = re.findall(r"allows about ([\d.]+) Mbit/s", failing(text, *settings))
    found = measured(text, *settings)["totals"]["tcp_throughput_bits_per_second"]
    assert float(allows) == pytest.approx(found / 1e6, rel=0.01)
    ubr = 'name="back"\nreverse=true\ncount=5\nservice="ubr"'
    assert "data of flows that obey no rate" in failing(beside(ubr), FMMRA, *SHORTLY)


def test_flows_with_small_windows_leave_a_part_of_their_shares() -> None:
    small = '{}\nname="small"\ncount=2\nservice="abr"\ntcp={{window="8 KiB"}}'
    for way, why in (("reverse=true", "windows limit small"), ("", "small can use")):
        text = beside(small.format(way))
        for more in (FMMRA, ERICA_TO_TARGET, "flow.tcp.count=1"):
            reasons = failing(text, FMMRA, more, *SHORTLY)
            assert f"every flow uses its share at A->B, but {why}" in reasons
    text = beside(small.format("reverse=true"))
    said = explain(Network.of(text, "small.toml", (FMMRA, *SHORTLY)))
    [_, small_group] = find(said, "TCP throughput", "segment_cells")
    assert "at B->A, but windows limit small" in small_group.fails[0]
    assert error(said, measured(text, FMMRA, *SHORTLY)) > 0.05


def test_flows_that_obey_no_rate_take_the_shares_of_others() -> None:
    text = beside('name="u"\ncount=2\nservice="ubr"')
    assert "all elastic flows at A->B obey rates" in failing(text, FMMRA, *SHORTLY)
    summary = measured(text, FMMRA, *SHORTLY)
    rates = {flow["group"]: flow["tcp_throughput_bits_per_second"] for flow in summary["flows"]}
    assert rates["u"] > 10 * rates["tcp"]


def test_windows_that_overflow_the_queues_of_sources_lose_cells() -> None:
    settings = FMMRA, *SHORTLY
    queue = 'flow.tcp.source_queue="{} cells"'
    assert "overflow" in failing(_core.template("n-source"), queue.format(500), *settings)
    assert failing(_core.template("n-source"), queue.format(6144), *settings) == ""


@pytest.mark.parametrize(
    ("window", "meet"), [("20000 bytes", True), ("9140 bytes", True), ("128 KiB", False)]
)
def test_segments_of_small_windows_meet(window: str, meet: bool) -> None:
    large = 'tcp.mss="9140 bytes"', "flow.tcp.count=2", 'flow.tcp.stagger="0 s"'
    settings = *PLAIN, *large, 'topology.bottleneck="300 km"', f'tcp.window="{window}"', *SHORTLY
    said = template("n-source", *settings)
    assert any("2 flows" in one and "may meet" in one for one in total(said).fails) is meet
    assert (error(said, measured(_core.template("n-source"), *settings)) > 0.1) is meet


def test_channels_of_acknowledgements_get_no_more_than_a_share() -> None:
    """Segments of 4 cells: one flow needs half of its rate on the way back, beside five others."""
    back = beside('name="back"\nreverse=true\nservice="abr"')
    reasons = failing(back, ERICA_TO_TARGET, "tcp.mss=100 bytes", *SHORTLY)
    assert "channels of acknowledgements need less than a share at A->B" in reasons


def test_few_segments_on_a_long_way_seldom_meet() -> None:
    settings = *PLAIN, "tcp.window=8 KiB", *SHORTLY
    said = template("n-source", *settings)
    assert total(said).applies
    assert error(said, measured(_core.template("n-source"), *settings)) < 0.01


def test_two_cells_per_rm_cell_leave_no_formula() -> None:
    said = failing(_core.template("n-source"), ERICA_TO_TARGET, "abr.nrm=2", *SHORTLY)
    assert "returned RM cells leave none" in said


def expected(explanation: Explanation) -> Statement:
    """The statement on the total that all flows are expected to deliver."""
    [statement] = find(explanation, "TCP throughput", "total_throughput_bits_per_second")
    return statement


def far(scheme: str, kilometres: float, *settings: str) -> tuple[str, ...]:
    """Settings of equal sources whose access links are so long, in the steady state."""
    return (
        f'switch.control={{scheme="{scheme}"}}',
        f'topology.access="{kilometres} km"',
        'topology.bottleneck="1 km"',
        'measure.from="600 ms"',
        'run.duration="800 ms"',
        "measure.traces=[]",
        *settings,
    )


LONG = 'tcp.window="1 MiB"', 'measure.from="10 s"', 'run.duration="20 s"'


@pytest.mark.parametrize(
    ("scheme", "last", "first"),
    [
        # pi / 2 of the mean time of a step, 1 ms / sqrt(0.1 * 0.8), is 5.554 ms. An interval of
        # 1 ms and 32 cells at a fifth of 0.95 of the link, 0.459 ms, leave 4.094 ms for both ways.
        ("capc", 409, 410),
        # The link sends the 100 cells of QT less 32 cells in 0.18539 ms.
        ("eprca", 18.5, 18.6),
        ("dmrca", 18.5, 18.6),
        # A fifth of the link sends 1,000 cells in 13.632 ms, of which the time constant is 1 ms.
        ("smith-predictor", 1263, 1264),
    ],
)
def test_feedback_that_comes_too_late_leaves_no_prediction(
    scheme: str, last: float, first: float
) -> None:
    assert expected(template("n-source", *far(scheme, last, *LONG))).applies
    statement = expected(template("n-source", *far(scheme, first, *LONG)))
    [reason] = statement.fails
    assert scheme in reason or "set_point" in reason


@pytest.mark.parametrize("scheme", ["fmmra", "charny", "ucsc"])
def test_exact_rates_need_no_limit_of_the_feedback_delay(scheme: str) -> None:
    assert expected(template("n-source", *far(scheme, 3000, *LONG))).applies


@pytest.mark.parametrize(
    ("scheme", "near", "too_far"),
    [("capc", 300, 1000), ("eprca", 10, 300), ("dmrca", 10, 300), ("smith-predictor", 300, 1000)],
)
def test_a_link_is_full_up_to_the_limit_and_not_far_beyond(
    scheme: str, near: float, too_far: float
) -> None:
    for kilometres, least, most in ((near, 0.99, 1.01), (too_far, 0.0, 0.95)):
        settings = far(scheme, kilometres, "flow.tcp.count=2")
        statement = expected(template("n-source", *settings))
        found = statement.claims[0].measured(measured(_core.template("n-source"), *settings))
        assert least < found / statement.claims[0].value < most
        assert statement.applies is (kilometres == near)


def test_the_longest_of_unequal_loops_counts() -> None:
    def explained(kilometres: int) -> Statement:
        group = f'service="abr", {GREEDY}, access='
        flows = f'flow=[{{name="a", {group}"1 km"}}, {{name="b", {group}"{kilometres} km"}}]'
        return expected(template("n-source", *far("capc", 1, *LONG, flows)))

    assert explained(1).applies
    [reason] = explained(500).fails
    assert "the rates of `capc` at A->B settle" in reason


def test_a_predictor_counts_cells_on_the_way_to_ports_without_a_queue() -> None:
    """Two sources have 1,000 cells each in 30.03 ms to the last port and back, and 1 ms."""
    rules = 'abr.rules="smith-predictor"', 'abr.time_constant="1 ms"', "flow.tcp.count=2"
    long = 'topology.bottleneck="3000 km"', "measure.from=1500 ms", "run.duration=2 s"
    settings = far("smith-predictor", 1, *rules, *long)
    statement = expected(template("n-source", *settings))
    [reason] = statement.fails
    assert "`set_point` of B->dst.tcp.1" in reason
    found = statement.claims[0].measured(measured(_core.template("n-source"), *settings))
    assert found == pytest.approx(statement.claims[0].value * 2 * 1000 / (0.03102 * LINK), rel=0.03)


@pytest.mark.parametrize("scheme", ["eprca", "dmrca"])
def test_explicit_rates_that_are_turned_off_leave_only_marks(scheme: str) -> None:
    assert expected(template("n-source", *far(scheme, 1))).applies
    marks = far(scheme, 1, 'switch.control.marking="binary"')
    [reason] = expected(template("n-source", *marks)).fails
    assert "only marks" in reason


CLASS = "cellrate.schemes.examples"


@pytest.mark.parametrize(
    ("setting", "what", "shares", "allocates"),
    [
        (
            f'switch.control={{scheme="{CLASS}.erica:Erica"}}',
            "what it allocates is not known",
            False,
            False,
        ),
        (f'abr.law={{law="{CLASS}.prca:Prca"}}', "what rates it sets is not known", False, True),
        (f'tcp.recovery="{CLASS}.reno:Reno"', "how its windows grow is not known", True, True),
    ],
)
def test_nothing_is_known_of_a_class(
    setting: str, what: str, shares: bool, allocates: bool
) -> None:
    assert expected(template("n-source", *far("charny", 1))).applies
    said = template("n-source", *far("charny", 1, setting))
    assert not find(said, "TCP throughput", "total_throughput_bits_per_second")
    assert not find(said, "TCP throughput", "segment_cells")
    assert bool(find(said, "fair shares", "least_cells_per_second")) is shares
    assert bool(find(said, "bottleneck", "target_utilisation")) is allocates
    [reason] = (
        missing.reason
        for missing in said.without_statement
        if missing.quantity == "expected TCP throughput"
    )
    assert what in reason


def test_a_class_as_recovery_need_not_fill_a_buffer() -> None:
    small = *PLAIN, 'switch.buffer="100 cells"', 'measure.from="0 s"'
    assert one(template("n-source", *small), "loss", "expected") == "yes"
    own = template("n-source", *small, f'tcp.recovery="{CLASS}.reno:Reno"')
    assert one(own, "loss", "expected") == "possible"


REFUSES = """
from dataclasses import dataclass

from cellrate.schemes import Queue


@dataclass
class RefusesAll:
    def on_pdu(self, queue: Queue) -> bool:
        return False
"""


def test_a_class_as_policy_may_refuse_pdus_of_an_endless_buffer(tmp_path: Path) -> None:
    (tmp_path / "refuses.py").write_text(REFUSES, encoding="utf-8")
    policy = f"{tmp_path / 'refuses.py'}:RefusesAll"
    settings = *far("charny", 1), f'switch.discard={{policy="{policy}"}}', 'measure.from="0 s"'
    assert one(template("n-source", *settings[:-2]), "loss", "expected") == "no"
    with allowing(policy):
        said = template("n-source", *settings)
        summary = measured(_core.template("n-source"), *settings)
    assert summary["totals"]["cells_dropped"] > 0
    assert broken(said, summary) == []
    assert one(said, "loss", "expected") == "possible"


def test_the_shares_of_a_class_over_ethernet_are_not_known() -> None:
    text = _core.template("explicit-rate")
    own = {"switch.control": {"scheme": f"{CLASS}.erica:Erica", "interval": "100 us"}}
    built_in, said = cellrate.explain(text), cellrate.explain(text, overrides=own)
    assert find(built_in, "fair shares", "least_bits_per_second")
    assert find(built_in, "bottleneck", "allocated_bits_per_second")
    assert not find(said, "fair shares", "least_bits_per_second")
    assert not find(said, "bottleneck", "allocated_bits_per_second")
    assert "what it allocates is not known" in silence(said)["max-min"]


FIFO = """
[run]
duration = "1 s"
[measure]
from = "500 ms"
[topology]
template = "n-source"
link_rate = "155.52 Mbit/s"
access = "1 us"
bottleneck = "10 us"
egress = "1 us"
[tcp]
recovery = "reno"
window = "64 KiB"
[[flow]]
name = "tcp"
count = 2
service = "ubr"
source.kind = "greedy"
[[flow]]
name = "steady"
service = "ubr"
source = { kind = "cbr", rate = "124 Mbit/s" }
"""


def test_tcp_takes_what_background_leaves_once_their_common_queue_has_grown() -> None:
    """2.092 W C / L^2 with 3,072 cells of windows and 74,340 of 366,792 cells/s left: 427 ms."""
    for begin, is_grown in (("100 ms", False), ("500 ms", True)):
        duration = "600 ms" if is_grown else "200 ms"
        changes = (f'measure.from="{begin}"', f'run.duration="{duration}"')
        job = Job(FIFO, "fifo.toml", changes)
        said = explain(Network.of_scenario(job.scenario()))
        total = find(said, "TCP throughput", "total_throughput_bits_per_second")
        [formula] = [each for each in total if each.formula == "peak-throughput"]
        assert formula.applies is is_grown
        predicted = formula.values["total_throughput_bits_per_second"]
        [outcome] = run_many([job])
        ran = json.loads(outcome.summary())["totals"]["tcp_throughput_bits_per_second"]
        assert isinstance(predicted, float)
        assert (ran / predicted < 1.05) is is_grown
        if not is_grown:
            assert "needs about 427 ms" in " ".join(formula.fails)


def test_a_flow_that_nothing_slows_takes_the_queue_from_tcp() -> None:
    job = Job(FIFO, "fifo.toml", ('flow.steady.source={kind="persistent"}',))
    said = explain(Network.of_scenario(job.scenario()))
    [formula] = [
        each
        for each in find(said, "TCP throughput", "total_throughput_bits_per_second")
        if each.formula == "peak-throughput"
    ]
    assert formula.fails == (
        "a control or losses slow every flow at A->B, but steady sends as fast as the links allow",
    )
    [outcome] = run_many([job])
    flows = {flow["name"]: flow for flow in json.loads(outcome.summary())["flows"]}
    assert flows["tcp.1"]["tcp_throughput_bits_per_second"] < 0.1 * 155.52e6 / 3
