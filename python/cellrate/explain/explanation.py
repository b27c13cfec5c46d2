"""All that is said of a network, topic by topic."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from cellrate.explain import bottleneck, delays, loop, queues, shares, throughput
from cellrate.explain.statement import NotSaid, Said, Statement
from cellrate.explain.subject import Subject
from cellrate.network import Network

TOPICS: tuple[tuple[str, Callable[[Subject], Iterable[Said]]], ...] = (
    ("bottleneck", bottleneck.statements),
    ("fair shares", shares.statements),
    ("delays", delays.statements),
    ("TCP throughput", throughput.statements),
    ("queue", queues.statements),
    ("control loop", loop.statements),
    ("loss", queues.losses),
)


@dataclass(frozen=True)
class Explanation:
    """What theory says, and what it does not.

    Attributes:
        said: Statements in the order of their topics.
        not_said: What does not apply, and why.
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
        """One object with units in its keys."""
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
    """What theory says of a network before it runs.

    A topic that the theory here knows nothing of, such as sources of an unknown kind, is told
    among what is not said.
    """
    subject = Subject(network)
    found = list(_all(subject))
    said = tuple(one for one in found if isinstance(one, Statement))
    return Explanation(said, tuple(one for one in found if isinstance(one, NotSaid)))


def _all(subject: Subject) -> Iterator[Said]:
    for topic, statements in TOPICS:
        try:
            yield from statements(subject)
        except ValueError as error:
            yield NotSaid(topic, topic, str(error))
