"""Reads the factors and derived parameters of a study file, with their values."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from cellrate import ScenarioError, _core
from cellrate.common.problems import BadInput
from cellrate.simulation.runner import Job
from cellrate.studies.dataset.description import FactorColumn
from cellrate.studies.parameters.keys import Key, Keys, number
from cellrate.studies.parameters.ranges import WHOLE, Range, Scale, written
from cellrate.studies.parameters.schema import full_path
from cellrate.studies.parameters.variants import TableForm, form_at, switched
from cellrate.studies.study.amounts import DIMENSIONS, UNITS, UnitError, length_kind, read_amount
from cellrate.studies.study.definition import Axis, Derived, Factor

Place = tuple[int | str, ...]
Level = str | float | bool

MOST_VARIANTS = 256
"""Greatest number of combinations of variants that are tried to find one that has a parameter."""


class Refusals:
    """Makes errors that refuse a study file and show the place of the fault."""

    def __init__(self, text: str, path: str) -> None:
        self.text = text
        self.path = path

    def __call__(self, place: Place, message: str, advice: str = "") -> ScenarioError:
        """Returns the error to raise.

        Args:
            place: Keys and indices that lead to the fault.
            message: The fault, with the value found.
            advice: The allowed values, or a remedy.
        """
        try:
            _core.refuse_study(self.text, self.path, list(place), message, advice)
        except ScenarioError as error:
            return error


class Reading:
    """Reads the factors of a study and finds their parameters in the scenario.

    Args:
        document: The study file, as `_core.study` returns it.
        base: The scenario with the settings of every run.
        refusal: Makes the errors.
    """

    def __init__(self, document: Mapping[str, Any], base: Job, refusal: Refusals) -> None:
        self._document = document
        self._base = base
        self._refusal = refusal

    @cached_property
    def axes(self) -> tuple[Axis, ...]:
        """Axes of the design in file order; paired factors and alternatives come last."""
        alone = [
            Axis((self._factor(name, levels, ("factors", name)),))
            for name, levels in self._document["factors"]
        ]
        together = [
            Axis(tuple(self._factor(name, levels, ("paired", at, name)) for name, levels in table))
            for at, table in enumerate(self._document["paired"])
        ]
        named = [
            Axis((self._alternatives(name, values, ("alternatives", name)),))
            for name, values in self._document["alternatives"]
        ]
        return (*alone, *together, *named)

    def _alternatives(
        self, name: str, values: Sequence[tuple[str, Sequence[str]]], place: Place
    ) -> Factor:
        """A factor whose levels are names, each of which stands for settings."""
        if not name.isidentifier():
            advice = "allowed: letters, digits and `_`"
            raise self._refusal(place, f"`{name}` is not a name", advice)
        stands_for = {level: tuple(settings) for level, settings in values}
        column = FactorColumn(name, None, "choice", "")
        return Factor(column, tuple(stands_for), place, stands_for=stands_for)

    @cached_property
    def derived(self) -> tuple[Derived, ...]:
        """The derived parameters in the order of the file. Lengths of queues are in bytes."""
        found = []
        for name, expression in self._document["derived"]:
            column = self._column(name, ("derived", name))
            if column.kind == "QueueLength":
                column = replace(column, kind="Bytes", unit=UNITS["Bytes"])
            found.append(Derived(column, expression, ("derived", name)))
        return tuple(found)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Notes on keys of the scenario that other variants of a table leave out."""
        found = []
        for factor in (factor for axis in self.axes for factor in axis.factors):
            if factor.form is None or isinstance(factor.levels, Range):
                continue
            for level in factor.levels:
                left = switched(factor.form, level).left_out
                if left:
                    found.append(f"{factor.column.name} = {level} leaves out {', '.join(left)}")
        return tuple(found)

    @property
    def link_layer(self) -> str:
        """Link layer of the scenario."""
        return str(self._base_keys.document.get("link_layer", "atm"))

    def full_path(self, path: str) -> str:
        """The full path of a parameter for a short or full path.

        An unknown path is returned as is.
        """
        try:
            return full_path(self._base_keys.document, path)
        except BadInput:
            return path

    def _factor(self, name: str, levels: Any, place: Place) -> Factor:  # noqa: ANN401  JSON
        column = self._column(name, place)
        if isinstance(levels, list):
            texts = tuple(self._text(name, level, (*place, i)) for i, level in enumerate(levels))
            if place[0] == "factors" and len(set(texts)) < len(texts):
                raise self._refusal(place, f"`{name}` has a value twice", "list each value once")
            typed = self._typed(column, texts, place)
            if typed.unit:
                typed = replace(typed, written=texts)
            return Factor(typed, texts, place, self._form(name))
        ends = [_plainly(levels["from"]), _plainly(levels["to"])]
        column = self._typed(column, ends if column.kind == "QueueLength" else ends[:1], place)
        found = self._range(column, levels, place)
        count = levels["count"]
        return Factor(column, found if count is None else self._spread(found, count, place), place)

    def _typed(self, column: FactorColumn, texts: Sequence[str], place: Place) -> FactorColumn:
        """Kind (time, rate, number ...) that values give to a name or to a length of a queue."""
        if column.kind == "QueueLength":
            kinds = {length_kind(text) for text in texts}
            if len(kinds) > 1:
                raise self._refusal(
                    place,
                    f"`{column.name}` has values in packets and in bytes",
                    "give all in packets, or all in bytes",
                )
            kind = kinds.pop()
            return replace(column, kind=kind, unit=UNITS[kind])
        if column.path is not None:
            return column
        try:
            kinds = {_kind_of(text) for text in texts}
        except UnitError:
            kinds = {"choice"}
        kind = kinds.pop() if len(kinds) == 1 else "choice"
        return FactorColumn(column.name, None, kind, UNITS.get(kind, ""))

    def _range(self, column: FactorColumn, levels: Mapping[str, Any], place: Place) -> Range:
        kind = column.kind
        if kind not in DIMENSIONS:
            raise self._refusal(place, f"`{column.name}` is not a number", "list its values")
        low, high = (self._end(column, kind, levels[end], (*place, end)) for end in ("from", "to"))
        if low >= high:
            raise self._refusal(
                place, f"`from` of `{column.name}` is not below `to`", "both ends are included"
            )
        scale: Scale = levels["scale"]
        if scale == "log" and low <= 0:
            raise self._refusal(
                place,
                f"the logarithmic range of `{column.name}` begins at {low:g}",
                'set `from` above 0, or `scale = "linear"`',
            )
        return Range(column.path or column.name, kind, low, high, scale)

    def _end(self, column: FactorColumn, kind: str, level: Level, place: Place) -> float:
        try:
            if column.path is None:
                return read_amount(_plainly(level)).as_kind(kind)
            return number(_plainly(level), self._key(column.path, place))
        except BadInput as error:
            raise self._refusal(place, str(error)) from error
        except UnitError as error:
            raise self._refusal(place, f"`{column.name}`: {error}") from error

    def _spread(self, found: Range, count: int, place: Place) -> tuple[str, ...]:
        """`count` values of a range, with both ends, as texts of a scenario."""
        values = tuple(_spaced(found, n / (count - 1)) for n in range(count))
        texts = tuple(found.text(value) for value in values)
        if len(set(texts)) < count:
            message = (
                f"there are no {count} values of `{found.path}` between {texts[0]} and {texts[-1]}"
            )
            raise self._refusal(place, message, "there are fewer whole numbers in this range")
        return texts

    def _text(self, name: str, level: Level, place: Place) -> str:
        """Checks a value and returns it in the form that scenario files use."""
        if "." not in name:
            return _plainly(level)
        form = self._form(name)
        if form is not None:
            try:
                form.keys_of(_plainly(level))
            except BadInput as error:
                raise self._refusal(place, str(error)) from error
            return _plainly(level)
        key = self._key(name, place)
        try:
            if key.kind in {"boolean", "choice"}:
                return key.chosen(_plainly(level))
            if isinstance(level, str) or key.kind not in {"number", "integer"}:
                number(_plainly(level), key)
            if key.kind in {"number", "integer"}:
                return written(number(_plainly(level), key), key.kind)
        except BadInput as error:
            raise self._refusal(place, str(error)) from error
        return str(level)

    def _column(self, name: str, place: Place) -> FactorColumn:
        if "." not in name:
            if not name.isidentifier():
                advice = "allowed: the dotted path of a key, or a name for expressions"
                raise self._refusal(place, f"`{name}` is neither a parameter nor a name", advice)
            return FactorColumn(name, None, "number", "")
        form = self._form(name)
        if form is not None:
            return FactorColumn(name, form.path, "choice", "")
        key = self._key(name, place)
        return FactorColumn(name, key.path, key.kind, UNITS.get(key.kind, ""))

    def _form(self, name: str) -> TableForm | None:
        """The table whose variant a factor selects (scheme, policy or source); None otherwise."""
        if "." not in name:
            return None
        try:
            base = self._base
            return form_at(self._base_keys, name, base.text, base.overrides, base.path)
        except BadInput:
            return None

    def _key(self, name: str, place: Place) -> Key:
        """The key of a parameter, from the first variant of the scenario that has it."""
        reason = ""
        for keys in self._variants():
            try:
                return keys.find(name)
            except BadInput as error:
                reason = reason or str(error)
        raise self._refusal(place, reason)

    def _variants(self) -> Iterator[Keys]:
        """Keys of the scenario as it is, then under each choice of variants by the factors."""
        yield self._base_keys
        yield from self._others

    @cached_property
    def _base_keys(self) -> Keys:
        return Keys(self._base.resolved())

    @cached_property
    def _others(self) -> tuple[Keys, ...]:
        """Keys of the scenario under each combination of variants and choices in the factors.

        The variant of a table decides which keys exist: another scheme has other parameters.
        """
        tables = [self._document["factors"], *self._document["paired"]]
        choices: list[Sequence[tuple[str, ...]]] = [
            [tuple(settings) for _, settings in values]
            for _, values in self._document["alternatives"]
        ]
        choices += [
            [self._choice(name, level) for level in levels if isinstance(level, str)]
            for table in tables
            for name, levels in table
            if isinstance(levels, list) and self._chooses(name)
        ]
        found = []
        for chosen in itertools.islice(itertools.product(*filter(None, choices)), MOST_VARIANTS):
            settings = list(itertools.chain.from_iterable(chosen))
            job = Job(self._base.text, self._base.path, (*self._base.overrides, *settings))
            try:
                found.append(Keys(job.resolved()))
            except ScenarioError:
                continue
        return tuple(found)

    def _chooses(self, name: str) -> bool:
        """True if a factor selects between variants of a table, or its parameter is a choice."""
        if self._form(name) is not None:
            return True
        try:
            return self._base_keys.find(name).kind == "choice"
        except BadInput:
            return False

    def _choice(self, name: str, level: str) -> tuple[str, ...]:
        """The setting that selects a variant; none if the value is not allowed."""
        form = self._form(name)
        if form is None:
            return (f"{name}={level}",)
        try:
            setting = switched(form, level).setting
        except BadInput:
            return ()
        return (setting,) if setting else ()


def _spaced(found: Range, share: float) -> float:
    """The value at a share of the range; at 0 and 1 exactly its ends."""
    if found.scale == "linear":
        value = found.low + share * (found.high - found.low)
    else:
        value = found.low * (found.high / found.low) ** share
    if share in {0.0, 1.0}:
        value = found.low if share == 0.0 else found.high
    return float(round(value)) if found.kind in WHOLE else float(f"{value:.12g}")


def _plainly(level: Level) -> str:
    """The text of a level: a number without trailing zeros, `true`, `false` or a string."""
    if isinstance(level, bool):
        return "true" if level else "false"
    return level if isinstance(level, str) else repr(level)


def _kind_of(text: str) -> str:
    """Kind of a value of a name that only expressions use.

    Raises:
        UnitError: The text is neither a number nor a quantity.
    """
    dimension = read_amount(text).dimension
    return next(kind for kind, one in _KINDS if one == dimension)


# The kind of parameter that stands for each dimension.
_KINDS = [(kind, DIMENSIONS[kind]) for kind in ("number", "Time", "Rate", "Cells")]
