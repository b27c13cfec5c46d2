"""Data of a paper, as `papers/README.md` defines it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal

from cellrate.language.runs import Value


class ReproduceError(Exception):
    """A request or a paper's data cannot be used.

    The message names the file, option or experiment, what is wrong, and what is allowed.
    """


class NotMeasurable(ReproduceError):
    """A measure or claim cannot be evaluated, since the runs lack the events that it is about."""


Kind = Literal["measured", "arithmetic", "restated"]
SCORES = ("throughput", "rate", "queue", "loss", "whole")
LEAST, MOST = 2.5, 97.5
"""Percentiles between which a printed value is consistent with a distribution."""
READINGS_NEEDED = 64
"""Least number of joint readings with which a result is called contradicted, robust or fragile.

A joint reading is one set of values for all open parameters.
"""
Point = dict[str, Value]
Expression = Annotated[str, "expression"]
"""A text that is an expression of the language of measures and claims."""
Settings = Annotated[tuple[str, ...], "settings"]
"""Settings as for `--set`; `{...}` holds an expression."""


@dataclass(frozen=True)
class Alternative:
    """Another value of an open parameter: settings that replace the assumed value."""

    label: str
    set: Settings = ()
    also: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Settings to add for the runs of some scenario files, by file."""

    def settings(self, scenario: str) -> tuple[str, ...]:
        """The settings of the alternative for the runs of a scenario file."""
        return self.set + next((more for name, more in self.also if name == scenario), ())


@dataclass(frozen=True)
class Assumption:
    """A parameter that the paper leaves open, and its assumed value."""

    id: str
    parameter: str
    assumed: str
    why: str = ""
    scenarios: tuple[str, ...] = ()
    """Scenario files whose runs alternatives change; empty for all."""
    variants: tuple[str, ...] = ()
    """Names of variants whose runs alternatives change; empty for all."""
    alternatives: tuple[Alternative, ...] = ()

    def concerns(self, variant: Variant) -> bool:
        """True if alternatives change the runs of a variant."""
        return (not self.scenarios or variant.scenario in self.scenarios) and (
            not self.variants or variant.name in self.variants
        )


@dataclass(frozen=True)
class Variant:
    """A run of a scenario with settings, or several runs that differ in varied values (points)."""

    name: str
    label: str
    scenario: str
    set: Settings
    points: tuple[Point, ...]
    """Varied values of each run; a single empty point if nothing is varied."""
    constants: Point
    swept: bool
    """True if values are varied."""
    changes: tuple[str, ...] = ()
    """Settings of the user, applied after those of the paper, as for `--set`; no expressions."""


@dataclass(frozen=True)
class Published:
    """A value that the paper prints, with the measure that computes it from runs."""

    quantity: str
    kind: Kind
    printed: str
    value: float | None = None
    unit: str = ""
    where: str = ""
    measure: Expression = ""
    score: str = ""
    order: str = ""
    """Group of values whose order is checked, apart from the score; empty without a group."""
    restates: str = ""
    again: str = ""
    """Name of the value that this value repeats in another unit; empty if it repeats none."""
    it: tuple[str, tuple[Value, ...]] | None = None
    """Variant and point of the run that the name `it` means in the measure."""
    at: tuple[tuple[str, Value], ...] = ()
    """Further names that the measure may use, with their values: the key of a table's row."""

    @property
    def with_unit(self) -> str:
        """The printed text with its unit."""
        has_unit = self.printed.endswith(self.unit)
        return self.printed if has_unit else f"{self.printed} {self.unit}"


def in_column(published: Published, column: str) -> bool:
    """True if the quantity of a value begins with the name of a table's column."""
    return published.quantity.startswith(f"{column}, ")


@dataclass(frozen=True)
class Claim:
    """A claim of the paper as a predicate."""

    id: str
    text: str
    holds_if: Expression
    where: str = ""
    general: int | None = None
    """Number of a claim of the whole paper among such claims of all papers; None if the claim is of
    one experiment."""
    uses: tuple[str, ...] = ()
    """Other experiments of the paper whose runs the predicate names."""
    about_runs: bool = True
    """True if the predicate names a run; otherwise it checks the paper's arithmetic."""


@dataclass(frozen=True)
class ProofValue:
    """A number that illustrates a proof."""

    quantity: str
    measure: Expression
    unit: str = ""


@dataclass(frozen=True)
class Proof:
    """A predicate that proves an erratum, and numbers that illustrate it."""

    text: str
    holds_if: Expression
    values: tuple[ProofValue, ...] = ()
    uses: tuple[str, ...] = ()
    """Experiments whose runs the expressions name."""


@dataclass(frozen=True)
class Erratum:
    """An error in a paper: the printed text, the corrected text, the reason, and proofs."""

    id: str
    where: str
    printed: str
    right: str
    why: str
    proofs: tuple[Proof, ...] = field(metadata={"key": "proof"})


@dataclass(frozen=True)
class Axis:
    """An axis of a figure."""

    label: str
    axis: str = ""
    """Name of the varied value along this axis, if the figure is over varied values."""
    scale: float = 1.0
    """Factor by which all values are multiplied before they are drawn."""
    start: float | None = field(default=None, metadata={"key": "from"})
    end: float | None = field(default=None, metadata={"key": "to"})
    log: bool = False


@dataclass(frozen=True)
class Curve:
    """A curve of a figure: a measure over runs of a variant, traces of a run, or a formula."""

    label: str
    variant: str = ""
    measure: Expression = ""
    run: Expression = ""
    series: tuple[str, str] | None = None
    only: Point = field(default_factory=dict)
    """Varied values that select the points of a sweep for this curve."""
    points: Expression = ""
    """Expression for the pairs (x, y) of a formula's curve."""


@dataclass(frozen=True)
class PrintedPoint:
    """A printed value to mark in a figure.

    Attributes:
        curve: Label of the curve that measures the same.
        x: Position along the horizontal axis, in its unit.
        y: The printed value, in the unit of the vertical axis.
    """

    curve: str
    x: float
    y: float


@dataclass(frozen=True)
class Figure:
    """A figure, drawn like the figure of the paper."""

    id: str
    title: str
    kind: Literal["sweep", "trace", "formula"]
    x: Axis
    y: Axis
    curves: tuple[Curve, ...]
    printed: tuple[PrintedPoint, ...] = ()


@dataclass(frozen=True)
class Experiment:
    """A table, figure or passage of a paper."""

    id: str
    kind: Literal["figure", "table", "text", "analytic"]
    title: str
    where: str
    assumptions: tuple[Assumption, ...] = ()
    errata: tuple[Erratum, ...] = ()
    remarks: tuple[str, ...] = ()
    """Other oddities of the paper at this place: contradictions, misplaced words."""
    variants: tuple[Variant, ...] = ()
    published: tuple[Published, ...] = ()
    claims: tuple[Claim, ...] = ()
    figures: tuple[Figure, ...] = ()

    def with_variants(self, change: Callable[[Variant], Variant]) -> Experiment:
        """The experiment with changed variants."""
        return replace(self, variants=tuple(map(change, self.variants)))


@dataclass(frozen=True)
class Drawn:
    """Distribution over seeds of a quantity or claim that single events, such as a loss, decide."""

    experiment: str
    of: str
    """The quantity, or the claim's id."""
    values: tuple[float, ...] = ()
    """Measured values of a quantity, seed by seed, in its unit; empty for a claim."""
    holds: str = ""
    """Seed by seed 1 if a claim holds, else 0; empty for a quantity."""

    @property
    def key(self) -> tuple[str, str]:
        """Experiment, and quantity or claim's id."""
        return self.experiment, self.of

    @property
    def seeds(self) -> int:
        """Number of seeds measured."""
        return len(self.values) + len(self.holds)

    @property
    def holding(self) -> int:
        """Number of seeds in which a claim holds; 0 for a quantity."""
        return self.holds.count("1")

    def percentile(self, printed: float, place: float) -> float:
        """Percentile of a printed value among the measured values, from 0 to 100.

        `place` is one unit of the last printed place. Half of the measured values that round to the
        printed value count as smaller.
        """
        below = sum(value < printed - place / 2 for value in self.values)
        equal = sum(abs(value - printed) <= place / 2 for value in self.values)
        return 100 * (below + equal / 2) / len(self.values)

    def consistent_with(self, printed: float, place: float) -> bool:
        """True if a printed value is within the middle 95 % of the measured values."""
        return LEAST <= self.percentile(printed, place) <= MOST

    @property
    def happens(self) -> bool:
        """True if a claim holds in at least 2.5 % of the seeds."""
        return 100 * self.holding / self.seeds >= LEAST


@dataclass(frozen=True)
class ReadingAxis:
    """A parameter that the paper does not print, and the values that simulations try for it."""

    assumption: str
    """Id of the open parameter."""
    labels: tuple[str, ...]
    """Names of the parameter's values, the assumed one first."""


@dataclass(frozen=True)
class Reading:
    """A simulated set of values, one for each parameter that the paper does not print."""

    point: int
    """Number of the set in the paper's list of such sets, from 1; also the seed of the runs."""
    values: tuple[int, ...]
    """Index of the value of each parameter in `ReadingAxis.labels`, in the order of
    `Readings.axes`; 0 is the assumed value."""
    met: tuple[bool, ...]
    """For each result True if it is met (a number) or holds (a claim)."""


@dataclass(frozen=True)
class Readings:
    """All simulated sets of values for a paper's open parameters, which it does not print."""

    axes: tuple[ReadingAxis, ...] = ()
    results: tuple[tuple[str, str], ...] = ()
    """Experiment, and quantity or claim's id, of each result."""
    readings: tuple[Reading, ...] = ()

    def met(self, experiment: str, of: str) -> tuple[bool, ...]:
        """For each joint reading True if it meets a result; empty for an unknown result."""
        if (experiment, of) not in self.results:
            return ()
        number = self.results.index((experiment, of))
        return tuple(reading.met[number] for reading in self.readings)


@dataclass(frozen=True)
class Explanation:
    """Explanation of a disagreement between paper and simulation, and its class."""

    experiment: str
    of: tuple[str, ...]
    """Quantities and claim ids that disagree."""
    text: str
    impossible: str = ""
    """Id of the erratum that proves that these results contradict the paper itself or physics."""
    draw: bool = False
    """True if single events, such as one lost cell, decide the result, so that the printed run is
    one draw from a distribution."""
    run: str = ""
    """Command that computes the main number in `text`; empty without a command."""


@dataclass(frozen=True)
class Paper:
    """A paper: citation, experiments, errata, and explanations of disagreements."""

    id: str
    title: str
    authors: tuple[str, ...]
    published_in: str
    year: int
    summary: str
    directory: Path
    experiments: tuple[Experiment, ...]
    stands: str = ""
    """Summary in sentences: which results the simulation confirms, which depend on unprinted
    parameters, and which cannot be right."""
    errata: tuple[Erratum, ...] = ()
    explanations: tuple[Explanation, ...] = ()
    draws: tuple[Drawn, ...] = ()
    readings: Readings = Readings()
    scenarios: dict[str, str] = field(default_factory=dict)
    """Text of each scenario by file name."""

    @property
    def citation(self) -> str:
        """Authors, if they are known, then the place and the year."""
        place = f"{self.published_in}, {self.year}"
        return f"{', '.join(self.authors)}; {place}" if self.authors else place

    @property
    def short_citation(self) -> str:
        """The first author, or the place if no author is known, and the year."""
        first = self.authors[0] if self.authors else self.published_in
        return f"{first} et al. {self.year}" if len(self.authors) > 1 else f"{first} {self.year}"

    def experiment(self, identifier: str) -> Experiment:
        """The experiment of an id, which must exist."""
        return next(e for e in self.experiments if e.id == identifier)

    def with_variants(self, change: Callable[[Variant], Variant]) -> Paper:
        """The paper with changed variants in all experiments."""
        changed = tuple(experiment.with_variants(change) for experiment in self.experiments)
        return replace(self, experiments=changed)

    def explanation(self, experiment: str, of: str) -> Explanation | None:
        """Explanation of a disagreement, if there is one. `of` is a quantity or a claim's id."""
        matching = (e for e in self.explanations if e.experiment == experiment and of in e.of)
        return next(matching, None)

    def drawn(self, experiment: str, of: str) -> Drawn | None:
        """Measured distribution of a quantity or claim, if there is one."""
        matching = (d for d in self.draws if d.experiment == experiment and d.of == of)
        return next(matching, None)


AS_ASSUMED = "as assumed"
"""Name of the assumed value of an open parameter."""


def assumptions_of(paper: Paper) -> dict[str, Assumption]:
    """Open parameters that have alternatives, in the order of the experiments that list them."""
    listed = {a.id: a for e in paper.experiments for a in e.assumptions}
    return {name: a for name, a in listed.items() if a.alternatives}


Choice = tuple[Assumption, Alternative]
"""An open parameter, and the value that replaces the assumed one."""


def read_as(paper: Paper, choices: Sequence[Choice]) -> Paper:
    """The paper with other values of some open parameters, in every experiment that lists them.

    Stored distributions and joint readings are left out, because they hold for assumed values.
    """
    if not choices:
        return paper
    experiments = tuple(experiment_as(each, choices) for each in paper.experiments)
    return replace(paper, experiments=experiments, draws=(), readings=Readings())


def experiment_as(experiment: Experiment, choices: Sequence[Choice]) -> Experiment:
    """An experiment with other values of the open parameters that it lists."""
    listed = {assumption.id for assumption in experiment.assumptions}

    def changed(variant: Variant) -> Variant:
        more = tuple(
            setting
            for assumption, alternative in choices
            if assumption.id in listed and assumption.concerns(variant)
            for setting in alternative.settings(variant.scenario)
        )
        return replace(variant, set=variant.set + more)

    return experiment.with_variants(changed)


@dataclass(frozen=True)
class Subject:
    """A result of a paper: a printed number, or a claim about the runs of an experiment."""

    experiment: str
    """Id of the experiment."""
    of: Published | Claim

    @property
    def name(self) -> str:
        """Name of the result: the quantity of a number, or the id of a claim."""
        return self.of.id if isinstance(self.of, Claim) else self.of.quantity

    @property
    def is_claim(self) -> bool:
        """True for a claim, False for a number."""
        return isinstance(self.of, Claim)

    @property
    def uses(self) -> tuple[str, ...]:
        """Other experiments whose runs a claim names."""
        return self.of.uses if isinstance(self.of, Claim) else ()


def subjects_of(paper: Paper) -> tuple[Subject, ...]:
    """Every scored number and every claim about runs of a paper, in the paper's order."""
    return tuple(
        subject
        for subject in everything_of(paper)
        if (subject.of.about_runs if isinstance(subject.of, Claim) else subject.of.score)
    )


def everything_of(paper: Paper) -> list[Subject]:
    """Every printed number and every claim of a paper, in the paper's order."""
    found: list[Subject] = []
    for experiment in paper.experiments:
        found += [Subject(experiment.id, published) for published in experiment.published]
        found += [Subject(experiment.id, claim) for claim in experiment.claims]
    return found
