"""What a trace says of the dynamics: how long until it settles, how it oscillates."""

from cellrate.dynamics.oscillation import Oscillation, oscillation
from cellrate.dynamics.part import Sampled
from cellrate.dynamics.settling import settling_time

__all__ = ["Oscillation", "Sampled", "oscillation", "settling_time"]
