"""The simulated network in expressions, to compare printed inputs with the scenario."""

import json
from functools import lru_cache

from cellrate import _core
from cellrate.language.records import Record


class NetworkRecord(Record):
    """Network of a scenario; its keys end with their units, see `cellrate.simulation.network`."""

    def _named(self, kind: str, name: str) -> Record:
        for item in self._table[kind]:
            if item["name"] == name:
                return Record(item, f"{name} of the scenario")
        raise ValueError(f"none of the {kind} of the scenario is called `{name}`")

    def link(self, name: str) -> Record:
        """A link by its name, such as `A->B`: `.delay_seconds`, `.bits_per_second`."""
        return self._named("links", name)

    def flow(self, name: str) -> Record:
        """A flow by name: `.abr.rif`, `.tcp.mss_bytes`, `.propagation_round_trip_seconds`, ..."""
        return self._named("flows", name)

    def switch(self, name: str) -> Record:
        """A switch by its name: `.buffer_cells`, `.control.low_cells`, ..."""
        node = self._named("nodes", name)
        switch: Record = node.switch
        return switch


def described_by(scenario: _core.Scenario) -> NetworkRecord:
    """Network of a scenario that has been read."""
    return NetworkRecord(json.loads(scenario.network()), "scenario")


@lru_cache(maxsize=64)
def described(resolved: str) -> NetworkRecord:
    """Network of a resolved scenario, given as TOML text."""
    return described_by(_core.Scenario(resolved, "resolved.toml", without_code=True))
