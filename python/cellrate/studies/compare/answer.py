"""Result of a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from cellrate.common.document import Shown
from cellrate.common.numbers import value_text
from cellrate.language.measured import Better
from cellrate.studies.compare.contrast import Contrast, Interval, Ratio

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from cellrate.common.document import Document


LOST_OUTSIDE = "lost-outside-window"
"""Code of the warning of a run that lost data outside the measuring window alone."""
EMPTY = "window-empty"
"""Code of the warning of a run in which a flow delivers nothing in the measuring window."""
Value: TypeAlias = str | float | int | bool
"""An alternative, or a value of another factor."""


@dataclass(frozen=True)
class Pair:
    """Comparison of two alternatives in one measure, with equal values of all other factors.

    Attributes:
        measure: Name of the measure.
        where: Values of the other factors.
        first: The alternative to compare with.
        second: The alternative that is compared with the first one.
        contrast: The difference, second minus first; None if an alternative has no value in any
            run.
        left_out: Number of runs of both alternatives that are left out: failed runs, runs without a
            finite value, and runs without a run of the other alternative with the same seed.
        unfinished: True if file transfers of an alternative do not end in some run. The measure
            then has no value in this run, and the pair has no difference.
        interval: Confidence interval of this difference alone.
        simultaneous: Wider confidence interval. All simultaneous intervals of the comparison hold
            at once with the probability `Comparison.level`.
        adjusted_p: p-value after Bonferroni's correction; None without a test.
        ratio: Mean of the second over mean of the first.
        reverse_ratio: Mean of the first over mean of the second.
        real: True if the difference is significant at the level, after the correction for all
            pairs: the simultaneous interval leaves out zero. None if it cannot be tested.
        too_few_seeds: The fewest seeds that can show a real difference, if the pair has fewer seeds
            and its difference is not real.
        seeds_to_decide: Number of seeds with which an insignificant difference would probably be
            significant; None if the number is unknown or too large.
    """

    measure: str
    where: Mapping[str, Value]
    first: Value
    second: Value
    contrast: Contrast | None
    left_out: int
    interval: Interval | None = None
    simultaneous: Interval | None = None
    adjusted_p: float | None = None
    ratio: Ratio | None = None
    reverse_ratio: Ratio | None = None
    real: bool | None = None
    too_few_seeds: int | None = None
    seeds_to_decide: int | None = None
    unfinished: bool = False

    def reversed(self) -> Pair:
        """The comparison with exchanged alternatives: the difference is first minus second."""
        return replace(
            self,
            first=self.second,
            second=self.first,
            contrast=self.contrast.reversed() if self.contrast else None,
            interval=_negative(self.interval),
            simultaneous=_negative(self.simultaneous),
            ratio=self.reverse_ratio,
            reverse_ratio=self.ratio,
        )


def _negative(interval: Interval | None) -> Interval | None:
    return None if interval is None else (-interval[1], -interval[0])


@dataclass(frozen=True)
class Place:
    """Place of an alternative in a ranking.

    Attributes:
        alternative: The alternative.
        mean: Mean over all runs of the alternative with a value; None if file transfers do not end
            in some run, so that the measure has no value in this run.
        letters: Letters of the alternative's groups. Alternatives that share a letter have no real
            difference.
        against_best: The pair of the best alternative and this one; None for the best itself.
        measured: Number of runs that have a value.
        runs: Number of all runs of the alternative, failed runs included.
    """

    alternative: Value
    mean: float | None
    letters: str
    against_best: Pair | None
    measured: int
    runs: int


@dataclass(frozen=True)
class UnfinishedTransfers:
    """File transfers of an alternative that do not end within their runs.

    Attributes:
        unfinished_runs: Number of runs in which some file transfer does not end.
        runs: Number of all runs of the alternative that did not fail.
        files: Mean number of transfers that do not end, over these `runs`.
    """

    unfinished_runs: int
    runs: int
    files: float


@dataclass(frozen=True)
class WithoutValue:
    """Runs of an alternative that have no value of a measure; means of the measure leave them out.

    Runs that lack it because file transfers do not end are `UnfinishedTransfers`.

    Attributes:
        measure: Name of the measure.
        alternative: The alternative.
        without: Number of runs without a value.
        runs: Number of all runs of the alternative.
        failed: Number of the runs without a value that failed.
        empty: Number of the runs without a value in which a flow delivers nothing in the measuring
            window.
    """

    measure: str
    alternative: Value
    without: int
    runs: int
    failed: int
    empty: int


@dataclass(frozen=True)
class Ranking:
    """Alternatives in the order of one measure, with equal values of all other factors.

    Attributes:
        measure: Name of the measure.
        where: Values of the other factors.
        better: Whether more or less of the measure is better; None if unknown: then the greatest
            value comes first.
        places: Alternatives with a value, the best first; then alternatives whose file transfers do
            not all end, the fewest unfinished first.
    """

    measure: str
    where: Mapping[str, Value]
    better: Better | None
    places: tuple[Place, ...]


@dataclass(frozen=True)
class Comparison(Shown):
    """Result of `compare`: all pairs of alternatives, and their rankings.

    Attributes:
        factor: The factor whose values are compared.
        alternatives: Values of the factor, in the order of the runs.
        measures: Names of the compared measures.
        baseline: The alternative with which all others are compared; None for all pairs.
        level: Joint confidence: the least probability that none of the differences called real is
            due to chance.
        averaged: Names of the factors over whose values the mean was taken, for each seed.
        pairs: The pairs, measure by measure.
        tests: Number of pairs with a statistical test, for which p-values and intervals are
            corrected.
        unmatched: Number of points (sets of values of the other factors) at which some alternatives
            have no run.
        without_values: Measures that have no value in any run.
        rankings: A ranking for each measure and point; empty with a baseline.
        better: For each measure whether more or less is better, if known.
        shares: Measures that are shares, from 0 to 1.
        units: Unit of each measure that has one.
        texts: Quantities as the study file lists them, by factor and value.
        warnings: Warnings of the runs (`code` and `message`), each message once; for each code and
            alternative only from the first run with this code. Empty for studies.
        lost_outside: Number of runs that lost data outside the measuring window and none in it, by
            alternative; those without such runs are left out.
        unfinished: File transfers that do not end, by alternative; empty unless a measure of
            `of_ended` has no value in some run because of them.
        without_value: Alternatives some of whose runs have no value of a measure, by measure.
        of_ended: Measures that have no value in a run whose file transfers do not end, such as
            completion times.
    """

    factor: str
    alternatives: tuple[Value, ...]
    measures: tuple[str, ...]
    baseline: Value | None
    level: float
    averaged: tuple[str, ...]
    pairs: tuple[Pair, ...]
    tests: int
    unmatched: int
    without_values: tuple[str, ...]
    rankings: tuple[Ranking, ...] = ()
    better: Mapping[str, Better] = field(default_factory=dict)
    shares: frozenset[str] = frozenset()
    units: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, Mapping[float, str]] = field(default_factory=dict)
    warnings: tuple[Mapping[str, str], ...] = ()
    lost_outside: Mapping[str, int] = field(default_factory=dict)
    unfinished: Mapping[Value, UnfinishedTransfers] = field(default_factory=dict)
    of_ended: tuple[str, ...] = ()
    without_value: tuple[WithoutValue, ...] = ()

    def text(self, factor: str, value: Value) -> str:
        """A value of a factor as the study file lists it, or else as a number."""
        known = self.texts.get(factor, {})
        return known[value] if isinstance(value, float) and value in known else value_text(value)

    def __repr__(self) -> str:
        names = ", ".join(map(str, self.alternatives))
        return f"<Comparison of {self.factor}: {names}, in {', '.join(self.measures)}>"

    def plot(self) -> Figure:
        """A figure of the differences with their joint intervals, which a notebook shows."""
        from cellrate.studies.compare.figure import differences

        return differences(self, self.units)

    def document(self) -> Document:
        """The ranking, the pairs and their picture as a document."""
        from cellrate.common.document import Document
        from cellrate.common.document import Figure as Drawn
        from cellrate.simulation.figures import svg
        from cellrate.studies.compare.report import report

        found = report(self, self.units)
        drawn = Drawn(lambda: svg(self.plot()), "differences with their joint intervals")
        return Document(found.title, (*found.parts, drawn))

    def pairs_of(self, measure: str) -> tuple[Pair, ...]:
        """All pairs of a measure."""
        return tuple(one for one in self.pairs if one.measure == measure)

    def rankings_of(self, measure: str) -> tuple[Ranking, ...]:
        """The rankings of a measure, one for each point."""
        return tuple(one for one in self.rankings if one.measure == measure)
