"""Networks drawn elsewhere: a scenario out of a GraphML file."""

from cellrate.graphml.options import GraphOptions
from cellrate.graphml.scenario import scenario_of

__all__ = ["GraphOptions", "scenario_of"]
