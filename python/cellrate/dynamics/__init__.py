"""Dynamics of a trace: settling time and oscillation."""

from cellrate.dynamics.oscillation import Oscillation, oscillation
from cellrate.dynamics.part import Sampled
from cellrate.dynamics.settling import settling_time

__all__ = ["Oscillation", "Sampled", "oscillation", "settling_time"]
