"""Checks and evaluates measures: expressions over the properties of one run."""

from functools import cache, partial
from typing import Any

from cellrate.language.errors import ExpressionError
from cellrate.language.expressions import Deferred, evaluate, names
from cellrate.language.functions import builtins
from cellrate.language.measures import tables
from cellrate.language.runs import Run


@cache
def _functions() -> dict[str, Any]:
    return builtins()


@cache
def _own_names() -> frozenset[str]:
    """Names that a run has: properties and functions of `Run`, and the keys of a summary."""
    keys = (measure.key.partition(".")[0] for measure in tables()["run"])
    properties = (name for name in dir(Run) if not name.startswith("_"))
    return frozenset({*properties, *keys})


def check(expression: str) -> None:
    """Checks that a text is an expression, and that it uses only names of a run.

    Raises:
        ExpressionError: The text is not an expression, or a name is unknown.
    """
    known = _own_names() | _functions().keys() | {"run"}
    for name in sorted(names(expression) - known):
        listed = ", ".join(sorted(_own_names()))
        raise ExpressionError(f"in `{expression}`: unknown name `{name}`; a run has {listed}")


def value(expression: str, run: Run) -> float:
    """Value of a measure in a run.

    Args:
        expression: Expression such as ``throughput_mbit`` or ``bottleneck.queue_max_cells``.
        run: The run; in the expression it is called ``run``, and its properties are names, too.

    Raises:
        ExpressionError: The expression cannot be evaluated in this run, or its value is not a
            number.
    """
    scope: dict[str, Any] = dict(_functions())
    for name in names(expression):
        if name not in scope and name != "run":
            scope[name] = Deferred(partial(getattr, run, name))
    scope["run"] = run
    result = evaluate(expression, scope)
    if isinstance(result, bool) or not isinstance(result, int | float):
        plain = isinstance(result, bool | str | None)
        what = repr(result) if plain else f"a {type(result).__name__}"
        raise ExpressionError(f"in `{expression}`: {what} is no number")
    return float(result)
