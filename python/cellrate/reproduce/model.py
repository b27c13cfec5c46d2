"""A paper's data as `papers/README.md` defines it."""

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
    """Another reading of an open parameter: `--set` texts with `{...}`."""

    label: str
    set: tuple[str, ...]
    also: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """More settings for the runs of a scenario."""

    def settings(self, scenario: str) -> tuple[str, ...]:
        """Settings for the runs of a scenario."""
        return self.set + next((more for name, more in self.also if name == scenario), ())


@dataclass(frozen=True)
class Assumption:
    """What the paper leaves open and what is assumed."""

    id: str
    parameter: str
    assumed: str
    why: str = ""
    scenarios: tuple[str, ...] = ()
    alternatives: tuple[Alternative, ...] = ()


@dataclass(frozen=True)
class Variant:
    """A run, or a row of runs: `points` holds what varies, one empty point if nothing does."""

    name: str
    label: str
    scenario: str
    set: tuple[str, ...]
    points: tuple[Point, ...]
    constants: Point
    swept: bool


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
    """Group of values whose order is looked at besides, apart from the score."""
    restates: str = ""
    again: str = ""
    """The measured value that it says again in another unit, if there is one."""
    it: tuple[str, tuple[Value, ...]] | None = None
    """Variant and point that `it` stands for in the measure."""


@dataclass(frozen=True)
class Claim:
    """A claim of the paper as a predicate."""

    id: str
    text: str
    holds_if: str
    where: str = ""
    general: int | None = None
    """Number among the general claims of the papers, if it is one."""
    uses: tuple[str, ...] = ()
    """Other experiments of the paper whose runs the predicate names."""
    about_runs: bool = True
    """True if the predicate names a run; else it is a check of the paper's arithmetic."""


@dataclass(frozen=True)
class Proof:
    """A predicate that shows an erratum, and numbers to look at."""

    text: str
    holds_if: str
    values: tuple[tuple[str, str, str], ...] = ()
    """Quantity, expression, unit."""
    uses: tuple[str, ...] = ()
    """Experiments whose runs the expressions name."""


@dataclass(frozen=True)
class Erratum:
    """What a paper prints, what it should be, and how one sees it."""

    id: str
    where: str
    printed: str
    right: str
    why: str
    proofs: tuple[Proof, ...]


@dataclass(frozen=True)
class Axis:
    """An axis of a figure: `axis` is the varied key of a sweep, `scale` multiplies values."""

    label: str
    axis: str = ""
    scale: float = 1.0
    start: float | None = None
    end: float | None = None
    log: bool = False


@dataclass(frozen=True)
class Curve:
    """A curve: a measure over a row of runs, traces of one run, or what a formula gives."""

    label: str
    variant: str = ""
    measure: str = ""
    run: str = ""
    series: tuple[str, str] | None = None
    only: Point = field(default_factory=dict)
    """Values that the points of a sweep must have to be on the curve."""
    points: str = ""
    """Expression of the pairs (x, y) of a formula's curve."""


@dataclass(frozen=True)
class PrintedPoint:
    """A printed value to mark in a figure."""

    label: str
    x: float
    y: float


@dataclass(frozen=True)
class Figure:
    """A figure drawn like the paper's."""

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
    """What else is odd in the paper there: contradictions, misplaced words."""
    variants: tuple[Variant, ...] = ()
    published: tuple[Published, ...] = ()
    claims: tuple[Claim, ...] = ()
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True)
class Explanation:
    """Reasons why values or claims disagree, and the end of it."""

    experiment: str
    of: tuple[str, ...]
    text: str
    impossible: str = ""
    """Id of the erratum whose proof shows that the paper contradicts itself or physics there."""
    draw: bool = False
    """Whether single events decide, so that the printed run is one draw from a distribution."""
    open: str = ""
    """The experiment that would decide."""


@dataclass(frozen=True)
class Paper:
    """A paper: citation, experiments, and what disagrees."""

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
        """What is known of a disagreement, or nothing. `of` is a quantity or a claim's id."""
        found = (e for e in self.explanations if e.experiment == experiment and of in e.of)
        return next(found, None)

    def drawn(self, experiment: str, of: str) -> Drawn | None:
        """The measured distribution of a quantity or claim, if there is one."""
        found = (d for d in self.draws if d.experiment == experiment and d.of == of)
        return next(found, None)
