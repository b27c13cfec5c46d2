"""A study in memory: what varies, the points, how often each is run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from cellrate.parameters.ranges import Range
from cellrate.parameters.variants import Form, switched
from cellrate.runner import Job

Value: TypeAlias = str | float
"""What a factor or derived parameter is at a point, as a data set has it: SI units or cells."""

WarmUpRule: TypeAlias = Literal["mser-5"]


@dataclass(frozen=True)
class Column:
    """A factor or derived parameter.

    Attributes:
        name: As the study file has it.
        path: Dotted path of the parameter; None of a name that only expressions use.
        kind: ``number``, ``integer``, ``boolean``, ``choice`` or a quantity such as ``Time``.
        unit: Unit of its values; empty if they have none.
    """

    name: str
    path: str | None
    kind: str
    unit: str


@dataclass(frozen=True)
class Factor:
    """Something that varies.

    Attributes:
        column: What it is.
        levels: Its values in order, as a scenario has them, or the range whose values will all do.
        place: Where the study file says so.
        form: The table whose form it is, if it is one: the scheme of a switch, say.
    """

    column: Column
    levels: tuple[str, ...] | Range
    place: tuple[int | str, ...]
    form: Form | None = None

    def setting(self, text: str) -> str:
        """A value as a setting of a run; empty if there is nothing to set."""
        if self.column.path is None:
            return ""
        if self.form is not None:
            return switched(self.form, text).setting
        return f"{self.column.path}={text}"

    def at(self, share: float) -> str:
        """The value at a share, from 0 up to 1, of the way through its levels or its range."""
        if isinstance(self.levels, Range):
            return self.levels.at(share)
        return self.levels[min(int(share * len(self.levels)), len(self.levels) - 1)]


@dataclass(frozen=True)
class Axis:
    """Factors that vary together, row by row; usually one."""

    factors: tuple[Factor, ...]

    @property
    def rows(self) -> Iterator[tuple[str, ...]]:
        """Values of its factors, row by row.

        Raises:
            ValueError: It is a range without a number of values.
        """
        return zip(*map(_values, self.factors), strict=True)

    def at(self, share: float) -> tuple[str, ...]:
        """Values of its factors at a share of the way."""
        return tuple(factor.at(share) for factor in self.factors)


def _values(factor: Factor) -> tuple[str, ...]:
    if isinstance(factor.levels, tuple):
        return factor.levels
    raise ValueError(f"{factor.column.name} is a range without a number of values; list some")


@dataclass(frozen=True)
class Derived:
    """A parameter that follows from others by an expression."""

    column: Column
    expression: str
    place: tuple[int | str, ...]


@dataclass(frozen=True)
class Point:
    """A combination of values.

    Attributes:
        index: Number from 0, in the order of the design.
        values: Name and value of every factor and derived parameter, in their order.
        settings: The same as settings of a run, those that are parameters.
    """

    index: int
    values: tuple[tuple[str, Value], ...]
    settings: tuple[str, ...]


@dataclass(frozen=True)
class Until:
    """When a point is known well enough.

    Attributes:
        measure: Name of the measure.
        half_width: Half of its confidence interval.
        relative: Whether that is a share of its mean.
    """

    measure: str
    half_width: float
    relative: bool


@dataclass(frozen=True)
class Replications:
    """How often each point is run: from `least` to `most` times; `until` decides if they differ."""

    least: int
    most: int
    until: Until | None
    level: float


@dataclass(frozen=True)
class WarmUp:
    """How the start of the measuring window is found: from a trace, by a rule."""

    rule: WarmUpRule
    trace: str


@dataclass(frozen=True)
class Study:
    """A study file, read.

    Attributes:
        name: Its name.
        path: The file.
        text: What it says.
        base: The scenario, with the settings of every run; its path is the name of a template.
        factors: What varies, in the order of the file.
        derived: What follows from that.
        points: Every combination that is run.
        common_random_numbers: Whether a replication has one seed at all points.
        replications: How often each point is run.
        warm_up: A rule for the start of the measuring window, if one is to be found.
        measures: Name and expression of each named measure.
        traces: Traces that go into the data set.
        notes: What a user should know before it runs.
    """

    name: str
    path: str
    text: str
    base: Job
    factors: tuple[Column, ...]
    derived: tuple[Column, ...]
    points: tuple[Point, ...]
    common_random_numbers: bool
    replications: Replications
    warm_up: WarmUp | None
    measures: Mapping[str, str]
    traces: tuple[str, ...]
    notes: tuple[str, ...]

    def seed(self, point: int, replication: int) -> int:
        """Seed of a run."""
        first = self.base.seed or 0
        if self.common_random_numbers:
            return first + replication
        return first + point * self.replications.most + replication

    def job(self, point: Point, replication: int, settings: tuple[str, ...] = ()) -> Job:
        """A run.

        Args:
            point: The point.
            replication: Its number, from 0.
            settings: What is set besides.
        """
        overrides = (*self.base.overrides, *point.settings, *settings)
        return Job(self.base.text, self.base.path, overrides, self.seed(point.index, replication))
