"""Result of a tuning: the chosen setting, the runner-up, and the shortfall of all others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt
from statistics import fmean
from typing import TYPE_CHECKING

from scipy.special import stdtrit

from cellrate import _core
from cellrate.advice.tuning.declared import NotVaried, ResolvedScenario
from cellrate.advice.tuning.holding import Check
from cellrate.advice.tuning.laboratory import AS_IT_IS, Setting
from cellrate.advice.tuning.measures import Criterion, Measures
from cellrate.advice.tuning.objective import Objective
from cellrate.advice.tuning.proposal import ModelResults
from cellrate.advice.tuning.race import Ranked
from cellrate.common.document import Shown
from cellrate.common.estimates import LEVEL, Estimate, estimate
from cellrate.common.numbers import counted
from cellrate.simulation.network.ethernet_view import FrameNetwork
from cellrate.simulation.runner import Job
from cellrate.studies.parameters.ranges import Range, Space

if TYPE_CHECKING:
    from cellrate.common.document import Document

METHODS = {
    "model": "the fluid model of EFCI",
    "all": "every setting",
    "search": "a search by simulation",
}


@dataclass(frozen=True)
class Answer(Shown):
    """Result of `tune`: settings of parameters, ranked by criteria.

    Attributes:
        base: The scenario that was tuned.
        objective: Ranks the settings.
        seeds: Seeds of the runs.
        method: Key of `METHODS`: how settings were proposed.
        no_model: The reason why the fluid model does not apply; None if it does, or if the user
            named the parameters to vary.
        modelled: The fluid model and its results; None if it was not used.
        space: Parameters that were varied; empty if the model proposed the settings.
        not_varied: Parameters with a declared range that could not be varied, with reasons.
        budget: Number of runs that were allowed.
        ranked: Every setting that was run, the best first.
        order: The settings in the order in which they were first run.
        rise: Growth of the bottlenecks' utilisation within the measuring window of a run with the
            best setting, as a share.
        checks: What other runs say of the best settings, in the order of the checks.
        check_runs: Number of these runs, which the budget does not count.
        usual: Measures of the scenario as it is with drawn starts; empty if these were
            not run.
        most_throughput: The best setting if throughput comes before loss. Set only if the fluid
            model finds no feasible pair of RIF and RDF, otherwise None.
        fresh: The best setting of the search and the setting nearest to it, by runs with seeds that
            the search did not use; None if seeds do not matter or there is no other setting.
        of_search: The answer with the best setting of the search first, if another setting is
            recommended; else None.
        fairness_notes: Sentences on fairness where it is not Jain's index over all flows.
        refused: Settings that the scenario does not allow, with the reason of each.
        simulated: Number of runs that were simulated.
        known: Number of runs whose results were already stored.
    """

    base: Job
    objective: Objective
    seeds: tuple[int, ...]
    method: str
    no_model: str | None
    modelled: ModelResults | None
    space: Space
    not_varied: tuple[NotVaried, ...]
    budget: int
    ranked: tuple[Ranked, ...]
    order: tuple[Setting, ...]
    rise: float = 0.0
    checks: tuple[Check, ...] = ()
    check_runs: int = 0
    usual: tuple[Measures, ...] = ()
    most_throughput: Ranked | None = None
    fresh: Answer | None = None
    of_search: Answer | None = None
    fairness_notes: tuple[str, ...] = ()
    refused: Mapping[Setting, str] = field(default_factory=dict)
    simulated: int = 0
    known: int = 0

    def __repr__(self) -> str:
        best = ", ".join(self.chosen.setting.overrides) or "as it is"
        return f"<tuning of {self.base.path}: {best}; {counted(len(self.ranked), 'setting')} run>"

    def document(self) -> Document:
        """The ranking of the settings as a document."""
        from cellrate.advice.tuning.report import report

        return report(self)

    @property
    def paths(self) -> tuple[str, ...]:
        """Paths of all parameters in settings, without those that always equal another one."""
        alike = {path for one in self.space if isinstance(one, Range) for path in one.alike}
        found = (path for one in self.ranked for path, _ in one.setting.values)
        return tuple(path for path in dict.fromkeys(found) if path not in alike)

    @cached_property
    def _scenario(self) -> ResolvedScenario:
        return ResolvedScenario.of(self.base.scenario())

    @property
    def has_whole_window(self) -> bool:
        """True if the measuring window of the scenario is the whole run."""
        keys = self._scenario.keys.document
        times = (keys["measure"]["from"], keys["measure"]["to"], keys["run"]["duration"])
        begin, end, duration = (_core.quantity(one, "time") for one in times)
        return begin == 0 and end == duration

    @property
    def may_trim(self) -> bool:
        """True if switches trim packets for which a buffer has no room."""
        network = self._scenario.network
        trims = isinstance(network, FrameNetwork) and any(
            line.switch and line.switch["trim_priority"] is not None for line in network.ports
        )
        return trims or "switch.trim_priority" in self.paths

    @property
    def infeasible(self) -> bool:
        """True if the model found that no pair of RIF and RDF meets both conditions."""
        return self.modelled is not None and not self.modelled.judgement.feasible.any()

    def model_verdict(self, setting: Setting) -> str:
        """The fluid model's verdict on a setting; empty if the model has none."""
        return "" if self.modelled is None else self.modelled.verdict(setting)

    @property
    def chosen(self) -> Ranked:
        """The best setting."""
        return self.ranked[0]

    def fall_of(self, setting: Setting) -> Check | None:
        """The check of a setting that does not hold in other runs; None for all others."""
        fallen = (one for one in self.checks if not one.holds)
        return next((one for one in fallen if one.setting == setting), None)

    @property
    def holds(self) -> bool:
        """True if the best setting was checked by other runs, and holds."""
        return any(one.holds and one.setting == self.chosen.setting for one in self.checks)

    @property
    def runner_up(self) -> Ranked | None:
        """The second best setting that was run with every seed; None if there is only one.

        Settings that give the same runs as the best one, and settings that do not hold in other
        runs, do not count.
        """
        whole = [one for one in self.ranked[1:] if len(one.runs) == len(self.seeds)]
        whole.sort(key=lambda one: self.fresh_runs_of(one.setting) is None)
        others = [one for one in whole if self.fall_of(one.setting) is None]
        return next((one for one in others if not self.same_runs(one)), None)

    def fresh_runs_of(self, setting: Setting) -> Ranked | None:
        """The runs of a setting with fresh seeds; None if there are none."""
        fresh = self.fresh.ranked if self.fresh else ()
        return next((one for one in fresh if one.setting == setting), None)

    @property
    def passed_over(self) -> Setting | None:
        """The best setting of the search, if another one is recommended."""
        return None if self.of_search is None else self.of_search.chosen.setting

    @property
    def nearest(self) -> Ranked | None:
        """The rival of the best setting; without a rival the runner-up."""
        return self.rival[0] if self.rival else self.runner_up

    def same_runs(self, one: Ranked) -> bool:
        """True if a setting gives the same runs as the best one, event by event."""
        pairs = list(zip(one.runs, self.chosen.runs, strict=False))
        return all(own.digest == best.digest != "" for own, best in pairs)

    @property
    def rival(self) -> tuple[Ranked, Criterion] | None:
        """A setting that may rank below the best by chance, and the criterion where it is better.

        The difference in the first criterion in which the setting falls behind may be chance. In
        the next criterion with a difference beyond its tolerance the setting is better, and the
        interval of this difference leaves out zero. Only settings with all seeds count. None if
        there is no such setting, or if the answer is a compromise.
        """
        if self.infeasible:
            return None
        order = self.objective.criteria
        for one in self.ranked[1:]:
            if one.shortfall is None or len(one.runs) < len(self.seeds):
                continue
            if not self.may_be_chance(one) or self.fall_of(one.setting) is not None:
                continue
            names = [criterion.name for criterion in order]
            later = order[names.index(one.shortfall.criterion.name) + 1 :]
            criterion = next((each for each in later if self._differ(one, each)), None)
            if criterion is not None and self._leads(one, criterion):
                return one, criterion
        return None

    def _differ(self, one: Ranked, criterion: Criterion) -> bool:
        """True if a setting and the best one differ by more than the criterion's tolerance."""
        own, best = one.means[criterion.name], self.chosen.means[criterion.name]
        if own is None or best is None:
            return False
        return not (criterion.reaches(own, best) and criterion.reaches(best, own))

    def _leads(self, one: Ranked, criterion: Criterion) -> bool:
        """True if a setting is better than the best one in a criterion, and not by chance."""
        found = differences(one, self.chosen)[criterion.name]
        if found is None or found.contains(0.0) is not False:
            return False
        return (found.mean > 0) == (criterion.best == "greatest")

    @property
    def as_it_is(self) -> Ranked:
        """The scenario without any change."""
        return self.of(AS_IT_IS)

    def may_be_chance(self, one: Ranked) -> bool | None:
        """True if the 95 % interval of a setting's difference from the best contains zero.

        The interval is that of the differences from the best setting, seed by seed. A setting with
        one seed has no spread of its own. Its interval is computed from the spread of settings with
        several seeds that equal the best setting in all earlier criteria.

        Returns:
            None if the setting is within all tolerances, or the spread is unknown.
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
        """Settings with several seeds that equal the best setting in all criteria before `name`."""
        order = [criterion.name for criterion in self.objective.criteria]
        before, first = order[: order.index(name)], (self.chosen.setting, AS_IT_IS)
        return [
            ranked
            for ranked in self.ranked
            if len(ranked.runs) > 1
            and ranked.setting not in first
            and not (ranked.shortfall and ranked.shortfall.criterion.name in before)
        ]

    def _behind(self, one: Ranked, name: str) -> tuple[float, ...]:
        found = differences(one, self.chosen)[name]
        return () if found is None else found.values

    def of(self, setting: Setting) -> Ranked:
        """The entry of a setting in the ranking.

        Raises:
            KeyError: The setting was not run.
        """
        for ranked in self.ranked:
            if ranked.setting == setting:
                return ranked
        raise KeyError(setting)


def estimates(runs: tuple[Measures, ...]) -> dict[str, Estimate | None]:
    """Mean and 95 % interval of every measure over seeds; None for a measure that a run lacks."""
    return {name: _estimate([run.values[name] for run in runs]) for name in runs[0].values}


def differences(one: Ranked, other: Ranked) -> dict[str, Estimate | None]:
    """Differences of two settings seed by seed; equal seeds mean equal random numbers."""
    pairs = list(zip(one.runs, other.runs, strict=False))
    return {
        name: _estimate([_less(a.values[name], b.values[name]) for a, b in pairs])
        for name in one.runs[0].values
    }


def _spread(samples: Sequence[Sequence[float]]) -> float | None:
    """Half of the 95 % interval of a single value, from the pooled variance of the samples."""
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
