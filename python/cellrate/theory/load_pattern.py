"""Offered load of uncontrolled TCP sources in slow start, round trip by round trip."""

from __future__ import annotations

from cellrate.theory.assumptions import require, require_positive, require_whole
from cellrate.theory.formula import Formula

MOST_CYCLES = 1_000_000


def load_per_cycle(initial_load: float, cycles: int) -> list[float]:
    """Load in each of a number of round trips as a share of the link.

    Kalyanaraman 97 section 8.14.2 item 4. In slow start every acknowledgement releases two
    segments, and acknowledgements come at the rate at which segments leave the bottleneck: load(i +
    1) = load(i) + min(load(i), 1). The load doubles until the link is full, and then grows by one
    link rate each round trip.

    Args:
        initial_load: Load of the first round trip as a share of the link.
        cycles: Number of round trips.

    Raises:
        AssumptionError: The initial load is not above 0, or `cycles` is not a whole number from 1
            to a million.
    """
    require_positive(initial_load=initial_load)
    require_whole(1, cycles=cycles)
    require(cycles <= MOST_CYCLES, "cycles", cycles, f"must be at most {MOST_CYCLES}")
    loads = [initial_load]
    while len(loads) < cycles:
        loads.append(loads[-1] + min(loads[-1], 1.0))
    return loads


FORMULA = Formula(
    name="load-pattern",
    about="load of TCP in slow start without control, round trip by round trip",
    equation="load(i+1) = load(i) + min(load(i), 1)",
    source="Kalyanaraman 1997, section 8.14.2 item 4",
    results={"load_per_cycle": load_per_cycle},
)
