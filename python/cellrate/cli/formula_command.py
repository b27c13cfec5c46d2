"""Commands made from formulas: parameters become options, results become text or JSON."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from cellrate.cli import amounts
from cellrate.cli.options import Json
from cellrate.common.problems import BadInput
from cellrate.common.terminal import say
from cellrate.common.to_json import json_text
from cellrate.theory.assumptions import AssumptionError
from cellrate.theory.formula import UNITS, Formula, FormulaParameter, unit_of

# Greatest integer up to which floats represent every integer exactly.
MOST_WHOLE = 2**53
UNIT_NAMES = {
    "s": "ps, ns, us, ms, s, or m, km of fibre",
    "bytes": "bytes, kB, MB, GB, KiB, MiB, GiB",
    "bit/s": "bit/s, kbit/s, Mbit/s, Gbit/s, cells/s, cells/ms",
    "cells/s": "cells/s, cells/ms, bit/s, kbit/s, Mbit/s, Gbit/s",
    "cells": "cells",
    "bits": "bits",
    "RTT": "RTT",
}
# Units from large to small; a number is shown in the first unit in which it is at least 1.
LARGER = {
    "s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")),
    "bit/s": ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s")),
    "cells/s": ((1e3, "cells/ms"),),
}


def command_of(
    formula: Formula,
    extra: Sequence[inspect.Parameter] = (),
    then: Callable[..., str | None] | None = None,
    *,
    text: str | None = None,
    describe: Callable[[FormulaParameter], str] | None = None,
) -> Callable[..., None]:
    """Command of a formula; its options are the formula's parameters.

    Args:
        formula: Formula to compute and show.
        extra: Further options.
        then: Called before anything is shown, with the formula's values by name and the further
            options. The text that `then` returns is printed at the end.
        text: Description of the command; by default the description of the formula, with equation
            and source.
        describe: Makes the description of a parameter's option, if it differs from the default.
    """

    def command(*, json: bool = False, **options: object) -> None:
        further = {option.name: options.pop(option.name, option.default) for option in extra}
        given = {name: value for name, value in options.items() if value is not None}
        results = compute(formula, given)
        last = None if then is None else then(read(formula.parameters, given), **further)
        show(formula, given, results, json=json)
        if last is not None and not json:
            say(last)

    json = inspect.Parameter("json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Json)
    describe = describe or _help
    options = [_option(known, describe(known)) for known in formula.parameters]
    options += [*extra, json]
    about = f"{formula.about[0].upper()}{formula.about[1:]}."
    command.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    command.__annotations__ = {option.name: option.annotation for option in options}
    command.__doc__ = text or f"{about}\n\n{formula.equation}\n\n{formula.source}."
    return command


def compute(formula: Formula, given: Mapping[str, object]) -> dict[str, Any]:
    """Computes the results of a formula from the texts of its options.

    Raises:
        BadInput: An option is wrong, or outside the formula's assumptions.
    """
    try:
        return formula.compute(**read(formula.parameters, given))
    except AssumptionError as error:
        raise BadInput(_complaint(formula, given, error)) from error


def show(
    formula: Formula, given: Mapping[str, object], results: Mapping[str, Any], *, json: bool
) -> None:
    """Shows results as JSON, or with the formula and its options."""
    if json:
        sys.stdout.write(json_text(results))
    else:
        show_results(formula, read(formula.parameters, given), results)


def read(parameters: tuple[FormulaParameter, ...], given: Mapping[str, object]) -> dict[str, Any]:
    """Values of the given options.

    Raises:
        BadInput: The text of a number is not a number, or lacks its unit.
    """
    values = dict(given)
    for parameter in parameters:
        if parameter.name in given and parameter.kind in READERS:
            text = str(given[parameter.name])
            values[parameter.name] = READERS[parameter.kind](parameter, text)
    return values


def _number(parameter: FormulaParameter, text: str) -> float | int:
    if parameter.unit is None:
        value = amounts.number(text, parameter.flag)
    else:
        value = amounts.quantity(text, parameter.unit, parameter.flag)
    return int(value) if value.is_integer() and abs(value) <= MOST_WHOLE else value


def _numbers(parameter: FormulaParameter, text: str) -> dict[str, float]:
    return {name: _number(parameter, part) for name, part in _named(parameter, text)}


def _routes(parameter: FormulaParameter, text: str) -> dict[str, list[str]]:
    """Lists of link names by flow name, from a text such as "A=L1+L2, B=L1"."""
    return {
        name: [link.strip() for link in part.split("+")] for name, part in _named(parameter, text)
    }


def _named(parameter: FormulaParameter, text: str) -> list[tuple[str, str]]:
    """Pairs of name and value from a text such as "A=1, B=2"."""
    pairs = [part.partition("=") for part in text.split(",")]
    for name, _, value in pairs:
        if not name.strip() or not value.strip():
            raise BadInput(
                f"{parameter.flag} {text!r}: must have the form NAME=VALUE, NAME=VALUE, ...; "
                f"--help says: {parameter.about.rstrip('.')}"
            )
    names = [name.strip() for name, _, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise BadInput(f"{parameter.flag} {text!r}: {name} is named twice")
    return [(name.strip(), value.strip()) for name, _, value in pairs]


READERS: dict[str, Callable[[FormulaParameter, str], object]] = {
    "number": _number,
    "numbers": _numbers,
    "routes": _routes,
}


def _option(parameter: FormulaParameter, about: str) -> inspect.Parameter:
    """The option of a parameter, as a parameter of the signature that cyclopts reads."""
    hint: Any = str | None
    if parameter.kind == "flag":
        hint = bool
    elif parameter.kind == "choice":
        hint = Literal[parameter.choices]
    elif parameter.required:
        hint = str
    default = inspect.Parameter.empty if parameter.required else parameter.default
    number = parameter.kind in READERS
    return inspect.Parameter(
        parameter.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None if number and not parameter.required else default,
        annotation=Annotated[hint, Parameter(name=parameter.flag, help=about)],
    )


def _help(parameter: FormulaParameter) -> str:
    kind = "" if parameter.unit is None else f" In {UNIT_NAMES[parameter.unit]}."
    if parameter.kind != "number" or parameter.required or parameter.default is None:
        return parameter.about + kind
    unit = "" if parameter.unit is None else f" {parameter.unit}"
    return f"{parameter.about}{kind} By default {parameter.default:g}{unit}."


def _complaint(formula: Formula, given: Mapping[str, object], error: AssumptionError) -> str:
    """Error message that names the option with its text, or with its default."""
    known = {parameter.name: parameter for parameter in formula.parameters}
    if error.argument not in known:
        return f"{formula.name}: {error}"
    parameter = known[error.argument]
    flag = parameter.flag
    if error.argument in given:
        return f"{formula.name}: {flag} {given[error.argument]}: {error.allowed}"
    if error.value == "none":
        return f"{formula.name}: {flag} is missing: {error.allowed}"
    unit = "" if parameter.unit is None else f" {parameter.unit}"
    value = f"{error.value:.10g}" if isinstance(error.value, float) else error.value
    return (
        f"{formula.name}: {flag} is not given and so {value}{unit} "
        f"({parameter.about.rstrip('.')}): {error.allowed}"
    )


def show_results(formula: Formula, values: Mapping[str, Any], results: Mapping[str, Any]) -> None:
    """Shows results with their units, the equation and its source, and the values of all inputs."""
    say(f"{formula.name}: {formula.about}")
    say(f"  {formula.equation}")
    say(f"  {formula.source}")
    for parameter in formula.parameters:
        value = values.get(parameter.name, parameter.default)
        note = "" if parameter.name in values else "  (by default)"
        if value is not None:
            say(f"  {parameter.flag[2:]} = {amount(value, parameter.unit)}{note}")
    for name, result in results.items():
        if result != {}:
            say(f"{_words(name)}: {amount(result, unit_of(name))}")


def amount(value: object, unit: str | None) -> str:
    """A value with its unit, as text for a terminal.

    >>> amount(0.015, "s"), amount(103320000.0, "bit/s"), amount(11003.8, "cells")
    ('15 ms', '103.32 Mbit/s', '11,003.8 cells')
    """
    if isinstance(value, Mapping):
        return "; ".join(f"{key} {amount(part, unit)}" for key, part in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(amount(part, unit) for part in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, int | float):
        return "none" if value is None else str(value)
    for scale, name in LARGER.get(unit or "", ()):
        if abs(value) >= scale:
            return f"{_digits(value / scale)} {name}"
    return _digits(value) if unit is None else f"{_digits(value)} {unit}"


def _digits(value: float) -> str:
    """Text of a value: six digits, or all digits of an integer."""
    return f"{value:,.0f}" if 1e6 <= abs(value) < 1e15 else f"{value:,.6g}"


def _words(name: str) -> str:
    suffix = next((s for s in UNITS if name.endswith(f"_{s}")), None)
    return (name.removesuffix(f"_{suffix}") if suffix else name).replace("_", " ")
