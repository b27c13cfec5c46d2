"""Expressions with units, which compute derived parameters from others."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping

from cellrate.language.expressions import ExpressionError, parse
from cellrate.studies.study.amounts import Amount, UnitError, greatest, least, read, whole

Lookup = Callable[[str], Amount]
"""Returns the value of a name or dotted path; raises `ExpressionError` if it is unknown."""


def amount(text: str, lookup: Lookup) -> Amount:
    """Value of an expression such as ``3 * rtt * rate`` or ``2 * abr.icr + '1 Mbit/s'``.

    Allowed are ``+ - * / **``, ``min``, ``max``, and for plain numbers ``round``, ``ceil``,
    ``floor``, ``sqrt`` and ``log2``. Quantities are written in quotes.

    Args:
        text: The expression.
        lookup: Returns the values of names.

    Raises:
        ExpressionError: The expression is not valid, a name is unknown, or units do not fit.
    """
    try:
        return _of(parse(text), lookup)
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


def _of(node: ast.expr, lookup: Lookup) -> Amount:
    match node:
        case ast.Constant(value=bool() as truth):
            raise ExpressionError(f"`{truth}` is not a number")
        case ast.Constant(value=int() | float() as number):
            return Amount(float(number))
        case ast.Constant(value=str() as quantity):
            return read(quantity)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_of(inner, lookup)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _BINARY[type(op)](_of(left, lookup), _of(right, lookup))
        case ast.Call(func=ast.Name(id=name), args=[_, *_] as inner, keywords=[]):
            return _call(name, [_of(one, lookup) for one in inner])
        case ast.Name() | ast.Attribute():
            return lookup(ast.unparse(node))
    raise ExpressionError(f"`{ast.unparse(node)}` is not allowed in an expression")


def _call(name: str, inner: list[Amount]) -> Amount:
    if name not in _FUNCTIONS:
        raise ExpressionError(f"there is no function {name!r}; there are {', '.join(_FUNCTIONS)}")
    if name not in {"min", "max"} and len(inner) != 1:
        raise ExpressionError(f"{name} takes one number")
    return _FUNCTIONS[name](*inner)
