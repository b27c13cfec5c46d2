"""Closed forms of the literature: one idea a file, the formula's source in its docstring."""

from cellrate.theory.active_backlog import active_backlog_cells, backlog_cycles
from cellrate.theory.assumptions import AssumptionError
from cellrate.theory.cell_conversions import (
    bandwidth_delay_bytes,
    cells_per_pdu,
    cells_per_second,
    fibre_seconds,
    pdu_bytes,
    pipe_cells,
)
from cellrate.theory.convergence_queue import convergence_queue_cells
from cellrate.theory.efci_queue import (
    efci_maximum_queue_cells,
    efci_minimum_queue_cells,
    efci_printed_maximum_queue_cells,
)
from cellrate.theory.load_pattern import load_per_cycle
from cellrate.theory.peak_throughput import (
    peak_throughput_bits_per_second,
    segment_cells,
    unpadded_peak_throughput_bits_per_second,
)
from cellrate.theory.round_trips import round_trips_to_fill
from cellrate.theory.window_sum import window_cells, window_sum_cells

__all__ = [
    "AssumptionError",
    "active_backlog_cells",
    "backlog_cycles",
    "bandwidth_delay_bytes",
    "cells_per_pdu",
    "cells_per_second",
    "convergence_queue_cells",
    "efci_maximum_queue_cells",
    "efci_minimum_queue_cells",
    "efci_printed_maximum_queue_cells",
    "fibre_seconds",
    "load_per_cycle",
    "pdu_bytes",
    "peak_throughput_bits_per_second",
    "pipe_cells",
    "round_trips_to_fill",
    "segment_cells",
    "unpadded_peak_throughput_bits_per_second",
    "window_cells",
    "window_sum_cells",
]
