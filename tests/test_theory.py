"""Closed forms of the EFCI fluid model against values worked out by integration."""

import pytest
from cellrate import theory

CELLS_PER_MS = 353.2
PCR = 353.2
NRM = 32


def air(airf: float) -> float:
    return airf * PCR / NRM


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
