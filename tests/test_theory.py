"""Closed forms against values worked out by hand or by integration."""

import pytest
from cellrate import theory

CELLS_PER_MS = 353.2
PCR = 353.2
NRM = 32


def air(airf: float) -> float:
    return airf * PCR / NRM


def test_cells_of_a_packet() -> None:
    assert theory.pdu_bytes(512) == 568
    assert theory.cells_per_pdu(512) == 12
    # 4352 bytes with headers, without LLC/SNAP: 4360 bytes are 90.8 payloads.
    assert theory.cells_per_pdu(4312, llc_snap=False) == 91
    # Exactly full: 1 cell of 48 bytes holds 40 bytes and the trailer.
    assert theory.cells_per_pdu(0, llc_snap=False) == 1
    assert theory.cells_per_pdu(1, llc_snap=False) == 2


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
    with pytest.raises(ValueError, match="positive"):
        theory.round_trips_to_fill(11_040, 12, 0)


def test_load_doubles_and_then_grows_by_one() -> None:
    assert theory.load_per_cycle(0.25, 6) == [0.25, 0.5, 1, 2, 3, 4]
    assert theory.load_per_cycle(0.75, 4) == [0.75, 1.5, 2.5, 3.5]
    with pytest.raises(ValueError, match="positive"):
        theory.load_per_cycle(0, 4)


def test_a_backlog_is_left_once_at_most() -> None:
    assert theory.active_backlog_cells(0.4, 1.0, 1000) == pytest.approx(200)
    assert theory.active_backlog_cells(0.5, 1.0, 1000) == 0
    assert theory.active_backlog_cells(0.9, 1.0, 1000) == 0
    assert theory.active_backlog_cells(0.0, 1.0, 1000) == 0
    with pytest.raises(ValueError, match="within"):
        theory.active_backlog_cells(1.1, 1.0, 1000)
    counts = {theory.backlog_cycles(share / 1000) for share in range(1, 1001)}
    assert counts == {0, 1}


def test_convergence_queue() -> None:
    assert theory.convergence_queue_cells(30e-3, 366_792) == pytest.approx(22_007.5, abs=0.1)
    assert theory.convergence_queue_cells(30e-3, 366_792, overload=0.5) == 0


def test_peak_throughput_is_the_product_and_not_what_is_printed() -> None:
    found = theory.peak_throughput(155e6, 512, target_utilisation=0.9, startup_share=0.9)
    assert found == pytest.approx(99.292e6, rel=1e-4)


def test_windows() -> None:
    assert theory.window_cells(1024 * 1024, 512) == 24_576
    assert theory.window_sum_cells(15, 1024 * 1024, 512) == 15 * 24_576


# Delayed Euler integration of the fluid equations, thresholds of 2898 cells.
INTEGRATED = [
    (1 / 64, 16, 10, 0.02, 6482.7, 2882.9),
    (1 / 64, 16, 10, 2.0, 8916.8, 1674.8),
    (1 / 128, 2, 10, 2.0, 4121.0, 255.4),
    (1 / 128, 4, 30, 2.0, 5729.1, 1190.5),
]


@pytest.mark.parametrize(("airf", "rdff", "sources", "tau", "highest", "lowest"), INTEGRATED)
def test_efci_queue_equals_the_integration(
    airf: float, rdff: float, sources: int, tau: float, highest: float, lowest: float
) -> None:
    args = (air(airf), rdff * NRM, sources, CELLS_PER_MS, tau, 2898.0)
    assert theory.efci_maximum_queue_cells(*args) == pytest.approx(highest, abs=1.5)
    assert theory.efci_minimum_queue_cells(*args, 2898.0) == pytest.approx(lowest, abs=1.5)


def integrate(air_: float, rdf: float, sources: int, bw: float, tau: float, high: float) -> float:
    """The largest queue of the delayed fluid equations from an empty queue at full rate."""
    step = 1e-3
    delay = round(tau / step)
    queue, rate, highest = 0.0, bw, 0.0
    marks = [False] * (delay + 1)
    while rate > bw * 0.999 or queue < high:
        marks.append(queue > high)
        rate += step * (-rate * bw / (sources * rdf) if marks[-1 - delay] else air_ * bw)
        queue = max(0.0, queue + step * (rate - bw))
        highest = max(highest, queue)
        if marks[-1 - delay] and rate < bw:
            break
    return highest


@pytest.mark.parametrize(("airf", "rdff", "sources", "tau"), [row[:4] for row in INTEGRATED])
def test_efci_maximum_against_an_integration_here(
    airf: float, rdff: float, sources: int, tau: float
) -> None:
    args = (air(airf), rdff * NRM, sources, CELLS_PER_MS, tau, 2898.0)
    assert theory.efci_maximum_queue_cells(*args) == pytest.approx(integrate(*args), rel=2e-3)


def test_the_printed_maximum_is_impossible() -> None:
    printed = theory.efci_printed_maximum_queue_cells(
        air(1 / 64), 512, 10, CELLS_PER_MS, 0.02, 2898.0
    )
    assert printed == pytest.approx(-1224.3, abs=0.1)


def test_without_gain_the_queue_stays_at_the_threshold() -> None:
    found = theory.efci_maximum_queue_cells(1e-12, 64, 10, CELLS_PER_MS, 0.0, 100.0)
    assert found == pytest.approx(100.0, abs=1e-3)
