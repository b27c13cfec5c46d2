"""Objects that stand for parts of a run in expressions: summary, network, traces and events."""

# ruff: noqa: ANN401 - values of JSON are of any type
import bisect
import json
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from cellrate import _core
from cellrate.language.expressions import Readable
from cellrate.language.functions import jain, mean
from cellrate.simulation import dynamics

SHARED_CLASSES = ("abr", "ubr")


class Record(Readable):
    """A JSON object whose keys are attributes; reading a missing key or a null is an error."""

    def __init__(self, table: dict[str, Any], place: str) -> None:
        self._table = table
        self._place = place

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_") or key not in self._table:
            raise AttributeError(f"{self._place} has no `{key}`")
        value = self._table[key]
        if value is None:
            raise ValueError(f"`{key}` of {self._place} was not measured in this run")
        return Record(value, f"{key} of {self._place}") if isinstance(value, dict) else value


class Port(Record):
    """An output port of a run, as an object in expressions."""

    def queue(self, service: str) -> Record:
        """The queue that serves a service class; an error if no queue does."""
        for queue in self._table["queues"]:
            if service in queue.get("classes", ()):
                return Record(queue, f"the {service} queue of {self._place}")
        raise ValueError(f"{self._place} has no queue for {service}")


class Group(Readable):
    """A group of flows, with statistics over them."""

    def __init__(self, flows: list[dict[str, Any]], place: str) -> None:
        if not flows:
            raise ValueError(f"there are no {place}")
        self._flows = flows
        self._place = place

    def values(self, key: str) -> list[Any]:
        """Value of a key for each flow."""
        return [getattr(Record(flow, flow["name"]), key) for flow in self._flows]

    def sum(self, key: str) -> Any:
        """Sum of a key over the flows."""
        return sum(self.values(key))

    def mean(self, key: str) -> float:
        """Mean of a key over the flows."""
        return mean(self.values(key))

    def min(self, key: str) -> Any:
        """Least value of a key among the flows."""
        return min(self.values(key))

    def max(self, key: str) -> Any:
        """Greatest value of a key among the flows."""
        return max(self.values(key))

    def jain(self, key: str) -> float:
        """Jain's fairness index of a key over the flows."""
        return jain(self.values(key))


def shared_queues(port: dict[str, Any]) -> list[dict[str, Any]]:
    """Queues of a port that serve ABR or UBR and were used."""
    return [q for q in port["queues"] if set(q["classes"]) & set(SHARED_CLASSES)]


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


Floats = npt.NDArray[np.float64]


class Trace(Readable):
    """A traced quantity over time (s); points of thinned traces have a minimum and a maximum."""

    def __init__(self, entity: str, times: Floats, low: Floats, high: Floats) -> None:
        self.entity = entity
        self.times = times
        self.low = low
        self.high = high

    @cached_property
    def values(self) -> list[float]:
        """Value of each point in the trace; the maximum if the trace is thinned."""
        return [float(x) for x in self.high]

    def _part(self, start: float, end: float, values: Floats) -> Floats:
        part: Floats = values[(self.times >= start) & (self.times <= end)]
        if not len(part):
            raise ValueError(f"no samples of {self.entity} between {start} s and {end} s")
        return part

    def at(self, time: float) -> float:
        """Value of the last sample at or before `time` (seconds)."""
        index = int(np.searchsorted(self.times, time, side="right")) - 1
        if index < 0:
            raise ValueError(f"no sample of {self.entity} before {time} s")
        return float(self.high[index])

    def max(self, start: float = 0.0, end: float = float("inf")) -> float:
        """Greatest value between two times."""
        return float(self._part(start, end, self.high).max())

    def min(self, start: float = 0.0, end: float = float("inf")) -> float:
        """Least value between two times."""
        return float(self._part(start, end, self.low).min())

    def mean(self, start: float = 0.0, end: float = float("inf")) -> float:
        """Mean of the samples between two times."""
        return float(self._part(start, end, (self.low + self.high) / 2).mean())

    def spread(self, start: float = 0.0, end: float = float("inf")) -> float:
        """Standard deviation / mean of the samples between two times."""
        part = self._part(start, end, (self.low + self.high) / 2)
        if not part.mean():
            raise ValueError(f"the mean of {self.entity} is 0, so it has no relative spread")
        return float(part.std() / part.mean())

    def first_above(self, level: float, start: float = 0.0) -> float:
        """First time from `start` with a sample above the level; infinite if there is none."""
        return self._first((self.times >= start) & (self.high > level))

    def first_below(self, level: float, start: float = 0.0) -> float:
        """First time from `start` with a sample below the level; infinite if there is none."""
        return self._first((self.times >= start) & (self.low < level))

    def settling_time(
        self,
        tolerance: float = 0.05,
        start: float = 0.0,
        end: float = float("inf"),
        final: float = 0.2,
    ) -> float:
        """Seconds from `start` until the trace stays within the tolerance of its final mean."""
        return dynamics.settling_time(self._sampled, tolerance, start, end, final)

    def oscillation(
        self, start: float = 0.0, end: float = float("inf"), hysteresis: float = 0.25
    ) -> "Cycles":
        """Cycles of the trace between two times."""
        return Cycles(dynamics.oscillation(self._sampled, start, end, hysteresis))

    @property
    def _sampled(self) -> dynamics.Sampled:
        return dynamics.Sampled(self.times, self.low, self.high)

    def _first(self, where: npt.NDArray[np.bool_]) -> float:
        times = self.times[where]
        return float(times[0]) if len(times) else float("inf")


class Cycles(Readable):
    """The oscillation of a trace, as an object in expressions."""

    def __init__(self, oscillation: dynamics.Oscillation) -> None:
        self.cycles = oscillation.cycles
        self._oscillation = oscillation

    @property
    def period(self) -> float:
        """Mean length of a cycle in seconds; an error if there is none."""
        return self._oscillation.period

    @property
    def swing(self) -> float:
        """Mean distance from bottom to top of a cycle; an error if there is none."""
        return self._oscillation.swing

    @property
    def amplitude(self) -> float:
        """Half of the swing; an error if there is no cycle."""
        return self._oscillation.amplitude


class Events(Readable):
    """Events of one kind, in order of time (seconds)."""

    def __init__(self, times: list[float], columns: dict[str, list[Any]]) -> None:
        self.times = times
        self._columns = columns

    def count(self, start: float = 0.0, end: float = float("inf")) -> int:
        """Number of events from `start` until before `end` (seconds)."""
        return bisect.bisect_left(self.times, end) - bisect.bisect_left(self.times, start)

    def first(self, start: float = 0.0) -> float:
        """Time of the first event from `start` on, in seconds; infinite if there is none."""
        index = bisect.bisect_left(self.times, start)
        return self.times[index] if index < len(self.times) else float("inf")

    def column(self, key: str) -> list[Any]:
        """A column of the log: `vc`, `port`, `pdu`, `cause`."""
        return self._columns[key]

    def of(self, key: str, pattern: str) -> "Events":
        """Events whose column matches a pattern; `*` stands for any text."""
        kept = [i for i, x in enumerate(self._columns[key]) if fnmatchcase(str(x), pattern)]
        columns = {name: [column[i] for i in kept] for name, column in self._columns.items()}
        return Events([self.times[i] for i in kept], columns)
