"""What the measures of the language are: properties of a run that are numbers say it themselves."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class About:
    """What a measure is.

    Attributes:
        definition: Documentation of the property, on one line.
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


def measured(unit: str, formula: str, source: str) -> Callable[[Function], Function]:
    """Marks a property of a run as a measure; stands below `@property`."""

    def mark(function: Function) -> Function:
        definition = " ".join((inspect.getdoc(function) or "").split())
        MEASURED[function.__name__] = About(definition, unit, formula, source)
        return function

    return mark
