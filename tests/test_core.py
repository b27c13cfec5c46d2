"""The bindings themselves: what crosses from Rust to Python, and how failures do."""

from __future__ import annotations

import json
import re
import threading

import numpy as np
import pytest
from cellrate import _core
from schema_pages import HEAD

SCENARIO = """
run = { duration = "300 ms" }
switch.buffer = "100 cells"
tcp = { granularity = "10 ms", min_rto = "20 ms", initial_rto = "50 ms" }
flow = [{ name = "tcp", count = 2, service = "ubr" }]

[topology]
template = "n-source"
link_rate = "50 Mbit/s"
bottleneck_rate = "20 Mbit/s"
access = "10 km"
bottleneck = "100 km"
egress = "10 km"
"""
LOOKS = ['measure.traces=["queue", "cwnd"]', 'measure.events=["loss", "timeout"]']
ENDLESS = ['run.duration="100000 s"']


def run(*overrides: str) -> _core.Outcome:
    return _core.Scenario(SCENARIO, "core.toml", list(overrides)).run()


def test_an_outcome_is_what_was_run() -> None:
    outcome = run(*LOOKS)
    summary = json.loads(outcome.summary())
    assert summary["version"] == _core.__version__
    assert outcome.resolved() == _core.Scenario(SCENARIO, "core.toml", LOOKS).resolved()
    assert outcome.key() == _core.Scenario(SCENARIO, "core.toml", LOOKS).key()
    again = _core.Outcome.from_bytes(outcome.to_bytes())
    assert (again.summary(), again.key()) == (outcome.summary(), outcome.key())
    assert (again.series(), again.events()) == (outcome.series(), outcome.events())


@pytest.mark.parametrize(
    ("name", "rate"), [("OC-3c", "149.76 Mbit/s"), (" DS3 ", "44209694.118 bit/s")]
)
def test_a_physical_layer_is_the_rate_that_its_frames_leave_for_cells(name: str, rate: str) -> None:
    links = [f"topology.{key}={{}}" for key in ("link_rate", "bottleneck_rate")]
    named, plain = (run(*(link.format(json.dumps(one)) for link in links)) for one in (name, rate))
    assert f'link_rate = "{rate}"' in named.resolved()
    digests = [json.loads(one.summary())["digest"] for one in (named, plain)]
    assert (named.key(), digests[0]) == (plain.key(), digests[1])


def test_the_table_of_physical_layers_has_their_rates() -> None:
    """The page's rates are what the names mean, and line and share give the same by hand."""
    pattern = json.loads(_core.schema())["$defs"]["Rate"]["pattern"]
    rows = re.findall(
        r"^\| (`.*) \| (.*) \| (.*) \| (.*) \| (.*) \|$", HEAD.replace(",", ""), re.MULTILINE
    )
    assert len(rows) == 10
    for names, line, share, megabits, cells in rows:
        part, whole = map(int, re.findall(r"\d+", share))
        # The frames of PLCP are not the lines': 12 cells in 125 us.
        by_hand = 12 * 424 / 125 if "µs" in share else float(line) * part / whole
        assert float(megabits) == pytest.approx(by_hand, abs=5e-10)
        for name in re.findall("`(.*?)`", names):
            assert re.search(pattern, name)
            assert _core.quantity(name, "rate") == pytest.approx(float(megabits) * 1e6, abs=5e-4)
            assert round(_core.quantity(name, "rate") / 424, 2) == float(cells)


def test_series_are_columns_of_doubles() -> None:
    outcome = run(*LOOKS)
    infos = outcome.series()
    assert {info["kind"] for info in infos} == {"queue", "cwnd"}
    for index, info in enumerate(infos):
        columns = [np.frombuffer(column, "<f8") for column in outcome.series_data(index)]
        assert {len(column) for column in columns} == {info["points"]}
        seconds, low, high = columns
        assert seconds[0] == 0
        assert np.all(np.diff(seconds) > 0)
        assert np.all(low <= high)
    with pytest.raises(IndexError):
        outcome.series_data(len(infos))


def test_events_are_columns_of_one_length() -> None:
    events = run(*LOOKS).events()
    assert len({len(column) for column in events.values()}) == 1  # type: ignore[arg-type]
    assert set(events["kind"]) == {"loss", "timeout"}
    for kind, pdu, sequence in zip(
        events["kind"], events["pdu"], events["sequence_bytes"], strict=True
    ):
        assert (pdu is None) == (kind == "timeout")
        assert (sequence is None) == (kind == "loss")


@pytest.mark.parametrize("where", [0, 60, -1])
def test_damaged_bytes_are_no_outcome(where: int) -> None:
    data = bytearray(run().to_bytes())
    data[where] ^= 1
    with pytest.raises(ValueError, match="damaged result"):
        _core.Outcome.from_bytes(bytes(data))


def test_a_refusal_says_where() -> None:
    with pytest.raises(_core.ScenarioError) as caught:
        _core.Scenario(SCENARIO, "core.toml", ["tcp.mms=3"]).run()
    [found] = caught.value.diagnostics
    assert (found["severity"], found["path"], found["line"]) == ("error", "--set", 1)
    assert found["message"] in caught.value.rendered
    assert isinstance(caught.value, ValueError)


def test_a_run_needs_room() -> None:
    estimate = _core.Scenario(SCENARIO, "core.toml", []).estimate()
    assert 0 < estimate["memory_bytes"] < 100e6
    assert estimate["cells_in_flight"] > 0
    wide = ['tcp.window="4 GB"', "flow.tcp.count=100000", *ENDLESS]
    needs = _core.Scenario(SCENARIO, "core.toml", wide).estimate()
    assert needs["memory_bytes"] > 1e14
    if needs["available_bytes"] is not None:
        with pytest.raises(_core.ScenarioError, match="TiB of memory"):
            _core.Scenario(SCENARIO, "core.toml", wide).run()


def test_a_progress_function_stops_a_run_by_false_or_by_raising() -> None:
    told: list[tuple[float, float]] = []

    def twice(now: float, end: float) -> bool:
        told.append((now, end))
        return len(told) < 2

    with pytest.raises(_core.Cancelled):
        _core.Scenario(SCENARIO, "core.toml", ENDLESS).run(twice)
    assert len(told) == 2
    assert 0 < told[0][0] < told[1][0] < told[0][1] == 100_000

    def broken(_now: float, _end: float) -> bool:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        _core.Scenario(SCENARIO, "core.toml", ENDLESS).run(broken)


def test_other_threads_go_on_during_a_run() -> None:
    stop = threading.Event()
    started = threading.Event()
    outcome: list[str] = []

    def endless() -> None:
        def progress(_now: float, _end: float) -> bool:
            started.set()
            return not stop.is_set()

        try:
            _core.Scenario(SCENARIO, "core.toml", ENDLESS).run(progress)
        except _core.Cancelled:
            outcome.append("cancelled")

    thread = threading.Thread(target=endless)
    thread.start()
    assert started.wait(timeout=60)
    # This needs the interpreter's lock, and finishes beside the endless run.
    assert json.loads(run().summary())["seed"] == 1
    stop.set()
    thread.join(timeout=60)
    assert outcome == ["cancelled"]


def test_the_bench_refuses_unknown_measurements() -> None:
    with pytest.raises(ValueError, match="w2_lan"):
        _core.bench(["w9"], None)
