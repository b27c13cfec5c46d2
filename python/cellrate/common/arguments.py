"""Errors of public functions name the argument that has another type than the function states."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from numbers import Integral, Real
from types import UnionType
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def names_wrong_types(function: Callable[P, R]) -> Callable[P, R]:
    """Decorator: an error of Python gets a note on each argument of a wrong type.

    >>> @names_wrong_types
    ... def half(number: float) -> float:
    ...     return number / 2
    >>> half("4")
    Traceback (most recent call last):
    ...
    TypeError: unsupported operand type(s) for /: 'str' and 'int'
    number = '4': must be float
    """

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except (TypeError, AttributeError, ValueError) as error:
            for note in _wrong(function, args, kwargs):
                if note.partition(" = ")[0] not in str(error):
                    error.add_note(note)
            raise

    return called


def _wrong(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> list[str]:
    signature = inspect.signature(function)
    try:
        given = signature.bind(*args, **kwargs).arguments
    except TypeError:  # told by Python: too many, too few or unknown arguments
        return []
    stated = {name: str(signature.parameters[name].annotation) for name in given}
    return [
        f"{name} = {value!r:.80}: must be {stated[name]}"
        for name, value in given.items()
        if not _fits(value, _type_of(stated[name], function))
    ]


def _type_of(annotation: str, function: Callable[..., Any]) -> Any:  # noqa: ANN401  any type
    try:
        return eval(annotation, function.__globals__)  # noqa: S307  text of this package
    except NameError:  # imported for type checkers alone
        return Any


def _fits(value: object, hint: Any) -> bool:  # noqa: ANN401  any type
    """True if a value may have a type; also if the type is of a kind that is not checked."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, UnionType):
        return any(_fits(value, one) for one in arguments)
    if hint is Any:
        return True
    if origin is typing.Literal:
        return any(value == one for one in arguments)
    if origin is typing.Annotated:
        return _fits(value, arguments[0])
    if hint is float:
        return isinstance(value, Real)
    if hint is int:
        return isinstance(value, Integral)
    kind = origin or hint
    if kind is type(None) or hint is None:
        return value is None
    if not isinstance(kind, type) or getattr(kind, "_is_protocol", False):
        return True
    is_kind = isinstance(value, kind)
    if is_kind and isinstance(value, Sequence) and not isinstance(value, str):
        return all(_fits(one, part) for one in value for part in arguments[:1])
    return is_kind
