"""GraphML files: a scenario that can be run, or a refusal."""

from __future__ import annotations

from cellrate import ScenarioError, _core
from cellrate.common.problems import BadInput
from cellrate.simulation.graphml import GraphOptions, scenario_of

OPTIONS = (
    GraphOptions(),
    GraphOptions(rate="10 Mbit/s", delay="1 km", host_rate="10 Mbit/s", service="ubr"),
)


def check(data: bytes) -> None:
    """The input is a file, once taken at its word and once with what it leaves open."""
    for options in OPTIONS:
        try:
            text = scenario_of(data, "graph.xml", options)
        except (BadInput, ScenarioError) as error:
            assert str(error)
        else:
            _core.Scenario(text, "graph.toml")
