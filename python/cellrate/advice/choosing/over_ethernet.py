"""Chooses how flows over Ethernet are controlled: over TCP, by explicit rates, or over RoCE."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from cellrate import ScenarioError
from cellrate.advice.choosing.checking import CHECKS
from cellrate.advice.choosing.choosing import Budget, Effort, OutOfTime, Phases
from cellrate.advice.choosing.goals import Goals, for_flows
from cellrate.advice.choosing.packet_alternatives import (
    Alternative,
    at_first,
    crossed,
    own_recovery,
)
from cellrate.advice.choosing.packet_choice import STUDY, PacketChoice, PacketOption
from cellrate.advice.choosing.packet_goals import (
    behind,
    is_behind,
    missed,
    objective_of,
    of_background,
    of_victim,
    relative_to_best,
    within_reach,
)
from cellrate.advice.choosing.roce_alternatives import over_roce, protected
from cellrate.advice.choosing.whole_runs import WholeRuns
from cellrate.advice.tuning.declared import ResolvedScenario, declared, parameter_tables
from cellrate.advice.tuning.laboratory import AS_IT_IS, Setting
from cellrate.advice.tuning.measures import Criterion, bottleneck
from cellrate.advice.tuning.objective import Means, Objective, means_of
from cellrate.advice.tuning.race import race
from cellrate.advice.tuning.search import search
from cellrate.advice.tuning.shares import notes
from cellrate.common.problems import BadInput
from cellrate.simulation.network.ethernet_view import FrameFlow, FrameNetwork
from cellrate.simulation.run_types import Runner
from cellrate.simulation.runner import Job, run_many

SEARCH_SEED = 1
OF_FLOWS = ("rate_control", "roce")
"""Tables of flows that a choice replaces."""


def choose_over_ethernet(
    base: Job,
    goals: Goals,
    effort: Effort,
    runner: Runner = run_many,
    is_known: Callable[[Job], bool] = lambda _: False,
    budget: Budget | None = None,
    phases: Phases = lambda *_: None,
) -> PacketChoice:
    """Chooses a recovery with an algorithm for queues, or a control, with its parameters.

    For flows over RoCE it chooses a control with a protection from losses (`roce_alternatives`).

    The buffers stay those of the scenario. The best option is run once more, with seeds that the
    search has not used, which give its numbers.

    Each recovery is run in the scenario's queue management, and the best recoveries with each
    queue algorithm (`packet_alternatives`), all with their defaults and one seed. The
    best alternative of each algorithm, the best recovery, the best control, and the scenario as it
    is are then run with every seed, and their declared parameters are searched. Losses are those of
    whole runs.

    Raises:
        BadInput: No flow group has the victim's name, no flow is over TCP or RoCE or obeys rates,
            flows over RoCE are beside others, or credits or pauses replace queue management.
        ScenarioError: The scenario is wrong.
    """
    plain = ResolvedScenario.of(replace(base, seed=None).scenario())
    assert isinstance(plain.network, FrameNetwork)  # noqa: S101  callers know it
    flows = plain.network.flows
    _refuse_flows(base.path, flows)
    if plain.network.credit is not None:
        raise BadInput(
            "the scenario has `fcvc`; leave `fcvc` out: over Ethernet choose does not try credit "
            "control"
        )
    is_roce = any(flow.roce for flow in flows)
    if plain.network.lossless is not None and not is_roce:
        by = plain.network.lossless["by"]
        raise BadInput(
            f"the scenario has `{by}`, which holds senders back before a buffer overflows; over "
            "Ethernet choose keeps the buffers, and compares recoveries and queue management that "
            f"act on drops and marks. Leave `{by}` out, or {STUDY}"
        )
    own = (f"flow.{group}.{of}" for group in plain.network.groups() for of in OF_FLOWS)
    changes = plain.network.change_of("switch.aqm", "switch.control", "pfc", "cbfc", *own)
    if changes is not None:
        raise BadInput(
            f"{base.path}: {changes} during the run; choose replaces queue management and "
            "controls, so only buffers, flows and their sources may change"
        )
    goals = for_flows(goals, flows)
    seeds, budget = effort.search_seeds, budget or Budget.of(None)
    work = _Search(base, plain, goals, effort, budget.limited(runner), is_known, phases)
    not_tried: tuple[str, ...] = ()
    try:
        work.run()
    except OutOfTime:
        not_tried = tuple(work.not_tried())
    laboratories = work.laboratories
    options = [
        _option(one, setting, laboratory, plain)
        for one, laboratory in laboratories.items()
        for setting in laboratory.trials
    ]
    if not options:
        raise BadInput(
            "--minutes: the time ended before the first alternative had been run; allow more "
            "minutes, or repeat the command: finished runs are kept"
        )
    means = [option.means for option in options]
    objective = work.objective(means)
    order = []
    # Means over other seeds are not compared.
    for count in sorted({option.seeds for option in options}, reverse=True):
        alike = [option for option in options if option.seeds == count]
        order += [alike[at] for at in objective.ranked([one.means for one in alike])]
    budget.kept = 0.0
    check = _Check(plain, within_reach(goals, means), objective, effort.check_seeds)
    try:
        check.run(order, laboratories, phases)
    except OutOfTime:
        not_tried = (*not_tried, f"{check.left[0].label} with other seeds than those of the search")
    known = (*laboratories.values(), *check.laboratories)
    return PacketChoice(
        base,
        goals,
        objective,
        len(seeds),
        tuple(order),
        work.refused,
        sum(one.simulated for one in known),
        sum(one.known for one in known),
        not_tried,
        check.option,
        tuple(check.rejected),
        tuple(notes(plain.network)),
        tuple(check.compared),
    )


@dataclass
class _Check:
    """Runs of the best options with seeds that the search has not used.

    Attributes:
        plain: The scenario as the user wrote it.
        goals: The goals that decide.
        objective: Ranks options of which none meets the goals.
        seeds: The seeds.
        option: The first option that misses no goal, or else the nearest; None so far, or if too
            many options missed a goal in their checks.
        rejected: The options that were checked before and miss goals, with these goals.
        compared: Options that rank below the nearest in the check.
        left: The options that no check has refuted, the best first.
        laboratories: The runs of each option that was checked.
        checks: The options with measures from these runs, by their keys.
    """

    plain: ResolvedScenario
    goals: Goals
    objective: Objective
    seeds: tuple[int, ...]
    option: PacketOption | None = None
    rejected: list[tuple[PacketOption, list[str]]] = field(default_factory=list)
    compared: list[PacketOption] = field(default_factory=list)
    left: list[PacketOption] = field(default_factory=list)
    laboratories: list[WholeRuns] = field(default_factory=list)
    checks: dict[Hashable, PacketOption] = field(default_factory=dict)

    def run(
        self,
        order: Sequence[PacketOption],
        laboratories: dict[Alternative, WholeRuns],
        phases: Phases,
    ) -> None:
        """Runs options in their order until one misses no goal.

        An option that misses a goal refutes those with the same runs in the search, too. If the
        best option missed a goal in the search, the best ones of several alternatives are run, and
        the nearest in these runs is taken; so is the nearest of the rejected if all are refuted.
        """

        def again(one: PacketOption) -> PacketOption:
            return self._again(one, laboratories, phases)

        self.left = [*order]
        if missed(order[0].means, self.goals):
            nearest = {one.named.row: one for one in reversed(order)}
            chosen = sorted(nearest.values(), key=order.index)[:CHECKS]
            self._take_nearest([again(one) for one in chosen])
            return
        while self.left and len(self.rejected) < CHECKS:
            best = self.left[0]
            found = again(best)
            # An option that missed a goal in the search is the nearest of those that are left.
            met = not missed(best.means, self.goals)
            why = (missed(found.means, self.goals) or self._behind(found, again)) if met else []
            if not why:
                self.option = found
                return
            self.rejected.append((found, why))
            self.left = [one for one in self.left[1:] if not one.is_same(best)]
        if not self.left:
            self._take_nearest([one for one, _ in self.rejected])

    def _behind(
        self, found: PacketOption, again: Callable[[PacketOption], PacketOption]
    ) -> list[str]:
        """Texts on the goals relative to the best option that a checked option misses.

        The option that has the best value in the search is run with the seeds of the check, too, if
        the checked option may be behind it. Options are compared in the seeds that both were run
        with.
        """
        first = self.left[0]
        rivals = [one for one in self.left if not missed(one.means, self.goals)]
        for goal in relative_to_best(self.objective, self.goals):
            found_of = ((_beside(one, first, goal.name), one) for one in rivals)
            known = [(value, one) for value, one in found_of if value is not None]
            if not known:
                continue
            most, rival = (max if goal.best == "greatest" else min)(known, key=lambda pair: pair[0])
            own = found.means[goal.name]
            if rival is not first and is_behind(goal, own, most):
                there = again(rival).means
                best = there[goal.name]
                if (
                    not missed(there, self.goals)
                    and best is not None
                    and is_behind(goal, own, best)
                ):
                    return [behind(goal, own, best)]
            rivals = [one for value, one in known if goal.reaches(value, most)]
        return []

    def _take_nearest(self, found: Sequence[PacketOption]) -> None:
        """Takes the nearest of options that were checked, of which none meets the goals."""
        ranked = self.objective.ranked([one.means for one in found])
        self.option, *self.compared = (found[at] for at in ranked)

    def _again(
        self, best: PacketOption, laboratories: dict[Alternative, WholeRuns], phases: Phases
    ) -> PacketOption:
        """The option with measures from the seeds of the check."""
        if best.key not in self.checks:
            phases(f"checking {best.label} with other seeds", len(self.rejected), CHECKS)
            laboratory = laboratories[best.alternative].with_seeds(self.seeds)
            self.laboratories.append(laboratory)
            laboratory.measure([best.setting], len(self.seeds))
            self.checks[best.key] = _option(best.alternative, best.setting, laboratory, self.plain)
        return self.checks[best.key]


def _beside(one: PacketOption, first: PacketOption, criterion: str) -> float | None:
    """The mean of an option as it would be with all seeds of the first option.

    If the option was run with fewer seeds, it is to the mean of the first option as in these.
    """
    own, others = one.values(criterion), first.values(criterion)[: one.seeds]
    mean = first.means[criterion]
    if not own or not others or mean is None or sum(others) == 0:
        return one.means[criterion] if one.seeds == first.seeds else None
    return mean * (sum(own) / len(own)) / (sum(others) / len(others))


def _option(
    alternative: Alternative, setting: Setting, laboratory: WholeRuns, plain: ResolvedScenario
) -> PacketOption:
    """The option of an alternative with a setting, from its runs."""
    runs = laboratory.trials[setting]
    return PacketOption(
        alternative,
        setting,
        len(runs),
        means_of(runs),
        sum(run.acts for run in runs),
        sum(run.locked for run in runs),
        (*alternative.overrides(plain), *laboratory.overrides(setting)),
        alternative.removed(plain),
        tuple(run.digest for run in runs),
        tuple(run.values for run in runs),
    )


@dataclass
class _Search:
    """The search in progress: all alternatives so far, each with its runs."""

    base: Job
    plain: ResolvedScenario
    goals: Goals
    effort: Effort
    runner: Runner
    is_known: Callable[[Job], bool]
    phases: Phases
    laboratories: dict[Alternative, WholeRuns] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    searched: set[str] = field(default_factory=set)
    is_crossed: bool = False

    @property
    def network(self) -> FrameNetwork:
        assert isinstance(self.plain.network, FrameNetwork)  # noqa: S101  callers know it
        return self.plain.network

    @cached_property
    def more(self) -> tuple[Criterion, ...]:
        """The criteria of background, if there is some, and of a victim, if the goals name one."""
        return (*self.background, *self.victim)

    @cached_property
    def background(self) -> tuple[Criterion, ...]:
        return of_background(self.goals, self.network)

    @cached_property
    def victim(self) -> tuple[Criterion, ...]:
        return of_victim(self.goals, self.network)

    @property
    def over_roce(self) -> bool:
        return any(flow.roce for flow in self.network.flows)

    def objective(self, means: Sequence[Means]) -> Objective:
        """The goals that are within reach, as criteria in their order."""
        goals = within_reach(self.goals, means)
        files = goals.all_files_end
        return objective_of(goals, files=files, background=self.background, more=self.victim)

    def run(self) -> None:
        """Runs all alternatives once, and searches the best one of each kind."""
        flows = self.network.flows
        self._once(over_roce(self.plain) if self.over_roce else at_first(self.plain, flows))
        self.is_crossed = True
        if self.over_roce:
            means = self._means()
            goals = within_reach(self.goals, means)
            found = zip(self.laboratories, means, strict=True)
            good = [one for one, of in found if goals.victim is None and not missed(of, goals)]
            asking = [one for one in over_roce(self.plain) if one not in good]
            self._once(protected(self.plain, asking))
        elif any(flow.tcp for flow in flows):
            own = own_recovery(flows)
            recoveries = [one.recovery or own for one in self._ranked() if not one.control]
            self._once(crossed([one for one in recoveries if one]))
        of_kinds: dict[str, Alternative] = {}
        for one in self._ranked():
            of_kinds.setdefault(one.kind, one)
        objective = self.objective(self._means())
        for at, one in enumerate(of_kinds.values()):
            self.phases(f"searching the parameters of {one.name}", at, len(of_kinds))
            _search(self.laboratories[one], objective, self.effort.settings)
            self.searched.add(one.kind)
        self.repeat_promising()

    def repeat_promising(self) -> None:
        """Runs alternatives that meet the goals with one seed with every seed, if no other does."""
        runs = [of for one in self.laboratories.values() for of in one.trials.values()]
        goals = within_reach(self.goals, [means_of(of) for of in runs])
        whole = [of for of in runs if len(of) == self.effort.seeds]
        for one in self._ranked():
            laboratory = self.laboratories[one]
            if any(not missed(means_of(of), goals) for of in whole):
                return
            if not missed(means_of(laboratory.trials[AS_IT_IS]), goals):
                self.phases(f"running {one.name} with every seed", 0, 1)
                laboratory.measure([AS_IT_IS], self.effort.seeds)
                whole.append(laboratory.trials[AS_IT_IS])

    def _once(self, found: Iterable[Alternative]) -> None:
        """Runs alternatives that have not been run yet with one seed."""
        ports, added = bottleneck(self.network), dict[Alternative, WholeRuns]()
        for one in found:
            try:
                job = one.job(self.base, self.plain)
                if one.control is not None and job.resolved() == self.base.resolved():
                    continue  # the scenario as it is
                job.scenario()
            except ScenarioError as error:
                self.refused[one.name] = str(error.diagnostics[0]["message"])
                continue
            if one not in self.laboratories:
                seeds = self.effort.search_seeds
                added[one] = WholeRuns(
                    job,
                    seeds,
                    ports,
                    self.runner,
                    self.is_known,
                    more=self.more,
                    by_shares=True,
                    shared=one.shared(self.plain),
                )
        self.laboratories |= added
        for at, (one, laboratory) in enumerate(added.items()):
            self.phases(f"running each alternative: {one.name}", at, len(added))
            laboratory.measure([AS_IT_IS], 1)

    def _means(self) -> list[Means]:
        return [means_of(one.trials[AS_IT_IS]) for one in self.laboratories.values()]

    def _ranked(self) -> list[Alternative]:
        """All alternatives so far, by their runs with defaults, the best first."""
        names, means = list(self.laboratories), self._means()
        return [names[at] for at in self.objective(means).ranked(means)]

    def not_tried(self) -> Iterator[str]:
        """Texts on the alternatives and searches that the time limit left out."""
        yield from (one.name for one, found in self.laboratories.items() if not found.trials)
        if not self.is_crossed and self.over_roce:
            yield "controls that miss goals under other protections from losses"
        elif not self.is_crossed and any(flow.tcp for flow in self.network.flows):
            yield "the best recoveries with other queue algorithms"
        kinds = dict.fromkeys(one.kind for one in self.laboratories)
        left = [kind or "the scenario's own" for kind in kinds if kind not in self.searched]
        if left:
            yield f"searches for the best of these kinds: {', '.join(left)}"


def _search(laboratory: WholeRuns, objective: Objective, settings: int) -> None:
    """Runs an alternative with every seed, and searches its declared parameters, if any."""
    scenario = ResolvedScenario.of(replace(laboratory.base, seed=None).scenario())
    others = tuple(f"flow.{group}.roce." for group in laboratory.shared[1:])
    tables = [one for one in parameter_tables(scenario) if not one.startswith(others)]
    space, _ = declared(scenario, tables)
    found: Sequence[Setting] = ()
    if space and settings > 0:
        found = search(laboratory, space, settings, objective, SEARCH_SEED)
    race(laboratory, found, [AS_IT_IS], objective)


def _refuse_flows(path: str, flows: Sequence[FrameFlow]) -> None:
    """Refuses flows for which there is nothing to choose.

    Raises:
        BadInput: Flows over RoCE are beside others, or no flow is over TCP or RoCE or obeys rates.
    """
    roce = [flow for flow in flows if flow.roce]
    other = next((one.group for one in flows if one.tcp or one.rate_controlled), None)
    if roce and other is not None:
        raise BadInput(
            f"{path}: `flow.{roce[0].group}` runs over RoCE, and `flow.{other}` does not; choose "
            "tries the controls of RoCE, or those of other flows. Leave one of them out, or "
            f"{STUDY}"
        )
    if not roce and other is None:
        raise BadInput(
            f"{path}: no flow runs over TCP or RoCE or has `rate_control`, so there is nothing to "
            "choose"
        )
