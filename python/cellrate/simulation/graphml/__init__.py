"""Converts networks drawn in other programs: reads GraphML, writes a scenario."""

from cellrate.simulation.graphml.options import SERVICES, GraphOptions
from cellrate.simulation.graphml.scenario import scenario_of

__all__ = ["SERVICES", "GraphOptions", "scenario_of"]
