"""A study in memory: factors, points, replications."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from cellrate.common.document import (
    Block,
    Document,
    Paragraph,
    Remark,
    Section,
    Shown,
    Table,
    columns,
    rows,
)
from cellrate.common.numbers import counted
from cellrate.simulation.runner import Job
from cellrate.studies.dataset.description import FactorColumn
from cellrate.studies.parameters.ranges import Range
from cellrate.studies.parameters.variants import TableForm, switched

Value: TypeAlias = str | float
"""Value of a factor or derived parameter at a point: in SI units or cells, or a text."""


@dataclass(frozen=True)
class Factor:
    """A factor of a study.

    Attributes:
        column: Name, parameter and unit of the factor.
        levels: Values of the factor in order, as in a scenario, or a range for space-filling
            designs.
        place: Place of the factor in the study file.
        form: The table whose variant the factor selects, such as the scheme of a switch; None
            otherwise.
        stands_for: Settings by level of a factor whose levels are names of alternatives.
    """

    column: FactorColumn
    levels: tuple[str, ...] | Range
    place: tuple[int | str, ...]
    form: TableForm | None = None
    stands_for: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def settings(self, text: str) -> tuple[str, ...]:
        """A level as settings of a run; none if the factor is a name that only expressions use."""
        if self.column.path is None:
            return self.stands_for.get(text, ())
        if self.form is not None:
            setting = switched(self.form, text).setting
            return (setting,) if setting else ()
        return (f"{self.column.path}={text}",)

    def at(self, share: float) -> str:
        """The level at a fraction, from 0 to 1, of the list of levels or of the range."""
        if isinstance(self.levels, Range):
            return self.levels.at(share)
        return self.levels[min(int(share * len(self.levels)), len(self.levels) - 1)]


@dataclass(frozen=True)
class Axis:
    """A dimension of a design: one factor, or several paired factors that vary together."""

    factors: tuple[Factor, ...]

    @property
    def rows(self) -> Iterator[tuple[str, ...]]:
        """Values of the factors of the axis, row by row.

        Raises:
            ValueError: A factor is a range without a number of values.
        """
        return zip(*map(_values, self.factors), strict=True)

    def at(self, share: float) -> tuple[str, ...]:
        """Values of the factors of the axis at a fraction of their levels or ranges."""
        return tuple(factor.at(share) for factor in self.factors)


def _values(factor: Factor) -> tuple[str, ...]:
    if isinstance(factor.levels, tuple):
        return factor.levels
    raise ValueError(
        f"{factor.column.name} is a range without a number of values; add `count` or list values"
    )


@dataclass(frozen=True)
class Derived:
    """A parameter that an expression computes from other parameters."""

    column: FactorColumn
    expression: str
    place: tuple[int | str, ...]


@dataclass(frozen=True)
class Point:
    """A point of a study: one combination of values of all factors.

    Attributes:
        index: Number from 0, in the order of the design.
        values: Name and value of every factor and derived parameter, in their order.
        settings: The values of parameters of the scenario, as settings of a run.
    """

    index: int
    values: tuple[tuple[str, Value], ...]
    settings: tuple[str, ...]


@dataclass(frozen=True)
class StoppingRule:
    """Stopping rule of the replications of a point.

    Attributes:
        measure: Name of the measure.
        half_width: Half width of the mean's confidence interval that ends the runs of a point.
        relative: True if the half width is a share of the mean.
    """

    measure: str
    half_width: float
    relative: bool


@dataclass(frozen=True)
class Replications:
    """Number of runs of each point.

    If `least` and `most` differ, the stopping rule `until` decides the number.
    """

    least: int
    most: int
    until: StoppingRule | None
    level: float


@dataclass(frozen=True)
class Study(Shown):
    """The contents of a study file.

    Attributes:
        name: Name of the study.
        path: Path of the file.
        text: Text of the file.
        base: The scenario with the settings of every run; its path may be the name of a template.
        factors: The factors, in the order of the file.
        derived: The derived parameters.
        points: Every combination that is run.
        common_random_numbers: True if a replication has the same seed at all points.
        replications: Number of runs of each point.
        warm_up: Kind of the traces from which the rule MSER-5 finds the start of the measuring
            window; None if the scenario sets it.
        measures: Name and expression of each named measure.
        traces: Traces that go into the data set.
        notes: Notes for the user before the study runs.
        link_layer: Link layer of the scenario.
        settings: Settings of every run besides those of the file.
    """

    name: str
    path: str
    text: str
    base: Job
    factors: tuple[FactorColumn, ...]
    derived: tuple[FactorColumn, ...]
    points: tuple[Point, ...]
    common_random_numbers: bool
    replications: Replications
    warm_up: str | None
    measures: Mapping[str, str]
    traces: tuple[str, ...]
    notes: tuple[str, ...]
    link_layer: str
    settings: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<Study {self.name}: {counted(len(self.points), 'point')} of {self.base.path}>"

    def document(self) -> Document:
        """The plan of the study as a document."""
        return study_document(self)

    def seed(self, point: int, replication: int) -> int:
        """Seed of a run."""
        first = self.base.seed or 0
        if self.common_random_numbers:
            return first + replication
        return first + point * self.replications.most + replication

    def job(self, point: Point, replication: int, settings: tuple[str, ...] = ()) -> Job:
        """The job of a run."""
        overrides = (*self.base.overrides, *point.settings, *settings)
        return Job(self.base.text, self.base.path, overrides, self.seed(point.index, replication))


# Greatest number of values of a factor that are listed.
LISTED = 12


def study_document(study: Study) -> Document:
    """The factors and their values, the number of runs, and the measures of a study."""
    replications = study.replications
    least, most = (len(study.points) * one for one in (replications.least, replications.most))
    runs = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    seeds = "the same" if study.common_random_numbers else "other"
    found = [
        (one.name, one.unit, _values_listed(study, one)) for one in (*study.factors, *study.derived)
    ]
    measures = [(name, expression) for name, expression in study.measures.items()]
    parts: list[Block] = [
        Paragraph(
            f"{counted(len(study.points), 'point')} of {study.base.path}, {runs} runs "
            f"with {seeds} seeds at each point"
        ),
        Section("Factors", (Table(columns("factor", "unit", "values"), rows(found)),)),
        Section("Measures", (Table(columns("measure", "expression"), rows(measures)),)),
    ]
    parts += [Remark(note, "bad") for note in study.notes]
    return Document(f"Study {study.name}", tuple(parts))


def _values_listed(study: Study, of: FactorColumn) -> str:
    values = dict.fromkeys(
        value for point in study.points for n, value in point.values if n == of.name
    )
    shown = [f"{one:g}" if isinstance(one, float) else str(one) for one in values]
    if len(shown) > LISTED:
        return f"{shown[0]} to {shown[-1]}, {len(shown)} values"
    return ", ".join(shown)
