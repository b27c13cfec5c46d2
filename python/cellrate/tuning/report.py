"""What a tuning found: the chosen setting, the runner-up, and why the others fell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from statistics import fmean

from scipy.special import stdtrit

from cellrate.estimates import LEVEL, Estimate, estimate
from cellrate.parameters.ranges import Space
from cellrate.runner import Job
from cellrate.tuning.declared import Left
from cellrate.tuning.judgement import Judgement
from cellrate.tuning.laboratory import AS_IT_IS, Setting
from cellrate.tuning.measures import Measures
from cellrate.tuning.model import Model
from cellrate.tuning.objective import Objective
from cellrate.tuning.proposal import Proposal
from cellrate.tuning.race import Ranked

METHODS = {
    "model": "the fluid model of EFCI",
    "all": "every setting",
    "search": "a search by simulation",
}


@dataclass(frozen=True)
class Modelled:
    """What the fluid model had to say."""

    model: Model
    judgement: Judgement
    proposal: Proposal


@dataclass(frozen=True)
class Report:
    """Everything that a tuning found.

    Attributes:
        base: The scenario that was tuned.
        objective: What is best.
        seeds: Seeds of the runs.
        method: Key of `METHODS`: how settings were proposed.
        no_model: Why the fluid model proposed none, if it was asked.
        modelled: What it said, if it was.
        space: What was varied; empty if the model proposed.
        left: Declared parameters that could not be varied.
        budget: Runs that were allowed.
        ranked: Every setting that was tried, the best first.
        fullest: The best one if throughput matters more than loss, where the model has no feasible
            set; None elsewhere.
        refused: Settings that the scenario does not allow, and why.
        simulated: Runs that were simulated.
        known: Runs whose results were kept from before.
    """

    base: Job
    objective: Objective
    seeds: tuple[int, ...]
    method: str
    no_model: str | None
    modelled: Modelled | None
    space: Space
    left: tuple[Left, ...]
    budget: int
    ranked: tuple[Ranked, ...]
    fullest: Ranked | None = None
    refused: Mapping[Setting, str] = field(default_factory=dict)
    simulated: int = 0
    known: int = 0

    @property
    def infeasible(self) -> bool:
        """Whether the model found that no set meets both of its conditions."""
        return self.modelled is not None and not self.modelled.judgement.feasible.any()

    @property
    def chosen(self) -> Ranked:
        """The best setting."""
        return self.ranked[0]

    @property
    def runner_up(self) -> Ranked | None:
        """The second best, if another one got every seed."""
        others = [one for one in self.ranked[1:] if len(one.runs) == len(self.seeds)]
        return others[0] if others else None

    @property
    def as_it_is(self) -> Ranked:
        """The scenario without any change."""
        return self.of(AS_IT_IS)

    def may_be_chance(self, one: Ranked) -> bool | None:
        """Whether the 95 % interval of what a setting falls behind by holds zero.

        The interval is that of the differences from the best, seed by seed. A setting with one seed
        has no spread of its own; it is taken to spread like those that went further, and do not
        fall behind in an earlier criterion.

        Returns:
            None if it falls behind nowhere, or nothing is known of the spread.
        """
        if one.shortfall is None:
            return None
        name = one.shortfall.criterion.name
        found = differences(one, self.chosen)[name]
        if found is None or len(one.runs) > 1:
            return None if found is None else found.contains(0.0)
        spread = _spread([self._behind(other, name) for other in self._beside(name)])
        return None if spread is None else abs(found.mean) <= spread

    def _beside(self, name: str) -> list[Ranked]:
        """Settings that went on and are as good as the best in what comes before a criterion."""
        order = [criterion.name for criterion in self.objective.criteria]
        before, first = order[: order.index(name)], (self.chosen.setting, AS_IT_IS)
        return [
            one
            for one in self.ranked
            if len(one.runs) > 1
            and one.setting not in first
            and not (one.shortfall and one.shortfall.criterion.name in before)
        ]

    def _behind(self, one: Ranked, name: str) -> tuple[float, ...]:
        found = differences(one, self.chosen)[name]
        return () if found is None else found.values

    def of(self, setting: Setting) -> Ranked:
        """The rank of a setting.

        Raises:
            KeyError: It was not tried.
        """
        for one in self.ranked:
            if one.setting == setting:
                return one
        raise KeyError(setting)


def estimates(runs: tuple[Measures, ...]) -> dict[str, Estimate | None]:
    """Mean and 95 % interval of every measure over seeds; None if a run lacks it."""
    return {name: _estimate([run.values[name] for run in runs]) for name in runs[0].values}


def differences(one: Ranked, other: Ranked) -> dict[str, Estimate | None]:
    """One setting less another, seed by seed: both see the same random numbers in each pair."""
    pairs = list(zip(one.runs, other.runs, strict=False))
    return {
        name: _estimate([_less(a.values[name], b.values[name]) for a, b in pairs])
        for name in one.runs[0].values
    }


def _spread(samples: Sequence[Sequence[float]]) -> float | None:
    """Half of the 95 % interval of a single value, from the variance that samples share."""
    several = [sample for sample in samples if len(sample) > 1]
    freedom = sum(len(sample) - 1 for sample in several)
    if not freedom:
        return None
    squares = sum((value - fmean(sample)) ** 2 for sample in several for value in sample)
    return float(stdtrit(freedom, (1 + LEVEL) / 2)) * sqrt(squares / freedom)


def _less(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other


def _estimate(values: list[float | None]) -> Estimate | None:
    known = [value for value in values if value is not None]
    return estimate(known) if known and len(known) == len(values) else None
