"""Parameters of a scheme's class: units, ranges, and the schema by which scenarios are checked."""

from __future__ import annotations

import dataclasses
import sys
import types
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from cellrate.common.problems import BadInput
from cellrate.schemes import permission


@dataclass(frozen=True)
class Unit:
    """A kind of quantity of scenarios, with its unit in Python.

    Attributes:
        quantity: Name of the quantity in the schema of scenarios.
        factor: Number of `unit` that equals the number 1 in the Python class.
        unit: Unit in which a default is written.
    """

    quantity: str
    factor: int
    unit: str


@dataclass(frozen=True)
class Range:
    """The allowed range of a parameter, in which a search looks for the best value.

    A scenario that sets another value is an error.

    Attributes:
        low: The least value, in the unit of the parameter.
        high: The greatest value, in the same unit.
        scale: Whether a search spaces values linearly or logarithmically.
    """

    low: float
    high: float
    scale: Literal["linear", "log"] = "linear"


Seconds: TypeAlias = Annotated[float, Unit("Time", 1, "s")]
"""A time; a scenario writes it as in "1 ms"."""
Cells: TypeAlias = Annotated[int, Unit("Cells", 1, "cells")]
"""A number of cells, as in "100 cells"."""
CellsPerSecond: TypeAlias = Annotated[float, Unit("Rate", 424, "bit/s")]
"""A rate in cells/s, or in bytes/s at ports that carry frames; a scenario writes it as in
"10 Mbit/s". The default and the range are in cells/s of 424 bits."""
Bytes: TypeAlias = Annotated[int, Unit("Bytes", 1, "bytes")]
"""A number of bytes, as in "9180 bytes"."""

PLAIN = {float: "number", int: "integer", bool: "boolean", str: "string"}


class WrongParameter(Exception):
    """A field that cannot be a parameter; the message says why."""


def schema_of(cls: type, documentation: Mapping[str, str]) -> dict[str, Any]:
    """JSON schema of the parameters of a class.

    Args:
        cls: A dataclass.
        documentation: Descriptions of fields by name.

    Raises:
        WrongParameter: A field has no default, or a type that a scenario cannot write.
    """
    hints = get_type_hints(cls, include_extras=True)
    fields = [field for field in dataclasses.fields(cls) if field.init]
    about = (cls.__doc__ or "").strip()
    properties = {
        field.name: _property(field, hints[field.name], documentation) for field in fields
    }
    return {"type": "object", "description": about, "properties": properties}


def written_parameters(value: Any) -> dict[str, Any]:  # noqa: ANN401  an object of any dataclass
    """The parameters of an object as a scenario writes them, without those that are None.

    Raises:
        WrongParameter: A quantity is not a number.
    """
    hints = get_type_hints(type(value), include_extras=True)
    found = {}
    for field in (one for one in dataclasses.fields(value) if one.init):
        unit = next((mark for mark in _parts(hints[field.name])[1] if isinstance(mark, Unit)), None)
        if (own := getattr(value, field.name)) is not None:
            found[field.name] = _written(field.name, own, unit)
    return found


def _property(
    field: dataclasses.Field[Any], hint: object, documentation: Mapping[str, str]
) -> dict[str, Any]:
    kind, marks = _parts(hint)
    unit = next((mark for mark in marks if isinstance(mark, Unit)), None)
    found = _kind(field.name, kind, unit)
    default = field.default
    if default is dataclasses.MISSING:
        raise WrongParameter(f"`{field.name}` has no default value, which a parameter needs")
    found["description"] = documentation.get(field.name, "")
    if default is not None:
        found["default"] = _written(field.name, default, unit)
        if unit is None and not _fits(default, kind):
            raise WrongParameter(
                f"the default {default!r} of `{field.name}` is not of its type, {_named(kind)}"
            )
    limits = next((mark for mark in marks if isinstance(mark, Range)), None)
    if limits is not None:
        if not limits.low < limits.high:
            raise WrongParameter(
                f"the range of `{field.name}` is from {limits.low:g} to {limits.high:g}; "
                "its low end must be below its high end"
            )
        if isinstance(default, (int, float)) and not limits.low <= default <= limits.high:
            raise WrongParameter(
                f"the default {default:g} of `{field.name}` is outside its range; allowed: "
                f"{limits.low:g} to {limits.high:g}"
            )
        low, high = (_written(field.name, end, unit) for end in (limits.low, limits.high))
        found["x-search"] = {"low": low, "high": high, "scale": limits.scale}
        found["x-allowed"] = {"low": low, "high": high}
    return found


def _fits(value: object, kind: object) -> bool:
    """True if a value is of a parameter's type; an integer fits float, but bool fits only bool."""
    if get_origin(kind) is Literal:
        return value in get_args(kind)
    if isinstance(value, bool) or kind is bool:
        return isinstance(value, bool) and kind is bool
    return isinstance(value, (int, float) if kind is float else kind)  # type: ignore[arg-type]


def _named(kind: object) -> str:
    """A parameter's type as it is written in Python."""
    return kind.__name__ if isinstance(kind, type) else str(kind).removeprefix("typing.")


def _parts(hint: object) -> tuple[object, tuple[object, ...]]:
    """The type of a parameter without None, and its unit and range."""
    if get_origin(hint) in (Union, types.UnionType):
        some = [one for one in get_args(hint) if one is not type(None)]
        if len(some) == 1:
            return _parts(some[0])
    if get_origin(hint) is Annotated:
        kind, *marks = get_args(hint)
        inner, more = _parts(kind)
        return inner, (*more, *marks)
    return hint, ()


def _kind(name: str, kind: object, unit: Unit | None) -> dict[str, Any]:
    if unit is not None:
        return {"$ref": f"#/$defs/{unit.quantity}"}
    if get_origin(kind) is Literal and all(isinstance(one, str) for one in get_args(kind)):
        return {"type": "string", "enum": list(get_args(kind))}
    for plain, word in PLAIN.items():
        if kind is plain:
            return {"type": word}
    raise WrongParameter(
        f"`{name}` has the type {kind}: a parameter is float, int, bool, str, a Literal of texts, "
        "Seconds, Cells, CellsPerSecond or Bytes"
    )


def _written(name: str, value: object, unit: Unit | None) -> object:
    """A parameter's value, given in the unit of the class, as a scenario writes it."""
    if unit is None:
        return value
    if not isinstance(value, (int, float)):
        raise WrongParameter(f"`{name}` is {value!r}, not a number")
    whole = value * unit.factor
    number = round(whole) if unit.quantity == "Rate" or whole == int(whole) else whole
    return f"{number:.12g} {unit.unit}" if isinstance(number, float) else f"{number} {unit.unit}"


TAGS = {"control": "scheme", "discard": "policy", "recovery": "policy", "law": "law"}
"""Key that holds the name in the table of each kind of component."""


def as_settings(value: object, key: str) -> object:
    """Converts a value of a setting: classes and objects of classes become tables.

    A class becomes its name where the key holds a name.

    The code of a class that is passed is thereby allowed to run.

    Args:
        value: The value.
        key: The last key of its path, such as `control`.

    Raises:
        BadInput: Runs would not find the class, or an object differs in more than parameters.
    """
    if isinstance(value, Mapping):
        tag = TAGS.get(key)
        return {name: as_settings(one, "" if name == tag else name) for name, one in value.items()}
    if isinstance(value, type):
        return {TAGS[key]: named(value)} if key in TAGS else named(value)
    if dataclasses.is_dataclass(value) and key in TAGS:
        _require_only_parameters(value)
        return {TAGS[key]: named(type(value)), **written_parameters(value)}
    return value


PLAIN_VALUES = (int, float, str, tuple, list, dict, type(None))


def _require_only_parameters(given: object) -> None:
    """Refuses an object with an attribute that a new object with the same parameters lacks.

    Each port has a new object. Attributes of other types than `PLAIN_VALUES` are not compared.

    Raises:
        BadInput: The object has such an attribute.
    """
    cls: Any = type(given)
    parameters = {one.name: getattr(given, one.name) for one in dataclasses.fields(cls) if one.init}
    try:
        new = vars(cls(**parameters))
    except Exception:  # noqa: BLE001  of the class
        return  # the run refuses these parameters, too
    for name, value in vars(given).items():
        if isinstance(value, PLAIN_VALUES) and name not in parameters:
            there = new.get(name, "not there")
            if value == value and value != there:
                raise BadInput(
                    f"`{name}` of the object of `{cls.__name__}` is {value!r}, but {there!r} in a "
                    "new object with the same parameters: runs make new objects, so make "
                    f"`{name}` a parameter"
                )


def named(cls: type) -> str:
    """The name by which scenarios of this process name a class.

    Raises:
        BadInput: The name leads to another class, or to none.
    """
    name = f"{cls.__module__}:{cls.__name__}"
    found = getattr(sys.modules.get(cls.__module__), cls.__name__, None)
    if found is not cls:
        other = "another object has that name" if found is not None else "there is none"
        raise BadInput(
            f"runs find the class `{cls.__qualname__}` as `{cls.__name__}` of `{cls.__module__}`, "
            f"but {other}: define each class at the top level of its module, under a name of its "
            "own, and give it parameters for what varies"
        )
    permission.allow(name)
    return name
