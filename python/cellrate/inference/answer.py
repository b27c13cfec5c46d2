"""Findings about a paper's open parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cellrate.common.document import Shown
from cellrate.inference.exclusion import EXCLUDED_BELOW
from cellrate.inference.hold_out import HoldOut, Verdict
from cellrate.inference.open_parameters import OpenParameter
from cellrate.inference.scores import ASSUMED, Scores
from cellrate.inference.sign_flips import least_p
from cellrate.reproduce.paper_data import Assumption, Paper
from cellrate.reproduce.readings import Choice

if TYPE_CHECKING:
    from cellrate.common.document import Document


@dataclass(frozen=True)
class Finding:
    """A finding about one open parameter.

    Attributes:
        parameter: The parameter, and the results that it concerns.
        scores: Marks of these results under each value.
        p: For each value the chance of losing so much against the best; None for the best.
        hold_out: Success of the best value on results that did not choose it.
        problems: Results of a value and seed that could not be evaluated, which count as missed.
        asked: Number of seeds with which values that stay in the race are run.
        groups: Number of groups of experiments; different groups have no simulation in common.
        dropped: True if the best value held out alone, but the other values that held out do better
            without it.
    """

    parameter: OpenParameter
    scores: Scores
    p: tuple[float | None, ...]
    hold_out: HoldOut
    problems: tuple[str, ...]
    asked: int
    groups: int
    dropped: bool = False

    @property
    def verdict(self) -> Verdict:
        """The verdict of the hold-out."""
        return self.hold_out.verdict

    @property
    def used(self) -> bool:
        """True if the column of inferred values uses the best value."""
        return self.verdict == "held-out" and not self.dropped

    def excluded(self, value: int) -> bool:
        """True if the results exclude a value."""
        p = self.p[value]
        return p is not None and p < EXCLUDED_BELOW

    def seeds(self, value: int) -> int:
        """Number of seeds with which a value was run."""
        return len(self.scores.met[value])

    @property
    def can_exclude(self) -> bool:
        """True if there are enough experiments to exclude any value."""
        return least_p(len(self.parameter.experiments)) < EXCLUDED_BELOW

    @property
    def choice(self) -> Choice | None:
        """The best value; None if it is the assumed one."""
        alternative = self.parameter.alternative(self.hold_out.best)
        return None if alternative is None else (self.parameter.assumption, alternative)

    @property
    def gain(self) -> float:
        """Results that the best value meets more than the assumed one; mean over the seeds."""
        gains = self.scores.gains(self.hold_out.best, ASSUMED)
        return sum(gains) / len(gains)


@dataclass(frozen=True)
class Counts:
    """Counts of numbers met and claims holding under one reading of a paper."""

    numbers_met: int
    numbers: int
    claims_holding: int
    claims: int


@dataclass(frozen=True)
class Inference(Shown):
    """Findings about a paper's open parameters, and two columns that are never mixed.

    Attributes:
        paper: The paper with parameters fixed before seeing results.
        seeds: All seeds.
        findings: Findings, one per parameter.
        unconcerned: Parameters that no result depends on.
        kept: Values that held out alone and in combination.
        assumed: Counts with parameters fixed before seeing results.
        inferred: Counts with the kept values; equal to `assumed` if there are none.
        whole: True if the columns count all results of the paper, and not only those that depend on
            the selected parameters.
    """

    paper: Paper
    seeds: tuple[int, ...]
    findings: tuple[Finding, ...]
    unconcerned: tuple[Assumption, ...]
    kept: tuple[Choice, ...]
    assumed: Counts
    inferred: Counts
    whole: bool

    def __repr__(self) -> str:
        used = sum(one.used for one in self.findings)
        return f"<Inference of {self.paper.id}: {len(self.findings)} parameters, {used} held out>"

    def document(self) -> Document:
        """The findings as a document."""
        from cellrate.inference.report import report

        return report(self)
