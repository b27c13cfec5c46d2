"""Descriptions of the measures of the language: numeric properties of a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypeVar

Better: TypeAlias = Literal["more", "less"]
"""The better direction of a measure: more or less."""

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class MeasureDescription:
    """Description of a measure.

    Attributes:
        definition: Definition on one line.
        unit: Unit of the measure; empty without a unit.
        formula: Computation from the values that a run reports.
        source: Paper and section that define the measure.
        better: Whether `more` or `less` is better.
        greatest: The greatest value that the measure can have; None if its definition sets none.
    """

    definition: str
    unit: str
    formula: str
    source: str
    better: Better
    greatest: float | None


MEASURED: dict[str, MeasureDescription] = {}
"""Measures of the language by name, in the order of their properties."""


def measured(
    definition: str,
    unit: str,
    formula: str,
    source: str,
    *,
    better: Better,
    greatest: float | None = None,
) -> Callable[[Function], Function]:
    """Decorator below `@property` that marks a property of a run as a measure and describes it.

    Data sets quote the definition. The definition is an argument, because `python -OO` removes
    docstrings.
    """

    def mark(function: Function) -> Function:
        function.__doc__ = definition
        MEASURED[function.__name__] = MeasureDescription(
            definition, unit, formula, source, better, greatest
        )
        return function

    return mark
