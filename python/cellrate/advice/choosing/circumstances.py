"""Changed scenarios on which a choice may depend: other delays, numbers of sources, or loads."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cellrate.advice.tuning.declared import ResolvedScenario
from cellrate.advice.tuning.other_runs import Circumstance
from cellrate.studies.parameters.keys import Key, number

FACTORS = (0.5, 2.0, 0.25, 4.0)
"""Factors by which each property is multiplied to repeat the choice."""


def times(factors: Sequence[float]) -> str:
    """Factors as text.

    >>> times([0.25, 2.0, 4.0])
    '0.25, 2 and 4 times'
    """
    *first, last = (f"{factor:.3g}" for factor in factors)
    return f"{', '.join(first)} and {last} times" if first else f"{last} times"


@dataclass(frozen=True)
class Property:
    """A property of a scenario, such as its delays, that can be multiplied by a factor.

    Attributes:
        about: Name of the property.
        settings: Returns the settings that multiply the property by a factor; no settings if the
            factor changes nothing.
    """

    about: str
    settings: Callable[[float], tuple[str, ...]]

    def times(self, factor: float) -> Circumstance | None:
        """The scenario with the property multiplied by `factor`; None if nothing changes."""
        overrides = self.settings(factor)
        return Circumstance(self.about, factor, overrides) if overrides else None

    def between(self, near: float, far: float) -> Circumstance | None:
        """The scenario with the property multiplied by a factor half-way between two factors.

        None if rounding gives one of the two factors.
        """
        factor = math.sqrt(near * far)
        overrides = self.settings(factor)
        if overrides in ((), self.settings(near), self.settings(far)):
            return None
        return Circumstance(self.about, factor, overrides)


def properties(scenario: ResolvedScenario) -> tuple[Property, ...]:
    """The properties of a scenario that can be multiplied to test the choice."""
    all_of_them = (
        Property("delay of all links", lambda factor: _delays(scenario, factor)),
        Property("number of sources", lambda factor: _counts(scenario, factor, elastic=True)),
        Property(
            "number of background sources",
            lambda factor: _counts(scenario, factor, elastic=False),
        ),
    )
    return tuple(own for own in all_of_them if any(map(own.settings, FACTORS)))


def _delays(scenario: ResolvedScenario, factor: float) -> tuple[str, ...]:
    """Settings that multiply the delays of all links, those of single flow groups included."""
    links = scenario.keys.document["topology"].get("link", ())
    tables = [f"topology.link.{number}" for number, _ in enumerate(links)] or ["topology"]
    tables += [f"flow.{group}" for group in scenario.cells.groups(scenario.cells.flows)]
    return tuple(
        f'{key.path}="{round(seconds * factor * 1e12)} ps"'
        for table in tables
        for key in scenario.keys.below(table)
        if (seconds := _delay_seconds(key)) > 0
    )


def _delay_seconds(key: Key) -> float:
    """The delay at a key in seconds; 0 if the key holds none."""
    if key.kind != "Delay" or key.value is None:
        return 0.0
    return number(str(key.value), key)


def _counts(scenario: ResolvedScenario, factor: float, *, elastic: bool) -> tuple[str, ...]:
    flows = [flow for flow in scenario.cells.flows if flow.is_elastic is elastic]
    found = []
    for name, group in scenario.cells.groups(flows).items():
        count = max(1, round(len(group) * factor))
        if count != len(group):
            found.append(f"flow.{name}.count={count}")
    return tuple(found)
