"""Dynamics of a trace: settling time and oscillation."""

from cellrate.simulation.dynamics.oscillation import Oscillation, oscillation
from cellrate.simulation.dynamics.part import Sampled
from cellrate.simulation.dynamics.settling import settling_time

__all__ = ["Oscillation", "Sampled", "oscillation", "settling_time"]
