"""Statements of theory on a scenario before it runs: by hand, and others on other scenarios."""

from __future__ import annotations

import functools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from cellrate import _core, run
from cellrate.advice.explain import Explanation, Statement, explain
from cellrate.advice.explain.as_json import as_json
from cellrate.simulation.network import Network
from cellrate.simulation.runner import run_many
from cellrate.theory.catalogue import CATALOGUE
from conftest import Command

from proof.measured.expected import Row, page, rows

PAPERS = Path(__file__).parents[1] / "papers"
FILES = sorted(PAPERS.glob("*/scenarios/*.toml"))
TEMPLATES = tuple(one["name"] for one in json.loads(_core.registry())["templates"])
LINK = 155.52e6 / 424


def of(path: str, *overrides: str) -> Explanation:
    return explain(Network.of((PAPERS / path).read_text(encoding="utf-8"), path, overrides))


def template(name: str, *overrides: str) -> Explanation:
    return explain(Network.of(_core.template(name), name, overrides))


def find(explanation: Explanation, topic: str, value: str) -> list[Statement]:
    """Statements of a topic that have a value."""
    return [one for one in explanation.statements if one.topic == topic and value in one.values]


def one(explanation: Explanation, topic: str, value: str) -> object:
    """A value that a single statement of a topic has."""
    [statement] = find(explanation, topic, value)
    return statement.values[value]


def number(value: object) -> float:
    assert isinstance(value, (int, float))
    return value


def silence(explanation: Explanation) -> dict[str, str]:
    return {one.formula: one.reason for one in explanation.without_statement}


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
    assert bound.fails == ()
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


def test_kalyanaramans_file_transfer() -> None:
    said = of("kalyan97/scenarios/file-transfer.toml", "flow.tcp.count=15")
    # 0.9 of the link for 15.
    assert one(said, "bottleneck", "handed_out_cells_per_second") == pytest.approx(0.9 * LINK)
    assert one(said, "fair shares", "least_cells_per_second") == pytest.approx(0.06 * LINK)
    # Three links of 5 ms there and back; the bottleneck is behind one of them.
    assert one(said, "delays", "least_round_trip_seconds") == 0.03
    assert one(said, "delays", "feedback_delay_seconds") == 0.01
    assert one(said, "delays", "pipe_cells") == pytest.approx(0.03 * LINK)
    # 512 of 12 * 53 bytes, 31 of 32 cells; section 8.15.5 prints 110.9 without padding.
    total = one(said, "TCP throughput", "total_throughput_bits_per_second")
    assert total == pytest.approx(0.9 * 155.52e6 * 31 / 32 * 512 / 636)
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


def test_ohsakis_abr() -> None:
    said = of("ohsaki95/scenarios/abr.toml")
    left = (149.76e6 - 1.4976e6) / 424
    assert one(said, "bottleneck", "left_cells_per_second") == pytest.approx(left)
    assert one(said, "fair shares", "greatest_cells_per_second") == pytest.approx(left / 10)
    total = one(said, "TCP throughput", "total_throughput_bits_per_second")
    assert total == pytest.approx(left * 424 * 31 / 32 * 4312 / (91 * 53))
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
    assert "nothing is left" in find(over, "bottleneck", "left_cells_per_second")[0].text
    assert one(over, "loss", "expected") == "yes"
    within = template("n-source", *settings, "flow.tcp.count=9", 'topology.link_rate="100 Mbit/s"')
    assert not find(within, "bottleneck", "growth_cells_per_second")
    assert not find(within, "loss", "expected")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_papers_scenario_is_explained(path: Path) -> None:
    well_formed(explain(Network.of(path.read_text(encoding="utf-8"), str(path))))


@pytest.mark.parametrize("name", TEMPLATES)
@pytest.mark.parametrize("scheme", ["none", "efci", "erica"])
def test_every_template_is_explained_under_every_scheme(name: str, scheme: str) -> None:
    well_formed(template(name, f'switch.control={{scheme="{scheme}"}}'))


def well_formed(explanation: Explanation) -> None:
    names = {formula.name for formula in CATALOGUE} | {""}
    assert explanation.statements
    for statement in explanation.statements:
        assert statement.text.endswith(".")
        assert statement.formula in names
        for value in statement.values.values():
            assert not isinstance(value, float) or math.isfinite(value)
    for missing in explanation.without_statement:
        assert missing.formula in names
        assert missing.reason
    json.dumps(as_json(explanation), allow_nan=False)


def test_a_smaller_window_limits_the_flows() -> None:
    file = "kalyan97/scenarios/file-transfer.toml"
    # Two shares of 54.6 Mbit/s need 204,670 bytes in 30 ms.
    assert one(of(file, "tcp.window=205000 bytes"), "TCP throughput", "window_limited_flows") == 0
    limited = of(file, "tcp.window=200000 bytes")
    assert one(limited, "TCP throughput", "window_limited_flows") == 2
    # 390 whole segments of 512 bytes in 30 ms.
    rate = one(limited, "TCP throughput", "window_limit_bits_per_second")
    assert rate == pytest.approx(390 * 512 * 8 / 0.03)


def test_a_bound_needs_the_background_from_the_start() -> None:
    def fails(*settings: str) -> tuple[str, ...]:
        said = of("fmmra/scenarios/efci.toml", *settings)
        [total] = find(said, "TCP throughput", "total_throughput_bits_per_second")
        return total.fails

    [late] = fails()
    assert late == "background is there from the start: vbr comes after 300 ms"
    assert fails("flow.vbr.start=10 ms") == ()


def test_what_several_links_carry_hangs_on_who_gets_it() -> None:
    def fails(path: str, *settings: str) -> tuple[str, ...]:
        [total] = find(of(path, *settings), "TCP throughput", "total_throughput_bits_per_second")
        return total.fails

    [skewed] = fails("ohsaki95/scenarios/parking-lot.toml")
    assert "marks come more often over more switches" in skewed
    assert fails("ohsaki95/scenarios/abr.toml") == fails("ohsaki95/scenarios/ubr.toml") == ()


def test_a_larger_buffer_loses_nothing() -> None:
    def expected(buffer: str) -> str:
        said = of("ohsaki95/scenarios/abr.toml", f"switch.buffer={buffer}")
        return str(one(said, "loss", "expected"))

    # The limit cycle reaches 6500 cells, the queue from nothing 8789, all windows hold 13,650.
    buffers = ("6400 cells", "8700 cells", "8800 cells", "13650 cells")
    assert [expected(buffer) for buffer in buffers] == ["yes", "at the start", "no", "no"]
    ubr = "ohsaki95/scenarios/ubr.toml"
    assert one(of(ubr), "loss", "expected") == "yes"
    assert one(of(ubr, "switch.buffer=13000 cells"), "loss", "expected") == "no"
    law = of("kalyan97/scenarios/file-transfer.toml", "switch.buffer=36700 cells")
    assert one(law, "loss", "expected") == "possible"


@pytest.mark.parametrize(
    ("file", "settings"),
    [
        ("ohsaki95/scenarios/abr.toml", ["switch.buffer=6400 cells"]),
        ("ohsaki95/scenarios/abr.toml", ["switch.buffer=8800 cells"]),
        ("ohsaki95/scenarios/ubr.toml", ["switch.buffer=5000 cells"]),
        ("ohsaki95/scenarios/ubr.toml", ["switch.buffer=13700 cells"]),
        ("kalyan97/scenarios/file-transfer.toml", ["switch.buffer=36800 cells"]),
    ],
)
def test_the_simulator_loses_where_theory_expects_it(file: str, settings: list[str]) -> None:
    expected = one(of(file, *settings), "loss", "expected")
    assert expected in {"yes", "no"}
    short = [*settings, "run.duration=1 s", "measure.from=0 s", "measure.events=[]"]
    result = run(str(PAPERS / file), overrides=short)
    assert (result.summary["totals"]["cells_dropped"] > 0) == (expected == "yes")


def test_what_a_run_contradicts_is_found() -> None:
    """The rows of the page of evidence, of short runs; and of a run that is not the scenario's."""
    transfers = (PAPERS / "kalyan97/scenarios/file-transfer.toml").read_text(encoding="utf-8")
    ubr = (PAPERS / "ohsaki95/scenarios/ubr.toml").read_text(encoding="utf-8")
    texts = {
        "transfers": transfers.replace('duration = "5 s"', 'duration = "1 s"'),
        "ubr": ubr.replace('duration = "50 s"', 'duration = "500 ms"'),
    }
    found = rows(texts, functools.partial(run_many, workers=2))
    assert [row.broken() for row in found] == [[], []]
    erica, plain = found
    mixed = Row("mixed", erica.explanation, plain.summary, erica.unlimited)
    assert len(mixed.broken()) == 2  # a throughput beyond the bound, and losses
    other = Row("other", plain.explanation, erica.summary, plain.unlimited)
    assert other.broken() == ["`other`: lost nothing where loss was expected"]
    assert "| ubr | 132.55 |" in page(found)


def test_the_limit_cycle_is_that_of_the_simulator() -> None:
    """The model hears of the queue all the time, the simulator with each RM cell.

    A source gets one every N Nrm / BW, so marks act between at once and that much later.
    """
    file = "ohsaki95/scenarios/abr.toml"
    settings = [
        'flow=[{name="abr", service="abr", count=10, source={kind="persistent"}}]',
        "switch.buffer=infinite",
        "run.duration=1 s",
        "measure.from=500 ms",
    ]
    between_rm_cells = 320 * 424 / 149.76e6
    later = f"topology.access={0.5 + between_rm_cells / 2 * 1e3} ms"

    def longest(*more: str) -> float:
        said = of(file, *settings, *more)
        return number(one(said, "oscillation", "maximum_queue_cells"))

    result = run(str(PAPERS / file), overrides=settings)
    [port] = [port for port in result.summary["ports"] if port["name"] == "A->sink"]
    measured = max(queue["queue_max_cells"] for queue in port["queues"])
    assert longest() < measured < longest(later)
    utilisation = number(one(of(file, *settings), "oscillation", "utilisation"))
    assert port["utilisation"] == pytest.approx(utilisation, abs=1e-3)


def test_the_scheme_decides_what_oscillates() -> None:
    file = "ohsaki95/scenarios/abr.toml"
    assert one(of(file), "oscillation", "oscillates") is True
    erica = of(file, 'switch.control={scheme="erica"}')
    assert one(erica, "oscillation", "oscillates") is False
    assert "efci-cycle" in silence(erica)
    none = of(file, 'switch.control={scheme="none"}')
    assert one(none, "oscillation", "oscillates") == "only by loss"


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


def test_nothing_is_made_up_about_a_scheme_without_a_theory() -> None:
    described = json.loads(_core.Scenario(_core.template("n-source"), "x").network())
    for node in described["nodes"]:
        if node["switch"] is not None:
            node["switch"]["control"] = {"scheme": "newer"}
    said = explain(Network.described(described))
    well_formed(said)
    assert find(said, "oscillation", "oscillates") == []
    assert "cellrate has no theory of `newer`" in {one.reason for one in said.without_statement}


@pytest.mark.parametrize("scheme", ["erica", "efci"])
def test_a_loop_ends_at_the_first_virtual_destination(scheme: str) -> None:
    """1 km, 1000 km, 1 km: the loops of the sources are 10 us, those from A on 10 ms."""
    control = f'switch.control={{scheme="{scheme}"}}'
    whole = template("n-source", control)
    split = template("n-source", control, 'switch.vsvd={at=["A"]}')
    assert find(whole, "delays", "first_virtual_destinations") == []
    loop = one(split, "delays", "greatest_loop_seconds")
    assert loop == one(split, "delays", "least_loop_seconds") == pytest.approx(10e-6)
    assert one(split, "delays", "first_virtual_destinations") == ["A"]
    laws = {"buffer-law"} if scheme == "erica" else {"q-max", "efci-cycle"}
    assert {silence(split)[law] for law in laws} == {
        "the control loops are split at A (VS/VD); the formula assumes end-to-end loops"
    }
    assert not laws & set(silence(whole))
    assert find(split, "oscillation", "oscillates") == []


def test_a_port_behind_a_virtual_source_is_heard_there() -> None:
    """S2 is a kilometre behind S1, the sources are 550 ms away."""
    file = "kalyan97/scenarios/video-vsvd.toml"

    def delays(*overrides: str) -> dict[object, float]:
        found = find(of(file, *overrides), "delays", "feedback_delay_seconds")
        return {s.values["port"]: number(s.values["feedback_delay_seconds"]) for s in found}

    assert delays() == pytest.approx({"S1->S2": 0.54997, "S2->S3": 0.54998})
    split = delays('switch.vsvd={at=["S1"]}')
    assert split == pytest.approx({"S1->S2": 0.54997, "S2->S3": 10e-6})


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
    assert any("18% lie beyond zero and the peak" in reason for reason in queue.fails)
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
    assert "beyond" in fails("abr.pcr=20 Mbit/s")
    assert "windows hold" in fails("tcp.window=8624 bytes")


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
    assert "8,789 cells: greatest queue under EFCI, from an empty queue on. [q-max]" in shown.stdout
    assert "[buffer-law]: its coefficients are" in shown.stdout
    found = json.loads(command("explain", "-", "--json", "--set", "x=1", stdin=text).stdout or "{}")
    assert found == {}
    found = json.loads(command("explain", "-", "--json", stdin=text).stdout)
    assert {entry["topic"] for entry in found["statements"]} >= {"bottleneck", "queue", "loss"}
    wrong = command("explain", "-", "--set", "flow.tcp.count=0", stdin=text)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "count" in wrong.stderr
