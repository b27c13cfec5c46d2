"""Collects the statements on a network, topic by topic."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from cellrate.advice.explain import (
    bottleneck,
    delays,
    oscillation,
    queues,
    shares,
    throughput,
    time_constants,
)
from cellrate.advice.explain.statement import NotSaid, Said, Statement
from cellrate.advice.explain.subject import Subject
from cellrate.simulation.network import Network

TOPICS: tuple[Callable[[Subject], Iterable[Said]], ...] = (
    bottleneck.statements,
    shares.statements,
    delays.statements,
    throughput.statements,
    queues.statements,
    time_constants.statements,
    oscillation.statements,
    queues.losses,
)


@dataclass(frozen=True)
class Explanation:
    """Predictions of theory for a network.

    Attributes:
        said: Statements in the order of their topics.
        not_said: Subjects on which theory makes no statement here, with the reasons.
    """

    said: tuple[Statement, ...]
    not_said: tuple[NotSaid, ...]

    def topics(self) -> dict[str, list[Statement]]:
        """Statements by topic."""
        found: dict[str, list[Statement]] = {}
        for statement in self.said:
            found.setdefault(statement.topic, []).append(statement)
        return found

    def as_json(self) -> dict[str, Any]:
        """The explanation as one JSON object with units in its keys."""
        return {
            "statements": [
                {
                    "topic": one.topic,
                    "text": one.text,
                    "values": dict(one.values),
                    "formula": one.formula or None,
                    "failing_assumptions": list(one.fails),
                }
                for one in self.said
            ],
            "not_said": [
                {
                    "topic": one.topic,
                    "what": one.what,
                    "because": one.because,
                    "formula": one.formula or None,
                }
                for one in self.not_said
            ],
        }


def explain(network: Network) -> Explanation:
    """Collects the predictions of theory for a network."""
    subject = Subject(network)
    found = [one for statements in TOPICS for one in statements(subject)]
    said = tuple(one for one in found if isinstance(one, Statement))
    return Explanation(said, tuple(one for one in found if isinstance(one, NotSaid)))
