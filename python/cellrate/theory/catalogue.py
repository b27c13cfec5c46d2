"""Catalogue of all formulas, in the order in which they are listed."""

from __future__ import annotations

from cellrate.theory import (
    active_backlog,
    available_bandwidth,
    backlog_bounds,
    buffer_law,
    cell_conversions,
    convergence_queue,
    credit,
    fair_rates,
    goodput_bound,
    load_pattern,
    peak_throughput,
    queueing,
    round_trips,
    window_sum,
)
from cellrate.theory.efci import formulae as efci
from cellrate.theory.efci import region
from cellrate.theory.formula import Formula

CATALOGUE: tuple[Formula, ...] = (
    *cell_conversions.FORMULAE,
    peak_throughput.FORMULA,
    goodput_bound.FORMULA,
    available_bandwidth.FORMULA,
    round_trips.FORMULA,
    load_pattern.FORMULA,
    convergence_queue.FORMULA,
    active_backlog.FORMULA,
    backlog_bounds.FORMULA,
    buffer_law.FORMULA,
    window_sum.FORMULA,
    *credit.FORMULAE,
    fair_rates.FORMULA,
    *queueing.FORMULAE,
    *efci.FORMULAE,
    region.FORMULA,
)
