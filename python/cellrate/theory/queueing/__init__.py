"""Queues with known distributions: Poisson, periodic, ON-OFF and long-range dependent arrivals."""

from cellrate.theory.queueing import fractional, markov_fluid, md1, periodic
from cellrate.theory.queueing.fractional import (
    fractional_buffer_cells,
    fractional_exceedance,
    fractional_exponential_exceedance,
    fractional_time_scale_seconds,
)
from cellrate.theory.queueing.markov_fluid import (
    fluid_buffer_cells,
    fluid_decay_per_cell,
    fluid_exceedance,
    fluid_mean_queue_cells,
    fluid_utilisation,
)
from cellrate.theory.queueing.md1 import (
    md1_buffer_cells,
    md1_exceedance,
    md1_mean_queue_cells,
    md1_mean_wait_seconds,
    md1_wait_exceedance,
)
from cellrate.theory.queueing.periodic import (
    periodic_buffer_cells,
    periodic_exceedance,
    periodic_mean_queue_cells,
)

FORMULAE = (md1.FORMULA, periodic.FORMULA, markov_fluid.FORMULA, fractional.FORMULA)

__all__ = [
    "FORMULAE",
    "fluid_buffer_cells",
    "fluid_decay_per_cell",
    "fluid_exceedance",
    "fluid_mean_queue_cells",
    "fluid_utilisation",
    "fractional_buffer_cells",
    "fractional_exceedance",
    "fractional_exponential_exceedance",
    "fractional_time_scale_seconds",
    "md1_buffer_cells",
    "md1_exceedance",
    "md1_mean_queue_cells",
    "md1_mean_wait_seconds",
    "md1_wait_exceedance",
    "periodic_buffer_cells",
    "periodic_exceedance",
    "periodic_mean_queue_cells",
]
