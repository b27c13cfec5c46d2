"""The seed for which statements on a network hold, if the seed decides the network's flows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from cellrate import _core

PROBED = 8
"""Number of further seeds whose networks are compared with the scenario's network."""
LARGEST_SEED = 2**63 - 1


def drawn_under_seed(scenario: _core.Scenario) -> tuple[str, int] | None:
    """A sentence, and the scenario's seed, if other seeds give another network; otherwise None.

    The sentence names what differs: sizes and starts of flows, or pairs of hosts, which determine
    the paths. The hash that chooses paths has no seed. The network of the scenario is compared with
    the networks of 8 other seeds.

    Args:
        scenario: The scenario.
    """
    if "pattern" not in scenario.resolved():  # Only patterns draw pairs, sizes and starts.
        return None
    own = json.loads(scenario.network())
    text, path, overrides, _ = scenario.given()
    for step in range(1, PROBED + 1):
        seed = (own["seed"] + step) % LARGEST_SEED
        probe = _core.Scenario(text, path, overrides, seed, without_code=True)
        other = json.loads(probe.network())
        differing = [*_differing(own, other)]
        if differing:
            depend = f"{_listed(differing)} depend on `run.seed`"
            return f"{depend}: all numbers below hold for seed {own['seed']} alone.", own["seed"]
    return None


def _listed(texts: list[str]) -> str:
    first, *others = texts
    return " and ".join((first, *(f"{one[0].lower()}{one[1:]}" for one in others)))


def _differing(own: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
    """The features in which the flows of two networks differ."""
    if _values(own, "source", "start_seconds") != _values(other, "source", "start_seconds"):
        yield "The sizes and starts of flows"
    if _pairs(own) != _pairs(other):
        yield "The pairs of hosts"


def _values(network: Mapping[str, Any], *keys: str) -> list[list[Any]]:
    return [[flow[key] for key in keys] for flow in network["flows"]]


def _pairs(network: Mapping[str, Any]) -> list[tuple[int, int]]:
    """The first and the last node of each flow."""
    links, found = network["links"], []
    for flow in network["flows"]:
        there, _ = flow.get("sprayed", ([], []))
        first, last = (
            (there[0][0], there[-1][0]) if there else (flow["forward"][i] for i in (0, -1))
        )
        found.append((links[first]["from"], links[last]["to"]))
    return found
