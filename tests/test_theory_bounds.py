"""Bounds and conversions against values worked out by hand."""

from typing import Any

import cellrate
import numpy as np
import pytest
from cellrate import theory
from hypothesis import given
from hypothesis import strategies as some


def test_cells_of_a_packet() -> None:
    assert theory.pdu_bytes(512) == 568
    assert theory.cells_per_pdu(512) == 12
    # 4352 bytes with headers, without LLC/SNAP: 4360 bytes are 90.8 payloads.
    assert theory.cells_per_pdu(4312, llc_snap=False) == 91
    # Exactly full: 1 cell of 48 bytes holds 40 bytes and the trailer.
    assert theory.cells_per_pdu(0, llc_snap=False) == 1
    assert theory.cells_per_pdu(1, llc_snap=False) == 2
    np.testing.assert_array_equal(theory.cells_per_pdu(np.array([512, 9140])), [12, 192])
    with pytest.raises(theory.AssumptionError, match=r"segment_bytes = 0\.5: must be"):
        theory.cells_per_pdu(np.array([512, 0.5, -1]))


def test_conversions() -> None:
    assert theory.cells_per_second(149.76e6) == pytest.approx(353_207.5, abs=0.1)
    assert theory.fibre_seconds(4) == pytest.approx(20e-6)
    assert theory.bandwidth_delay_bytes(155e6, 15e-3) == pytest.approx(290_625)
    assert theory.pipe_cells(155.52e6, 30e-3) == pytest.approx(11_003.8, abs=0.1)


def test_round_trips_to_fill_the_pipe() -> None:
    assert theory.round_trips_to_fill(11_040, 12, 2) - 1 == pytest.approx(8.845, abs=1e-3)
    assert theory.round_trips_to_fill(11_040, 12, 15) - 1 == pytest.approx(5.939, abs=1e-3)
    doubled = theory.round_trips_to_fill(11_040, 12, 4)
    assert theory.round_trips_to_fill(11_040, 12, 2) - doubled == pytest.approx(1)
    with pytest.raises(theory.AssumptionError, match="sources = 0: must be above 0"):
        theory.round_trips_to_fill(11_040, 12, 0)


def test_load_doubles_and_then_grows_by_one() -> None:
    assert theory.load_per_cycle(0.25, 6) == [0.25, 0.5, 1, 2, 3, 4]
    assert theory.load_per_cycle(0.75, 4) == [0.75, 1.5, 2.5, 3.5]
    with pytest.raises(theory.AssumptionError, match="initial_load = 0: must be above 0"):
        theory.load_per_cycle(0, 4)
    with pytest.raises(theory.AssumptionError, match="cycles = 0: must be a whole number"):
        theory.load_per_cycle(1, 0)
    assert len(theory.load_per_cycle(1, 1_000_000)) == 1_000_000
    with pytest.raises(theory.AssumptionError, match="cycles = 1000001: must be at most"):
        theory.load_per_cycle(1, 1_000_001)


def test_a_backlog_is_left_once_at_most() -> None:
    idle = np.array([0.4, 0.5, 0.9, 0.0])
    backlog = theory.active_backlog_cells(idle, 1.0, 1000)
    np.testing.assert_allclose(backlog, [200, 0, 0, 0])
    with pytest.raises(theory.AssumptionError, match="within"):
        theory.active_backlog_cells(1.1, 1.0, 1000)


@given(some.floats(1e-9, 1))
def test_backlog_cycles_are_those_of_the_doubling(first: float) -> None:
    counted, active = 0.0, first
    while active < 1:
        counted += float(theory.active_backlog_cells(1 - active, 1.0, 1.0) > 0)
        active *= 2
    assert theory.backlog_cycles(first) == counted


def test_convergence_queue() -> None:
    assert theory.convergence_queue_cells(30e-3, 366_792) == pytest.approx(22_007.5, abs=0.1)
    assert theory.convergence_queue_cells(30e-3, 366_792, overload=0.5) == 0


def test_peak_throughput_is_the_product_and_not_what_is_printed() -> None:
    product = theory.unpadded_peak_throughput_bits_per_second
    # Section 8.9 prints 103.32 and section 8.15.5 prints 110.9; their factors give these.
    assert product(155e6, 512, target_utilisation=0.9, startup_share=0.9) == pytest.approx(
        99.292e6, rel=1e-4
    )
    assert product(155.52e6, 512, target_utilisation=0.9) == pytest.approx(110.695e6, rel=1e-4)


def test_peak_throughput_with_whole_cells() -> None:
    exact = theory.peak_throughput_bits_per_second
    assert exact(1.0, 512, nrm=0) == pytest.approx(512 / (12 * 53))  # 80.5 %, section 8.18
    shares = exact(1.0, np.array([512, 9140]))
    np.testing.assert_allclose(shares, [0.77987, 0.87012], atol=1e-5)  # 78 and 87 %
    assert exact(155.52e6, 512, target_utilisation=0.9) == pytest.approx(109.155e6, rel=1e-4)
    for nrm in (1, -32):
        with pytest.raises(theory.AssumptionError, match="nrm"):
            exact(1.0, 512, nrm=nrm)
    # A segment that fills its cells exactly pays no padding.
    full = 12 * 48 - 56
    product = theory.unpadded_peak_throughput_bits_per_second
    assert exact(1e8, full) == pytest.approx(product(1e8, full))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"link_bits_per_second": 0.0}, "link_bits_per_second = 0.0: must be above 0"),
        ({"segment_bytes": np.nan}, "segment_bytes = nan: must be a finite"),
        ({"target_utilisation": 1.1}, "target_utilisation = 1.1: must be above 0 and at most 1"),
        ({"overhead_bytes": -1}, "overhead_bytes = -1: must be at least 0"),
        ({"nrm": 1}, "nrm = 1.0: must be at least 2"),
        ({"startup_share": np.array([1.0, 0.0])}, "startup_share = 0.0"),
    ],
)
def test_peak_throughput_names_the_argument(change: dict[str, Any], message: str) -> None:
    arguments = {"link_bits_per_second": 1e8, "segment_bytes": 512} | change
    with pytest.raises(theory.AssumptionError, match=message):
        theory.peak_throughput_bits_per_second(**arguments)


def test_windows() -> None:
    assert theory.window_cells(1024 * 1024, 512) == 24_576
    assert theory.window_sum_cells(15, 1024 * 1024, 512) == 15 * 24_576
    with pytest.raises(theory.AssumptionError, match="one segment"):
        theory.window_cells(511, 512)


def test_bandwidth_left_by_guaranteed_sources() -> None:
    burstiness = np.array([1.1, 1.2, 1.3])
    left = theory.available_bandwidth_bits_per_second
    # Printed: 13.6, 25 and 34.6 Mbit/s.
    printed = left(150e6, 14, 150e6 / 14, burstiness, cell_tax=1)
    np.testing.assert_allclose(printed, [13.636e6, 25e6, 34.615e6], rtol=1e-4)
    taxed = left(150e6, 14, 10e6, burstiness)
    np.testing.assert_allclose(taxed, [9.470e6, 21.181e6, 31.090e6], rtol=1e-4)
    with pytest.raises(theory.AssumptionError, match="must not exceed the link"):
        left(150e6, 16, 10e6, 1.1)
    with pytest.raises(theory.AssumptionError, match=r"burstiness = 0\.9: must be at least 1"):
        left(150e6, 14, 10e6, 0.9)


def test_backlog_bounds_are_whole_round_trips() -> None:
    pipe = 0.03 * 366_792
    assert theory.burst_backlog_bound_cells(0.03, 366_792) == pytest.approx(pipe)
    idle = np.linspace(1e-9, 0.03, 1001)
    assert np.max(theory.active_backlog_cells(idle, 0.03, 366_792)) == pytest.approx(pipe)
    assert theory.one_way_bound_cells(0.03, 366_792) == pytest.approx(3 * pipe)
    assert theory.ack_compression_queue_cells(0.03, 366_792) == pytest.approx(2 * pipe)
    assert theory.vbr_backlog_cells(0.03, 366_792) == pytest.approx(pipe)
    assert theory.two_way_bound_cells(0.03, 366_792, 366_792) == pytest.approx(5 * pipe)
    assert theory.two_way_bound_cells(0.03, 366_792) == pytest.approx(4 * pipe)


def test_buffer_law() -> None:
    # RTT 30 ms, interval 5 ms, feedback delay 10 ms at 368 cells per ms: (90 + 5 + 10) ms.
    assert theory.buffer_law_cells(0.03, 0.005, 0.01, 368e3) == pytest.approx(105 * 368)
    weights = theory.buffer_law_cells(0.03, 0.005, 0.01, 368e3, a=1, b=2, c=np.array([0, 3]))
    np.testing.assert_allclose(weights, [40 * 368, 70 * 368])
    with pytest.raises(theory.AssumptionError, match="the feedback delay is part of"):
        theory.buffer_law_cells(0.03, 0.005, 0.04, 368e3)


def test_credit_buffer_of_the_paper() -> None:
    assert theory.credit_round_trip_cells(140e-6, 2.5e6) == 1
    assert theory.credit_buffer_cells(140e-6, 2.5e6, 10) == 11
    # Ten cells exactly, although 0.1 has no binary fraction.
    assert theory.credit_round_trip_cells(0.1, 42_400) == 10
    assert theory.credit_round_trip_cells(0.1, 42_401) == 11
    # 424 bits in 3 ms, of which floats make a little more than a cell.
    assert theory.credit_round_trip_cells(0.003, 424 / 0.003) == 1
    with pytest.raises(theory.AssumptionError, match="credit_cells = 0: must be a whole number"):
        theory.credit_buffer_cells(140e-6, 2.5e6, 0)


def sent_under_credit(round_trip: int, reserve: int, interval: int, cell: int, until: int) -> float:
    """Cells per time unit of a greedy channel, cell by cell, after a warm-up of half the cells."""
    starts: list[int] = []
    for number in range(1, until + 1):
        start = starts[-1] + cell if starts else 0
        # Credits that cell `number` needs, and the cell that brings about the last of them.
        count = max(0, -(-(number - interval - reserve) // interval))
        if count:
            start = max(start, starts[count * interval - 1] + round_trip)
        starts.append(start)
    half = until // 2
    return (until - half) / (starts[-1] - starts[half - 1])


@given(some.integers(1, 60), some.integers(0, 20), some.integers(1, 8), some.integers(1, 4))
def test_credit_rate_is_that_of_a_greedy_channel(
    round_trip: int, reserve: int, interval: int, cell: int
) -> None:
    cycle = interval * (1 + reserve // interval)
    simulated = sent_under_credit(round_trip, reserve, interval, cell, 40 * cycle)
    cap = theory.credit_rate_cells_per_second(round_trip, reserve, interval, 1 / cell)
    assert cap == pytest.approx(simulated, rel=1e-9)
    assert float(cap) >= min(1 / cell, reserve / round_trip) * (1 - 1e-12)


def test_the_round_trip_of_a_credit_has_three_cell_times() -> None:
    """A cell goes over the link, is forwarded by the next node, and its credit comes back."""
    result = cellrate.run(
        cellrate.template("n-source"),
        overrides={
            "topology.bottleneck": "10 km", "switch.control": {"scheme": "none"},
            "flow.tcp.count": 1, "flow.tcp.service": "ubr",
            "flow.tcp.source": {"kind": "persistent"},
            "fcvc": {"n2": "10 cells", "n3": "5 cells"}, "run.duration": "1 s",
        },
    )  # fmt: skip
    [port] = [one for one in result.summary["ports"] if one["name"] == "A->B"]
    link = 155.52e6 / 424
    cap = theory.credit_rate_cells_per_second(100e-6 + 3 / link, 5, 10, link) / link
    assert port["utilisation"] == pytest.approx(cap, rel=1e-3)
