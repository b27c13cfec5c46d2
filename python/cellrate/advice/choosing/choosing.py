"""Chooses a control: runs all, searches parameters, repeats the choice in changed scenarios."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from cellrate import ScenarioError, _core
from cellrate.advice.choosing.answer import Answer, Elsewhere, Rejected, decides, sides
from cellrate.advice.choosing.candidates import Option, broken_contract, own_first, pareto
from cellrate.advice.choosing.checking import CHECKED, CHECKS, KEPT
from cellrate.advice.choosing.circumstances import (
    FACTORS,
    Property,
    properties,
    times,
)
from cellrate.advice.choosing.goals import (
    Goals,
    Judgement,
    enough,
    for_flows,
    judged,
    missed_again,
    near_misses,
)
from cellrate.advice.choosing.trials import Trials
from cellrate.advice.formulas.growth import excess_under_any_control
from cellrate.advice.tuning.declared import ResolvedScenario
from cellrate.advice.tuning.laboratory import AS_IT_IS
from cellrate.advice.tuning.objective import Objective, means_of
from cellrate.advice.tuning.other_runs import OTHER_STARTS, Circumstance, longer
from cellrate.common.numbers import counted
from cellrate.common.problems import BadInput
from cellrate.common.whole_number import LIMITS
from cellrate.simulation.network import Network
from cellrate.simulation.run_types import Runner
from cellrate.simulation.runner import Job, run_many


class OutOfTime(Exception):
    """The time limit has passed; results of finished runs are kept."""


@dataclass
class Budget:
    """A time limit that ends runs.

    Attributes:
        ends: Time of `clock` at which the budget ends; infinity without a limit.
        clock: The clock, in seconds.
        kept: Seconds before the end that the search leaves to the check of its recommendation.
    """

    ends: float
    clock: Callable[[], float] = time.monotonic
    kept: float = 0.0

    @classmethod
    def of(cls, minutes: float | None, clock: Callable[[], float] = time.monotonic) -> Budget:
        """A budget of `minutes` that begins now; None gives a budget without a limit."""
        if minutes is None:
            return cls(float("inf"), clock)
        return cls(clock() + 60 * minutes, clock, KEPT * 60 * minutes)

    def check(self) -> None:
        """Ends the work at the time limit.

        Raises:
            OutOfTime: The time limit has passed.
        """
        if self.clock() > self.ends - self.kept:
            raise OutOfTime

    def limited(self, runner: Runner) -> Runner:
        """A runner that begins no batch of runs after the end of the budget."""

        def run(jobs: Sequence[Job]) -> list[_core.Outcome]:
            if jobs:
                self.check()
            return list(runner(jobs))

        return run


Phases: TypeAlias = Callable[[str, int, int], None]
"""Called with the name of the current phase, its number of finished parts, and of all parts."""

HALVINGS = 3
"""Number of times that the interval of factors in which the choice changes is halved."""


@dataclass(frozen=True)
class Effort:
    """Amount of simulation for a choice.

    Attributes:
        settings: Number of further settings of each control, besides its usual setting.
        seeds: Number of seeds with which the best settings are run.
        first_seed: The first of these seeds.
        finalists: Number of controls, the recommended one included, that are also run in changed
            scenarios; 1 for no changed scenarios.
    """

    settings: int = 8
    seeds: int = 3
    first_seed: int = 1
    finalists: int = 4

    @property
    def search_seeds(self) -> tuple[int, ...]:
        """The seeds of the search."""
        return tuple(range(self.first_seed, self.first_seed + self.seeds))

    @property
    def check_seeds(self) -> tuple[int, ...]:
        """The seeds of the check: those after the seeds of the search, or before if too few follow.

        There are as many as in the search, but at least `CHECKED`.
        """
        count, after = max(CHECKED, self.seeds), self.first_seed + self.seeds
        most = LIMITS["seed"][1]
        is_beyond = most is not None and after + count - 1 > most
        first = self.first_seed - count if is_beyond else after
        return tuple(range(first, first + count))


def choose(
    base: Job,
    goals: Goals,
    effort: Effort | None = None,
    runner: Runner = run_many,
    is_known: Callable[[Job], bool] = lambda _: False,
    budget: Budget | None = None,
    phases: Phases = lambda *_: None,
) -> Answer:
    """Chooses a control with its parameters and the buffer.

    Each candidate is run in unlimited buffers: the longest queue of a run is the least buffer
    without loss. All candidates are run with their defaults before any is searched, the scenario's
    own control first. Where loss is allowed, the best setting of each candidate is also run in
    smaller buffers. The best option is then run with seeds that the search has not used, which give
    its buffer and its throughput.

    Args:
        base: The scenario; its control, buffers and discard policy are replaced.
        goals: The goals.
        effort: How much is simulated; the default if None.
        runner: Runs jobs.
        is_known: Returns True if the result of a job is already stored; used only to count runs.
        budget: The time limit; None for no limit.
        phases: Shows the progress.

    Raises:
        BadInput: The scenario has no elastic flow, credit control of its own, or more background
            than a link carries; fairness is asked for, and all flows transfer files; or the time
            limit came before any control had been run.
        ScenarioError: The scenario is wrong.
        KeyboardInterrupt: Ctrl-C was pressed; complete runs are kept.
    """
    effort, budget = effort or Effort(), budget or Budget.of(None)
    seedless = replace(base, seed=None)
    scenario = seedless.scenario()
    scenario.require_cells()
    scenario.require_point_to_point()
    plain = ResolvedScenario.of_job(seedless)
    _require_choice(base, plain.cells, goals)
    goals = for_flows(goals, plain.cells.flows)
    work = _Choosing(base, plain, goals, effort, budget.limited(runner), is_known, phases)
    work.begin()
    try:
        work.search()
    except OutOfTime:
        work.out_of_time = True
    budget.kept = 0.0
    try:
        work.check()
        if not work.out_of_time:
            work.look_elsewhere()
    except OutOfTime:
        work.out_of_time = True
    return work.answer()


def _require_choice(base: Job, network: Network, goals: Goals) -> None:
    """Checks that the choice of a control can make a difference in the scenario.

    Raises:
        BadInput: All controls would give the same run, or no buffer meets the goal of loss.
    """
    if network.credit is not None:
        raise BadInput(
            f"{base.path} has `fcvc`; leave `fcvc` out: choose tries credit control by itself"
        )
    groups = {flow.group for flow in network.flows}
    own = (f"flow.{group}.abr" for group in groups)
    changes = network.change_of("switch", "abr", "topology.node", *own)
    if changes is not None:
        raise BadInput(
            f"{base.path}: {changes} during the run; choose replaces controls and buffers, so "
            "only flows and their sources may change"
        )
    if not any(flow.is_elastic for flow in network.flows):
        raise BadInput(f"{base.path}: no flow is elastic, so no control changes what is sent")
    excess = excess_under_any_control(network)
    if excess is not None and excess.loss_ratio > goals.loss:
        raise BadInput(
            f"{base.path}: background brings more than {excess.port} carries, so its queue grows "
            f"without end, by {excess.cells_per_second:,.0f} cells/s; any buffer loses "
            f"{excess.loss_ratio:.3g} of all cells there, and no control of rates changes this; "
            "background must send less than the link carries, or --loss must allow this loss"
        )


@dataclass
class _Choosing:
    """The state of a choice in progress: the scenario, the goals, and all trials so far."""

    base: Job
    plain: ResolvedScenario
    goals: Goals
    effort: Effort
    runner: Runner
    is_known: Callable[[Job], bool]
    phases: Phases
    trials: list[Trials] = field(default_factory=list)
    finished: set[str] = field(default_factory=set)
    refused: dict[str, str] = field(default_factory=dict)
    checks: dict[Option, Option] = field(default_factory=dict)
    checked: Option | None = None
    rejected: list[Rejected] = field(default_factory=list)
    other_starts: Option | None = None
    longer: Option | None = None
    elsewhere: list[Elsewhere] = field(default_factory=list)
    out_of_time: bool = False
    tried: set[tuple[str, float]] = field(default_factory=set)
    narrowed: set[str] = field(default_factory=set)

    @property
    def seeds(self) -> tuple[int, ...]:
        return self.effort.search_seeds

    def _objective(self) -> Objective:
        """Objective of a search, by the goals and the best speed so far."""
        options = [option for trials in self.trials for option in trials.options()]
        goals = self.goals.among(options)
        speeds = [goals.speed(one) for one in options if not goals.missed(one)]
        least = goals.enough(max(speeds)) if speeds else goals.bits_per_second
        longest = math.inf
        if goals.delay_seconds is not None:
            longest = min(one.waits.cells_within(goals.delay_seconds) for one in self.trials)
        return enough(least, goals, longest)

    def begin(self) -> None:
        """Creates the trials of every candidate that switches and scenario allow."""
        for candidate in own_first(self.plain):
            if candidate.ability not in self.goals.abilities:
                continue
            if broken := broken_contract(candidate, self.plain):
                self.refused[candidate.name] = broken
                continue
            try:
                self.trials.append(
                    Trials.of(
                        candidate,
                        self.base,
                        self.plain,
                        self.seeds,
                        self.runner,
                        self.is_known,
                    )
                )
            except ScenarioError as error:
                self.refused[candidate.name] = str(error.diagnostics[0]["message"])

    def search(self) -> None:
        """Runs all candidates with defaults, then searches their parameters."""
        count = len(self.trials)
        for seeds in dict.fromkeys((1, self.effort.seeds)):
            for at, one in enumerate(self.trials):
                name = one.candidate.name
                self.phases(f"running each control, {seeds} of {self.effort.seeds} seeds: {name}"
                            f"{self._so_far()}", at, count)  # fmt: skip
                one.laboratory.measure([AS_IT_IS], seeds)
        if not self.trials:
            return
        for one in self.trials:
            one.try_as_it_is()
        objective = self._objective()
        for done, trials in enumerate(self._in_order(objective)):
            name = trials.candidate.name
            self.phases(f"searching the parameters of {name}{self._so_far()}", done, count)
            trials.search(self.effort.settings, objective)
            self._smaller(trials)
            self.finished.add(name)

    def _in_order(self, objective: Objective) -> list[Trials]:
        """The candidates in the order of their searches, which a time limit may cut short.

        The scenario's own control comes first, then near misses (`near_misses`) by buffer, then the
        most promising candidate.
        """
        if not self.trials:
            return []
        means = [means_of(trials.laboratory.trials[AS_IT_IS]) for trials in self.trials]
        ranked = [self.trials[at] for at in objective.ranked(means)]
        defaults = [trials.lossless(AS_IT_IS) for trials in self.trials]
        near = [one.candidate for one in near_misses(defaults, self.goals)]

        def turn(trials: Trials) -> tuple[bool, int]:
            one = trials.candidate
            return not one.is_own, near.index(one) if one in near else len(near)

        return sorted(ranked, key=turn)

    def _so_far(self) -> str:
        """The best option so far, as text; empty before an option meets the goals."""
        options = [option for trials in self.trials for option in trials.options()]
        best = judged(options, self.goals).best if options else None
        return (
            ""
            if best is None
            else f"; best so far: {best.candidate.name}, {counted(best.buffer_cells, 'cell')}"
        )

    def _smaller(self, trials: Trials) -> None:
        """Runs a candidate's best setting in smaller buffers, if the goals allow losses.

        If the greatest buffer that the goals allow makes this setting slow or unfair, all settings
        are run in it.
        """
        if self.goals.loss == 0.0:
            return
        options = trials.options()
        anyhow = replace(self.goals, buffer_cells=None)
        best = judged(options, anyhow).best
        fast = max(options, key=lambda one: (not anyhow.missed(one), anyhow.speed(one)))
        settings = dict.fromkeys((AS_IT_IS if best is None else best.setting, fast.setting))
        most = self.goals.buffer_cells
        if self.goals.delay_seconds is not None:
            in_time = math.floor(trials.waits.cells_within(self.goals.delay_seconds))
            most = in_time if most is None else min(most, in_time)
        for setting in settings:
            trials.try_smaller(setting, most)
        judgement = judged(trials.options(), self.goals)
        found = None if judgement.is_unfair else judgement.best
        enough = self.goals.enough(self.goals.speed(fast))
        if most is not None and (found is None or self.goals.speed(found) < enough):
            for setting in trials.whole:
                if setting not in settings:
                    trials.try_smaller(setting, most, ())

    def _left(self) -> list[Option]:
        """All options but those that missed a goal in their check."""
        missed = [one.option for one in self.rejected]
        options = (option for trials in self.trials for option in trials.options())
        return [option for option in options if option not in missed]

    def check(self) -> None:
        """Runs the best option with other seeds; if it then misses a goal, the next one.

        If all these seeds need the same buffer, and the scenario draws no starts of flows, the
        option is run with random starts, too, and so is the best option of another control, which
        takes its place if it is better there. A longer run of the option shows if its rate still
        rises.
        """
        seeds, compared = self.effort.check_seeds, False
        has_starts = self.plain.cells.start_jitter_seconds > 0
        while self.checked is None and len(self.rejected) < CHECKS:
            left = self._left()
            judgement = judged(left, self.goals)
            best = judgement.best
            if best is None:
                return
            name = best.candidate.name
            self.phases(f"checking {name} with other seeds", len(self.rejected), CHECKS)
            found = self._with_check_seeds(best)
            missed = missed_again(found, left, self.goals, self._with_check_seeds)
            if missed:
                self.rejected.append(Rejected(best, found, tuple(missed)))
                continue
            self.checked = found
            self.phases("running the best control for longer", 0, 1)
            self.longer = self._there(longer(self.plain), best, seeds[:1])
            if has_starts or not found.same_with_each_seed:
                return
            self.phases("running the best controls with random starts", 0, 1)
            self.other_starts = self._there(OTHER_STARTS, found, seeds)
            rival = None if compared else judgement.runner_up
            against = None if rival is None else self._there(OTHER_STARTS, rival, seeds)
            if lost := lost_with_random_starts(self.other_starts, against, self.goals):
                self.rejected.append(Rejected(best, found, lost))
                self.checked, self.other_starts, self.longer = None, None, None
            compared = True

    def _with_check_seeds(self, option: Option) -> Option:
        """Runs an option with the seeds of the check."""
        if option not in self.checks:
            [trials] = [one for one in self.trials if one.candidate == option.candidate]
            self.checks[option] = trials.check(option, self.effort.check_seeds)
        return self.checks[option]

    def look_elsewhere(self) -> None:
        """Runs the best options of the best controls in changed scenarios."""
        finalists = self._finalists()
        if len(finalists) < 2:
            return
        found = properties(self.plain)
        asked = [(factor, one) for factor in FACTORS for one in found]
        for at, (factor, one) in enumerate(asked):
            self.phases(f"{one.about} times {factor:g}", at, len(asked))
            self._ask(one.times(factor), finalists)
            self.tried.add((one.about, factor))
        for one in found:
            self._narrow(one, finalists)
            self.narrowed.add(one.about)

    def _ask(self, circumstance: Circumstance | None, finalists: list[Option]) -> Elsewhere | None:
        """Repeats the choice among the finalists in a changed scenario.

        Flows start at random if random starts give the recommended buffer.

        Returns None if there is no circumstance, or the changed scenario is not valid.
        """
        if circumstance is None:
            return None
        if decides(self.other_starts, self.checked, self.goals):
            circumstance = circumstance.beside(OTHER_STARTS)
        there = [self._there(circumstance, option, self.seeds) for option in finalists]
        if there[0] is None:
            return None
        options = [one for one in there if one is not None]
        judgement = judged(options, self.goals)
        changed = (*self.base.overrides, *circumstance.overrides)
        scenario = replace(self.base, seed=None, overrides=changed).scenario()
        excess = excess_under_any_control(Network.of_scenario(scenario))
        if excess is not None and excess.loss_ratio > self.goals.loss:
            found = Elsewhere(circumstance, None, there[0], excess=excess)
        else:
            found = Elsewhere(circumstance, judgement.best, there[0], judgement.rows[there[0]])
        self.elsewhere.append(found)
        return found

    def _narrow(self, of: Property, finalists: list[Option]) -> None:
        """Halves the interval of factors in which the choice changes."""
        for side in sides(of.about, self.elsewhere):
            if side.lost is None:
                continue
            near, far = side.kept, side.lost.circumstance.factor
            for _ in range(HALVINGS):
                asked = self._ask(of.between(near, far), finalists)
                if asked is None:
                    break
                near, far = (
                    (near, asked.circumstance.factor)
                    if asked.is_other
                    else (asked.circumstance.factor, far)
                )

    def _finalists(self) -> list[Option]:
        """The recommended option, and the best options of the controls ranked next."""
        left = self._left()
        found: list[Option] = []
        while len(found) < self.effort.finalists:
            best = judged(left, self.goals).best
            if best is None:
                break
            found.append(best)
            left = [option for option in left if option.candidate != best.candidate]
        return found

    def _there(
        self, circumstance: Circumstance, option: Option, seeds: tuple[int, ...]
    ) -> Option | None:
        """Runs an option in a changed scenario; None if the changed scenario is not valid.

        An option in a smaller buffer keeps it; any other is run without a limit.
        """
        base = replace(self.base, overrides=(*self.base.overrides, *circumstance.overrides))
        try:
            plain = ResolvedScenario.of_job(replace(base, seed=None))
            trials = Trials.of(
                option.candidate,
                base,
                plain,
                seeds,
                self.runner,
                self.is_known,
            )
            trials.finite += [one for own in self.trials for one in own.finite if one == option]
            return trials.check(option, seeds)
        except ScenarioError:
            return None

    def _not_tried(self) -> Iterator[str]:
        """Texts on the controls, searches and changed scenarios that the time limit left out."""
        if not self.out_of_time:
            return
        without_run = [one.candidate.name for one in self.trials if not one.options()]
        if without_run:
            yield ", ".join(without_run)
        unsearched = [name for name in self._unfinished() if name not in without_run]
        if unsearched:
            yield f"the whole search of the parameters of {', '.join(unsearched)}"
        best = self._judgement().best
        if best is not None and self.checked is None and len(self.rejected) < CHECKS:
            yield f"{best.candidate.name} with other seeds than those of the search"
        if min(self.effort.finalists, len(self.trials)) < 2:
            return
        for one in properties(self.plain):
            left = [f for f in sorted(FACTORS) if (one.about, f) not in self.tried and one.times(f)]
            if left:
                yield f"{times(left)} the {one.about}"
            elif one.about not in self.narrowed and self._is_lost(one):
                yield f"where the choice changes with the {one.about}, more closely"

    def _is_lost(self, of: Property) -> bool:
        """True if another control won in a scenario with the property multiplied."""
        return any(side.lost is not None for side in sides(of.about, self.elsewhere))

    def _judgement(self) -> Judgement:
        return judged(self._left(), self.goals)

    def _unfinished(self) -> tuple[str, ...]:
        """Controls whose parameters have not been searched to the end."""
        names = (trials.candidate.name for trials in self.trials)
        return tuple(name for name in names if name not in self.finished)

    def answer(self) -> Answer:
        """The answer from all runs so far.

        Raises:
            BadInput: Nothing has been run.
        """
        options = [option for trials in self.trials for option in trials.options()]
        if not options and self.out_of_time:
            raise BadInput(
                "--minutes: the time ended before the first control had run; allow more minutes, "
                "or repeat the command: finished runs are kept"
            )
        if not options:
            reasons = "; ".join(f"with `{name}` {why}" for name, why in self.refused.items())
            raise BadInput(f"{self.base.path} allows no control that was tried: {reasons}")
        return Answer(
            base=self.base,
            goals=self.goals,
            seeds=self.seeds,
            check_seeds=self.effort.check_seeds,
            options=tuple(options),
            judgement=self._judgement(),
            checked=self.checked,
            rejected=tuple(self.rejected),
            front=tuple(pareto(options)),
            other_starts=self.other_starts,
            longer=self.longer,
            elsewhere=tuple(self.elsewhere),
            refused=self.refused,
            unfinished=self._unfinished(),
            not_tried=tuple(self._not_tried()),
            simulated=sum(trials.laboratory.simulated for trials in self.trials),
            known=sum(trials.laboratory.known for trials in self.trials),
        )


def lost_with_random_starts(
    drawn: Option | None, rival: Option | None, goals: Goals
) -> tuple[str, ...]:
    """Reason why an option loses to one of another control if both have random starts of flows.

    Empty if the option does not lose, or either was not run so.
    """
    if drawn is None or rival is None:
        return ()
    judgement = judged([drawn, rival], goals)
    if judgement.best is not rival or judgement.alike:
        return ()
    cells = f"needs {counted(drawn.buffer_cells, 'cell')}, {rival.candidate.name} "
    missed = goals.among((drawn, rival)).missed(drawn) or [f"{cells}{rival.buffer_cells:,}"]
    return (f"with random starts {', '.join(missed)}",)
