"""Closed forms of the literature, one idea per file, each with its source in the docstring."""

from cellrate.theory.active_backlog import active_backlog_cells, backlog_cycles
from cellrate.theory.assumptions import AssumptionError
from cellrate.theory.available_bandwidth import (
    available_bandwidth_bits_per_second,
    guaranteed_bandwidth_bits_per_second,
)
from cellrate.theory.backlog_bounds import (
    ack_compression_queue_cells,
    burst_backlog_bound_cells,
    one_way_bound_cells,
    two_way_bound_cells,
    vbr_backlog_cells,
)
from cellrate.theory.buffer_law import buffer_law_cells
from cellrate.theory.cell_conversions import (
    bandwidth_delay_bytes,
    cells_per_pdu,
    cells_per_second,
    fibre_seconds,
    pdu_bytes,
    pipe_cells,
)
from cellrate.theory.convergence_queue import convergence_queue_cells
from cellrate.theory.credit import (
    credit_buffer_cells,
    credit_rate_cells_per_second,
    credit_round_trip_cells,
)
from cellrate.theory.efci.formulae import (
    efci_cycle_amplitude_cells,
    efci_cycle_maximum_acr_cells_per_second,
    efci_cycle_maximum_queue_cells,
    efci_cycle_minimum_acr_cells_per_second,
    efci_cycle_minimum_queue_cells,
    efci_cycle_period_seconds,
    efci_cycle_phase_1_seconds,
    efci_cycle_phase_2_seconds,
    efci_cycle_phase_3_seconds,
    efci_cycle_phase_4_seconds,
    efci_cycle_utilisation,
    efci_logarithm_cells,
    efci_maximum_queue_cells,
    efci_minimum_queue_cells,
    efci_phase_1_area_cells,
    efci_phase_4_area_cells,
    efci_printed_logarithm_cells,
    efci_printed_maximum_queue_cells,
    efci_printed_root_term_cells,
    efci_root_term_cells,
)
from cellrate.theory.efci.region import efci_feasible_sets
from cellrate.theory.efci.trajectories import (
    efci_first_rise,
    efci_integrated,
    efci_integrated_first_rise,
    efci_periodic_trajectory,
    efci_settled_trajectory,
)
from cellrate.theory.load_pattern import load_per_cycle
from cellrate.theory.max_min import MaxMin, max_min
from cellrate.theory.message_lengths import (
    MessageLengths,
    cdf_lengths,
    discrete_lengths,
    exponential_lengths,
    named_lengths,
    scipy_lengths,
    uniform_lengths,
)
from cellrate.theory.message_overhead import (
    goodput_bound_bits_per_second,
    mean_message_cells,
    message_efficiency,
)
from cellrate.theory.peak_throughput import (
    peak_throughput_bits_per_second,
    segment_cells,
    unpadded_peak_throughput_bits_per_second,
)
from cellrate.theory.round_trips import round_trips_to_fill
from cellrate.theory.window_sum import window_cells, window_sum_cells

__all__ = [
    "AssumptionError",
    "MaxMin",
    "MessageLengths",
    "ack_compression_queue_cells",
    "active_backlog_cells",
    "available_bandwidth_bits_per_second",
    "backlog_cycles",
    "bandwidth_delay_bytes",
    "buffer_law_cells",
    "burst_backlog_bound_cells",
    "cdf_lengths",
    "cells_per_pdu",
    "cells_per_second",
    "convergence_queue_cells",
    "credit_buffer_cells",
    "credit_rate_cells_per_second",
    "credit_round_trip_cells",
    "discrete_lengths",
    "efci_cycle_amplitude_cells",
    "efci_cycle_maximum_acr_cells_per_second",
    "efci_cycle_maximum_queue_cells",
    "efci_cycle_minimum_acr_cells_per_second",
    "efci_cycle_minimum_queue_cells",
    "efci_cycle_period_seconds",
    "efci_cycle_phase_1_seconds",
    "efci_cycle_phase_2_seconds",
    "efci_cycle_phase_3_seconds",
    "efci_cycle_phase_4_seconds",
    "efci_cycle_utilisation",
    "efci_feasible_sets",
    "efci_first_rise",
    "efci_integrated",
    "efci_integrated_first_rise",
    "efci_logarithm_cells",
    "efci_maximum_queue_cells",
    "efci_minimum_queue_cells",
    "efci_periodic_trajectory",
    "efci_phase_1_area_cells",
    "efci_phase_4_area_cells",
    "efci_printed_logarithm_cells",
    "efci_printed_maximum_queue_cells",
    "efci_printed_root_term_cells",
    "efci_root_term_cells",
    "efci_settled_trajectory",
    "exponential_lengths",
    "fibre_seconds",
    "goodput_bound_bits_per_second",
    "guaranteed_bandwidth_bits_per_second",
    "load_per_cycle",
    "max_min",
    "mean_message_cells",
    "message_efficiency",
    "named_lengths",
    "one_way_bound_cells",
    "pdu_bytes",
    "peak_throughput_bits_per_second",
    "pipe_cells",
    "round_trips_to_fill",
    "scipy_lengths",
    "segment_cells",
    "two_way_bound_cells",
    "uniform_lengths",
    "unpadded_peak_throughput_bits_per_second",
    "vbr_backlog_cells",
    "window_cells",
    "window_sum_cells",
]
