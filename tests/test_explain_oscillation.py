"""`explain` on cycles, first rises and standing queues, compared with runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cellrate import _core, run
from cellrate.advice.explain import Statement, explain
from cellrate.advice.explain.claims import records
from cellrate.simulation.network import Network
from explained import (
    PAPERS,
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


PERSISTENT = 'switch.control={scheme="efci"}', "flow.tcp.source.kind=persistent"


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        # ACR falls to 457 cells/s, and starts 10 ms apart are enough to lose step.
        (
            (
                "abr.rif=0.00390625", "abr.rdf=0.0625", "flow.tcp.count=2",
                'topology.bottleneck="5 ms"',
            ),
            "sources run in step",
        ),
        # Twenty sources without stagger lose step, too, where ACR falls to 90 cells/s.
        (
            (
                "abr.rif=0.0625", "abr.rdf=0.0625", "flow.tcp.count=20", "flow.tcp.stagger=0 s",
                'topology.bottleneck="5 ms"',
            ),
            "sources run in step",
        ),
        # 10 sources have an RM cell every 872 us, a round trip takes 30 us.
        (
            (
                "abr.rif=0.00390625", "abr.rdf=0.00390625", "flow.tcp.count=10",
                'topology.bottleneck="1 km"',
            ),
            "feedback is continuous",
        ),
        # Rates of 100 Mbit/s at first fill a queue that takes seconds to empty.
        (
            (
                "abr.rif=0.03125", "abr.rdf=0.0078125", "flow.tcp.count=20", "flow.tcp.stagger=0 s",
                'topology.bottleneck="2.2 ms"', "abr.icr=100 Mbit/s",
            ),
            "the run begins within the cycle",
        ),
    ],
)  # fmt: skip
def test_the_cycle_needs_frequent_feedback_and_sources_in_step(
    settings: tuple[str, ...], reason: str
) -> None:
    """Beyond each assumption a run misses more than twice the recorded error."""
    times = "run.duration=4 s", "measure.from=2 s"
    said = template("n-source", *PERSISTENT, *settings, *times)
    summary = measured(_core.template("n-source"), *PERSISTENT, *settings, *times)
    found = [one for one in said.statements if one.formula == "efci-cycle"]
    assert len(found) == 2
    assert all(any(reason in failed for failed in one.fails) for one in found)
    misses = [
        claim.error(claim.measured(summary)) / (records()[claim.topic].within or 1.0)
        for one in found
        for claim in one.claims
    ]
    assert max(misses) > 2


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (("abr.icr=20 Mbit/s", "flow.tcp.count=8"), "the ICRs add up to"),
        (("flow.tcp.stagger=10 ms",), "sources start together"),
        (("abr.rdf=0.25",), "ACR falls in small steps, but RDF = 0.25"),
        ((), ""),
    ],
)
def test_the_first_rise_needs_an_empty_queue_and_one_start(
    settings: tuple[str, ...], reason: str
) -> None:
    steady = (
        *PERSISTENT, "abr.rif=0.0078125", "abr.rdf=0.015625", 'topology.bottleneck="1 ms"',
        "flow.tcp.stagger=0 s", "run.duration=2 s", "measure.from=1 s",
    )  # fmt: skip
    said = template("n-source", *steady, *settings)
    [bound] = [one for one in said.statements if one.formula == "q-max"]
    if reason:
        assert any(reason in failed for failed in bound.fails)
        return
    summary = measured(_core.template("n-source"), *steady)
    claims = [claim for one in said.statements for claim in one.claims]
    about = [claim for claim in claims if claim.sense == "about"]
    assert bound.applies
    assert len(about) == 3
    for claim in about:
        assert claim.error(claim.measured(summary)) < 2 * (records()[claim.topic].within or 0.0)


def test_the_scheme_decides_what_oscillates() -> None:
    file = "ohsaki95/scenarios/abr.toml"
    assert one(of(file), "oscillation", "oscillates") is True
    erica = of(file, 'switch.control={scheme="erica"}')
    assert one(erica, "oscillation", "oscillates") is False
    assert "efci-cycle" in silence(erica)
    none = of(file, 'switch.control={scheme="none"}')
    assert one(none, "oscillation", "oscillates") == "only by loss"


@pytest.mark.parametrize("buffer", ["infinite", "100000 cells"])
def test_windows_that_fit_are_the_bound_and_become_a_standing_queue(buffer: str) -> None:
    """Five windows of 64 KiB are 7,680 cells; 10 ms of the link are 3,668 of these."""
    settings = (*UBR, f"switch.buffer={buffer}", "run.duration=4 s", "measure.from=3 s")
    said = template("n-source", *settings)
    assert "at most 7,680 cells wait, and no buffer loses a cell" in said.verdict[1]
    assert one(said, "oscillation", "oscillates") is False
    standing = number(one(said, "oscillation", "standing_queue_cells"))
    [port] = [
        port
        for port in run(_core.template("n-source"), overrides=settings).summary["ports"]
        if port["name"] == "A->B"
    ]
    [queue] = [queue for queue in port["queues"] if "ubr" in queue["classes"]]
    assert queue["queue_mean_cells"] == pytest.approx(standing, rel=0.01)
    assert queue["queue_max_cells"] - queue["queue_mean_cells"] < 0.01 * standing
    # One cell less than the windows is no bound; and a timer that expires early sends twice.
    for other in ("switch.buffer=7679 cells", "tcp.min_rto=40 ms"):
        doubtful = template("n-source", *settings[:4], "switch.buffer=7680 cells", other)
        assert "at most 7,680 cells wait, and no buffer" not in doubtful.verdict[1]


def standing(text: str, *settings: str) -> tuple[list[Statement], float]:
    """Statements on standing queues, and their greatest error in a run."""
    found = find(
        explain(Network.of(text, "standing.toml", settings)),
        "oscillation",
        "standing_queue_cells",
    )
    summary = measured(text, *settings)
    claims = [claim for statement in found for claim in statement.claims]
    return found, max(claim.error(claim.measured(summary)) for claim in claims)


def test_windows_are_not_all_in_one_queue_if_data_go_both_ways() -> None:
    """Acknowledgements that wait behind data of the other direction hold a part of each window."""
    settings = *UBR[:2], "tcp.window=64 KiB", "run.duration=4 s", "measure.from=3 s"
    both = *settings, "flow.there.service=ubr", "flow.back.service=ubr", "flow.there.count=5"
    found, error = standing(_core.template("two-way"), *both)
    assert all("data go both ways here" in one.fails[0] for one in found)
    assert error > 0.9
    [alone], error = standing(_core.template("n-source"), *settings, "flow.tcp.service=ubr")
    assert alone.fails == ()
    assert error < 0.02


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (("tcp.window=128 KiB", "measure.from=200 ms"), "all windows are full when"),
        (("tcp.initial_ssthresh=2 KiB",), "ends at `initial_ssthresh`"),
        (("tcp.mss=9140 bytes", "flow.tcp.count=4"), "a segment of each source is"),
        (("tcp.processing_time=1 ms",), "receivers take `processing_time`"),
    ],
)
def test_a_standing_queue_needs_full_windows_that_wait_nowhere_else(
    settings: tuple[str, ...], reason: str
) -> None:
    steady = *UBR, "run.duration=4 s", "measure.from=3 s"
    [found, *_] = find(
        template("n-source", *steady, *settings), "oscillation", "standing_queue_cells"
    )
    assert any(reason in failed for failed in found.fails)


def test_windows_below_the_pipe_leave_no_queue() -> None:
    said = template("n-source", *UBR, "tcp.window=16 KiB")
    [found] = find(said, "oscillation", "standing_queue_cells")
    assert "less than the pipe" in found.text
    assert (found.kind, found.claims) == ("fact", ())


def test_under_credit_windows_wait_in_the_sources() -> None:
    said = template("n-source", *UBR, "fcvc={}", "switch.buffer=infinite")
    [queue] = find(said, "queue", "queue_cells")
    assert (queue.formula, queue.kind) == ("credit-buffer", "bound")
    assert find(said, "oscillation", "standing_queue_cells") == []
    [waits] = find(said, "oscillation", "oscillates")
    assert "wait in the sources until they have credit" in waits.text


@pytest.mark.parametrize("recovery", ["bbr", "vegas"])
def test_recoveries_that_avoid_queues_do_not_grow_until_a_loss(recovery: str) -> None:
    said = template("n-source", *UBR, f"tcp.recovery={recovery}")
    [found] = find(said, "oscillation", "oscillates")
    assert recovery in found.text.lower()
    assert "until a cell is lost" not in found.text
    assert found.kind == "fact"


def test_no_expected_loss_means_no_oscillation() -> None:
    """All windows fit, but a loss is not excluded: a timer may expire early."""
    settings = *UBR[:3], "tcp.window=256 KiB", "flow.tcp.count=20"
    said = template("n-source", *settings, "switch.buffer=122880 cells")
    assert {one.kind for one in find(said, "loss", "expected")} == {"prediction"}
    assert one(said, "loss", "expected") == "no"
    assert one(said, "oscillation", "oscillates") is False


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


def test_a_loop_outside_its_model_is_not_described_by_it() -> None:
    """Windows of 256 KiB behind marks: ACR meets PCR and MCR, which the model does not know."""
    efci = 'switch.control={scheme="efci"}', "switch.buffer=2000 cells"
    said = template("n-source", *efci)
    cycles = [one for one in said.statements if one.formula in {"efci-cycle", "q-max"}]
    assert len(cycles) == 3
    assert not any(one.applies for one in cycles)
    summary = measured(_core.template("n-source"), *efci)
    assert broken(said, summary) == []
    [port] = [one for one in summary["ports"] if one["name"] == "A->B"]
    # What the model would say, and the run: 99.8 %, and half of the link.
    assert number(one(said, "oscillation", "utilisation")) > 0.99
    assert port["utilisation"] < 0.6
    assert one(said, "loss", "expected") == "possible"
    assert "%" not in said.verdict[1]

    example = Path(__file__).parents[1] / "examples" / "efci-oscillation.toml"
    text = example.read_text(encoding="utf-8")
    said = explain(Network.of(text, "example"))
    [cycle] = find(said, "oscillation", "period_seconds")
    assert not cycle.applies
    summary = measured(text)
    assert broken(said, summary) == []
    longest = max(q["queue_max_cells"] for p in summary["ports"] for q in p["queues"])
    assert longest < 0.5 * number(cycle.values["maximum_queue_cells"])
