"""Changed scenarios in which recommended settings are run again: drawn starts, a longer run."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cellrate import _core
from cellrate.advice.formulas.growth import LONGER
from cellrate.advice.tuning.declared import ResolvedScenario


@dataclass(frozen=True)
class Circumstance:
    """The scenario with one property, such as its delays, multiplied by a factor.

    Attributes:
        about: Name of the property.
        factor: Factor by which the property is multiplied.
        overrides: Settings that multiply the property in the scenario.
    """

    about: str
    factor: float
    overrides: tuple[str, ...]

    def beside(self, other: Circumstance) -> Circumstance:
        """The circumstance with the settings of another one, too."""
        return replace(self, overrides=(*self.overrides, *other.overrides))


OTHER_STARTS = Circumstance(
    "starts", 1.0, ('run.start_jitter="20 ms"', 'run.simultaneous_cells="drawn"')
)
"""Settings with random starts of flows within 20 ms, and random order of simultaneous cells."""


def longer(scenario: ResolvedScenario) -> Circumstance:
    """The scenario with a run `LONGER` times as long.

    The measuring window keeps its length, and stands at the end of the longer run.
    """
    measured = scenario.keys.document["measure"]
    begin, end = (float(_core.quantity(measured[key], "time")) for key in ("from", "to"))
    whole = LONGER * scenario.network.duration_seconds
    settings = {"run.duration": whole, "measure.from": whole - (end - begin), "measure.to": whole}
    overrides = tuple(f'{path}="{seconds:.9g} s"' for path, seconds in settings.items())
    return Circumstance("duration", LONGER, overrides)
