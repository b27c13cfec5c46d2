"""All formulas, in the order in which they are listed."""

from __future__ import annotations

from cellrate.theory import (
    active_backlog,
    cell_conversions,
    convergence_queue,
    load_pattern,
    peak_throughput,
    round_trips,
    window_sum,
)
from cellrate.theory.formula import Formula

CATALOGUE: tuple[Formula, ...] = (
    *cell_conversions.FORMULAE,
    peak_throughput.FORMULA,
    round_trips.FORMULA,
    load_pattern.FORMULA,
    convergence_queue.FORMULA,
    active_backlog.FORMULA,
    window_sum.FORMULA,
)
