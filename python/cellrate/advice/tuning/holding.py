"""Checks the best settings by other runs: a longer one, and runs with drawn starts of flows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from cellrate import ScenarioError
from cellrate.advice.tuning.declared import ResolvedScenario
from cellrate.advice.tuning.laboratory import AS_IT_IS, Laboratory, Setting, same_with_each_seed
from cellrate.advice.tuning.measures import Measures
from cellrate.advice.tuning.objective import Objective, Shortfall, means_of
from cellrate.advice.tuning.other_runs import OTHER_STARTS, longer
from cellrate.common.whole_number import MOST_SEED
from cellrate.simulation.network.ethernet_view import FrameNetwork

MOST = 5
"""Greatest number of settings that are checked, besides the scenario as it is."""
RUNS = 10
"""After this number of runs no further setting is checked."""
DRAWN_SEEDS = 3
"""Number of runs with drawn starts."""
HIGHER = 1.5
"""The greater of two mean queues is clearly greater if it is more than this multiple."""
FEW = 100
"""Mean queues that differ by up to this number of cells or packets count as alike."""


@dataclass(frozen=True)
class Check:
    """Measures of a setting in other runs.

    Attributes:
        setting: Values of the parameters.
        queue: Mean of the longest queue in the measuring window, in cells or packets.
        later_queue: This mean at the end of a run `LONGER` times as long; None without such a run.
        drawn: Measures with drawn starts (`OTHER_STARTS`), seed by seed. Empty if the queue grows,
            if seeds differ, or if the scenario itself draws starts.
        worse: The first criterion in which the setting is worse with drawn starts than the scenario
            as it is; None if the setting is not worse.
    """

    setting: Setting
    queue: float | None
    later_queue: float | None
    drawn: tuple[Measures, ...] = ()
    worse: Shortfall | None = None

    @property
    def grows(self) -> bool:
        """True if the queue has no steady state: in the longer run its mean is clearly greater."""
        return _clearly_less(self.queue, self.later_queue)

    @property
    def shrinks(self) -> bool:
        """True if the mean of the queue in the longer run is clearly less than in the window."""
        return _clearly_less(self.later_queue, self.queue)

    @property
    def holds(self) -> bool:
        """True if the queue is steady, and drawn starts do not make the setting the worse one."""
        return not self.grows and self.worse is None


def _clearly_less(one: float | None, other: float | None) -> bool:
    """True if a mean queue is clearly less than another; False if one of them is not known."""
    return one is not None and other is not None and max(HIGHER * one, one + FEW) < other


@dataclass
class Checks:
    """The checks of a tuning's best settings.

    Attributes:
        laboratory: Holds the runs of all settings.
        objective: Ranks the settings.
        done: The checks in their order.
        runs: Number of runs that the checks took.
    """

    laboratory: Laboratory
    objective: Objective
    done: list[Check] = field(default_factory=list)
    runs: int = 0

    def until_one_holds(self) -> None:
        """Checks the settings by their ranks until one holds, and then the scenario as it is.

        After a queue that grows, the next setting has half of this queue or less, since a setting
        with as long a queue would grow, too.
        """
        most = math.inf
        while len(self.done) < MOST and self.runs < RUNS:
            left = [setting for setting in self._left() if self._queue(setting) <= most]
            if not left:
                break
            found = self._check(left[0])
            if found.holds:
                return
            if found.grows:
                most = min(most, self._queue(left[0]) / 2)
        if AS_IT_IS not in self.fallen:
            self._check(AS_IT_IS)

    def holds(self, setting: Setting) -> bool:
        """True if a setting holds; it is checked unless it was checked before."""
        known = next((one for one in self.done if one.setting == setting), None)
        return (known or self._check(setting)).holds

    @property
    def fallen(self) -> list[Setting]:
        """The settings that do not hold."""
        return [one.setting for one in self.done if not one.holds]

    @property
    def held(self) -> Setting | None:
        """The setting that holds; None if there is none."""
        return next((one.setting for one in self.done if one.holds), None)

    @cached_property
    def seeds_are_alike(self) -> bool:
        """True if a scenario of ATM draws no starts, and no setting depends on the seed.

        Over Ethernet the order of simultaneous frames is drawn, so that other runs are not needed.
        """
        network = self._scenario(AS_IT_IS).network
        draws_starts = isinstance(network, FrameNetwork) or network.start_jitter_seconds > 0
        return not draws_starts and all(map(same_with_each_seed, self.laboratory.trials.values()))

    @cached_property
    def usual(self) -> tuple[Measures, ...]:
        """The scenario as it is with drawn starts; empty unless seeds are alike."""
        return self._with_drawn_starts(AS_IT_IS) if self.seeds_are_alike else ()

    def _left(self) -> list[Setting]:
        """The settings without a check, the best first.

        Only settings with all seeds count, unless one seed says as much as all.
        """
        trials = self.laboratory.trials
        seeds = 1 if self.seeds_are_alike else len(self.laboratory.seeds)
        left = [s for s, runs in trials.items() if len(runs) >= seeds and s not in self.fallen]
        means = [means_of(trials[setting][:seeds]) for setting in left]
        return [left[at] for at in self.objective.ranked(means)]

    def _queue(self, setting: Setting) -> float:
        """Mean queue of a setting with the first seed; 0 if it is not known."""
        return self.laboratory.trials[setting][0].values["queue"] or 0.0

    def _check(self, setting: Setting) -> Check:
        queue = self.laboratory.trials[setting][0].values["queue"]
        overrides = longer(self._scenario(setting)).overrides
        later = self._measured(setting, overrides, self.laboratory.seeds[:1])
        found = Check(setting, queue, later[0].values["queue"] if later else None)
        if not found.grows and self.usual:
            is_usual = setting == AS_IT_IS
            drawn = self.usual if is_usual else self._with_drawn_starts(setting)
            worse = self._worse(drawn) if drawn else None
            found = Check(setting, found.queue, found.later_queue, drawn, worse)
        self.done.append(found)
        return found

    def _worse(self, drawn: tuple[Measures, ...]) -> Shortfall | None:
        own, usual = means_of(drawn), means_of(self.usual)
        is_behind = self.objective.best([usual, own]) == 0
        return self.objective.shortfall(own, usual) if is_behind else None

    def _with_drawn_starts(self, setting: Setting) -> tuple[Measures, ...]:
        first = self.laboratory.seeds[0]
        seeds = [(first + step) % (MOST_SEED + 1) for step in range(DRAWN_SEEDS)]
        return self._measured(setting, OTHER_STARTS.overrides, seeds)

    def _measured(
        self, setting: Setting, overrides: tuple[str, ...], seeds: Sequence[int]
    ) -> tuple[Measures, ...]:
        """The measures of a setting in the changed scenario; none if it is not valid."""
        try:
            found = self.laboratory.changed(setting, overrides, seeds)
        except ScenarioError:
            return ()
        self.runs += len(found)
        return found

    def _scenario(self, setting: Setting) -> ResolvedScenario:
        return ResolvedScenario.of(self.laboratory.job(setting, 1).scenario())
