"""Numbers with units, and the expressions over them that compute derived parameters."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from cellrate import _core
from cellrate.language.expressions import ExpressionError, parse
from cellrate.theory.cell_conversions import CELL_BYTES

CELL_BITS = CELL_BYTES * 8

Dimension = tuple[int, int]
"""A dimension: the powers of time and of data."""

PLAIN, TIME, DATA, RATE = (0, 0), (1, 0), (0, 1), (-1, 1)

DIMENSIONS: dict[str, Dimension] = {
    "number": PLAIN,
    "integer": PLAIN,
    "Time": TIME,
    "Delay": TIME,
    "Rate": RATE,
    "Bytes": DATA,
    "Cells": DATA,
    "Buffer": DATA,
    "QueueLength": PLAIN,
}
"""Dimension of every kind of parameter that is a number or a quantity.

A length of a queue in bytes counts as `Bytes`, see `length_kind`; one in packets is a number.
"""

UNITS = {"Time": "s", "Delay": "s", "Rate": "bit/s", "Bytes": "bytes", "Cells": "cells"}
UNITS["Buffer"] = UNITS["Cells"]
UNITS["QueueLength"] = "packets"
"""Units in which data sets hold values, by the kind of the parameter."""

BITS = {"Bytes": 8, "Cells": CELL_BITS, "Buffer": CELL_BITS}
"""Size of one byte and of one cell, in bits."""


class UnitError(Exception):
    """Units of an expression do not fit together."""


@dataclass(frozen=True)
class Amount:
    """A number and its dimension; times are in seconds, data in bits (a cell has 424)."""

    value: float
    dimension: Dimension = PLAIN

    @classmethod
    def of(cls, value: float, kind: str) -> Amount:
        """The amount of a parameter's value, given in the unit of the parameter's kind."""
        return cls(value * BITS.get(kind, 1), DIMENSIONS[kind])

    def as_kind(self, kind: str) -> float:
        """The value in the unit of a kind of parameter.

        Raises:
            UnitError: The amount has another dimension.
        """
        wanted = DIMENSIONS[kind]
        if self.dimension != wanted:
            raise UnitError(f"it is {words(self.dimension)}, not {words(wanted)}")
        return self.value / BITS.get(kind, 1)

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.value + other.value, self._same(other))

    def __sub__(self, other: Amount) -> Amount:
        return Amount(self.value - other.value, self._same(other))

    def __mul__(self, other: Amount) -> Amount:
        (a, b), (c, d) = self.dimension, other.dimension
        return Amount(self.value * other.value, (a + c, b + d))

    def __truediv__(self, other: Amount) -> Amount:
        (a, b), (c, d) = self.dimension, other.dimension
        return Amount(self.value / other.value, (a - c, b - d))

    def __pow__(self, other: Amount) -> Amount:
        power = other.plain("the power")
        (a, b) = self.dimension
        if self.dimension != PLAIN and not power.is_integer():
            raise UnitError(f"{words(self.dimension)} cannot be raised to the power {power:g}")
        if self.value < 0 and not power.is_integer():
            raise UnitError(f"{self.value:g} has no power {power:g}: it is negative")
        return Amount(self.value**power, (int(a * power), int(b * power)) if a or b else PLAIN)

    def __neg__(self) -> Amount:
        return Amount(-self.value, self.dimension)

    def plain(self, what: str) -> float:
        """The value of a plain number.

        Raises:
            UnitError: The amount has a unit.
        """
        if self.dimension != PLAIN:
            raise UnitError(f"{what} is {words(self.dimension)}, not a plain number")
        return self.value

    def _same(self, other: Amount) -> Dimension:
        if self.dimension != other.dimension:
            mine, theirs = words(self.dimension), words(other.dimension)
            raise UnitError(f"{mine} and {theirs} cannot be added")
        return self.dimension


def least(first: Amount, *others: Amount) -> Amount:
    """The least of some amounts.

    Raises:
        UnitError: Their dimensions differ.
    """
    return min((first, *(_like(one, first) for one in others)), key=lambda one: one.value)


def greatest(first: Amount, *others: Amount) -> Amount:
    """The greatest of some amounts.

    Raises:
        UnitError: Their dimensions differ.
    """
    return max((first, *(_like(one, first) for one in others)), key=lambda one: one.value)


def _like(one: Amount, first: Amount) -> Amount:
    if one.dimension != first.dimension:
        raise UnitError(f"{words(first.dimension)} and {words(one.dimension)} cannot be compared")
    return one


def read_amount(text: str) -> Amount:
    """Parses a quantity such as ``10 ms``, or a number.

    Raises:
        UnitError: The text is neither a quantity nor a number.
    """
    try:
        return Amount(float(text))
    except ValueError:
        pass
    for kind in ("Time", "Rate", "Bytes", "Cells", "Delay"):
        try:
            return Amount.of(_core.quantity(text, kind.lower()), kind)
        except ValueError:
            continue
    raise UnitError(f"{text!r} is neither a number nor a quantity such as '10 ms' or '2 Mbit/s'")


def length_kind(text: str) -> str:
    """Kind of a length of a queue over Ethernet, which its unit decides."""
    return "QueueLength" if text.strip().endswith(("packets", "packet")) else "Bytes"


def words(dimension: Dimension) -> str:
    """Text of a dimension."""
    known = {PLAIN: "a plain number", TIME: "a time", DATA: "an amount of data", RATE: "a rate"}
    if dimension in known:
        return known[dimension]
    parts = [
        f"{unit}^{power}" for unit, power in zip(("s", "bit"), dimension, strict=True) if power
    ]
    return " ".join(parts)


def whole(value: float) -> float:
    """The nearest whole number; infinity stays."""
    return value if math.isinf(value) else float(math.floor(value + 0.5))


Lookup = Callable[[str], Amount]
"""Returns the value of a name or dotted path; raises `ExpressionError` if it is unknown."""


def amount(text: str, lookup: Lookup) -> Amount:
    """Value of an expression such as ``3 * rtt * rate`` or ``2 * abr.icr + '1 Mbit/s'``.

    Allowed are ``+ - * / **``, ``min``, ``max``, and for plain numbers ``round``, ``ceil``,
    ``floor``, ``sqrt`` and ``log2``. Quantities are written in quotes.

    Raises:
        ExpressionError: The expression is not valid, a name is unknown, or units do not fit.
    """
    try:
        return _evaluated(parse(text), lookup)
    except UnitError as error:
        raise ExpressionError(f"in `{text}`: {error}") from error
    except (ArithmeticError, ValueError) as error:
        raise ExpressionError(f"in `{text}`: {error}") from error
    except RecursionError as error:
        raise ExpressionError(f"`{text[:40]} ...` is nested too deeply") from error


_BINARY: Mapping[type[ast.operator], Callable[[Amount, Amount], Amount]] = {
    ast.Add: Amount.__add__,
    ast.Sub: Amount.__sub__,
    ast.Mult: Amount.__mul__,
    ast.Div: Amount.__truediv__,
    ast.Pow: Amount.__pow__,
}


def _plainly(name: str, function: Callable[[float], float]) -> Callable[[Amount], Amount]:
    return lambda one: Amount(function(one.plain(f"the argument of {name}")))


_FUNCTIONS: Mapping[str, Callable[..., Amount]] = {
    "min": least,
    "max": greatest,
    "round": _plainly("round", whole),
    "ceil": _plainly("ceil", lambda x: float(math.ceil(x))),
    "floor": _plainly("floor", lambda x: float(math.floor(x))),
    "sqrt": _plainly("sqrt", math.sqrt),
    "log2": _plainly("log2", math.log2),
}


def _evaluated(node: ast.expr, lookup: Lookup) -> Amount:
    match node:
        case ast.Constant(value=bool() as truth):
            raise ExpressionError(f"`{truth}` is not a number")
        case ast.Constant(value=int() | float() as number):
            return Amount(float(number))
        case ast.Constant(value=str() as quantity):
            return read_amount(quantity)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_evaluated(inner, lookup)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _BINARY[type(op)](_evaluated(left, lookup), _evaluated(right, lookup))
        case ast.Call(func=ast.Name(id=name), args=[_, *_] as inner, keywords=[]):
            return _call(name, [_evaluated(one, lookup) for one in inner])
        case ast.Name() | ast.Attribute():
            return lookup(ast.unparse(node))
    raise ExpressionError(
        f"`{ast.unparse(node)}` is not allowed in an expression; allowed are numbers, quantities "
        f"such as '5 ms', names, + - * / **, and {', '.join(_FUNCTIONS)}"
    )


def _call(name: str, inner: list[Amount]) -> Amount:
    if name not in _FUNCTIONS:
        raise ExpressionError(f"there is no function {name!r}; there are {', '.join(_FUNCTIONS)}")
    if name not in {"min", "max"} and len(inner) != 1:
        raise ExpressionError(f"{name} takes one number")
    return _FUNCTIONS[name](*inner)
