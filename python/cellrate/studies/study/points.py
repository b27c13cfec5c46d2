"""The points of a study: the design, and the values of every factor and derived parameter."""

from __future__ import annotations

import ast
import itertools
import json
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from scipy.stats import qmc

from cellrate import ScenarioError
from cellrate.common.problems import BadInput
from cellrate.language.expressions import ExpressionError, parse
from cellrate.simulation.refusals import message_of
from cellrate.simulation.runner import Job
from cellrate.studies.dataset.description import FactorColumn
from cellrate.studies.parameters.keys import Key, Keys, number
from cellrate.studies.parameters.ranges import WHOLE, written
from cellrate.studies.study.amounts import (
    DIMENSIONS,
    RATE,
    TIME,
    Amount,
    UnitError,
    amount,
    length_kind,
    read_amount,
    whole,
)
from cellrate.studies.study.definition import Axis, Derived, Factor, Point, Value
from cellrate.studies.study.factors import Refusals

MOST_POINTS = 1_000_000
"""Greatest number of points, counted before any is made; a point takes some 2 kB of memory."""


class TooManyPoints(Exception):
    """A design has more points than can be held."""


def rows(axes: Sequence[Axis], design: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Values of all factors, point by point.

    Args:
        axes: The axes of the design.
        design: ``kind``; for space-filling designs also ``points`` and ``seed``.

    Raises:
        TooManyPoints: There are more than `MOST_POINTS`.
    """
    if design["kind"] == "grid":
        return grid(axes)
    return _filling(axes, design)


def grid(axes: Sequence[Axis]) -> Iterator[tuple[str, ...]]:
    """All combinations; the first axis varies slowest."""
    levels = [list(axis.rows) for axis in axes]
    count = 1
    for each in levels:
        count *= len(each)
    if count > MOST_POINTS:
        raise TooManyPoints(f"{count:,} combinations; at most {MOST_POINTS:,} can be held")
    for combination in itertools.product(*levels):
        yield tuple(itertools.chain.from_iterable(combination))


def _filling(axes: Sequence[Axis], design: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Points of a space-filling design in the unit cube, with a dimension for each axis."""
    if not axes:
        yield ()
        return
    sampler: qmc.QMCEngine
    if design["kind"] == "sobol":
        sampler = qmc.Sobol(len(axes), scramble=True, rng=design["seed"])
    else:
        sampler = qmc.LatinHypercube(len(axes), rng=design["seed"])
    with warnings.catch_warnings():
        # A Sobol sequence is balanced only at powers of two, as the reference of study files says.
        warnings.simplefilter("ignore", UserWarning)
        points = sampler.random(design["points"])
    for point in points:
        yield tuple(
            itertools.chain.from_iterable(
                axis.at(float(share)) for axis, share in zip(axes, point, strict=True)
            )
        )


INFINITE = "infinite"


@dataclass(frozen=True)
class Points:
    """Makes the points of a study from the rows of its design.

    Attributes:
        factors: The factors, in the order of a row.
        derived: The derived parameters.
        base: The scenario with the settings of every run.
        refusal: Makes the errors.
    """

    factors: Sequence[Factor]
    derived: Sequence[Derived]
    base: Job
    refusal: Refusals

    def refuse_idle_names(self) -> None:
        """Refuses a factor that is not a parameter of the scenario and that no expression uses.

        Raises:
            ScenarioError: The study has such a factor.
        """
        used = set().union(*(_names(one.expression) for one in self.derived))
        for factor in self.factors:
            is_used = factor.stands_for or factor.column.name in used
            if factor.column.path is None and not is_used:
                message = f"no expression uses `{factor.column.name}`"
                advice = (
                    "a parameter is named by its dotted path or the end of it, as in `tcp.mss`; a "
                    "name without a dot is for use in `[derived]`"
                )
                raise self.refusal(factor.place, message, advice)

    def point(self, index: int, row: Sequence[str]) -> Point:
        """The point of a row.

        Raises:
            ScenarioError: An expression cannot be evaluated at the point.
        """
        both = list(zip(self.factors, row, strict=True))
        # Alternatives are set first, and the variant of a table before its keys.
        both.sort(key=lambda one: (not one[0].stands_for, one[0].form is None))
        settings = [setting for factor, text in both for setting in factor.settings(text)]
        columns = [factor.column for factor in self.factors]
        values = [_value(column, text) for column, text in zip(columns, row, strict=True)]
        known = {column.name: (column, text) for column, text in zip(columns, row, strict=True)}
        found: dict[str, Amount] = {}
        for one in self.derived:
            scenario = _ScenarioAtPoint(self.base, tuple(settings))
            result = self._evaluated(one, known, found, scenario)
            found[one.column.name] = result
            text, value = self._as_column(one, result)
            values.append(value)
            if one.column.path is not None:
                settings.append(f"{one.column.path}={text}")
        names = [*known, *(one.column.name for one in self.derived)]
        return Point(index, tuple(zip(names, values, strict=True)), tuple(settings))

    def _evaluated(
        self,
        one: Derived,
        known: Mapping[str, tuple[FactorColumn, str]],
        found: Mapping[str, Amount],
        scenario: _ScenarioAtPoint,
    ) -> Amount:
        def value(name: str) -> Amount:
            if name in found:
                return found[name]
            return _amount(*known[name]) if name in known else scenario.amount(name)

        try:
            return amount(one.expression, value)
        except ExpressionError as error:
            raise self.refusal(one.place, str(error)) from error

    def _as_column(self, one: Derived, result: Amount) -> tuple[str, Value]:
        """Value of a derived parameter as text for the scenario, and as value for the data set."""
        if one.column.path is None:
            return "", result.value
        kind = one.column.kind
        if kind not in DIMENSIONS:
            raise self.refusal(
                one.place, f"`{one.column.name}` is not a number, so it cannot be derived"
            )
        try:
            value = result.as_kind(kind)
        except UnitError as error:
            raise self.refusal(
                one.place, f"`{one.expression}` does not fit `{one.column.name}`: {error}"
            ) from error
        if math.isnan(value) or (math.isinf(value) and kind != "Buffer"):
            message = f"`{one.expression}` is {value} at a point"
            raise self.refusal(one.place, message, "allowed: a finite value at every point")
        if kind in WHOLE:
            value = whole(value)
        return (INFINITE if math.isinf(value) else written(value, kind)), value


class _ScenarioAtPoint:
    """The scenario at a point, resolved only if an expression uses it."""

    def __init__(self, base: Job, settings: tuple[str, ...]) -> None:
        self._job = Job(base.text, base.path, (*base.overrides, *settings), base.seed)

    def amount(self, name: str) -> Amount:
        """Value of a dotted path, ``rtt`` or ``rate``.

        Raises:
            ExpressionError: The name is unknown, or its value is not a number.
        """
        try:
            if name == "rtt":
                return Amount(self._round_trip(), TIME)
            if name == "rate":
                links = self._network()["links"]
                return Amount(min(link["bits_per_second"] for link in links), RATE)
            if "." not in name:
                raise ExpressionError(
                    f"unknown name `{name}`; allowed are the factors, `rtt` (the longest "
                    "propagation round trip of a flow), `rate` (of the slowest link) and dotted "
                    "paths"
                )
            return _of_key(Keys(self._job.resolved()).find(name))
        except (BadInput, UnitError) as error:
            raise ExpressionError(str(error)) from error
        except ScenarioError as error:
            raise ExpressionError(
                f"`{name}` cannot be read, because the scenario at this point is wrong: "
                f"{message_of(error)}"
            ) from error

    def _network(self) -> dict[str, Any]:
        network: dict[str, Any] = json.loads(self._job.scenario().network())
        return network

    def _round_trip(self) -> float:
        flows = self._network()["flows"]
        trips = [flow["propagation_round_trip_seconds"] for flow in flows]
        known: list[float] = [trip for trip in trips if trip is not None]
        if not known:
            raise ExpressionError("`rtt`: no flow of this scenario has a way back")
        return max(known)


def _of_key(key: Key) -> Amount:
    """Value of a key of the scenario as an amount.

    Raises:
        UnitError: The parameter is absent, or not a number.
    """
    if key.value is None or key.kind not in DIMENSIONS:
        found = "absent" if key.value is None else json.dumps(key.value)
        raise UnitError(f"`{key.path}` is {found} at this point of the study, not a number")
    text = str(key.value)
    kind = length_kind(text) if key.kind == "QueueLength" else key.kind
    return Amount.of(number(text, key), kind)


@cache
def _amount(column: FactorColumn, text: str) -> Amount:
    """Value of a factor as an amount.

    Raises:
        ExpressionError: The value is not a number.
    """
    try:
        if column.path is None:
            return read_amount(text)
        return Amount.of(_number(column, text), column.kind)
    except (UnitError, KeyError) as error:
        raise ExpressionError(f"`{column.name}` is {text!r}, which is not a number") from error


def _value(column: FactorColumn, text: str) -> Value:
    """A factor's value for the data set."""
    if column.kind not in DIMENSIONS:
        return text
    if column.path is None:
        return read_amount(text).as_kind(column.kind)
    return _number(column, text)


@cache
def _number(column: FactorColumn, text: str) -> float:
    return number(text, Key(column.name, column.kind, None, (), None, None, {}))


def _names(expression: str) -> set[str]:
    """Names that an expression uses."""
    try:
        return {node.id for node in ast.walk(parse(expression)) if isinstance(node, ast.Name)}
    except ExpressionError:
        return set()
