"""A measure of one run: an expression in which the names are the run's own."""

from functools import cache, partial
from typing import Any

from cellrate.language.errors import ExpressionError
from cellrate.language.expressions import Deferred, evaluate, names
from cellrate.language.functions import builtins
from cellrate.language.runs import Run
from cellrate.measures import tables


@cache
def _functions() -> dict[str, Any]:
    return builtins()


@cache
def _own_names() -> frozenset[str]:
    """What a run has: properties and functions of `Run`, and the keys of a summary."""
    keys = (one.key.partition(".")[0] for one in tables()["run"])
    properties = (name for name in dir(Run) if not name.startswith("_"))
    return frozenset({*properties, *keys})


def check(expression: str) -> None:
    """Makes sure that an expression is one, and that its names are a run's.

    Raises:
        ExpressionError: It is none, or a name is unknown.
    """
    known = _own_names() | _functions().keys() | {"run"}
    for name in sorted(names(expression) - known):
        listed = ", ".join(sorted(_own_names()))
        raise ExpressionError(f"in `{expression}`: unknown name `{name}`; a run has {listed}")


def value(expression: str, run: Run) -> float:
    """Value of a measure in a run.

    Args:
        expression: Such as ``throughput_mbit`` or ``bottleneck.queue_max_cells``.
        run: The run; ``run`` stands for it, and its properties for themselves.

    Raises:
        ExpressionError: It has none in this run, or it is no number.
    """
    scope: dict[str, Any] = dict(_functions())
    for name in names(expression):
        if name not in scope and name != "run":
            scope[name] = Deferred(partial(getattr, run, name))
    scope["run"] = run
    found = evaluate(expression, scope)
    if isinstance(found, bool) or not isinstance(found, int | float):
        plain = isinstance(found, bool | str | None)
        what = repr(found) if plain else f"a {type(found).__name__}"
        raise ExpressionError(f"in `{expression}`: {what} is no number")
    return float(found)
