"""Collects the statements on a network, topic by topic."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from cellrate.advice.explain import (
    bottleneck,
    delays,
    losses,
    oscillation,
    queues,
    shares,
    throughput,
    time_constants,
)
from cellrate.advice.explain.answer import Explanation, NoStatement, Prediction, Statement
from cellrate.advice.explain.subject import Subject
from cellrate.advice.explain.verdict import verdict
from cellrate.simulation.network import Network

TOPICS: tuple[Callable[[Subject], Iterable[Prediction]], ...] = (
    bottleneck.statements,
    shares.statements,
    delays.statements,
    throughput.statements,
    queues.statements,
    time_constants.statements,
    oscillation.statements,
    losses.statements,
)


def explain(network: Network) -> Explanation:
    """Collects the predictions of theory for a network."""
    subject = Subject(network)
    found = [one for statements in TOPICS for one in statements(subject)]
    statements = tuple(one for one in found if isinstance(one, Statement))
    without = tuple(one for one in found if isinstance(one, NoStatement))
    changes = network.until_first_change
    if changes is None:
        return Explanation(verdict(statements), statements, without)
    note = f"This is of the network until its first change, and bounds hold until then: {changes}."
    return Explanation((note, *verdict(statements)), statements, without)
