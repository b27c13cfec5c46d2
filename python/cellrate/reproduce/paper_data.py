"""Data of a paper, as `papers/README.md` defines it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from cellrate.language.runs import Value
from cellrate.reproduce.draws import Drawn

Kind = Literal["measured", "arithmetic", "restated"]
KINDS = ("measured", "arithmetic", "restated")
SCORES = ("throughput", "rate", "queue", "loss", "whole")
Point = dict[str, Value]


@dataclass(frozen=True)
class Alternative:
    """Another value of an open parameter."""

    label: str
    set: tuple[str, ...]
    """Settings as for `--set`; `{...}` holds an expression."""
    also: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Scenario files and the settings added for their runs."""

    def settings(self, scenario: str) -> tuple[str, ...]:
        """Settings for the runs of a scenario file."""
        return self.set + next((more for name, more in self.also if name == scenario), ())


@dataclass(frozen=True)
class Assumption:
    """A parameter that the paper leaves open, and its assumed value."""

    id: str
    parameter: str
    assumed: str
    why: str = ""
    scenarios: tuple[str, ...] = ()
    alternatives: tuple[Alternative, ...] = ()


@dataclass(frozen=True)
class Variant:
    """A run of a scenario with settings, or several runs that differ in varied values."""

    name: str
    label: str
    scenario: str
    set: tuple[str, ...]
    points: tuple[Point, ...]
    """Varied values of each run; a single empty point if nothing is varied."""
    constants: Point
    swept: bool
    """True if values are varied."""
    changes: tuple[str, ...] = ()
    """Settings of the user after those of the paper, as for `--set`; without expressions."""


@dataclass(frozen=True)
class Published:
    """A printed value."""

    quantity: str
    kind: Kind
    printed: str
    value: float | None = None
    unit: str = ""
    where: str = ""
    measure: str = ""
    score: str = ""
    order: str = ""
    """Group of values whose order is checked separately from the score; empty for none."""
    restates: str = ""
    again: str = ""
    """Quantity of the measured value that this value repeats in another unit; empty for none."""
    it: tuple[str, tuple[Value, ...]] | None = None
    """Variant and point of the run that the name `it` means in the measure."""

    @property
    def with_unit(self) -> str:
        """The printed text with its unit, which is appended unless the text ends with it."""
        has_unit = self.printed.endswith(self.unit)
        return self.printed if has_unit else f"{self.printed} {self.unit}"


@dataclass(frozen=True)
class Claim:
    """A claim of the paper as a predicate."""

    id: str
    text: str
    holds_if: str
    where: str = ""
    general: int | None = None
    """Number among the general claims of the papers; nothing for all other claims."""
    uses: tuple[str, ...] = ()
    """Other experiments of the paper whose runs the predicate names."""
    about_runs: bool = True
    """True if the predicate names a run; otherwise it checks the paper's arithmetic."""


@dataclass(frozen=True)
class Proof:
    """A predicate that proves an erratum, and numbers that illustrate it."""

    text: str
    holds_if: str
    values: tuple[tuple[str, str, str], ...] = ()
    """Quantity, expression, unit."""
    uses: tuple[str, ...] = ()
    """Experiments whose runs the expressions name."""


@dataclass(frozen=True)
class Erratum:
    """An error in a paper: the printed text, the right one, the reason, and proofs."""

    id: str
    where: str
    printed: str
    right: str
    why: str
    proofs: tuple[Proof, ...]


@dataclass(frozen=True)
class Axis:
    """An axis of a figure."""

    label: str
    axis: str = ""
    """Varied key of a sweep."""
    scale: float = 1.0
    """Factor of all values."""
    start: float | None = None
    end: float | None = None
    log: bool = False


@dataclass(frozen=True)
class Curve:
    """A curve: a measure over the runs of a variant, traces of one run, or values of a formula."""

    label: str
    variant: str = ""
    measure: str = ""
    run: str = ""
    series: tuple[str, str] | None = None
    only: Point = field(default_factory=dict)
    """Varied values that select the points of a sweep for this curve."""
    points: str = ""
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


@dataclass(frozen=True)
class Explanation:
    """Explanation of a disagreement, and how it is settled.

    At least one of `impossible`, `draw` and `open` is given.
    """

    experiment: str
    of: tuple[str, ...]
    """Quantities and claim ids that disagree."""
    text: str
    impossible: str = ""
    """Id of the erratum whose proof shows that the paper contradicts itself or physics there."""
    draw: bool = False
    """True if single events decide, so that the printed run is one draw from a distribution."""
    open: str = ""
    """The experiment that would settle the disagreement."""


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
    errata: tuple[Erratum, ...] = ()
    explanations: tuple[Explanation, ...] = ()
    draws: tuple[Drawn, ...] = ()
    scenarios: dict[str, str] = field(default_factory=dict)
    """Text of each scenario by file name."""

    def explanation(self, experiment: str, of: str) -> Explanation | None:
        """Explanation of a disagreement, if there is one. `of` is a quantity or a claim's id."""
        matching = (e for e in self.explanations if e.experiment == experiment and of in e.of)
        return next(matching, None)

    def drawn(self, experiment: str, of: str) -> Drawn | None:
        """Measured distribution of a quantity or claim, if there is one."""
        matching = (d for d in self.draws if d.experiment == experiment and d.of == of)
        return next(matching, None)
