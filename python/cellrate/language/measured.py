"""What the measures of the language are: properties of a run that are numbers say it themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class About:
    """What a measure is.

    Attributes:
        definition: What it is, on one line.
        unit: Its unit; empty where it has none.
        formula: How it is computed from what a run reports.
        source: Paper and section that define it.
    """

    definition: str
    unit: str
    formula: str
    source: str


MEASURED: dict[str, About] = {}
"""The measures of the language by name, in the order of their properties."""


def measured(
    definition: str, unit: str, formula: str, source: str
) -> Callable[[Function], Function]:
    """Marks a property of a run as a measure, and documents it; stands below `@property`.

    Data sets quote the definition, so it is no docstring, which `python -OO` would take out.
    """

    def mark(function: Function) -> Function:
        function.__doc__ = definition
        MEASURED[function.__name__] = About(definition, unit, formula, source)
        return function

    return mark
