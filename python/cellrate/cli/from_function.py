"""Commands made from functions: an option's type, default and help are those of its parameter."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Annotated, Any, get_type_hints

from cyclopts import Parameter
from docstring_parser import parse

from cellrate.cli.options import Settings, whole
from cellrate.common.whole_number import LIMITS

OF_RUNS = frozenset({"workers", "store", "progress"})
"""Function parameters for which commands have their own options: workers, store, progress."""
SINGULAR = {
    "measures": "--measure",
    "experiments": "--experiment",
    "flows": "--flow",
    "hosts": "--host",
}
"""Names of repeatable options, by the parameter that takes all their values."""
TEXTS = "str | tuple[str, ...] | list[str]"
TYPES: dict[str, Any] = {
    "bool": bool,
    "float": float,
    "float | None": float | None,
    "float | str": str,
    "int": int,
    "int | None": int | None,
    "str": str,
    "str | None": str | None,
}
"""Types of options by the annotations of parameters."""


def made_from(
    *functions: Callable[..., Any], order: Sequence[str] = (), **helps: str
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator that adds the parameters of functions to a command as options.

    Args:
        functions: Functions whose keyword-only parameters become options, except `OF_RUNS`.
        order: Names of the parameters that become options, in order; by default all.
        helps: Descriptions of options that need other words than the parameter.
    """
    found: dict[str, tuple[inspect.Parameter, str]] = {}
    for function in functions:
        texts = {
            known.arg_name: known.description for known in parse(function.__doc__ or "").params
        }
        for name, parameter in inspect.signature(function).parameters.items():
            # `python -OO` leaves docstrings out.
            text = helps.get(name) or (texts[name] if function.__doc__ else None)
            found.setdefault(name, (parameter, text or ""))
    names = order or [
        name
        for name, (parameter, _) in found.items()
        if parameter.kind is parameter.KEYWORD_ONLY and name not in OF_RUNS
    ]

    def made(command: Callable[..., Any]) -> Callable[..., Any]:
        hints = get_type_hints(command, include_extras=True)
        own = [
            parameter.replace(annotation=hints[parameter.name])
            for parameter in inspect.signature(command).parameters.values()
            if parameter.kind is not parameter.VAR_KEYWORD
        ]
        keyword = {option.name: option for option in own if option.kind is option.KEYWORD_ONLY}
        placed = [keyword.pop(name) if name in keyword else _option(*found[name]) for name in names]
        before = [argument for argument in own if argument.kind is not argument.KEYWORD_ONLY]
        signature = inspect.Signature([*before, *placed, *keyword.values()])

        @wraps(command)
        def called(*args: object, **kwargs: object) -> Any:  # noqa: ANN401  an exit code, or nothing
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            return command(*bound.args, **bound.kwargs)

        called.__signature__ = signature  # type: ignore[attr-defined]
        called.__annotations__ = {
            option.name: option.annotation for option in signature.parameters.values()
        }
        return called

    return made


def _option(parameter: inspect.Parameter, about: str) -> inspect.Parameter:
    """The option of a parameter, as cyclopts reads it."""
    name, kind, default = parameter.name, str(parameter.annotation), parameter.default
    flag = SINGULAR.get(name)
    hint: Any
    about = " ".join(about.replace("``", "").split())
    if name == "overrides":
        return parameter.replace(annotation=Settings, default=[])
    if name in LIMITS:
        least, most = LIMITS[name]
        hint = Annotated[(TYPES[kind], whole(least, about, most=most))]
    elif kind == TEXTS or flag is not None:
        default = []
        hint = Annotated[
            list[str], Parameter(name=flag, negative="", show_default=False, help=about)
        ]
    elif kind == "bool":
        hint = Annotated[bool, Parameter(negative="", help=about)]
    else:
        default = str(default) if kind == "float | str" else default
        hint = Annotated[(TYPES[kind], Parameter(help=about))]
    return parameter.replace(kind=parameter.KEYWORD_ONLY, annotation=hint, default=default)
