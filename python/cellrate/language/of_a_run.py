"""Checks and evaluates measures: expressions over the properties of one run."""

import difflib
import math
import re
from collections.abc import Collection, Iterable
from functools import cache, partial
from typing import Any

from cellrate.language.ended_flows import Unfinished, is_over_ended_flows, needs_ended_flows
from cellrate.language.expressions import (
    Deferred,
    ExpressionError,
    attributes,
    columns_of_groups,
    evaluate,
    names,
)
from cellrate.language.functions import builtins
from cellrate.language.measures import tables
from cellrate.language.runs import RUNS, Run


@cache
def _functions() -> dict[str, Any]:
    return builtins()


@cache
def _own_names(link_layer: str) -> frozenset[str]:
    """Names in expressions of a run: its properties and functions, and the keys of a summary."""
    keys = (measure.key.partition(".")[0] for measure in tables(link_layer)["run"])
    properties = (name for name in dir(RUNS[link_layer]) if not name.startswith("_"))
    return frozenset({*properties, *keys})


@cache
def _totals(link_layer: str) -> frozenset[str]:
    """Keys of the totals of a run."""
    keys = (measure.key for measure in tables(link_layer)["run"])
    return frozenset(key.removeprefix("totals.") for key in keys if key.startswith("totals."))


@cache
def _keys(link_layer: str, table: str) -> frozenset[str]:
    """Keys of a table of a summary, each without the keys of its parts."""
    return frozenset(measure.key.partition(".")[0] for measure in tables(link_layer)[table])


def check(expression: str, also: Collection[str] = (), link_layer: str = "atm") -> None:
    """Checks that a text is an expression, and that it uses only names of a run.

    The names are also those of its totals, of the bottleneck's queue, and of statistics over flows.

    Args:
        expression: The text.
        also: Names of measures that may have been meant, for a suggestion.
        link_layer: Link layer of the runs.

    Raises:
        ExpressionError: The text is not an expression, or a name is unknown; the message suggests
            the nearest, or lists all.
    """
    own, totals = _own_names(link_layer), _totals(link_layer)
    known = own | _functions().keys() | {"run"}
    for name in sorted(names(expression) - known):
        if name in also:
            raise ExpressionError(
                f"in `{expression}`: `{name}` is a measure of its own and no name of a run; give "
                "each measure by itself"
            )
        if name in totals:
            raise _unknown(expression, name, f"did you mean `totals.{name}`?")
        is_called = re.search(rf"\b{name}\s*\(", expression)
        near = _nearest(name, [*also, *(known if is_called else own)])
        named = f"named measures are {', '.join(also)}; " if also else ""
        listed = f"{named}a run has {', '.join(sorted(own))}"
        raise _unknown(expression, name, f"did you mean `{near}`?" if near else listed)
    read = attributes(expression)
    for place, found, keys in (
        ("totals.", read.get("totals", set()), totals),
        ("bottleneck.", read.get("bottleneck", set()), _keys(link_layer, "queues")),
        ("", columns_of_groups(expression), _keys(link_layer, "flows")),
    ):
        for name in sorted(found - keys):
            near = _nearest(name, keys)
            of = place.removesuffix(".") or "flows"
            listed = f"{of} {'has' if of == 'bottleneck' else 'have'} {', '.join(sorted(keys))}"
            meant = f"did you mean `{place}{near}`?" if near else listed
            raise _unknown(expression, f"{place}{name}", meant)


def _nearest(name: str, known: Iterable[str]) -> str | None:
    return next(iter(difflib.get_close_matches(name, sorted(known), n=1)), None)


def _unknown(expression: str, name: str, meant: str) -> ExpressionError:
    return ExpressionError(f"in `{expression}`: unknown name `{name}`; {meant}")


def value(expression: str, run: Run) -> float:
    """Value of a measure in a run.

    Args:
        expression: Expression such as ``throughput_mbit`` or ``bottleneck.queue_max_cells``.
        run: The run; in the expression it is called ``run``, and its properties are names, too.

    Raises:
        ExpressionError: The expression cannot be evaluated in this run, or its value is not a
            finite number.
        Unfinished: The measure needs the end of flows, and file transfers do not end in this run.
    """
    if not needs_ended_flows(expression) or not run.files_unfinished:
        return _value(expression, run)
    text = f"in `{expression}`: files do not end in the run, so the measure has no value"
    if is_over_ended_flows(expression):
        raise Unfinished(text)
    try:
        return _value(expression, run)
    except ExpressionError as error:
        raise Unfinished(text) from error


def _value(expression: str, run: Run) -> float:
    scope: dict[str, Any] = dict(_functions())
    for name in names(expression):
        if name not in scope and name != "run":
            scope[name] = Deferred(partial(getattr, run, name))
    scope["run"] = run
    result = evaluate(expression, scope)
    if isinstance(result, bool) or not isinstance(result, int | float):
        plain = isinstance(result, bool | str | None)
        what = f"the value {result!r}" if plain else f"the value, a {type(result).__name__},"
        raise ExpressionError(f"in `{expression}`: {what} is not a number")
    try:
        found = float(result)
    except OverflowError as error:
        raise ExpressionError(f"in `{expression}`: the value is too large") from error
    if not math.isfinite(found):
        raise ExpressionError(f"in `{expression}`: the value is {found}, which no measure can be")
    return found
