"""Parts of a run's summary in expressions."""

# ruff: noqa: ANN401 - values of JSON are of any type
from typing import Any

from cellrate.language.expressions import Readable
from cellrate.language.functions import jain, mean

SHARED_CLASSES = ("abr", "ubr")


class Record(Readable):
    """A JSON object whose keys are attributes; a missing key or a null is an error."""

    def __init__(self, table: dict[str, Any], place: str) -> None:
        self._table = table
        self._place = place

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_") or key not in self._table:
            raise AttributeError(f"{self._place} has no `{key}`")
        value = self._table[key]
        if value is None:
            raise ValueError(f"`{key}` of {self._place} was not measured in this run")
        return Record(value, f"{self._place}.{key}") if isinstance(value, dict) else value


class Port(Record):
    """An output port."""

    def shared_queues(self) -> list[dict[str, Any]]:
        """Queues that serve ABR or UBR."""
        return shared_queues(self._table)

    def queue(self, service: str) -> Record:
        """Queue that serves a class; an error if there is none."""
        for queue in self._table["queues"]:
            if service in queue["classes"]:
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
