"""Circumstances on which a choice may depend: the round trip, the number of sources, the load."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cellrate.advice.tuning.declared import ResolvedScenario
from cellrate.studies.parameters.keys import number

FACTORS = (0.25, 0.5, 2.0, 4.0)


@dataclass(frozen=True)
class Circumstance:
    """The scenario with one property multiplied.

    Attributes:
        about: The property.
        factor: Its factor.
        overrides: Settings that make it.
    """

    about: str
    factor: float
    overrides: tuple[str, ...]


def circumstances(scenario: ResolvedScenario) -> Iterator[Circumstance]:
    """The circumstances that differ from the scenario, nearest factors first."""
    for factor in sorted(FACTORS, key=lambda one: max(one, 1 / one)):
        for about, overrides in (
            ("delay of all links", _delays(scenario, factor)),
            ("number of sources", _counts(scenario, factor, elastic=True)),
            ("number of background sources", _counts(scenario, factor, elastic=False)),
        ):
            if overrides:
                yield Circumstance(about, factor, overrides)


def _delays(scenario: ResolvedScenario, factor: float) -> tuple[str, ...]:
    """Delays of the links of a template; those of a drawn graph are many, and left."""
    keys = [key for key in scenario.keys.below("topology") if key.kind == "Delay"]
    return tuple(
        f'{key.path}="{round(number(str(key.value), key) * factor * 1e12)} ps"'
        for key in keys
        if key.value is not None
    )


def _counts(scenario: ResolvedScenario, factor: float, *, elastic: bool) -> tuple[str, ...]:
    flows = [flow for flow in scenario.network.flows if flow.is_elastic is elastic]
    found = []
    for name, group in scenario.network.groups(flows).items():
        count = max(1, round(len(group) * factor))
        if count != len(group):
            found.append(f"flow.{name}.count={count}")
    return tuple(found)
