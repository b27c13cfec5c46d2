"""Closed forms with name, equation and source; their parameters are read from the functions."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from cellrate.theory.assumptions import AssumptionError

# A float or an array of floats; arguments of a formula broadcast against each other.
Numbers: TypeAlias = float | npt.NDArray[np.float64]


def plain(values: npt.ArrayLike) -> Numbers:
    """Converts values to an array of floats, or to a float if they have no dimensions."""
    array = np.asarray(values, dtype=np.float64)
    return array.item() if array.ndim == 0 else array


Model = TypeVar("Model")
Result = TypeVar("Result")


def taking(
    build: Callable[..., Model], *, but: str = ""
) -> Callable[[Callable[[Model], Result]], Callable[..., Result]]:
    """Decorator: turns a function of a model into a function of the parameters of `build`.

    Args:
        build: Makes the model from parameters.
        but: Name of a parameter of `build` that the new function does not have; its default holds.
    """
    parameters = (inspect.getdoc(build) or "").partition("\n")[2]
    if but:
        parameters = re.sub(rf"^ +{but}: .*\n( {{5,}}.*\n)*", "", parameters, flags=re.MULTILINE)
    takes = [each for name, each in inspect.signature(build).parameters.items() if name != but]

    def of_parameters(function: Callable[[Model], Result]) -> Callable[..., Result]:
        gives = inspect.signature(function).return_annotation

        def of_numbers(*args: npt.ArrayLike, **named: npt.ArrayLike) -> Result:
            return function(build(*args, **named))

        of_numbers.__name__ = of_numbers.__qualname__ = function.__name__
        of_numbers.__module__ = function.__module__
        of_numbers.__doc__ = f"{inspect.getdoc(function)}\n{parameters}"
        signature = inspect.Signature(takes, return_annotation=gives)
        of_numbers.__signature__ = signature  # type: ignore[attr-defined]
        hints = typing.get_type_hints(build) | {"return": typing.get_type_hints(function)["return"]}
        of_numbers.__annotations__ = hints
        return of_numbers

    return of_parameters


# Suffixes of names and their units; a suffix that another suffix ends with comes later.
UNITS = {
    "cells_per_second": "cells/s",
    "bits_per_second": "bit/s",
    "seconds": "s",
    "bytes": "bytes",
    "cells": "cells",
    "bits": "bits",
    "round_trips": "RTT",
    "degrees": "degrees",
    "radians_per_second": "rad/s",
}


def unit_of(name: str) -> str | None:
    """Unit that the suffix of a name stands for; None for a plain number.

    >>> unit_of("round_trip_seconds"), unit_of("link_cells_per_second"), unit_of("sources")
    ('s', 'cells/s', None)
    """
    units = (
        unit for suffix, unit in UNITS.items() if name == suffix or name.endswith(f"_{suffix}")
    )
    return next(units, None)


@dataclass(frozen=True)
class FormulaParameter:
    """One parameter of a formula.

    Attributes:
        name: Name in Python, with the unit as suffix.
        about: Description from the docstring.
        default: Default value; None if the parameter is required.
        required: True if a value must be given.
        choices: Allowed texts of a `choice`.
        kind: `number`, `flag` (true or false), `choice`, `numbers` (by names) or `routes` (lists of
            names by names).
    """

    name: str
    about: str
    default: Any
    required: bool
    kind: str
    choices: tuple[str, ...] = ()

    @property
    def unit(self) -> str | None:
        """Unit of the number; None for a plain number."""
        return unit_of(self.name) if self.kind in ("number", "numbers") else None

    @property
    def flag(self) -> str:
        """Option on the command line: the name without the unit."""
        stem = self.name
        if self.unit is not None:
            suffix = next(s for s in UNITS if stem == s or stem.endswith(f"_{s}"))
            stem = stem.removesuffix(suffix).rstrip("_") or stem
        return "--" + stem.replace("_", "-")


@dataclass(frozen=True)
class Formula:
    """A closed form of the literature.

    Attributes:
        name: Name on the command line, in kebab case.
        about: Description of the results, in one line.
        equation: Equation in plain text, with the field's symbols.
        source: Paper and equation or section; says if the formula is corrected or our own.
        results: Function of each result, by name with unit. Functions share parameters by name.
        python: Public functions behind the formula, if they are not those of the results.
    """

    name: str
    about: str
    equation: str
    source: str
    results: Mapping[str, Callable[..., Any]]
    python: tuple[str, ...] = ()

    @cached_property
    def parameters(self) -> tuple[FormulaParameter, ...]:
        """Parameters of all results together, required ones first."""
        by_name: dict[str, FormulaParameter] = {}
        for function in dict.fromkeys(self.results.values()):
            for parameter in _parameters(function):
                known = by_name.setdefault(parameter.name, parameter)
                if (known.default, known.kind) != (parameter.default, parameter.kind):
                    raise TypeError(f"{self.name}: two meanings of the parameter {known.name}")
                if parameter.about and not known.about:
                    by_name[parameter.name] = parameter
        return tuple(sorted(by_name.values(), key=lambda parameter: not parameter.required))

    def compute(self, **values: object) -> dict[str, Any]:
        """Computes all results, by their names.

        Raises:
            AssumptionError: A value is outside the formula's assumptions, or a result is beyond
                the range of numbers.
        """
        results: dict[str, Any] = {}
        for name, function in self.results.items():
            wanted = inspect.signature(function).parameters
            with np.errstate(over="ignore"):
                result = function(**{key: values[key] for key in wanted if key in values})
            if not _is_finite(result):
                raise AssumptionError(name, result, "the result is beyond the range of numbers")
            results[name] = result
        return results


def _parameters(function: Callable[..., Any]) -> list[FormulaParameter]:
    hints = typing.get_type_hints(function)
    about = _arguments(inspect.getdoc(function) or "")
    parameters = []
    for name, parameter in inspect.signature(function).parameters.items():
        required = parameter.default is inspect.Parameter.empty
        default = None if required else parameter.default
        kind, choices = _kind(hints[name])
        described = about.get(name, "")
        parameters.append(FormulaParameter(name, described, default, required, kind, choices))
    return parameters


def _kind(hint: object) -> tuple[str, tuple[str, ...]]:
    if typing.get_origin(hint) is typing.Literal:
        return "choice", typing.get_args(hint)
    if hint is bool:
        return "flag", ()
    if Mapping[str, float] in (hint, *typing.get_args(hint)):
        return "numbers", ()
    return ("routes" if hint == Mapping[str, Sequence[str]] else "number"), ()


def _is_finite(result: object) -> bool:
    if isinstance(result, Mapping):
        return all(map(_is_finite, result.values()))
    return not isinstance(result, float | np.ndarray) or bool(np.all(np.isfinite(result)))


def _arguments(docstring: str) -> dict[str, str]:
    r"""Descriptions of the parameters in a docstring's section `Args:`, each in one line.

    >>> _arguments("Sum.\n\nArgs:\n    a: First\n        of two.\n    b: Last.")
    {'a': 'First of two.', 'b': 'Last.'}
    """
    section = re.search(r"^Args:\n((?:[ ]+.*\n?|\n)*)", docstring, re.MULTILINE)
    if section is None:
        return {}
    entries = re.findall(r"^ {4}(\w+): (.*(?:\n {5,}.*)*)", section[1], re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in entries}
